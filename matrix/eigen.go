package matrix

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/vec"
)

// ErrNotFinite is returned by EigenSym for a matrix with NaN or infinite entries.
var ErrNotFinite = errors.New("an entry is NaN or infinite")

// EigenSym returns the eigenvalues of the symmetric matrix a in ascending order. With vectors it also returns
// an orthogonal matrix V with a = V·diag(values)·Vᵀ, whose column k is the k-th eigenvector. Only the lower
// triangle of a is read.
//
// Householder reflections make the matrix tridiagonal, and implicit QR steps with Wilkinson's shift diagonalize
// it (Golub and Van Loan 2013, ch. 8.3). The error of each eigenvalue is a small multiple of the rounding unit
// times the largest one. Cost: 2·n³ flops for the values, about 9·n³ with vectors, on one thread. A tridiagonal
// matrix takes O(n²) for the values. The result is deterministic.
func EigenSym(a *Dense[float64], vectors bool) (values []float64, v *Dense[float64], err error) {
	n := a.Rows
	if a.Cols != n {
		panic(fmt.Sprintf("matrix: eigenvalues of %d×%d, want square", a.Rows, a.Cols))
	}
	work := New[float64](n, n)
	top := 0.0
	for i := range n {
		for j, x := range a.Row(i)[:i+1] {
			if x-x != 0 {
				return nil, nil, fmt.Errorf("%w: (%d, %d) is %v", ErrNotFinite, i, j, x)
			}
			work.Set(i, j, x)
			work.Set(j, i, x)
			top = max(top, math.Abs(x))
		}
	}
	// Scale all entries to at most 1 by a power of two, which is exact, so that no square overflows.
	_, exponent := math.Frexp(top)
	for i, x := range work.Data {
		work.Data[i] = math.Ldexp(x, -exponent)
	}
	t := tridiagonalize(work, vectors)
	if err := t.diagonalize(); err != nil {
		return nil, nil, err
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t.diag[i], t.diag[j]) })
	values = make([]float64, n)
	for k, from := range order {
		values[k] = math.Ldexp(t.diag[from], exponent)
	}
	if vectors {
		v = New[float64](n, n)
		for k, from := range order {
			for i, x := range t.rows.Row(from) {
				v.Set(i, k, x)
			}
		}
	}
	return values, v, nil
}

// tridiagonal is a symmetric matrix T with diagonal diag and off-diagonal off. If rows is set, its row k is
// column k of the orthogonal matrix Q: A = Q·T·Qᵀ.
type tridiagonal struct {
	diag, off []float64
	rows      *Dense[float64]
}

// tridiagonalize overwrites the full symmetric matrix a. Step k reflects rows and columns k+1 … n-1 by H = I -
// βvvᵀ, which zeroes column k below its first subdiagonal entry. With p = βAv and w = p - ½β(pᵀv)v, HAH = A -
// vwᵀ - wvᵀ.
func tridiagonalize(a *Dense[float64], vectors bool) *tridiagonal {
	n := a.Rows
	t := &tridiagonal{diag: make([]float64, n), off: make([]float64, max(n-1, 0))}
	beta := make([]float64, n)
	w := make([]float64, n)
	for k := range n - 1 {
		v := a.Row(k)[k+1:] // the row is no longer read and stores v
		t.off[k], beta[k] = reflector(v)
		if beta[k] == 0 {
			continue
		}
		p := w[k+1:]
		for i := range p {
			p[i] = beta[k] * vec.Dot(a.Row(k + 1 + i)[k+1:], v)
		}
		vec.Axpy(p, -beta[k]*vec.Dot(p, v)/2, v)
		for i := range p {
			row := a.Row(k + 1 + i)[k+1:]
			vec.Lin3(row, 1, row, -v[i], p, -p[i], v)
		}
	}
	for i := range n {
		t.diag[i] = a.At(i, i)
	}
	if vectors {
		t.rows = New[float64](n, n)
		Transpose(t.rows, reflections(a, beta))
	}
	return t
}

