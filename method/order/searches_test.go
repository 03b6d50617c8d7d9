package order

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// later is a context that ends after some questions whether it has.
type later struct {
	context.Context
	left *int
}

func endsAfter(questions int) later { return later{context.Background(), &questions} }

func (c later) Err() error {
	if *c.left--; *c.left < 0 {
		return context.Canceled
	}
	return nil
}

// A run that is stopped at any time returns a graph and its status, or the whole answer.
func TestStoppedAtAnyTime(t *testing.T) {
	in := sampled(t, 150, func(rng *rand.Rand) (x, y float64) { x = rng.ExpFloat64(); return x, x + x*x + rng.ExpFloat64() })
	for _, model := range []Model{Linear, AutoModel, Flexible} {
		m := New()
		m.Model, m.MaxEdges = model, 1
		whole := must.Get(m.Learn(t.Context(), in, nil))
		canceled, last := 0, false
		for k := 0; k < 400 && !last; k += 1 + k/4 {
			a, err := m.Learn(endsAfter(k), in, nil)
			if err != nil {
				t.Fatalf("model %s, stopped after %d questions: %v", model, k, err)
			}
			if last = a.Status != method.Canceled; last && (!slices.Equal(a.Graph.Directed().Edges(), whole.Graph.Directed().Edges()) || math.Abs(a.Score-whole.Score) > 1e-9) {
				t.Errorf("model %s, after %d questions: %v, want the whole answer", model, k, a.Graph.Directed().Edges())
			}
			if canceled++; a.Graph == nil || a.Graph.N() != 2 {
				t.Errorf("model %s, stopped after %d questions: %+v", model, k, a)
			}
		}
		if canceled < 3 {
			t.Errorf("model %s: %d answers, want several that were stopped", model, canceled)
		}
	}
}

// A bootstrap sample of at least 6000 rows starts from a search on a part of 3000 rows, with three rounds unless a number was given.
func TestCoarseStart(t *testing.T) {
	columns := make([][]uint8, 3)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 6000 {
		x := uint8(rng.IntN(2))
		for v, k := range []uint8{x, either(rng, x, 0), uint8(rng.IntN(2))} {
			columns[v] = append(columns[v], k)
		}
	}
	for _, c := range []struct {
		what   string
		rows   int
		rounds string // the word of the setting
		rest   counts.Rows
		starts bool
		want   int
	}{
		{"few rows", 5999, "auto", counts.Rows{}, false, 9}, {"two parts", 6000, "auto", counts.Rows{}, true, 3}, {"a number of rounds", 6000, "", counts.Rows{}, true, 9},
		{"interventions", 6000, "auto", counts.Rows{Environments: make([]int, 6000), Targets: [][]int{{2}}}, false, 9},
	} {
		var some [][]uint8
		for _, column := range columns {
			some = append(some, column[:c.rows])
		}
		table, err := counts.New(some, c.rest)
		must.Succeed(t, err)
		whole := must.Get(score.NewDiscrete(table, score.DefaultDiscrete()))
		m := New()
		m.Restarts.Word = c.rounds
		s := search.DefaultSettings()
		s.Restarts = 9
		l := &searcher{Method: m, in: &method.Input{}}
		must.Succeed(t, l.coarse(t.Context(), search.Problem{Score: whole}, &s))
		if (s.First != nil) != c.starts || s.Restarts != c.want {
			t.Errorf("%s: starts from %v with %d rounds, want a start: %v with %d", c.what, s.First, s.Restarts, c.starts, c.want)
		}
		// Directions are compared in parts of 1000 rows.
		g := graph.New(3)
		g.AddEdge(0, 1)
		turned, err := l.reversedInPart(t.Context(), search.Problem{Score: whole}, s, g, nil, "test")
		if err != nil || (turned != nil) != whole.Equivalent() {
			t.Errorf("%s: parts were learned: %v, %v, want %v", c.what, turned != nil, err, whole.Equivalent())
		}
	}
	for rows, want := range map[int]bool{1999: false, 2000: true} {
		l := &searcher{Method: New(), in: &method.Input{}}
		turned, err := l.reversedInPart(t.Context(), search.Problem{Score: contrary(t, rows, false)}, search.DefaultSettings(), graph.New(4), nil, "test")
		if err != nil || (turned != nil) != want {
			t.Errorf("%d rows: parts were learned: %v, %v, want %v", rows, turned != nil, err, want)
		}
	}
	l := &searcher{Method: New(), in: &method.Input{}}
	turned, err := l.reversedInPart(endsAfter(1), search.Problem{Score: contrary(t, 4000, false)}, search.DefaultSettings(), graph.New(4), nil, "test")
	if err != nil || turned != nil || l.answer.Status != method.Canceled {
		t.Errorf("stopped while parts are learned: %v, %v, status %v", turned, err, l.answer.Status)
	}
	m := New()
	m.Restarts.N, m.Restarts.Word, m.Coarse = 4, "", true
	if got := m.rounds(); got != 4 {
		t.Errorf("%d rounds, want the given 4", got)
	}
}

