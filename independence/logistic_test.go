package independence_test

import (
	"math"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/must"
)

func logisticTest(t *testing.T, x, y []uint32, z []float64) independence.Result {
	t.Helper()
	test := must.Get(independence.NewMixed([]independence.Column{{Codes: x, Levels: 2}, {Codes: y, Levels: 2}, {Values: z}}, 1))
	return must.Get(test.Independent(0, 1, []int{2}))
}

// Reference: R 4, the difference of deviances of glm(x ~ z) and glm(x ~ z + y), family = binomial, and pchisq of it.
func TestLogisticAgainstR(t *testing.T) {
	z := []float64{-1.2, -0.9, -0.7, -0.6, -0.4, -0.3, -0.2, -0.1, 0, 0.1, 0.15, 0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.3, 1.5}
	y := []uint32{0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1}
	x := []uint32{0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1}
	r := logisticTest(t, x, y, z)
	if !(math.Abs(r.Statistic-6.96396633488552) <= 2e-5) || !(math.Abs(r.P-0.00831674644286967) <= 1e-6) || r.DF != 1 {
		t.Errorf("%+v, R has 6.963966 with p = 0.00831675", r)
	}
}

// Levels that determine each other have no finite maximum of the likelihood: the ridge of 1e-6 decides. z is the same within
// both levels, so its coefficient is 0, and with intercept a and effect b the rest is
//
//	-n/2·ln(1 + exp a) - n/2·ln(1 + exp(-a - b)) - 1e-6/2·(a² + b²),
//
// which is maximized here step by step along each coordinate. Without y it is -n·ln 2.
func TestLogisticOfSeparatedLevels(t *testing.T) {
	const n = 40
	var x, y []uint32
	var z []float64
	for i := range n {
		x, y, z = append(x, uint32(i%2)), append(y, uint32(i%2)), append(z, float64(i/2%2))
	}
	value := func(a, b float64) float64 {
		return -n/2*math.Log1p(math.Exp(a)) - n/2*math.Log1p(math.Exp(-a-b)) - 1e-6/2*(a*a+b*b)
	}
	a, b := 0.0, 0.0
	for step := 1.0; step > 1e-6; {
		before := value(a, b)
		for _, d := range [][2]float64{{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {-1, 2}, {1, -2}} {
			if value(a+step*d[0], b+step*d[1]) > value(a, b) {
				a, b = a+step*d[0], b+step*d[1]
			}
		}
		if value(a, b) == before {
			step /= 2
		}
	}
	want := 2 * (value(a, b) + n*math.Ln2)
	if r := logisticTest(t, x, y, z); !(math.Abs(r.Statistic-want) <= 1e-5) {
		t.Errorf("statistic %v, want %v; 2n·ln 2 = %v", r.Statistic, want, 2*n*math.Ln2)
	}
}
