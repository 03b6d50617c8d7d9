package effect

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// A question of two columns alone has the defaults of NewQuestion.
func TestEmptyFieldsOfAQuestion(t *testing.T) {
	got, want := Question{Of: "a", On: "b"}.filled(), NewQuestion("a", "b")
	if got.Level != want.Level || got.Replicates != want.Replicates || got.Threads != want.Threads || (Question{Threads: 2}).filled().Level != 0 {
		t.Errorf("%+v", got)
	}
}

// Every part of a question has a range.
func TestRangesOfAQuestion(t *testing.T) {
	given := []Value{{"c", "1"}}
	for what, c := range map[string]struct {
		change func(*Question)
		valid  bool
	}{
		"defaults":              {func(*Question) {}, true},
		"no column":             {func(q *Question) { q.Of = "" }, false},
		"no second column":      {func(q *Question) { q.On = "" }, false},
		"level 0":               {func(q *Question) { q.Level = 0 }, false},
		"level 1":               {func(q *Question) { q.Level = 1 }, false},
		"no replicates":         {func(q *Question) { q.Replicates = 0 }, true},
		"negative replicates":   {func(q *Question) { q.Replicates = -1 }, false},
		"a million replicates":  {func(q *Question) { q.Replicates = 1_000_000 }, true},
		"too many replicates":   {func(q *Question) { q.Replicates = 1_000_001 }, false},
		"no thread":             {func(q *Question) { q.Threads = 0 }, false},
		"a contrast":            {func(q *Question) { q.Start, q.End = "1", "2" }, true},
		"a start":               {func(q *Question) { q.Start = "1" }, false},
		"an end":                {func(q *Question) { q.End = "1" }, false},
		"a row":                 {func(q *Question) { q.Row, q.Do = 1, []string{"2"} }, true},
		"a negative row":        {func(q *Question) { q.Row, q.Do = -1, []string{"2"} }, false},
		"a row without a value": {func(q *Question) { q.Row = 1 }, false},
		"given values":          {func(q *Question) { q.Given, q.Do = given, []string{"2"} }, true},
		"given without a value": {func(q *Question) { q.Given = given }, false},
		"a row and values":      {func(q *Question) { q.Row, q.Given, q.Do = 1, given, []string{"2"} }, false},
		"a value twice":         {func(q *Question) { q.Given, q.Do = append(given, given...), []string{"2"} }, false},
	} {
		q := NewQuestion("a", "b")
		if c.change(&q); (q.Validate() == nil) != c.valid {
			t.Errorf("%s: %v, want valid: %v", what, q.Validate(), c.valid)
		}
	}
}

// χ² with f degrees of freedom has mean f and variance 2f, on both sides of the bound of its approximation.
func TestDrawsOfChiSquared(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, free := range []float64{3, 100, 101, 1000} {
		const draws = 40_000
		mean, square := 0.0, 0.0
		for range draws {
			x := chiSquared(rng, free) / free
			mean += x / draws
			square += x * x / draws
		}
		near(t, "mean", mean, 1, 5*math.Sqrt(2/free/draws))
		near(t, "variance", (square-mean*mean)*free/2, 1, 0.03)
	}
}

// The effect of an adjustment is the slope of a regression with its standard error √(left/(leftOf·(n - k - 2))). An effect without an adjustment
// set is unknown, and one without a path is 0.
func TestEstimatesOfAdjustments(t *testing.T) {
	m, z := regression(t, 2, 4, 8, 2) // 12 rows, slope 2 with t = 4
	q := &study{a: 0, b: 1, x0: 1, x1: 4, shown: newOutcomes(nil, nil)}
	total, deviation, err := q.estimates(m, []graph.Adjustment{{Path: true, Exists: true, Set: z}, {Path: true}, {}})
	must.Succeed(t, err)
	near(t, "total", total[0], 6, 1e-9)
	near(t, "standard error", deviation[0], 6./4, 1e-9)
	if !math.IsNaN(total[1]) || !math.IsNaN(deviation[1]) || total[2] != 0 || deviation[2] != 0 {
		t.Errorf("without a set %v ± %v, without a path %v ± %v, want NaN and 0", total[1], deviation[1], total[2], deviation[2])
	}
	e, ok := q.span(total, deviation, 2)
	if !ok {
		t.Fatal("no range")
	}
	near(t, "low end", e.low.total[0], 0, 1e-9)
	near(t, "high end", e.high.total[0], 9, 1e-9)
	if _, ok := q.span([]float64{math.NaN()}, []float64{math.NaN()}, 2); ok {
		t.Error("a range without any adjustment set")
	}
	for rows, known := range map[int]bool{4: false, 5: true} { // a constant, a and two others
		few := must.Get(dataset.RestoreMoments(m.Names, rows, m.Mean, nil, m.Scatter, nil, nil))
		_, deviation, err := q.estimates(few, []graph.Adjustment{{Path: true, Exists: true, Set: z}})
		if err != nil || math.IsNaN(deviation[0]) == known {
			t.Errorf("%d rows: standard error %v, %v, want one: %v", rows, deviation, err, known)
		}
	}
	if _, _, err := q.estimates(m, []graph.Adjustment{{Path: true, Exists: true, Set: []int{2, 2}}}); err == nil {
		t.Error("a collinear set: no error")
	}
}

