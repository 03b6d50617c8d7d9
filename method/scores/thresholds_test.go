package scores

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// Additive effects are considered if at least 0.95 of the evidence favours them: with a the differences of the scores for them and b those
// against, a ≥ 0.95·(a + b). Binary tables always consider them, and tables with environments never.
func TestTablesAreDecidedByTheirEvidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	decided := map[score.Tables]int{}
	s := Default()
	s.Tables = AutoTables
	for k := range 18 {
		const n, d = 150, 6
		columns := make([][]uint32, d)
		for range n {
			x, y := rng.IntN(3), rng.IntN(3)
			z := (x + y + rng.IntN(2)) % 3 // an interaction
			if k%3 > 0 {
				z = min(2, max(0, (x+y)/2+rng.IntN(2+k%2)-k%2))
			}
			for j, v := range []int{x, y, z, (z + rng.IntN(2)) % 3, min(2, (z+x+rng.IntN(2))/2), y % 2} { // the last has two values
				columns[j] = append(columns[j], uint32(v))
			}
		}
		table, err := counts.New(columns, counts.Rows{})
		must.Succeed(t, err)
		set := s.discrete(&method.Input{})
		got, _, err := s.decideTables(t.Context(), &method.Input{}, 0, table, set)
		must.Succeed(t, err)
		scores := map[score.Tables]*score.Discrete{}
		for _, form := range []score.Tables{score.FullTables, score.AdditiveTables} {
			set.Tables = form
			if scores[form], err = score.NewDiscrete(table, set); err != nil {
				t.Fatal(err)
			}
		}
		quick := search.DefaultSettings()
		quick.Restarts, quick.Exact = 0, 0
		found := must.Get(search.Search(t.Context(), search.Problem{Score: scores[score.FullTables]}, quick, nil))
		favour, against := 0.0, 0.0
		for v, parents := range found.Parents {
			if len(parents) > 1 {
				diff := scores[score.FullTables].Evaluator().Score(v, parents) - scores[score.AdditiveTables].Evaluator().Score(v, parents)
				favour, against = favour+max(0, diff), against+max(0, -diff)
			}
		}
		want := score.FullTables
		if favour >= 0.95*(favour+against)-1e-9 {
			want = score.EitherTables
		}
		if got != want {
			t.Errorf("evidence %v for additive effects and %v against: %v", favour, against, got)
		}
		decided[got]++
		if got, _, err := s.decideTables(t.Context(), &method.Input{}, 1, table, set); err != nil || got != score.FullTables {
			t.Errorf("with a context: %v, %v", got, err)
		}
		if got, _, err := s.decideTables(t.Context(), &method.Input{Environments: &dataset.Environments{}}, 0, table, set); err != nil || got != score.FullTables {
			t.Errorf("with environments: %v, %v", got, err)
		}
	}
	if decided[score.FullTables] < 3 || decided[score.EitherTables] < 3 {
		t.Errorf("%v: the test looks at one side only", decided)
	}
}

// Noise is uneven if functions of the parents explain more than 0.05 of the variance of the absolute residuals beyond chance, with a p-value
// below 0.001.
func TestUnevenNoise(t *testing.T) {
	sides := map[bool]int{}
	for k := range 12 {
		rng := rand.New(rand.NewPCG(2, uint64(k)))
		const n = 1500
		x := matrix.New[float64](n, 2)
		for i := range n {
			a := rng.NormFloat64()
			x.Set(i, 0, a)
			x.Set(i, 1, 3*math.Sin(1.5*a)+(1+0.06*float64(k)*math.Abs(a))*rng.NormFloat64())
		}
		in := table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, nil)
		s := Fixed(Flexible)
		tab := must.Get(s.Of(t.Context(), in, Flexible))
		place := tab.Place()
		parents := make([][]int, 2)
		parents[place[1]] = []int{place[0]}
		if f := tab.flexibleScore(place[1]); f == nil || !f.Curved(place[1], parents[place[1]]) {
			t.Fatalf("the effect is not curved")
		}
		share, p := tab.uneven(x, place[1], parents[place[1]])
		want := share > 0.05 && p < 0.001
		if got := slices.Contains(tab.Uneven(parents), place[1]); got != want {
			t.Errorf("share %v, p %v: uneven is %v", share, p, got)
		}
		sides[want]++
		a, g := &method.Answer{}, graph.FromParents(parents)
		a.Edges = method.EdgeRecords(g)
		if tab.AddDirections(t.Context(), a, g); !a.Identified || a.Edges[0].Turning == nil {
			t.Error("curves identify directions")
		}
		if e := a.Edges[0]; e.Direction == method.DirectionSettled {
			near(t, "loss of the reversal", *e.Reversal, *e.Turning*2*n*math.Ln2, 1e-6)
		}
		// Edges at a straightened column are open, unless all columns are: then the equivalence class identifies directions.
		for _, columns := range [][]int{{place[1]}, {0, 1}} {
			must.Succeed(t, tab.Straighten(columns))
			if all := len(columns) == 2; all != (tab.straightened == nil) || tab.Straight[1] != true || tab.flexibleScore(place[1]).Curved(place[1], parents[place[1]]) {
				t.Errorf("columns %v: straightened %v, straight %v", columns, tab.straightened, tab.Straight)
			}
		}
		if k == 0 && !(share < 0.02) || k == 11 && !(share > 0.05) {
			t.Errorf("noise that grows by %v: share %v", 0.06*float64(k), share)
		}
	}
	if len(sides) != 2 {
		t.Errorf("%v: the test looks at one side only", sides)
	}
}

// Curves are considered if they improve the score of some column, with its parents or one more, by more than 10.
func TestCurvesPayFromTen(t *testing.T) {
	sides := map[bool]int{}
	for k := range 24 {
		rng := rand.New(rand.NewPCG(3, uint64(k)))
		const n = 400
		x := matrix.New[float64](n, 2)
		for i := range n {
			a := rng.NormFloat64()
			x.Set(i, 0, a)
			x.Set(i, 1, a+0.02*float64(k)*a*a+rng.NormFloat64())
		}
		in := table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, nil)
		got, err := curvesPay(t.Context(), in, x, make([]bool, 2), make([]basis.Form, 2))
		must.Succeed(t, err)
		set := basis.DefaultSettings()
		set.Crossed = 0
		b := must.Get(basis.OfRows(in.Names(), make([]bool, 2), x, set, 1))
		f := must.Get(score.NewFlexible(b, score.DefaultSmoothSettings()))
		most := 0.0
		for v := range 2 { // with two columns, a column has no parent or the other one
			least := func(e search.Evaluator, parents []int) float64 {
				return min(e.Score(v, parents), e.Score(v, []int{1 - v}))
			}
			for _, parents := range [][]int{nil, {1 - v}} {
				most = max(most, least(f.Lines().Evaluator(), parents)-least(f.Evaluator(), parents))
			}
		}
		if got != (most > 10) {
			t.Errorf("curves gain %v: considered is %v", most, got)
		}
		sides[got]++
	}
	if len(sides) != 2 {
		t.Errorf("%v: the test looks at one side only", sides)
	}
}