// A graph is within a budget if it has few edges, each with the least gain or required. The weakest edge that is not required goes first.
func TestEdgesWithinABudget(t *testing.T) {
	g := gains{{0, 0, 0}, {9, 0, 0}, {4, 6, 0}}
	parents := [][]int{nil, {0}, {0, 1}}
	for _, c := range []struct {
		edges    int
		least    float64
		required [][2]int
		fits     bool
		pruned   int // edges
	}{
		{3, 0, nil, true, 3}, {2, 0, nil, false, 2}, {0, 4, nil, true, 3}, {0, 5, nil, false, 2}, {0, 5, [][2]int{{0, 2}}, true, 3}, {2, 5, [][2]int{{0, 2}}, false, 2}, {1, 0, [][2]int{{0, 2}, {1, 2}}, false, 2}, {0, 0, nil, true, 3},
	} {
		b := localBudget(g)
		b.edges, b.least, b.know.Required = c.edges, c.least, c.required
		p := &plan{parents: parents, edges: 3, order: []int{0, 1, 2}}
		if got := b.fits(p); got != c.fits {
			t.Errorf("%+v: within the budget %v", c, got)
		}
		q := b.pruned(p)
		if q.edges != c.pruned {
			t.Errorf("%+v: %d edges are left", c, q.edges)
		}
		for _, e := range c.required {
			if !slices.Contains(q.parents[e[1]], e[0]) {
				t.Errorf("%+v: the required edge %v was dropped", c, e)
			}
		}
		if len(c.required) == 0 && q.edges == 2 && (len(q.parents[1]) != 1 || !slices.Equal(q.parents[2], []int{1})) {
			t.Errorf("%+v: %v is left, want all but the weakest edge", c, q.parents)
		}
	}
	b := localBudget(g)
	for edges, want := range map[int]float64{1: 6, 2: 4, 3: 4, 7: 4} {
		if b.edges = edges; b.guess(&plan{parents: parents}) != want {
			t.Errorf("the gain beyond %d edges is %v, want %v", edges, b.guess(&plan{parents: parents}), want)
		}
	}
	p := &plan{parents: make([][]int, 3), order: []int{0, 1, 2}}
	if b.edges = 0; b.filled(p) != p {
		t.Error("edges are added without a limit")
	}
	if b.edges, b.eval = 2, nil; b.filled(p) != p {
		t.Error("edges are added without a local score")
	}
	// With unequal gains of the same column, an edge that takes the gain of another one is not added.
	b = localBudget(g)
	b.edges, b.least = 3, 5
	b.saves = func(parents [][]int, v, i int) float64 {
		if len(parents[v]) > 1 {
			return 1
		}
		return 10
	}
	if got := b.filled(&plan{parents: [][]int{nil, nil, {0}}, order: []int{0, 1, 2}, edges: 1, value: -4}); len(got.parents[2]) != 1 || got.edges != 2 {
		t.Errorf("parents %v, want one of each column", got.parents)
	}
}

// Edges below the least gain are dropped, in bits per row.
func TestLeastGain(t *testing.T) {
	in := chain(300, 3, 0.6).input(t, false, func(int) bool { return true })
	m := New()
	m.Model = Mixed
	whole := must.Get(m.Learn(t.Context(), in, nil))
	least := math.Inf(1)
	for _, e := range whole.Edges {
		least = min(least, *e.Gain)
	}
	for factor, edges := range map[float64]int{0.99: 2, 1.01: 1} {
		m.MinGain = factor * least
		a, err := m.Learn(t.Context(), in, nil)
		if err != nil || len(a.Edges) != edges {
			t.Errorf("%v times the smallest gain: %d edges, %v, want %d", factor, len(a.Edges), err, edges)
		}
	}
}

