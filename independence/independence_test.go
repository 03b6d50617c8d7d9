package independence_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// chain draws n rows of a → b → c with unit noise, and an unrelated d.
func chain(rng *rand.Rand, n int) *matrix.Dense[float64] {
	x := matrix.New[float64](n, 4)
	for i := range n {
		a := rng.NormFloat64()
		b := a + rng.NormFloat64()
		for j, v := range []float64{a, b, b + rng.NormFloat64(), rng.NormFloat64()} {
			x.Set(i, j, v)
		}
	}
	return x
}

func moments(t *testing.T, x *matrix.Dense[float64]) *dataset.Moments {
	t.Helper()
	return must.Get(dataset.MomentsOf([]string{"a", "b", "c", "d"}, x, 1))
}

// residualCorrelation is the slow twin: the correlation of what least squares on the set leaves of x and of y.
func residualCorrelation(x *matrix.Dense[float64], a, b int, given []int) float64 {
	n := x.Rows
	columns := [][]float64{make([]float64, n)}
	for i := range n {
		columns[0][i] = 1
	}
	take := func(j int) []float64 {
		c := make([]float64, n)
		for i := range n {
			c[i] = x.At(i, j)
		}
		return c
	}
	dot := func(p, q []float64) (s float64) {
		for i := range p {
			s += p[i] * q[i]
		}
		return s
	}
	var base [][]float64 // orthogonal
	rest := func(c []float64) []float64 {
		for range 2 { // twice is enough
			for _, q := range base {
				f := dot(c, q) / dot(q, q)
				for i := range c {
					c[i] -= f * q[i]
				}
			}
		}
		return c
	}
	for _, c := range columns {
		base = append(base, rest(c))
	}
	for _, j := range given {
		base = append(base, rest(take(j)))
	}
	p, q := rest(take(a)), rest(take(b))
	return dot(p, q) / math.Sqrt(dot(p, p)*dot(q, q))
}

func TestFisherZAgainstResiduals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := chain(rng, 200)
	test := must.Get(independence.NewFisherZ(moments(t, x).Correlation(), 200))
	for _, q := range []struct {
		x, y  int
		given []int
	}{{0, 1, nil}, {0, 2, nil}, {0, 2, []int{1}}, {2, 0, []int{3, 1}}, {1, 3, []int{0, 2}}} {
		got := must.Get(test.Independent(q.x, q.y, q.given))
		r := residualCorrelation(x, q.x, q.y, q.given)
		want := math.Sqrt(float64(200-len(q.given)-3)) * math.Abs(math.Atanh(r))
		if !(math.Abs(got.Statistic-want) <= 1e-9) {
			t.Errorf("%v: z = %v, by residuals %v", q, got.Statistic, want)
		}
	}
}

func TestDegenerateColumns(t *testing.T) {
	x := chain(rand.New(rand.NewPCG(5, 6)), 100)
	for i := range x.Rows {
		x.Set(i, 3, 2*x.At(i, 1)-1) // d is b in other units
	}
	test := must.Get(independence.NewFisherZ(moments(t, x).Correlation(), 100))
	if r, err := test.Independent(1, 2, []int{3}); err != nil || r.P != 1 {
		t.Errorf("b is determined by d, and yet %+v, %v", r, err)
	}
	once, _ := test.Independent(0, 2, []int{1})
	if r, err := test.Independent(0, 2, []int{1, 3}); err != nil || !(math.Abs(r.Statistic/once.Statistic*math.Sqrt(96./95)-1) <= 1e-9) {
		t.Errorf("a condition that adds nothing changes %+v to %+v, %v", once, r, err)
	}
	if r, err := test.Independent(1, 3, nil); err != nil || r.P > 1e-300 || math.IsInf(r.Statistic, 0) {
		t.Errorf("two columns that are one: %+v, %v", r, err)
	}
	if _, err := independence.NewFisherZ(moments(t, x).Correlation(), 3); !errors.Is(err, independence.ErrRows) {
		t.Errorf("three rows: %v", err)
	}
	few, _ := independence.NewFisherZ(moments(t, x).Correlation(), 4)
	if _, err := few.Independent(0, 1, []int{2}); !errors.Is(err, independence.ErrRows) {
		t.Errorf("four rows and a condition: %v", err)
	}
}

func TestOracle(t *testing.T) {
	g := must.Get(graph.FromEdges(3, []graph.Edge{{From: 0, To: 2}, {From: 1, To: 2}}))
	o := independence.Oracle{Graph: g}
	if r, _ := o.Independent(0, 1, nil); r.P != 1 {
		t.Error("two causes of one effect are not independent")
	}
	if r, _ := o.Independent(1, 0, []int{2}); r.P != 0 {
		t.Error("given their effect two causes are independent")
	}
	if _, err := o.Independent(0, 0, nil); !errors.Is(err, independence.ErrArguments) {
		t.Errorf("a column against itself: %v", err)
	}
}

// A column that the condition determines up to rounding has no residual to test, whatever rounding is correlated with. One with a residual
// of a thousandth has.
func TestDeterminedUpToRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const n = 200
	z := numbers(n, func(int) float64 { return rng.NormFloat64() })
	x := numbers(n, func(int) float64 { return rng.NormFloat64() })
	for noise, want := range map[float64]bool{1e-8: true, 1e-3: false} {
		y := numbers(n, func(i int) float64 { return z.Values[i] + noise*x.Values[i] })
		test := must.Get(independence.NewMixed([]independence.Column{x, y, z}, 1))
		if r, err := test.Independent(0, 1, []int{2}); err != nil || (r.P == 1) != want {
			t.Errorf("residuals of %v: %+v, %v", noise, r, err)
		}
	}
}
