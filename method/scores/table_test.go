package scores

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// bySize is a score with the given values by variable and number of parents.
type bySize struct {
	value      [][]float64
	equivalent bool
}

func (s bySize) Variables() int                           { return len(s.value) }
func (s bySize) Price() float64                           { return 1 }
func (s bySize) Equivalent() bool                         { return s.equivalent }
func (s bySize) Evaluator() search.Evaluator              { return s }
func (s bySize) Score(v int, parents []int) float64       { return s.value[v][len(parents)] }
func (s bySize) Additions(dst []float64, v int, of []int) { panic("not used") }

// A direction is settled if its reversal loses at least 10, and open at a straightened column. The loss stays with an open direction except under the
// flexible model. An equivalent score states no directions.
func TestDirectionsOfOneEdge(t *testing.T) {
	in := &method.Input{Moments: dataset.NewMoments([]string{"a", "b"}), Threads: 1}
	g := graph.FromParents([][]int{nil, {0}})
	for _, c := range []struct {
		what         string
		model        Model
		loss         float64
		straightened []int
		equivalent   bool
		want         method.Direction
		known, bits  bool // the loss, and the loss in bits
	}{
		{"a large loss", Smooth, 10.5, nil, false, method.DirectionSettled, true, true},
		{"a small loss", Smooth, 9.5, nil, false, method.DirectionOpen, true, true},
		{"a small loss, flexible", Flexible, 9.5, nil, false, method.DirectionOpen, false, true},
		{"a large loss, flexible", Flexible, 10.5, nil, false, method.DirectionSettled, true, true},
		{"a straightened parent", Smooth, 30, []int{0}, false, method.DirectionOpen, true, true},
		{"a straightened child", Smooth, 30, []int{1}, false, method.DirectionOpen, true, true},
		{"an infinite loss", Smooth, math.Inf(1), nil, false, method.DirectionSettled, false, false},
		{"an equivalent score", Mixed, 30, nil, true, 0, false, false},
	} {
		tab := &ScoredTable{Model: c.model, In: in, Order: []int{0, 1}, group: []int{0, 1}, rows: []float64{50, 80}, straightened: c.straightened,
			Score: bySize{[][]float64{{100, 90 + c.loss}, {70, 60}}, c.equivalent}}
		a := &method.Answer{Edges: method.EdgeRecords(g)}
		tab.AddDirections(t.Context(), a, g)
		e := a.Edges[0]
		if e.Direction != c.want || a.Identified != (c.model != Mixed) || (e.Turning != nil) != c.bits {
			t.Errorf("%s: %+v, identified %v, want %v and a loss in bits: %v", c.what, e, a.Identified, c.want, c.bits)
		}
		if c.bits {
			near(t, "loss in bits", *e.Turning, c.loss/(2*80*math.Ln2), 1e-9)
		}
		if !c.equivalent && !math.IsInf(c.loss, 0) && (e.Reversal != nil) != c.known {
			t.Errorf("%s: loss %v, want one: %v", c.what, e.Reversal, c.known)
		}
	}
}

