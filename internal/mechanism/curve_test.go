package mechanism

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// A curve of a category, a binary number and two curved numbers is the sum over all functions, with and without products. A category has the
// mean of its rows.
func TestCurveOfMixedParents(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 3))
	g := graph.New(5)
	for p := 1; p < 5; p++ {
		g.AddEdge(p, 0)
	}
	columns := make([][]float64, 5)
	for range 900 {
		c, x, b, z := float64(rng.IntN(3)), rng.NormFloat64(), float64(2+3*rng.IntN(2)), rng.NormFloat64()
		for v, value := range []float64{[]float64{0, 3, 1}[int(c)] + math.Sin(2*x) + b/3 + x*z + 0.1*rng.NormFloat64(), c, x, b, z} {
			columns[v] = append(columns[v], value)
		}
	}
	d := New(columns, [][]float64{nil, {0, 1, 2}, nil, {2, 5}, nil})
	d.categorical[1] = true
	for k := range 4 {
		uncrossed := k%2 == 1
		d.Uncrossed, d.categorical[3] = uncrossed, k/2 == 1
		f := must.Get(fitCurve(g, d, 0))
		c := f.(*curve)
		if (len(c.pairs) > 0) == uncrossed {
			t.Errorf("products of %v, uncrossed: %v", c.pairs, uncrossed)
		}
		all := make([]float64, len(c.weights))
		for i := range 100 {
			row := []float64{0.5, columns[1][i], columns[2][i], columns[3][i], columns[4][i]}
			must.Succeed(t, c.functions.Expand(all, row))
			want := c.constant
			for k, w := range c.weights {
				if w != 0 {
					want += w * all[k]
				}
			}
			near(t, "curve", c.At(row[1:])[0], want, 1e-9)
		}
		at := func(c float64) float64 { return f.At([]float64{c, 0.3, 2, 0.2})[0] }
		near(t, "second binary value against the first", f.At([]float64{0, 0.3, 5, 0.2})[0]-at(0), 1, 0.2)
		near(t, "second category against the first", at(1)-at(0), 3, 0.2)
		near(t, "third category against the first", at(2)-at(0), 1, 0.2)
	}
}

// The loss of a logit is -log P(level) + 0.1·β²/2 summed over its weights. Probabilities and losses are finite for large weights.
func TestLossOfALogit(t *testing.T) {
	l := &logit{terms: &terms{count: 1}, levels: 3}
	one := matrix.Of(1, 1, []float64{1})
	for _, c := range []struct {
		beta []float64
		want [3]float64
	}{{[]float64{1, 2}, [3]float64{1, math.E, math.E * math.E}}, {[]float64{1600, 800}, [3]float64{0, 1, 0}}, {[]float64{800, 1600}, [3]float64{0, 0, 1}}, {[]float64{-900, -900}, [3]float64{1, 0, 0}}} {
		p, total := make([]float64, 3), c.want[0]+c.want[1]+c.want[2]
		l.shares(p, []float64{1}, c.beta)
		prior := 0.1 * (c.beta[0]*c.beta[0] + c.beta[1]*c.beta[1]) / 2
		for level, w := range c.want {
			near(t, "probability", p[level], w/total, 1e-12)
			got, _, _ := l.slopes(one, []int{level}, []float64{1}, c.beta)
			got -= prior
			if w > 0 {
				near(t, "loss", got, -math.Log(w/total), 1e-9)
			} else if math.IsInf(got, 0) || got < 700 {
				t.Errorf("the loss of a level with probability 0 is %v, want a large number", got)
			}
		}
	}
}

// A constant number has the weight 0 in a mixed model.
func TestConstantNumberOfAPlane(t *testing.T) {
	g := graph.New(2)
	g.AddEdge(1, 0)
	f := must.Get(fitPlane(g, New([][]float64{{1, 2, 6}, {5, 5, 5}}, make([][]float64, 2)), 0))
	for _, x := range []float64{5, 9} {
		near(t, "mean", f.At([]float64{x})[0], 3, 1e-6)
	}
}

// Rows of more than 2²⁷ values are too many.
func TestMostValuesOfRows(t *testing.T) {
	m := dataset.NewMoments([]string{"a", "b"})
	m.N = 1<<26 + 1
	if _, err := Read(t.Context(), &polydag.Table{Moments: m}, score.SmoothEffects, nil); !errors.Is(err, ErrTooWide) {
		t.Errorf("%d rows of two columns: %v, want %v", m.N, err, ErrTooWide)
	}
}
