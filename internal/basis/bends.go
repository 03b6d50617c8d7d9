package basis

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

const (
	// bent is the number of curved functions of each column in Pairs. With four of them the p-value below has a
	// closed form; more detect little more and double the cost.
	bent = 4
	// panelColumns is the number of columns whose functions are multiplied with all columns at a time.
	panelColumns = 64
)

// Bends describes, for every ordered pair of columns, how much of the second is a linear and how much a
// nonlinear function of the first.
type Bends struct {
	Rows int
	// Line is d×d: entry (i, j) is the squared correlation, the share of the variance of column j that a linear
	// function of column i explains.
	Line *matrix.Dense[float64]
	// Curve is d×d: entry (i, j) is the additional share that curved functions of column i explain.
	Curve *matrix.Dense[float64]
}

// Pairs computes Bends of all ordered pairs of columns. The curved functions of a column are four cosines of its
// ranks, orthogonalized against a constant, the column itself and the earlier functions.
//
// It costs 8·n·d² flops in matrix products and a sort of each column; memory is about 16·d² + 8·n·d bytes. The
// result has the same bytes on any number of threads. A constant column is unrelated to all others. It returns
// the error of a cancelled context.
func Pairs(ctx context.Context, x *matrix.Dense[float64], threads int) (*Bends, error) {
	n, d := x.Rows, x.Cols
	if n == 0 {
		return nil, fmt.Errorf("%w", dataset.ErrNoRows)
	}
	if !x.Finite() {
		return nil, fmt.Errorf("the rows have a value that is not a finite number: %w; drop the row or fill in a number", dataset.ErrNotFinite)
	}
	columns := matrix.New[float64](d, n) // centred, each with a sum of squares of 1
	matrix.Transpose(columns, x)
	parallel.For(d, threads, func(j int) { normalize(columns.Row(j)) })
	out := &Bends{Rows: n, Line: matrix.New[float64](d, d), Curve: matrix.New[float64](d, d)}
	functions, shares := matrix.New[float64](panelColumns*bent, n), matrix.New[float64](panelColumns*bent, d)
	for lo := 0; lo < d; lo += panelColumns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		hi := min(lo+panelColumns, d)
		parallel.For(hi-lo, threads, func(i int) {
			bend(functions.Data[i*bent*n:(i+1)*bent*n], columns.Row(lo+i))
		})
		rows := bent * (hi - lo)
		f, s := matrix.Of(rows, n, functions.Data[:rows*n]), matrix.Of(rows, d, shares.Data[:rows*d])
		matrix.MulTB(s, f, columns, threads)
		for i := lo; i < hi; i++ {
			to := out.Curve.Row(i)
			for k := range bent {
				for j, c := range s.Row((i-lo)*bent + k) {
					to[j] += c * c
				}
			}
			to[i] = 0
		}
	}
	matrix.MulTB(out.Line, columns, columns, threads)
	for i := range d {
		row := out.Line.Row(i)
		vec.Square(row, row)
	}
	return out, nil
}

// Chance returns the expected number of pairs as curved as the most curved one if no pair is curved: the
// p-value of one pair times the number of pairs (Bonferroni).
//
// If all columns are jointly Gaussian, column j is a linear function of column i plus Gaussian noise, for any
// graph. Then s = Curve/(1 - Line) has a beta distribution with parameters 4/2 and m/2, m = n - 6. It exceeds s
// with probability (1 - s)^(m/2)·(1 + s·m/2).
func (b *Bends) Chance() float64 {
	d, m := b.Line.Rows, float64(b.Rows-bent-2)
	if m <= 0 {
		return 1
	}
	most := 0.0
	for i := range d {
		line := b.Line.Row(i)
		for j, c := range b.Curve.Row(i) {
			// A copy leaves only a rounding error.
			if left := 1 - line[j]; j != i && left > 1e-9 {
				most = max(most, min(1, c/left))
			}
		}
	}
	return float64(d) * float64(d-1) * math.Exp(m/2*math.Log1p(-most)) * (1 + most*m/2)
}

// normalize centres x and scales it to a sum of squares of 1, or to 0 if it is constant.
func normalize(x []float64) {
	lo, hi := slices.Min(x), slices.Max(x)
	width := hi/2 - lo/2 // halves, because the difference of two finite numbers may overflow
	if !(width > 0) {
		clear(x)
		return
	}
	for i, v := range x {
		x[i] = (v/2 - lo/2) / width
	}
	for range 2 { // the second iteration removes rounding errors
		centre(x)
	}
	unit(x, 0)
}

// centre subtracts the mean from x.
func centre(x []float64) {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	mean := sum / float64(len(x))
	for i := range x {
		x[i] -= mean
	}
}

// unit scales x to a sum of squares of 1, or to 0 if that is at most least.
func unit(x []float64, least float64) {
	square := vec.Dot(x, x)
	if !(square > least) {
		clear(x)
		return
	}
	vec.Scale(x, 1/math.Sqrt(square), x)
}

// bend writes the curved functions of a column. They are orthogonal to each other, to a constant and to z, the
// normalized column, each with a sum of squares of 1. A function that depends on earlier ones, as for few
// distinct values, is 0.
func bend(to, z []float64) {
	n := len(z)
	// One word holds a value as order-preserving bits, with the row in its lowest bits, because numbers sort
	// several times as fast as pairs. With 1000 rows, values that differ by one part in 10¹² are distinguished.
	low := bits.Len(uint(n - 1))
	sorted := make([]uint64, n)
	for i, v := range z {
		b := math.Float64bits(v + 0) // -0 + 0 = 0
		if b>>63 != 0 {
			b = ^b
		} else {
			b |= 1 << 63
		}
		sorted[i] = b>>low<<low | uint64(i)
	}
	slices.Sort(sorted)
	row := uint64(1)<<low - 1
	var at [bent]float64
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && sorted[hi]>>low == sorted[lo]>>low {
			hi++
		}
		cosines(at[:], float64(lo+hi)/float64(2*n)) // equal values share the mean rank
		for k, f := range at {
			for _, v := range sorted[lo:hi] {
				to[k*n+int(v&row)] = f
			}
		}
		lo = hi
	}
	for k := range bent {
		f := to[k*n : (k+1)*n]
		centre(f)
		whole := vec.Dot(f, f)
		for range 2 { // the second iteration removes rounding errors
			vec.Axpy(f, -vec.Dot(f, z), z)
			for h := range k {
				g := to[h*n : (h+1)*n]
				vec.Axpy(f, -vec.Dot(f, g), g)
			}
		}
		unit(f, 1e-6*whole)
	}
}