// A search under equal variances is skipped if the top-down graph is behind by more than d·ln n.
func TestTopDownGraphFarBehind(t *testing.T) {
	in := chain(200, 3, 0.8).input(t, false, func(int) bool { return true })
	for behind, searched := range map[float64]bool{-1: true, 1: false} {
		m := New()
		m.Model, m.Noise = Linear, GaussianNoise
		l := &searcher{Method: m, in: in}
		l.p = l.problem()
		first := must.Get(search.TopDown(t.Context(), l.p, l.settings()))
		other := &search.Result{Scores: search.Scores{Unequal: first.Scores.Equal - 3*math.Log(200) - behind}}
		if _, err := l.searchEqual(t.Context(), l.p, l.settings(), other); err != nil || (l.price > 0) != searched || len(l.answer.Stages) != 1 {
			t.Errorf("behind by d·ln n and %v: searched %v, %v, want %v", behind, l.price > 0, err, searched)
		}
	}
}

// Edges of a table with interventions are marked if a rank test does not show them. Tables without, counts, contexts, bootstrap samples and given
// penalties have no marks.
func TestUnseenEdges(t *testing.T) {
	own := chain(200, 3, 0.8)
	for i := range own.of {
		own.of[i] = i % 2
		own.x.Set(i, 2, math.Sin(float64(i*i))) // unrelated
	}
	own.targets = [][]int{nil, {0}}
	for what, change := range map[string]func(l *searcher, at *scores.ScoredTable) context.Context{
		"interventions":      func(*searcher, *scores.ScoredTable) context.Context { return t.Context() },
		"no interventions":   func(l *searcher, _ *scores.ScoredTable) context.Context { l.in.Environments = nil; return t.Context() },
		"contexts":           func(_ *searcher, at *scores.ScoredTable) context.Context { at.Contexts = []int{1}; return t.Context() },
		"counts":             func(_ *searcher, at *scores.ScoredTable) context.Context { at.Model = Discrete; return t.Context() },
		"a bootstrap sample": func(l *searcher, _ *scores.ScoredTable) context.Context { l.Coarse = true; return t.Context() },
		"a given penalty":    func(l *searcher, _ *scores.ScoredTable) context.Context { l.Price.Adapt = false; return t.Context() },
		"only a graph":       func(l *searcher, _ *scores.ScoredTable) context.Context { l.in.GraphOnly = true; return t.Context() },
		"a stopped run":      func(*searcher, *scores.ScoredTable) context.Context { return endsAfter(0) },
	} {
		in := own.input(t, true, func(int) bool { return true })
		m := New()
		at := must.Get(m.Of(t.Context(), in, Mixed))
		place := at.Place()
		g := graph.New(3)
		g.AddEdge(place[0], place[1])
		g.AddEdge(place[0], place[2])
		l := &searcher{Method: m, in: in}
		l.answer.Edges = method.EdgeRecords(g)
		ctx := change(l, at)
		l.markUnseen(ctx, at, nil, g)
		for _, e := range l.answer.Edges {
			if want := what == "interventions" && e.To == place[2]; e.Unseen != want {
				t.Errorf("%s: edge to column %d is unseen: %v, want %v", what, at.Order[e.To], e.Unseen, want)
			}
		}
		if what == "interventions" {
			l.markUnseen(ctx, at, [][2]int{{place[0], place[2]}}, g)
			if slices.ContainsFunc(l.answer.Edges, func(e method.EdgeRecord) bool { return e.Unseen }) {
				t.Error("a required edge is unseen")
			}
		}
	}
}

