package search

import (
	"math/bits"

	"github.com/polydag/polydag/internal/vec"
)

// hit is a variable x that would improve the score as a further parent, with q = c²/var, what it
// takes off the residual variance.
type hit struct {
	x int32
	q float64
}

// columnScan is the memory of scanColumns.
type columnScan struct {
	rows    []*float64 // of R, one a parent
	a       []float64  // for each parent i: 1/L_ii, then -L_ij/L_ii for j < i
	b       []float64  // for each parent i: -l_i
	mask    []uint32   // bit x%32 of word x/32 is set where column x passes
	c, q    []float64  // partial covariance and variance
	scratch []float64
}

// scanColumns writes to w.hits the variables x outside parents with c² > t·var, where c is the
// partial covariance of v and x given the parents and var the partial variance of x. factor has
// left L and l.
func (w *worker) scanColumns(v int32, parents []uint32, t float64) {
	e, s := w.e, &w.columns
	k := len(parents)
	s.rows, s.a, s.b = s.rows[:0], s.a[:0], s.b[:0]
	for i, p := range parents {
		inv := w.inv[i]
		s.rows = append(s.rows, &e.r.Row(int(p))[0])
		s.a = append(s.a, inv)
		for _, l := range w.chol[i*k : i*k+i] {
			s.a = append(s.a, -inv*l)
		}
		s.b = append(s.b, -w.proj[i])
	}
	if s.c == nil {
		s.c, s.q, s.mask = make([]float64, e.d), make([]float64, e.d), make([]uint32, (e.d+31)/32)
	}
	s.scratch = grown(s.scratch, k*vec.PartialScratch)
	// k²/2 + 2k multiplications a column: the search spends most of its time here.
	vec.Partial(s.mask, s.c, s.q, t, e.r.Row(int(v)), s.rows, s.a, s.b, s.scratch)

	s.mask[v>>5] &^= 1 << (v & 31)
	for _, p := range parents {
		s.mask[p>>5] &^= 1 << (p & 31)
	}
	for i, m := range s.mask {
		for ; m != 0; m &= m - 1 {
			x := 32*i + bits.TrailingZeros32(m)
			// A variable that is a linear function of the parents adds nothing to them.
			if c, q := s.c[x], s.q[x]; q > leastPartial && !e.rules.isForbidden(int32(x), v) {
				w.hits = append(w.hits, hit{int32(x), c * c / q})
			}
		}
	}
}
