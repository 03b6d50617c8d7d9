package chol

import (
	"math"
	"math/bits"
	"slices"

	"github.com/polydag/polydag/internal/vec"
)

// Wide is a correlation matrix of many columns that is not stored; matrix.Gram is one.
type Wide interface {
	// At returns entry (i, j) in double precision.
	At(i, j int) float64
	// Coarse returns row i in units of 1/32767, with errors of at most Slack in each entry. Its length is a multiple of
	// vec.CoarseColumns.
	Coarse(i int) []int16
	Slack() float64
	// Column returns the column of entry x of a row of Coarse, or -1.
	Column(x int) int32
	// Fill writes the entries of row i at these places of a row of Coarse, ascending, to dst as At returns them, or NaN where At is
	// slow.
	Fill(dst []float64, i int, places []int32)
}

// wide has the buffers of a Scan of a Wide.
type wide struct {
	block   []float64 // correlations of the response and the regressors
	local   []int     // 1 … k, their places in block
	rows    []*int16
	a, b    []float32
	scratch []float32
	mask    []uint64
	found   []int32
	exact   []float64 // correlations of the response and of the regressors with the columns found
	weights []float64
	known   []known
	shift   int
}

// known is an entry of a table of recent correlations. Searches ask for the same ones again and again.
type known struct {
	pair uint64 // both columns, the smaller one first; 0 if empty
	r    float64
}

// mostKnown is the binary logarithm of the largest size of the table, 16 MB.
const mostKnown = 20

// at returns a correlation from the table or from s.Wide.
func (s *Scan) at(i, j int) float64 {
	w := &s.wide
	if w.known == nil {
		size := min(mostKnown, 6+bits.Len(uint(len(s.Wide.Coarse(0)))))
		w.known, w.shift = make([]known, 1<<size), 64-size
	}
	pair := uint64(min(i, j))<<32 | uint64(max(i, j))
	slot := &w.known[pair*0x9e3779b97f4a7c15>>w.shift]
	if slot.pair != pair {
		slot.pair, slot.r = pair, s.Wide.At(i, j)
	}
	return slot.r
}

const coarseUnit = 1.0 / math.MaxInt16

// gather copies the correlations of v and the set to a small matrix.
func gather[I Index](s *Scan, v I, set []I) {
	w, m := &s.wide, len(set)+1
	w.block = Grown(w.block, m*m)
	w.local = w.local[:0]
	for i, p := range set {
		w.local = append(w.local, i+1)
		w.block[i+1] = s.at(int(v), int(p))
		for j, q := range set[:i] {
			w.block[(i+1)*m+j+1] = s.at(int(p), int(q))
		}
	}
}

// screenWide is Screen in two steps: the coarse correlations exclude most columns, and the columns that they leave are
// screened with their exact correlations. The first step keeps every column that the second one would return.
func screenWide[I Index](s *Scan, v I, set []I, t float64) []Hit {
	w := &s.wide
	w.rows = w.rows[:0]
	for _, p := range set {
		w.rows = append(w.rows, &s.Wide.Coarse(int(p))[0])
	}
	s.coarse(s.Wide.Coarse(int(v)), t)
	w.found = slices.DeleteFunc(w.found, func(at int32) bool {
		x := s.Wide.Column(int(at))
		return x < 0 || x == int32(v) || slices.Contains(set, I(x))
	})
	s.hits = s.hits[:0]
	if len(w.found) == 0 {
		return s.hits
	}
	// At least 32 columns, so that Partial runs the kernel that it runs on whole rows.
	m, k := max(32, len(w.found)), s.k
	w.exact = Grown(w.exact, (k+1)*m)
	clear(w.exact)
	s.Wide.Fill(w.exact, int(v), w.found)
	s.rows = s.rows[:0]
	for i, p := range set {
		row := w.exact[(i+1)*m:][:m]
		s.Wide.Fill(row, int(p), w.found)
		s.rows = append(s.rows, &row[0])
	}
	for h, at := range w.found { // column by column, because a column stays in the cache of the processor
		x := int(s.Wide.Column(int(at)))
		if w.exact[h] != w.exact[h] {
			w.exact[h] = s.at(int(v), x)
		}
		for i, p := range set {
			if e := &w.exact[(i+1)*m+h]; *e != *e {
				*e = s.at(int(p), x)
			}
		}
	}
	s.partial(t, w.exact[:m])
	for h, at := range w.found {
		if s.mask[h>>5]>>(h&31)&1 != 0 {
			s.hit(h, s.Wide.Column(int(at)))
		}
	}
	slices.SortFunc(s.hits, func(a, b Hit) int { return int(a.X - b.X) })
	return s.hits
}

