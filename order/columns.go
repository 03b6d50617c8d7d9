package order

import (
	"math/bits"

	"github.com/polydag/polydag/vec"
)

// columns is the width of the strip in which partial walks over R: the strips of a few
// parents stay in the first-level cache.
const columns = 256

// hit is a variable x that would improve the score as a further parent, with q = c²/var, what it
// takes off the residual variance.
type hit struct {
	x int32
	q float64
}

// columnScan is the memory of scanColumns.
type columnScan struct {
	rows  [][]float64 // of R, one a parent
	a     []float64   // for each parent i: 1/L_ii, then -L_ij/L_ii for j < i
	b     []float64   // for each parent i: -l_i
	mask  []uint32    // bit x%32 of word x/32 is set where column x passes
	c, q  []float64   // partial covariance and variance; defined where the column passes
	z     [][]float64
	strip []float64
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
		s.rows = append(s.rows, e.r.Row(int(p)))
		s.a = append(s.a, inv)
		for _, l := range w.chol[i*k : i*k+i] {
			s.a = append(s.a, -inv*l)
		}
		s.b = append(s.b, -w.proj[i])
	}
	if s.c == nil {
		s.c, s.q, s.mask = make([]float64, e.d), make([]float64, e.d), make([]uint32, (e.d+31)/32)
	}
	s.partial(t, e.r.Row(int(v)))

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

// partial computes for every column x
//
//	z_i = a_ii·rows[i][x] + Σ_{j<i} a_ij·z_j,   c = y[x] + Σ_i b_i·z_i,   q = 1 - Σ_i z_i²
//
// and marks those with c² > t·q. It costs k²/2 + 2k multiplications a column: the search
// spends most of its time here. R has ones on its diagonal, so a_00 = 1.
func (s *columnScan) partial(t float64, y []float64) {
	k := len(s.rows)
	if len(s.strip) < k*columns {
		s.strip = make([]float64, 2*k*columns)
	}
	clear(s.mask)
	for x0 := 0; x0 < len(y); x0 += columns {
		x1 := min(x0+columns, len(y))
		s.z = s.z[:0]
		a := s.a
		for i, row := range s.rows {
			z := row[x0:x1]
			if i > 0 {
				z = s.strip[i*columns:][:x1-x0]
				s.combine(z, a[0], row[x0:x1], a[1:1+i])
			}
			s.z = append(s.z, z)
			a = a[i+1:]
		}
		s.combine(s.c[x0:x1], 1, y[x0:x1], s.b)
		s.compare(s.c[x0:x1], s.q[x0:x1], s.mask[x0/32:], t)
	}
}

// combine computes dst = f·x + Σ_j a_j·z_j.
func (s *columnScan) combine(dst []float64, f float64, x, a []float64) {
	switch len(a) {
	case 0:
		vec.Scale(dst, f, x)
		return
	case 1:
		vec.Lin3(dst, f, x, a[0], s.z[0], 0, x)
		return
	}
	vec.Lin3(dst, f, x, a[0], s.z[0], a[1], s.z[1])
	j := 2
	for ; j+1 < len(a); j += 2 {
		vec.Lin3(dst, 1, dst, a[j], s.z[j], a[j+1], s.z[j+1])
	}
	if j < len(a) {
		vec.Axpy(dst, a[j], s.z[j])
	}
}

// compare marks the columns of a strip that pass.
func (s *columnScan) compare(c, q []float64, mask []uint32, t float64) {
	n := len(c)
	q = q[:n]
	z := s.z
	switch len(z) {
	case 0:
		for i, c := range c {
			if c*c > t {
				q[i] = 1
				mask[i>>5] |= 1 << (i & 31)
			}
		}
		return
	case 1:
		z0 := z[0][:n]
		for i, c := range c {
			if p := 1 - z0[i]*z0[i]; c*c > t*p {
				q[i] = p
				mask[i>>5] |= 1 << (i & 31)
			}
		}
		return
	case 2:
		z0, z1 := z[0][:n], z[1][:n]
		for i, c := range c {
			if p := 1 - z0[i]*z0[i] - z1[i]*z1[i]; c*c > t*p {
				q[i] = p
				mask[i>>5] |= 1 << (i & 31)
			}
		}
		return
	}
	z0, z1, z2 := z[0][:n], z[1][:n], z[2][:n]
	for i := range q {
		q[i] = 1 - z0[i]*z0[i] - z1[i]*z1[i] - z2[i]*z2[i]
	}
	z = z[3:]
	for ; len(z) >= 2; z = z[2:] {
		z0, z1 := z[0][:n], z[1][:n]
		for i := range q {
			q[i] -= z0[i]*z0[i] + z1[i]*z1[i]
		}
	}
	if len(z) == 1 {
		z0 := z[0][:n]
		for i := range q {
			q[i] -= z0[i] * z0[i]
		}
	}
	for i, c := range c {
		if c*c > t*q[i] {
			mask[i>>5] |= 1 << (i & 31)
		}
	}
}
