package trust

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// grid returns a parent and a noise on a grid of k² rows, and y = 0.7·u + a·u² + noise.
func grid(k int, a float64) (x, y, square []float64) {
	for i := range k {
		for j := range k {
			u, e := (2*float64(i)+1)/float64(k)-1, (2*float64(j)+1)/float64(k)-1
			x, square, y = append(x, u), append(square, u*u), append(y, 0.7*u+a*u*u+e)
		}
	}
	return x, y, square
}

// In a large table a curve must explain 5 % of the residual variance, and with 100 rows and 2 columns (2·ln(3·2²) + 14)/100. The sentence has
// the largest share.
func TestCurveShareLimit(t *testing.T) {
	for k, limit := range map[int]float64{60: 0.05, 10: (2*math.Log(12) + 14) / 100} {
		share := func(a float64) float64 {
			x, y, square := grid(k, a)
			return 1 - sumOfSquares(leastSquares(y, x, square))/sumOfSquares(leastSquares(y, x))
		}
		for _, want := range []float64{limit * (1 - near), limit * (1 + near)} {
			x, y, _ := grid(k, solve(share, 0, 5, want))
			got := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(x, y)), Model{Graph: parentsOf(2), FreeNoise: true}).effects()
			if (got.Outcome == Failed) != (want > limit) {
				t.Errorf("%d rows, a curve explains %v: %s: %s", k*k, want, got.Outcome, got.Sentence)
			}
			if !strings.Contains(got.Sentence, percent(want-1e-4)) && !strings.Contains(got.Sentence, percent(want+1e-4)) {
				t.Errorf("%d rows, a curve explains %s: %s", k*k, percent(want), got.Sentence)
			}
		}
	}
}

// Curves of and on categories, and on columns that the model does not describe, are no evidence. Under a linear model with one environment any pair
// of columns is tested, and otherwise parents alone.
func TestTestedCurves(t *testing.T) {
	x, y, _ := grid(30, 3)
	e := evidenceOf(t, []string{"x", "y"}, columnsOf(x, y))
	number, binary := dataset.Variable{Kind: kind.Continuous}, dataset.Variable{Kind: kind.Binary}
	for what, c := range map[string]struct {
		model Model
		want  bool
	}{
		"a parent":              {Model{Graph: parentsOf(2)}, true},
		"no parent":             {Model{Graph: graph.New(2)}, true},
		"named linear":          {Model{Graph: graph.New(2), Effects: score.LinearEffects}, true},
		"inputs":                {Model{Graph: parentsOf(2), Inputs: []bool{true, true}}, false},
		"mixed":                 {Model{Graph: parentsOf(2), Effects: score.MixedEffects, Kinds: []dataset.Variable{number, number}}, true},
		"mixed, no parent":      {Model{Graph: graph.New(2), Effects: score.MixedEffects, Kinds: []dataset.Variable{number, number}}, false},
		"mixed, a binary":       {Model{Graph: parentsOf(2), Effects: score.MixedEffects, Kinds: []dataset.Variable{number, binary}}, false},
		"mixed, from a binary":  {Model{Graph: parentsOf(2), Effects: score.MixedEffects, Kinds: []dataset.Variable{binary, number}}, false},
		"free noise, no parent": {Model{Graph: graph.New(2), FreeNoise: true}, true},
	} {
		if got := newJudging(e, c.model).effects(); (got.Outcome == Failed) != c.want {
			t.Errorf("%s: %s: %s, want a curve: %v", what, got.Outcome, got.Sentence, c.want)
		}
	}
}