// coarse lists in s.wide.found the places of the columns that pass the screen with threshold t, and some that do not. y and s.wide.rows have
// the coarse correlations of the response and of the regressors.
//
// Errors. With δ the error of a coarse correlation and u = 2⁻²⁴, the triangular solve in single precision gives z + e
// with L·e = f for some |f_i| ≤ ε = δ + 3·(k+4)·u, because the rows of L and the vector z have at most length 1 (Higham 2002,
// theorem 8.5; the bound needs the length of e below 1). So with w_i the sum of |L⁻¹| along row i, the
// length of e is at most η = ε·‖w‖, and with b the coefficients of the regression
//
//	|error of c| ≤ δ + ε·Σ|b_i| + 3·(k+3)·u,   |error of q| ≤ η·(2 + η) + 5·(k+2)·u.
//
// The kernel adds the first to |c| and subtracts the second from q. Where η is 1 or more, every column passes.
func (s *Scan) coarse(y []int16, t float64) {
	const u = 0x1p-24
	w, k := &s.wide, s.k
	delta := s.Wide.Slack()
	eps := delta + 3*float64(k+4)*u
	length, coefficients := s.spread()
	eta := eps * length
	w.found = w.found[:0]
	if eta >= 1 {
		for x := range y {
			w.found = append(w.found, int32(x))
		}
		return
	}
	ofC := delta + eps*coefficients + 3*float64(k+3)*u
	ofQ := eta*(2+eta) + 5*float64(k+2)*u
	const up = 1 + 0x1p-18 // covers the rounding of the comparison and of its constants
	w.a, w.b = w.a[:0], w.b[:0]
	for i := range k {
		inv := s.inv[i]
		w.a = append(w.a, float32(inv*coarseUnit))
		for _, l := range s.l[i*k : i*k+i] {
			w.a = append(w.a, float32(-inv*l))
		}
		w.b = append(w.b, float32(-s.z[i]/coarseUnit))
	}
	w.scratch, w.mask = Grown(w.scratch, k*vec.CoarseColumns), Grown(w.mask, len(y)/vec.CoarseColumns)
	vec.Coarse(w.mask, float32(t/(coarseUnit*coarseUnit)/up), float32(ofC/coarseUnit*up), float32(1-ofQ*up-4*u), y, w.rows, w.a, w.b, w.scratch)
	for g, m := range w.mask {
		for ; m != 0; m &= m - 1 {
			w.found = append(w.found, int32(vec.CoarseColumns*g+bits.TrailingZeros64(m)))
		}
	}
}

// spread returns the length of the vector of the sums of |L⁻¹| along its rows, and the sum of the absolute coefficients.
func (s *Scan) spread() (length, coefficients float64) {
	k, w := s.k, &s.wide
	w.weights = Grown(w.weights, k)
	clear(w.weights)
	x := s.x
	for j := range k {
		x[j] = s.inv[j]
		b := x[j] * s.z[j]
		w.weights[j] += math.Abs(x[j])
		for i := j + 1; i < k; i++ {
			sum := 0.0
			for h, l := range s.l[i*k+j : i*k+i] {
				sum -= l * x[j+h]
			}
			x[i] = sum * s.inv[i]
			b += x[i] * s.z[i]
			w.weights[i] += math.Abs(x[i])
		}
		coefficients += math.Abs(b)
	}
	for _, v := range w.weights {
		length += v * v
	}
	return math.Sqrt(length), coefficients
}