// An undirected edge has each direction with half of its probability. A directed one has that of its direction or of the reverse.
func TestProbabilitiesOfUnstatedEdges(t *testing.T) {
	for _, c := range []struct {
		mark      string
		reversed  bool // the graph of the estimate has b → a
		direction float64
		want      float64
	}{{"---", false, 0, 0.45}, {"---", true, 0, 0.45}, {"-->", false, 0.6, 0.54}, {"-->", true, 0.6, 0.36}} {
		g := graph.New(2)
		from, to := 0, 1
		if c.reversed {
			from, to = 1, 0
		}
		g.AddEdge(from, to)
		e := polydag.Edge{Link: polydag.Link{From: "a", To: "b"}, Mark: c.mark, Judgement: trust.Judgement{Verdict: trust.Undirected, PAdjacent: 0.9, PDirection: c.direction}}
		k := &asked{res: &polydag.Result{Names: []string{"a", "b"}, Edges: []polydag.Edge{e}}, class: []member{{dag: g}}}
		got, ok := k.unstated()[[2]int{from, to}]
		if !ok || !(math.Abs(got.Probability-c.want) <= 1e-12) {
			t.Errorf("%s, reversed %v: %+v, want a probability of %v", c.mark, c.reversed, got, c.want)
		}
	}
}

// Effects of all pairs need a nonlinear model and its table.
func TestSurveyNeedsATable(t *testing.T) {
	x := newDense(40, 2)
	for i := range 40 {
		x.Set(i, 0, float64(i%7))
		x.Set(i, 1, float64(i%7+i%3))
	}
	g := graph.New(2)
	g.AddEdge(0, 1)
	table := tableOf(t, []string{"a", "b"}, nil, x)
	for what, c := range map[string]struct {
		model score.Effects
		table *polydag.Table
		valid bool
	}{"smooth": {score.SmoothEffects, table, true}, "linear": {score.LinearEffects, table, false}, "without a table": {score.SmoothEffects, nil, false}} {
		set := DefaultSurvey()
		set.Replicates, set.Threads = 0, 1
		if _, err := AskAll(context.Background(), known(t, table, g, c.model), c.table, set); errors.Is(err, ErrQuestion) == c.valid {
			t.Errorf("%s: %v, want valid: %v", what, err, c.valid)
		}
	}
}

// An effect in a PAG depends on directed edges on its paths whose direction the result does not state, and not on others. A hidden common cause
// is possible only where the edge itself says so.
func TestUnstatedEdgesOfAPAG(t *testing.T) {
	res := &polydag.Result{Names: []string{"a", "m", "b", "x"}}
	m := graph.NewMixed(graph.KindPAG, 4)
	for _, c := range []struct {
		from, to int
		mark     string
		atFrom   graph.Mark
		verdict  trust.Verdict
		hidden   bool
	}{
		{0, 1, "-->", graph.Tail, trust.Undirected, false}, // on the path
		{1, 2, "-->", graph.Tail, trust.Directed, true},    // stated
		{0, 2, "-->", graph.Tail, "", false},               // a supplied edge
		{3, 2, "-->", graph.Tail, trust.Weak, false},       // on the path through x
		{0, 3, "-->", graph.Tail, trust.Weak, true},        // the same
	} {
		m.Set(graph.MarkedEdge{Edge: graph.Edge{From: c.from, To: c.to}, AtFrom: c.atFrom, AtTo: graph.Arrow})
		e := polydag.Edge{Link: polydag.Link{From: res.Names[c.from], To: res.Names[c.to]}, Mark: c.mark, Judgement: trust.Judgement{Verdict: c.verdict, PAdjacent: 0.9, PDirection: 0.5}}
		if c.hidden {
			e.HiddenCause = method.HiddenPossible
		}
		res.Edges = append(res.Edges, e)
	}
	res.Marked = m
	named := func(a, b int) string {
		k := &asked{res: res, answer: &Answer{}}
		k.study.a, k.study.b = a, b
		k.restPAG()
		text := ""
		for _, u := range k.answer.DependsOn {
			if !(math.Abs(u.Probability-0.45) <= 1e-12) {
				t.Errorf("%s → %s has a probability of %v, want 0.45", u.From, u.To, u.Probability)
			}
			text += u.From + u.To + " "
		}
		return text
	}
	for pair, want := range map[[2]int]string{{0, 2}: "am xb ax ", {0, 1}: "am ", {1, 2}: "", {3, 2}: "xb ", {0, 3}: "ax "} {
		if got := named(pair[0], pair[1]); got != want {
			t.Errorf("the effect of %s on %s depends on %q, want %q", res.Names[pair[0]], res.Names[pair[1]], got, want)
		}
	}
	for pair, want := range map[[2]int]bool{{1, 2}: true, {0, 3}: true, {0, 1}: false, {2, 1}: false, {0, 2}: false} {
		if got := doubtful(res, pair[0], pair[1]); got != want {
			t.Errorf("a hidden common cause of %s and %s is possible: %v, want %v", res.Names[pair[0]], res.Names[pair[1]], got, want)
		}
	}
}