// Edges with the largest p-value go first. A column that lost a parent is also judged by the gains of the others, and other columns only on request.
func TestGainsAfterALoss(t *testing.T) {
	s := &selection{pairs: 10, required: func(int, int) bool { return false }, p: func(x, v int, others []int) float64 {
		if v == 3 && len(others) > 0 {
			return 0.9 - 0.1*float64(x)
		}
		if v == 2 && x == 0 {
			return 0.9
		}
		return 1e-9
	}, gains: func(parents [][]int, v int) []float64 {
		out := make([]float64, len(parents[v]))
		for i := range out {
			out[i] = 1
			if v == 2 || v == 4 {
				out[i] = -1
			}
		}
		return out
	}}
	// A parent that fails its test goes before one without a gain, which may have a gain then.
	first := &selection{pairs: 10, required: s.required, p: func(x, v int, others []int) float64 {
		return []float64{0.9, 1e-9}[x]
	}, gains: func(parents [][]int, v int) []float64 {
		return [][]float64{nil, {1}, {1, -1}}[len(parents[v])]
	}}
	if kept, dropped := first.of([][]int{nil, nil, {0, 1}}, true); dropped != 1 || !slices.Equal(kept[2], []int{1}) {
		t.Errorf("parents %v, want 1", kept[2])
	}
	for all, want := range map[bool][][]int{false: {nil, nil, nil, {2}, {1}}, true: {nil, nil, nil, {2}, nil}} {
		kept, dropped := s.of([][]int{nil, nil, {0, 1}, {0, 1, 2}, {1}}, all)
		edges := 0
		for v := range want {
			if edges += len(kept[v]); !slices.Equal(kept[v], want[v]) {
				t.Errorf("all gains %v: parents %v, want %v", all, kept, want)
				break
			}
		}
		if dropped != 6-edges {
			t.Errorf("all gains %v: %d edges dropped of 6, and %d are left", all, dropped, edges)
		}
	}
}

// Edges are tested unless a penalty was given, for a bootstrap sample, with interventions, or after the run was stopped.
func TestWhenEdgesAreTested(t *testing.T) {
	for what, c := range map[string]struct {
		change func(l *searcher) context.Context
		want   bool
	}{
		"default":            {func(*searcher) context.Context { return t.Context() }, true},
		"a given penalty":    {func(l *searcher) context.Context { l.Price.Adapt = false; return t.Context() }, false},
		"a bootstrap sample": {func(l *searcher) context.Context { l.Coarse = true; return t.Context() }, false},
		"interventions":      {func(l *searcher) context.Context { l.in.Environments = &dataset.Environments{}; return t.Context() }, false},
		"a stopped run":      {func(*searcher) context.Context { return endsAfter(0) }, false},
	} {
		l := &searcher{Method: New(), in: chain(100, 3, 0.8).input(t, false, func(int) bool { return true })}
		ctx := c.change(l)
		if got := l.tested(ctx, nil) != nil; got != c.want {
			t.Errorf("%s: edges are tested %v, want %v", what, got, c.want)
		}
		var a method.Answer
		if l.record(&a, 2); (choiceOf(&a, falseEdgesSetting) != nil) != (c.want || what == "a stopped run") || c.want && l.dropped != 2 {
			t.Errorf("%s: choices %v", what, a.Choices)
		}
	}
	// A budget that all edges fit in leaves the graph optimal.
	in := chain(300, 3, 0.8).input(t, false, func(int) bool { return true })
	for edges, want := range map[int]bool{1: false, 5: true} {
		for _, model := range []Model{Mixed, Linear} {
			m := New()
			m.Model, m.Variance, m.Noise, m.MaxEdges = model, Unequal, GaussianNoise, edges
			if a, err := m.Learn(t.Context(), in, nil); err != nil || a.Optimal != want || a.Graph.Directed().NumEdges() != min(2, edges) {
				t.Errorf("model %s with at most %d edges: optimal %v, %v, want %v", model, edges, a.Optimal, err, want)
			}
		}
	}
	// Linear effects are tried first only if nonlinear ones are.
	own := chain(200, 3, 0.8)
	own.levels[1] = true
	for i := range own.of {
		own.x.Set(i, 1, math.Floor(min(2, max(0, own.x.At(i, 1)+1))))
	}
	a, err := New().Learn(t.Context(), own.input(t, false, func(int) bool { return true }), nil)
	if err != nil || choiceOf(a, "model").Chosen != string(Mixed) || slices.ContainsFunc(a.Stages, func(s method.Stage) bool { return s.Name == name }) {
		t.Errorf("a table with a category: stages %v, %v", a.Stages, err)
	}
}