// Only the stronger curve of a pair is described, and the strongest pair comes first.
func TestDescribedCurves(t *testing.T) {
	j := &judging{Evidence: namesOnly("a", "b", "c")}
	got := j.curves([]curve{{0, 1, "square", 0.1}, {0, 1, "cube", 0.2}, {-1, 2, "square", 0.5}}, "linear effects")
	want := "unmodelled nonlinearity: the square of the fitted values explains 50.0% of the residual variance of c under linear effects and the cube of a explains 20.0% of the residual variance of b under linear effects"
	if len(got) != 1 || got[0].Sentence != want || strings.Join(got[0].Columns, " ") != "c a b" {
		t.Errorf("%+v, want %q", got, want)
	}
	if got := j.curves(nil, ""); got != nil {
		t.Errorf("no curves: %+v", got)
	}
}

// A column with two values has no nonlinear part, and that of others has a sum of squares of 1.
func TestNonlinearPart(t *testing.T) {
	to := make([]float64, 6)
	bend(to, []float64{-1, -1, 1, 1, -1, 1}, "cube")
	for _, v := range to {
		if v != 0 {
			t.Errorf("two values have the nonlinear part %v", to)
			break
		}
	}
	bend(to, []float64{-2, -1, 0, 0.5, 1, 50}, "square")
	if sum := sumOfSquares(to); !(math.Abs(sum-1) <= 1e-12) {
		t.Errorf("a sum of squares of %v, want 1", sum)
	}
}

// A cubic effect of a symmetric column has no square, and its cube is found.
func TestCubicCurve(t *testing.T) {
	var x, y []float64
	for i := range 30 {
		for j := range 30 {
			u, e := (2*float64(i)+1)/30-1, (2*float64(j)+1)/30-1
			x, y = append(x, u), append(y, 3*u*u*u+0.5*e)
		}
	}
	got := newJudging(evidenceOf(t, []string{"x", "y"}, columnsOf(x, y)), Model{Graph: parentsOf(2), FreeNoise: true}).effects()
	if got.Outcome != Failed || !strings.Contains(got.Sentence, "the cube of x explains") || strings.Contains(got.Sentence, "square of x") {
		t.Errorf("%s: %s, want the cube of x", got.Outcome, got.Sentence)
	}
}

// TestProductsOfParents checks that a product of two causes fails the check of smooth effects if it explains more than the noise leaves, and that
// the edge between the two causes, which can stand for the product, has the weight of a failed check then.
func TestProductsOfParents(t *testing.T) {
	for noise, want := range map[float64]bool{0.02: true, 1: false} {
		rng := rand.New(rand.NewPCG(4, 4))
		x := matrix.New[float64](1000, 4)
		for i := range x.Rows {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			copy(x.Row(i), []float64{a, b, 2*b + 0.5*a*b + noise*rng.NormFloat64(), b + rng.NormFloat64()})
		}
		g := graph.New(4)
		for _, e := range [][2]int{{0, 1}, {0, 2}, {1, 2}, {1, 3}} {
			g.AddEdge(e[0], e[1])
		}
		e, m := evidenceOf(t, []string{"a", "b", "c", "d"}, x), Model{Graph: g, Effects: score.SmoothEffects}
		checks := CheckAssumptions(e, m)
		at := slices.IndexFunc(checks, func(a Assumption) bool { return a.Name == SmoothEffects })
		if got := checks[at]; (got.Outcome == Failed) != want || want && !(strings.Contains(got.Sentence, "products of its causes explain") && slices.Equal(got.Evidence[0].Columns, []string{"c"})) {
			t.Errorf("noise %v: %s: %s", noise, got.Outcome, got.Sentence)
		}
		var edges []Claim
		for _, e := range g.Edges() {
			loss := 100.0
			edges = append(edges, Claim{EdgeRecord: method.EdgeRecord{Edge: e, EdgeFacts: method.EdgeFacts{Compelled: true, Reversal: &loss}}, Directed: true, DeltaBIC: 100, Penalty: 7})
		}
		for k, j := range Judge(e, m, checks, edges) {
			beside := edges[k].To != 3
			if doubted := j.Evidence[0].Weight == failedWeight; doubted != (want && beside) {
				t.Errorf("noise %v, edge %v: weight %v", noise, edges[k].Edge, j.Evidence[0].Weight)
			}
		}
	}
}
