package basis

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// The chance is d(d-1)·(1 - s)^(m/2)·(1 + s·m/2) with the largest s = Curve/(1 - Line) of two columns that are not copies, m = n - 6, and 1
// without such rows.
func TestChanceOfTheMostCurvedPair(t *testing.T) {
	at := func(rows int, line, curve float64) *Bends {
		b := &Bends{Rows: rows, Line: matrix.New[float64](3, 3), Curve: matrix.New[float64](3, 3)}
		for i := range 3 {
			b.Curve.Set(i, i, 0.9) // a column is not compared with itself
		}
		b.Line.Set(0, 1, line)
		b.Curve.Set(0, 1, curve)
		return b
	}
	chance := func(rows int, s float64) float64 {
		m := float64(rows - 6)
		return 6 * math.Pow(1-s, m/2) * (1 + s*m/2)
	}
	for _, c := range []struct {
		rows        int
		line, curve float64
		want        float64
	}{
		{6, 0, 0.9, 1}, {5, 0, 0.9, 1}, {7, 0.2, 0.3, chance(7, 0.375)}, {20, 0.2, 0.3, chance(20, 0.375)}, {20, 0, 0.25, chance(20, 0.25)},
		{20, 0.5, 0.6, 0}, {20, 1 - 1e-10, 5e-11, 6}, {20, 1 - 1e-8, 5e-9, chance(20, 0.5)},
	} {
		must.Near(t, at(c.rows, c.line, c.curve).Chance(), c.want, 1e-6*(1+c.want), "%d rows, line %v, curve %v", c.rows, c.line, c.curve)
	}
	for want, limit := range map[bool]float64{true: 0.00095, false: 0.00105} {
		low, high := 0.0, 1.0
		for range 100 {
			if s := (low + high) / 2; chance(50, s) > limit {
				low = s
			} else {
				high = s
			}
		}
		if b := at(50, 0, low); b.Suspected() != want {
			t.Errorf("a chance of %v is suspected: %v, want %v", b.Chance(), b.Suspected(), want)
		}
	}
}

// A column has mean 0 and a sum of squares of 1, or is 0 if it is constant. Functions of five and nine rows belong to their rows.
func TestNormalizedColumns(t *testing.T) {
	h := math.Sqrt2 / 2
	for _, c := range []struct{ x, want []float64 }{
		{[]float64{9, 10}, []float64{-h, h}}, {[]float64{-10, -9}, []float64{-h, h}}, {[]float64{-1.5e308, 1.5e308}, []float64{-h, h}}, {[]float64{4, 4}, []float64{0, 0}},
		{[]float64{1, 2, 1, 4}, []float64{-1 / math.Sqrt(6), 0, -1 / math.Sqrt(6), 2 / math.Sqrt(6)}},
	} {
		x := slices.Clone(c.x)
		normalize(x)
		for i := range x {
			if !(math.Abs(x[i]-c.want[i]) <= 1e-12) {
				t.Errorf("%v: %v, want %v", c.x, x, c.want)
				break
			}
		}
	}
	for _, n := range []int{5, 9} {
		up, down := make([]float64, n), make([]float64, n)
		for i := range n {
			up[i] = float64(i*i + 1)
			down[n-1-i] = up[i]
		}
		normalize(up)
		normalize(down)
		a, b := make([]float64, bent*n), make([]float64, bent*n)
		bend(a, up)
		bend(b, down)
		for k := range 2 {
			for i := range n {
				if x, y := a[k*n+i], b[k*n+n-1-i]; !(math.Abs(x-y) <= 1e-9) || x == 0 {
					t.Errorf("%d rows: function %d is %v, and %v with the rows reversed", n, k, x, y)
				}
			}
		}
	}
}

// The likely predictors are the ten with the largest squared correlation and the ten with the largest share of a curve.
func TestLikelyPredictors(t *testing.T) {
	const d = 60
	b := &Bends{Rows: 100, Line: matrix.New[float64](d, d), Curve: matrix.New[float64](d, d)}
	var want []int
	for j := range d {
		if j != 5 {
			b.Line.Set(j, 5, 0.3-0.001*float64(j))
			b.Curve.Set(j, 5, 0.002*float64(j))
		}
		if j < 11 && j != 5 || j >= 50 {
			want = append(want, j)
		}
	}
	if got := b.likely(5); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Compare uses 1024 rows at equal distances, and explains 50 columns at equal distances: 5 is not one of 60 columns. Rows of any weight
// count as at least one.
func TestPartsOfACompare(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 12))
	x, half := matrix.New[float64](2048, 3), matrix.New[float64](1024, 3)
	for i := range x.Rows {
		for j := range 3 {
			x.Set(i, j, rng.NormFloat64()+float64(i%2*j)*x.At(i, 0))
		}
		copy(half.Row(i/2), x.Row(i/2*2))
	}
	s := Settings{Curves: 3, MaxLevels: 2}
	compare := func(x *matrix.Dense[float64], weight float64) (linear, smooth float64) {
		b := must.Get(Pairs(t.Context(), x, 1))
		e := must.Get(b.Compare(t.Context(), x, s, weight, 1))
		return e.Linear, e.Smooth
	}
	a, b := compare(x, 1)
	if c, d := compare(half, 1); a != c || b != d {
		t.Errorf("evidence %v and %v, with every other row %v and %v", a, b, c, d)
	}
	for v := 5; v < 7; v++ {
		curved, rng := v == 6, rand.New(rand.NewPCG(5, 13))
		wide := matrix.New[float64](300, 60) // constant columns except for two
		for i := range wide.Rows {
			z := rng.NormFloat64()
			wide.Set(i, 0, z)
			wide.Set(i, v, z*z)
		}
		if a, b = compare(wide, 1); (a-b > 100) != curved {
			t.Errorf("the curve of column %d has the evidence %v, want a large one: %v", v, a-b, curved)
		}
		if a, b = compare(wide, 1e-6); a-a != 0 || b-b != 0 {
			t.Errorf("rows of a small weight have the evidence %v and %v, want finite numbers", a, b)
		}
	}
}