// reflector overwrites x with v and returns β and the first entry of (I - βvvᵀ)x, whose other entries are zero.
// If x already has that form, β is 0. The sign avoids cancellation.
func reflector(x []float64) (first, beta float64) {
	rest := 0.0
	for _, v := range x[1:] {
		rest = max(rest, math.Abs(v))
	}
	if rest == 0 {
		return x[0], 0
	}
	scale := 1 / max(rest, math.Abs(x[0])) // no square underflows
	if math.IsInf(scale, 0) {
		return x[0], 0 // the entries are below 1e-308 of the largest entry of the matrix
	}
	vec.Scale(x, scale, x)
	length := math.Copysign(math.Sqrt(vec.Dot(x, x)), x[0])
	x[0] += length
	return -length / scale, 1 / (length * x[0])
}

// reflections returns the product of the reflections, whose vectors are stored in the rows of a right of the
// diagonal. It goes from the last to the first, so that step k changes only the block k+1 … n-1.
func reflections(a *Dense[float64], beta []float64) *Dense[float64] {
	n := a.Rows
	q := New[float64](n, n)
	for i := range n {
		q.Set(i, i, 1)
	}
	y := make([]float64, n)
	for k := n - 2; k >= 0; k-- {
		if beta[k] == 0 {
			continue
		}
		v, y := a.Row(k)[k+1:], y[k+1:]
		clear(y)
		for i, x := range v {
			vec.Axpy(y, x, q.Row(k + 1 + i)[k+1:])
		}
		for i, x := range v {
			vec.Axpy(q.Row(k + 1 + i)[k+1:], -beta[k]*x, y)
		}
	}
	return q
}

// diagonalize takes QR steps until all off-diagonal entries are zero. An entry counts as zero if it is below
// the rounding error of its two diagonal neighbors. Each eigenvalue takes one to three steps.
func (t *tridiagonal) diagonalize() error {
	const most = 60 // steps per eigenvalue; no known matrix takes more than a few
	hi := len(t.diag) - 1
	for steps := 0; hi > 0; {
		if t.negligible(hi - 1) {
			t.off[hi-1] = 0
			hi, steps = hi-1, 0
			continue
		}
		lo := hi - 1
		for lo > 0 && !t.negligible(lo-1) {
			lo--
		}
		if steps++; steps > most {
			return fmt.Errorf("no eigenvalue was found in %d steps on rows %d to %d", most, lo, hi)
		}
		t.step(lo, hi)
	}
	return nil
}

func (t *tridiagonal) negligible(i int) bool {
	return math.Abs(t.off[i]) <= 0x1p-53*(math.Abs(t.diag[i])+math.Abs(t.diag[i+1])) || math.Abs(t.off[i]) < 0x1p-1000
}

// step is one implicit QR step on rows lo … hi. The first rotation is that of the QR decomposition of T - μI.
// The others remove the entry that it creates outside the three diagonals.
func (t *tridiagonal) step(lo, hi int) {
	d, e := t.diag, t.off
	delta := (d[hi-1] - d[hi]) / 2
	mu := d[hi] - e[hi-1]*(e[hi-1]/(delta+math.Copysign(math.Hypot(delta, e[hi-1]), delta)))
	x, z := d[lo]-mu, e[lo]
	for k := lo; k < hi; k++ {
		c, s := 1.0, 0.0
		r := math.Hypot(x, z)
		if r != 0 {
			c, s = x/r, z/r
		}
		if k > lo {
			e[k-1] = r
		}
		a, b, o := d[k], d[k+1], e[k]
		d[k] = c*c*a + 2*c*s*o + s*s*b
		d[k+1] = s*s*a - 2*c*s*o + c*c*b
		e[k] = c*s*(b-a) + (c*c-s*s)*o
		if k+1 < hi {
			x, z = e[k], s*e[k+1]
			e[k+1] *= c
		}
		if t.rows != nil && s != 0 {
			rotate(t.rows.Row(k), t.rows.Row(k+1), c, s)
		}
	}
}

// rotate overwrites x and y with cx + sy and cy - sx.
func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i] = c*v + s*w
		y[i] = c*w - s*v
	}
}