// The gain is half of the difference of the scores in bits per row. The share explained is 1 - exp of minus the gain per row, or that of the entropy
// under the discrete model, from 0 to 1. A gain is at most the entropy of an end with levels. The linear model adds nothing.
func TestFactsOfOneEdge(t *testing.T) {
	in := &method.Input{Moments: dataset.NewMoments([]string{"a", "b"}), Kinds: []kind.Column{{Kind: kind.Continuous}, {Kind: kind.Binary, Levels: 2}}, GraphOnly: true}
	g := graph.FromParents([][]int{nil, {0}})
	for _, c := range []struct {
		model              Model
		bare, with         float64
		gain, share, bound float64
	}{
		{Discrete, 200, 150, 50 / (100 * math.Ln2), 0.25, 50 / (100 * math.Ln2)}, {Discrete, 200, -50, 250 / (100 * math.Ln2), 1, 1}, {Discrete, 200, 210, -10 / (100 * math.Ln2), 0, -10 / (100 * math.Ln2)},
		{Mixed, 200, 150, 50 / (100 * math.Ln2), 1 - math.Exp(-1), 50 / (100 * math.Ln2)}, {Mixed, -200, -400, 200 / (100 * math.Ln2), 1 - math.Exp(-4), 1}, {Mixed, 200, 210, -10 / (100 * math.Ln2), 0, -10 / (100 * math.Ln2)},
		{Mixed, 200, math.Inf(1), 0, 0, 0},
	} {
		tab := &ScoredTable{Model: c.model, In: in, Order: []int{0, 1}, group: []int{0, 0}, rows: []float64{50}, Blocks: nil, Score: bySize{[][]float64{{10}, {c.bare, c.with}}, false}}
		a := &method.Answer{Edges: method.EdgeRecords(g)}
		tab.gains(a, g)
		near(t, "gain", *a.Edges[0].Gain, c.gain, 1e-9)
		near(t, "share", *a.Nodes[1].Explained, c.share, 1e-9)
		near(t, "share without parents", *a.Nodes[0].Explained, 0, 0)
		tab.Blocks = append(tab.Blocks, nil)
		tab.boundGains(a.Edges)
		near(t, "bound", *a.Edges[0].Gain, c.bound, 1e-9)
	}
	a := &method.Answer{}
	(&ScoredTable{Model: Linear, In: in}).AddFacts(a, g)
	if len(a.Edges) != 1 || a.Edges[0].Gain != nil || a.Edges[0].Weight != nil || a.Nodes != nil {
		t.Errorf("facts under the linear model: %+v", a)
	}
	if got, err := Describe(t.Context(), in, Linear, g); err != nil || got.Edges != nil || got.Graph != nil {
		t.Errorf("a description under the linear model: %+v, %v", got, err)
	}
	if got := (&ScoredTable{group: []int{0}, rows: []float64{0}}).n(0); got != 1 {
		t.Errorf("%v rows for a column without rows, want 1", got)
	}
}

// An answer over two columns and a context keeps what belongs to the columns.
func TestContextsAreTaken(t *testing.T) {
	tab := &ScoredTable{In: &method.Input{Moments: dataset.NewMoments([]string{"a", "b"})}, Order: []int{0, 1, 2}, Contexts: []int{1}}
	g := graph.FromParents([][]int{{2}, {0}, nil})
	small := graph.FromParents([][]int{nil, {0}})
	for _, full := range []bool{false, true} {
		a := &method.Answer{Graph: g.Mixed(), Edges: method.EdgeRecords(g), Stages: []method.Stage{{}, {Graph: g}, {Graph: small}}}
		want := 0
		if full {
			a.Nodes, a.Categories, a.Scales, a.Straight = make([]method.NodeFacts, 3), make([]bool, 3), make([]dataset.Scale, 3), make([]bool, 3)
			want = 2
		}
		tab.TakeContexts(a, make([][]int, 3))
		if len(a.Nodes) != want || len(a.Categories) != want || len(a.Scales) != want || len(a.Straight) != want {
			t.Errorf("%d nodes, %d categories, %d scales, %d straight columns, want %d", len(a.Nodes), len(a.Categories), len(a.Scales), len(a.Straight), want)
		}
		if edges := a.Graph.Directed().Edges(); fmt.Sprint(edges) != "[{0 1}]" || len(a.Edges) != 1 || a.Edges[0].From != 0 {
			t.Errorf("edges %v and %v, want 0 → 1", edges, a.Edges)
		}
		if a.Stages[0].Graph != nil || a.Stages[1].Graph.N() != 2 || a.Stages[2].Graph.N() != 2 || a.Stages[1].Graph.NumEdges() != 1 {
			t.Errorf("stages %+v", a.Stages)
		}
	}
	plain := &method.Answer{Graph: g.Mixed()}
	if tab.Contexts = nil; true {
		tab.TakeContexts(plain, nil)
	}
	if plain.Graph.N() != 3 {
		t.Error("a table without contexts changes its answer")
	}
}

