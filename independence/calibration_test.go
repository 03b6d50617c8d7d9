package independence_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
)

// pick draws a level by weights.
func pick(rng *rand.Rand, weights ...float64) uint32 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	u := rng.Float64() * sum
	for k, w := range weights {
		if u -= w; u < 0 {
			return uint32(k)
		}
	}
	return uint32(len(weights) - 1)
}

// levels draws a ← b → c with three, two and three levels.
func levels(rng *rand.Rand, n int) [][]uint32 {
	columns := [][]uint32{make([]uint32, n), make([]uint32, n), make([]uint32, n)}
	for i := range n {
		b := pick(rng, 1, 1.5)
		columns[1][i] = b
		columns[0][i] = pick(rng, 1+float64(b), 1, 2-float64(b)/2)
		columns[2][i] = pick(rng, 1, 1+2*float64(b), 1)
	}
	return columns
}

// codes is a column of levels, numbers one of numbers.
func codes(c []uint32, levels int) independence.Column {
	return independence.Column{Codes: c, Levels: levels}
}

func numbers(n int, draw func(i int) float64) independence.Column {
	c := independence.Column{Values: make([]float64, n)}
	for i := range c.Values {
		c.Values[i] = draw(i)
	}
	return c
}

// mixed draws a level s, a number c that depends on it, and two columns that depend on both and not on each other: numbers, one
// number and one level, or two levels.
func mixed(rng *rand.Rand, n int, xNumber, yNumber bool) []independence.Column {
	s := make([]uint32, n)
	for i := range s {
		s[i] = pick(rng, 1, 1)
	}
	c := numbers(n, func(i int) float64 { return float64(s[i]) + rng.NormFloat64() })
	effect := func(number bool, sign float64) independence.Column {
		if number {
			return numbers(n, func(i int) float64 {
				return (1+float64(s[i]))*sign*c.Values[i] + (1+float64(s[i]))*rng.NormFloat64()
			})
		}
		out := make([]uint32, n)
		for i := range out {
			out[i] = pick(rng, 1, math.Exp(sign*c.Values[i]*0.7+float64(s[i])/2))
		}
		return codes(out, 2)
	}
	return []independence.Column{effect(xNumber, 1), effect(yNumber, -1), codes(s, 2), c}
}

// Each test errs as often as it says, with a condition that matters.
func TestCalibration(t *testing.T) {
	tests := map[string]func(rng *rand.Rand) (independence.Result, error){
		"fisher-z": func(rng *rand.Rand) (independence.Result, error) {
			test, err := independence.NewFisherZ(moments(t, chain(rng, 50)).Correlation(), 50)
			if err != nil {
				return independence.Result{}, err
			}
			return test.Independent(0, 2, []int{1})
		},
		"smooth": func(rng *rand.Rand) (independence.Result, error) {
			x := matrix.New[float64](150, 3)
			for i := range x.Rows {
				b := 4 * rng.Float64()
				x.Set(i, 0, math.Sin(b)+0.6*rng.NormFloat64())
				x.Set(i, 1, b)
				x.Set(i, 2, (b-2)*(b-2)+rng.NormFloat64())
			}
			s := basis.DefaultSettings()
			s.Crossed, s.Bounded = 0, true
			b, err := basis.OfRows([]string{"a", "b", "c"}, nil, x, s, 1)
			if err != nil {
				return independence.Result{}, err
			}
			test, err := independence.NewBlocks(b.Gram, b.Start, 3, b.N)
			if err != nil {
				return independence.Result{}, err
			}
			return test.Independent(0, 2, []int{1})
		},
	}
	for name, make := range map[string]func(*counts.Data, float64) (*independence.Levels, error){"g2": independence.NewG2, "chi2": independence.NewChi2} {
		tests[name] = func(rng *rand.Rand) (independence.Result, error) {
			table, err := counts.New(levels(rng, 400), counts.Rows{})
			if err != nil {
				return independence.Result{}, err
			}
			test, err := make(table, 1)
			if err != nil {
				return independence.Result{}, err
			}
			return test.Independent(0, 2, []int{1})
		}
	}
	// The likelihood ratio of a logistic regression has its distribution with many rows only.
	rows := map[string]int{"mixed/numbers": 60, "mixed/number and levels": 60, "mixed/levels": 300}
	for name, kinds := range map[string][2]bool{"mixed/numbers": {true, true}, "mixed/number and levels": {true, false}, "mixed/levels": {false, false}} {
		tests[name] = func(rng *rand.Rand) (independence.Result, error) {
			test, err := independence.NewMixed(mixed(rng, rows[name], kinds[0], kinds[1]), 1)
			if err != nil {
				return independence.Result{}, err
			}
			return test.Independent(0, 1, []int{2, 3})
		}
	}
	for name, draw := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := kit.Calibrated(draw, 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDependenceIsSeen checks that a condition left out makes the same columns dependent, so that calibration
// could fail.
func TestDependenceIsSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	table := must.Get(counts.New(levels(rng, 20000), counts.Rows{}))
	for _, make := range []func(*counts.Data, float64) (*independence.Levels, error){independence.NewG2, independence.NewChi2} {
		test := must.Get(make(table, 1))
		if r, err := test.Independent(0, 2, nil); err != nil || r.P > 1e-6 || r.DF != 4 {
			t.Errorf("levels: %+v, %v", r, err)
		}
	}
	for _, kinds := range [][2]bool{{true, true}, {true, false}, {false, false}} {
		test := must.Get(independence.NewMixed(mixed(rng, 20000, kinds[0], kinds[1]), 1))
		if r, err := test.Independent(0, 1, []int{2}); err != nil || r.P > 1e-6 {
			t.Errorf("mixed %v: %+v, %v", kinds, r, err)
		}
	}
}
