package scores

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// TestDirectionsFromInputs checks that an edge from an input is not reversed: its direction is settled and has no loss of a reversal.
func TestDirectionsFromInputs(t *testing.T) {
	in := table(t, matrix.New[float64](2, 3), []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous}, nil)
	in.GraphOnly = true
	g := graph.FromParents([][]int{nil, {0}, nil})
	for _, input := range []bool{false, true} {
		if input {
			var err error
			if in.Knowledge, err = (knowledge.Spec{Inputs: []string{"a"}}).Resolve(in.Names()); err != nil {
				t.Fatal(err)
			}
		}
		s := &listed{}
		s[0][1<<1] = 4 // a reversal costs little
		tab := &ScoredTable{Order: []int{0, 1, 2}, group: make([]int, 3), rows: []float64{50}, Score: s, In: in, Model: Smooth}
		a := &method.Answer{Edges: method.EdgeRecords(g)}
		tab.AddDirections(t.Context(), a, g)
		e := a.Edges[0]
		if (e.Direction == method.DirectionSettled) != input || (e.Turning == nil) != input || e.Reversal != nil || !a.Identified {
			t.Errorf("an edge from an input (%v): direction %v, bits %v", input, e.Direction, e.Turning)
		}
		if !input {
			near(t, "bits", *e.Turning, 4/(2*50*math.Ln2), 1e-12)
		}
	}
}

// TestDirectionsOfAStoppedRun checks that nothing is computed for a run that was stopped: it has taken all its time.
func TestDirectionsOfAStoppedRun(t *testing.T) {
	in := table(t, matrix.New[float64](2, 2), []kind.Kind{kind.Continuous, kind.Continuous}, nil)
	g := graph.FromParents([][]int{nil, {0}})
	tab := &ScoredTable{Order: []int{0, 1}, group: make([]int, 2), rows: []float64{50}, Score: &listed{}, In: in, Model: Smooth}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a := &method.Answer{Edges: method.EdgeRecords(g), Status: method.Converged}
	tab.AddDirections(ctx, a, g)
	if e := a.Edges[0]; a.Status != method.Canceled || a.Cause != "interrupted" || a.Identified || e.Reversal != nil || e.Turning != nil {
		t.Errorf("%+v, %+v", a, e)
	}
}

// TestCurveEvidenceIsALikelihoodRatio compares the bound of a p-value with the ratio of two marginal likelihoods: e^(-gain/2) for a gain
// without the penalties of the parent sets. Other models give 1.
func TestCurveEvidenceIsALikelihoodRatio(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	const n = 200
	x := matrix.New[float64](n, 3)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, b)
		x.Set(i, 2, 0.4*math.Sin(2*a)+0.2*b+rng.NormFloat64())
	}
	kinds := []kind.Kind{kind.Continuous, kind.Continuous, kind.Continuous}
	s := Fixed(Smooth)
	tab := must.Get(s.Of(t.Context(), table(t, x, kinds, nil), Smooth))
	eval := tab.Score.Evaluator()
	prior := tab.Score.(interface {
		CurvePrior(v int, parents []int) float64
	})
	likelihood := func(parents []int) float64 { return eval.Score(2, parents) - prior.CurvePrior(2, parents) }
	for _, others := range [][]int{nil, {1}} {
		all := append([]int{0}, others...)
		near(t, "bound of the p-value", tab.CurveEvidence(eval, 0, 2, others), math.Exp((likelihood(all)-likelihood(others))/2), 1e-12)
	}
	tab.Model = Mixed
	near(t, "bound under another model", tab.CurveEvidence(eval, 0, 2, nil), 1, 0)
}

// TestUnevenNeedsFourRowsPerFunction checks that a test of the size of the noise by five functions needs 20 rows.
func TestUnevenNeedsFourRowsPerFunction(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	const n = 400
	x := matrix.New[float64](n, 2)
	for i := range n {
		a := rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, 3*math.Sin(1.5*a)+0.5*rng.NormFloat64())
	}
	s := Fixed(Flexible)
	tab := must.Get(s.Of(t.Context(), table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, nil), Flexible))
	place := tab.Place()
	for rows, want := range map[int]bool{19: false, 20: true} { // a parent and four of its curves
		share, p := tab.uneven(matrix.Of(rows, 2, x.Data[:2*rows]), place[1], []int{place[0]})
		if tested := share != 0 || p != 1; tested != want {
			t.Errorf("%d rows: share %v and p = %v, tested is %v, want %v", rows, share, p, tested, want)
		}
	}
}

// TestEncodedRows checks that values of categories become their codes and that numbers stay.
func TestEncodedRows(t *testing.T) {
	tab := &ScoredTable{Categories: []bool{false, true}, values: [][]float64{nil, {7, 3}}}
	for _, c := range [][2][]float64{{{7, 3}, {7, 1}}, {{3, 7}, {3, 0}}} {
		row := slices.Clone(c[0])
		if tab.encode(row); !slices.Equal(row, c[1]) {
			t.Errorf("row %v becomes %v, want %v", c[0], row, c[1])
		}
	}
}

// TestSharesAreProbabilities checks that expectations of indicators are limited to 0 to 1 and scaled to a sum of 1. The first level has the rest,
// and a column of two values goes by its position between them.
func TestSharesAreProbabilities(t *testing.T) {
	three := view{codes: []float64{0, 1, 2}, scale: scale{labels: make([]string, 3), place: []int{0, 1, 2}}}
	merged := view{codes: []float64{0, 1, 2}, scale: scale{labels: make([]string, 2), place: []int{0, 1, 1}}}
	two := view{number: true, codes: []float64{5, 7}, scale: scale{labels: make([]string, 2), place: []int{0, 1}}}
	for _, c := range []struct {
		name  string
		of    view
		means []float64
		want  []float64
	}{
		{"within the range", three, []float64{0.2, 0.5}, []float64{0.3, 0.2, 0.5}},
		{"below 0", three, []float64{-0.2, 0.5}, []float64{0.7 / 1.2, 0, 0.5 / 1.2}},
		{"above 1", three, []float64{1.5, 0.25}, []float64{0, 0.8, 0.2}},
		{"merged levels", merged, []float64{0.2, 0.5}, []float64{0.3, 0.7}},
		{"two values", two, []float64{5.5}, []float64{0.75, 0.25}},
		{"beyond two values", two, []float64{9}, []float64{0, 1}},
	} {
		for k, got := range c.of.shares(c.means) {
			near(t, c.name+": share", got, c.want[k], 1e-12)
		}
	}
}

// TestTwoOfFiveColumnsAreOrdered checks that less than half of the columns is too few for linear effects of ordered categories.
func TestTwoOfFiveColumnsAreOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	const n = 500
	for _, binary := range []int{2, 3} {
		x, kinds := matrix.New[float64](n, 2+binary), []kind.Kind{kind.Ordinal, kind.Ordinal}
		for range binary {
			kinds = append(kinds, kind.Binary)
		}
		for i := range n {
			a := rng.IntN(5)
			x.Set(i, 0, float64(a))
			x.Set(i, 1, float64(min(4, max(0, a+rng.IntN(3)-1))))
			for j := range binary {
				x.Set(i, 2+j, float64(rng.IntN(2)))
			}
		}
		want := map[int]Model{2: Mixed, 3: Discrete}[binary]
		if got, reason := discreteModel(table(t, x, kinds, nil)); got != want {
			t.Errorf("two of %d columns are ordered: %s because %s, want %s", 2+binary, got, reason, want)
		}
	}
}