// Rows with an intervention on a column do not count for its family, neither in counts nor in values. Own values of targets are levels of their own.
func TestFamiliesWithInterventions(t *testing.T) {
	x := matrix.Of(8, 2, []float64{7, 0, 3, 1, 7, 1, 3, 0, 7, 1, 3, 1, 7, 0, 3, 0})
	environments := []int{0, 0, 1, 0, 1, 0, 0, 1}
	in := table(t, x, []kind.Kind{kind.Categorical, kind.Binary}, environments)
	in.Environments.Unknown, in.Environments.Targets = false, [][]int{nil, {1}}
	for _, values := range []TargetValues{Measured, Own} {
		s := Default()
		s.TargetValues = values
		tab := must.Get(s.Of(t.Context(), in, Discrete))
		v := tab.Place()[1]
		f := familyOf(tab.Counts, v, []int{1 - v})
		if got := fmt.Sprint(f.configs, f.cells); values == Measured && got != "[[0] [1]] [[2 0] [1 2]]" {
			t.Errorf("counts of the rows without an intervention: %s", got)
		}
		g := graph.New(2)
		g.AddEdge(1-v, v)
		a := &method.Answer{}
		if tab.AddFacts(a, g); (a.Edges[0].Effect != nil) != (values == Measured) {
			t.Errorf("%s values: effect %v", values, a.Edges[0].Effect)
		}
		if got, want := tab.Counts.Levels(v), map[TargetValues]int{Measured: 2, Own: 3}[values]; got != want {
			t.Errorf("%s values: %d levels, want %d", values, got, want)
		}
	}
	one := table(t, x, []kind.Kind{kind.Categorical, kind.Binary}, nil)
	s := Default()
	s.TargetValues = Own
	tab, err := s.Of(t.Context(), one, Discrete)
	if err != nil || tab.Counts.Levels(tab.Place()[1]) != 2 {
		t.Fatalf("own values without interventions: %v", err)
	}
	a, g := &method.Answer{}, graph.FromParents([][]int{nil, {0}})
	if tab.AddFacts(a, g); a.Edges[0].Effect == nil {
		t.Error("own values without interventions have no effects")
	}
	tab = must.Get(s.Of(t.Context(), in, Mixed))
	place := tab.Place()
	family, levels := tab.Family(x.Data, environments, place[1], []int{place[0]})
	if got := fmt.Sprint(family.Data, levels); got != "[0 0 1 1 0 1 1 1 0 0] [false true]" {
		t.Errorf("family of the second column: %s", got)
	}
	family, levels = tab.Family(x.Data, environments, place[0], []int{place[1]})
	if got := fmt.Sprint(family.Rows, levels); got != "8 [true false]" {
		t.Errorf("family of the first column: %s", got)
	}
	if family, _ := tab.Family(x.Data, nil, place[1], nil); family.Rows != 8 {
		t.Errorf("%d rows of a single environment, want 8", family.Rows)
	}
	if f := familyOf(mustCount(t, [][]uint32{{0, 0, 1}, {0, 1, 1}}, counts.Rows{}), 0, []int{1}); fmt.Sprint(f.cells) != "[[1 0] [1 1]]" {
		t.Errorf("counts without interventions: %v", f.cells)
	}
}

func mustCount(t *testing.T, columns [][]uint32, rows counts.Rows) *counts.Data {
	t.Helper()
	out := must.Get(counts.New(columns, rows))
	return out
}

// A table without rows has only the linear model, one with environments no common score, and numbers are linear unless curves are compared.
func TestTableOfModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	x, curved := matrix.New[float64](300, 2), matrix.New[float64](300, 2)
	for i := range x.Rows {
		a := rng.NormFloat64()
		x.Set(i, 0, a)
		x.Set(i, 1, a+rng.NormFloat64())
		curved.Set(i, 0, a)
		curved.Set(i, 1, a*a+0.3*rng.NormFloat64())
	}
	kinds := []kind.Kind{kind.Continuous, kind.Continuous}
	in := table(t, x, kinds, nil)
	for _, c := range []struct {
		what   string
		x      *matrix.Dense[float64]
		change func(in *method.Input)
		want   Model
	}{
		{"lines", x, func(*method.Input) {}, Linear}, {"curves", curved, func(*method.Input) {}, Smooth},
		{"curves without a sample", curved, func(in *method.Input) { in.Sample = nil }, Linear},
		{"curves without kinds", curved, func(in *method.Input) { in.Kinds, in.NoRows = nil, "no kinds" }, Linear},
		{"curves without rows", curved, func(in *method.Input) { in.Rows, in.NoRows = nil, "no rows" }, Linear},
	} {
		in := table(t, c.x, kinds, nil)
		c.change(in)
		s := Default()
		got, err := s.Choose(t.Context(), in)
		if err != nil || got.Chosen != string(c.want) || (got.Scores != nil) != (c.want == Smooth) {
			t.Errorf("%s: %+v, %v, want %q", c.what, got, err, c.want)
		}
		if tab, err := s.Table(t.Context(), in); err != nil || tab.Model != Linear || tab.Choice.Reason == "" || tab.Blocks != nil {
			t.Errorf("%s: a table without comparison: %v, want a linear one with a reason", c.what, err)
		}
		straight, err := Straight(t.Context(), table(t, c.x, kinds, nil), graph.FromParents([][]int{nil, {0}}))
		if err != nil || straight != (c.x == x) {
			t.Errorf("%s: linear effects fit better: %v, %v", c.what, straight, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if straight, err := Straight(ctx, in, graph.FromParents([][]int{nil, {0}})); err != nil || straight {
		t.Errorf("a comparison that was stopped: %v, %v, want false", straight, err)
	}
	in.Rows = nil
	mixed, linear := Fixed(Mixed), Fixed(Linear)
	if _, err := mixed.Table(t.Context(), in); !errors.Is(err, method.ErrNoRows) {
		t.Errorf("a mixed table without rows: %v, want %v", err, method.ErrNoRows)
	}
	if _, err := linear.Table(t.Context(), in); err != nil {
		t.Errorf("a linear table without rows: %v", err)
	}
	in.Environments = &dataset.Environments{Names: []string{"a", "b"}}
	if _, err := linear.Table(t.Context(), in); err == nil {
		t.Error("a table with environments has a common score")
	}
}

// A context is 1 in the rows of its environment and 0 elsewhere, after the columns. Curves of tables with contexts have no products.
func TestRowsOfContexts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 4))
	x, environments := matrix.New[float64](90, 2), make([]int, 90)
	for i := range x.Rows {
		environments[i] = min(2, i%4)
		x.Set(i, 0, rng.NormFloat64())
		x.Set(i, 1, x.At(i, 0)*x.At(i, 0)+rng.NormFloat64())
	}
	in := table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, environments)
	contexts := contextsOf(in.Environments)
	if !slices.Equal(contexts, []int{0, 1}) {
		t.Fatalf("contexts %v, want all but the largest environment", contexts)
	}
	err := contextInput(in, contexts).Rows(t.Context(), func(b dataset.RowBatch) error {
		for i, r := range environments {
			want := []float64{x.At(i, 0), x.At(i, 1), boolean(r == 0), boolean(r == 1)}
			if got := b.Values[i*4 : i*4+4]; !slices.Equal(got, want) {
				t.Errorf("row %d is %v, want %v", i, got, want)
			}
		}
		return nil
	})
	must.Succeed(t, err)
	s := Default()
	for _, model := range []Model{Smooth, Flexible} {
		for _, unknown := range []bool{true, false} {
			if in.Environments.Unknown = unknown; !unknown {
				in.Environments = nil
			}
			tab := must.Get(s.Of(t.Context(), in, model))
			if got := tab.Blocks[0].Crossed; (got > 0) == unknown {
				t.Errorf("%s, contexts %v: products of %d functions", model, unknown, got)
			}
		}
		in = table(t, x, []kind.Kind{kind.Continuous, kind.Continuous}, environments)
	}
	for criterion, want := range map[Criterion]score.Criterion{BIC: score.BIC, BDeu: score.BDeu} {
		if s.Criterion = criterion; s.discrete(in).Criterion != want {
			t.Errorf("criterion %s: %v", criterion, s.discrete(in).Criterion)
		}
	}
}
