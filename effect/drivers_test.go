package effect

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/score"
)

// doses draws rows of dose → weight → pain ← age, and after ← pain, with noise of variance 1; dose is also a direct cause. It returns the
// total effects on pain per unit.
func doses(rows int, seed uint64) (*polydag.Columns, map[string]float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := matrix.New[float64](rows, 5)
	for i := range rows {
		dose, age := rng.NormFloat64(), rng.NormFloat64()
		weight := 2*dose + rng.NormFloat64()
		pain := 1.5*weight + 0.5*dose - age + rng.NormFloat64()
		for j, v := range []float64{dose, weight, age, pain, pain + rng.NormFloat64()} {
			x.Set(i, j, v)
		}
	}
	columns := must.Get(polydag.RowColumns([]string{"dose", "weight", "age", "pain", "after"}, rowsOf(x)))
	return &columns, map[string]float64{"dose": 3.5, "weight": 1.5, "age": -1}
}

func rowsOf(x *matrix.Dense[float64]) (out [][]float64) {
	for i := range x.Rows {
		out = append(out, x.Row(i))
	}
	return out
}

// The graph of doses.
func dosesGraph() *graph.Graph {
	g := graph.New(5)
	for _, e := range [][2]int{{0, 1}, {0, 3}, {1, 3}, {2, 3}, {3, 4}} {
		g.AddEdge(e[0], e[1])
	}
	return g
}

// The effects of a simulated table are found, in the order of their size, with intervals that contain the truth.
func TestDriversAgainstTheTruth(t *testing.T) {
	columns, want := doses(800, 6)
	table := must.Get(polydag.FromColumns(*columns...))
	for _, givenGraph := range []bool{true, false} {
		res := known(t, table, dosesGraph(), score.LinearEffects)
		if !givenGraph {
			cfg := polydag.DefaultConfig()
			cfg.Method = order.New()
			res = must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
		}
		q := NewQuestion("", "pain")
		q.GivenGraph, q.Replicates, q.Threads = givenGraph, 40, 2
		d := must.Get(RankDrivers(context.Background(), res, table, q))
		if len(d.Drivers) < 3 || len(d.Drivers)+len(d.NoEffect) != 4 {
			t.Fatalf("given %v: %+v", givenGraph, d)
		}
		std := table.Moments.Std()
		for i, r := range d.Drivers[:3] {
			truth := want[r.Name] * std[slices.Index(table.Moments.Names, r.Name)]
			if r.Total == nil || !r.Contrast.Deviation || !(*r.Total.Low <= truth && truth <= *r.Total.High) {
				t.Errorf("given %v: %d %s: %+v, want %v", givenGraph, i, r.Name, r.Total, truth)
			}
		}
		if !givenGraph {
			continue
		}
		if d.NoEffect[0] != "after" || d.Drivers[0].Name != "dose" || d.Drivers[2].Name != "age" || !reflect.DeepEqual(d.Drivers[0].Through, []string{"weight"}) {
			t.Errorf("%+v", d)
		}
		if a := d.Drivers[2]; a.Changeable != "no" || d.Drivers[0].Changeable != "yes" || a.Basis != Adjusted {
			t.Errorf("%+v, %+v", a, d.Drivers[0])
		}
	}
}

// A ranking has the figures of Ask, and does not depend on the number of threads.
func TestDriversAgreeWithAsk(t *testing.T) {
	columns, _ := doses(300, 2)
	table := must.Get(polydag.FromColumns(*columns...))
	for _, model := range []score.Effects{score.LinearEffects, score.MixedEffects} {
		res := known(t, table, dosesGraph(), model)
		q := NewQuestion("", "pain")
		q.GivenGraph, q.Replicates, q.Threads = true, 8, 1
		d := must.Get(RankDrivers(context.Background(), res, table, q))
		q.Threads = 3
		if again := must.Get(RankDrivers(context.Background(), res, table, q)); !reflect.DeepEqual(d, again) {
			t.Errorf("%s: other threads, other figures", model)
		}
		for _, r := range d.Drivers {
			a := ask(t, res, table, r.Name, "pain", func(own *Question) {
				own.Replicates, own.Start, own.End = 8, r.Contrast.Start, r.Contrast.End
			})
			e := a.Effects[0]
			near(t, r.Name+" total", r.Total.Value, e.Total.Value, 1e-3)
			near(t, r.Name+" low", *r.Total.Low, *e.Total.Low, 1e-2)
			near(t, r.Name+" high", *r.Total.High, *e.Total.High, 1e-2)
			near(t, r.Name+" direct", r.Direct.Value, e.Direct.Value, 1e-3)
		}
	}
}

// Without a stated direction no effect is stated, and the caveat says so first.
func TestDriversWithoutDirections(t *testing.T) {
	columns, _ := doses(300, 3)
	table := must.Get(polydag.FromColumns(*columns...))
	res := known(t, table, dosesGraph(), score.LinearEffects)
	for i := range res.Edges {
		res.Edges[i].Compelled, res.Edges[i].Verdict, res.Edges[i].PAdjacent, res.Edges[i].PDirection = true, polydag.Undirected, 0.9, 0.5
	}
	q := NewQuestion("", "pain")
	q.GivenGraph = true
	d := must.Get(RankDrivers(context.Background(), res, table, q))
	for _, r := range d.Drivers {
		if r.Stated() || len(r.DependsOn) == 0 {
			t.Errorf("%+v", r)
		}
	}
	var b strings.Builder
	must.Succeed(t, d.WriteText(&b))
	first := strings.SplitN(b.String(), "\n", 3)[1]
	if !strings.HasPrefix(first, "Caveat: no effect on pain is settled") || !strings.Contains(b.String(), "No column has an effect on pain whose direction is settled") {
		t.Error(b.String())
	}
}

func TestDriversText(t *testing.T) {
	x := func(v float64) *float64 { return &v }
	d := &Drivers{On: "pain", Model: score.MixedEffects, Rows: 90, Caveat: "c", NoEffect: []string{"noise"}, Caution: "exploratory", Notes: []string{"n"},
		Interval: &Interval{Method: OverGraphs, Level: 0.9, Replicates: 20},
		Drivers: []Driver{
			{Name: "arm", Contrast: Contrast{Start: "a", End: "b"}, Outcome: "mean", Total: &Quantity{Value: -2, Low: x(-3), High: x(-1)}, Direct: &Quantity{Value: -1.5}, Basis: Randomized, Changeable: "yes"},
			{Name: "age", Contrast: Contrast{Deviation: true}, Outcome: "mean", Total: &Quantity{Value: 1, Low: x(0.5), High: x(1.5)}, Direct: &Quantity{Value: 1}, Basis: Adjusted, Adjustment: []string{"sex"}, ByNames: true, Changeable: "no"},
			{Name: "diet", Contrast: Contrast{Deviation: true}, Outcome: "mean", Total: &Quantity{Value: 0.8, Low: x(0.2), High: x(1)}, Low: x(0.6), High: x(0.8), Basis: Ambiguous, Settled: true},
			{Name: "mood", Contrast: Contrast{Deviation: true}, Outcome: "mean", Total: &Quantity{Value: 0.5, Low: x(0), High: x(1)}, Direct: &Quantity{Value: 0.5}, Low: x(0), High: x(0.5), Basis: Ambiguous},
			{Name: "sleep", Contrast: Contrast{Deviation: true}, Outcome: "mean", Total: &Quantity{Low: x(0), High: x(2)}, IfExists: &Limits{1, 2.5}, Basis: NotExcluded, Paths: x(0.25)},
		}}
	var b strings.Builder
	must.Succeed(t, d.WriteText(&b))
	want := `What drives pain (mixed model, 90 rows)
Caveat: c.
Stated effects on pain, largest first: arm, age, diet. Can be changed: arm. Cannot be changed: age.

Change of the mean of pain; in parentheses if it is not stated as an effect, but holds in the learned graph:
  column  change               total  90 % interval if it exists  exists in  direct  indirect  changeable  rests on
  arm     b instead of a          -2  [-3, -1]                                 -1.5      -0.5         yes  randomized
  age     +1 SD                    1  [0.5, 1.5]                                  1         0          no  adjusted for sex; direction by names
  diet    +1 SD           0.6 to 0.8  [0.2, 1]                                                          ?  size not identified: equally good graphs differ
  mood    +1 SD           (0 to 0.5)  [0, 1]                                    0.5         0           ?  not identified: equally good graphs differ
  sleep   +1 SD               (none)  [1, 2.5]                         25 %                             ?  not excluded: 25 % of the graphs
Legend: total: along all directed paths; direct: along the edge alone; indirect: the rest; exists in: share of the bootstrap graphs in which the column affects pain; changeable: as far as the name of the column says.
Intervals: 20 bootstrap samples, each with its own graph.
Averaged over graphs, with 0 where the effect does not exist: sleep [0, 2].
No effect found: noise.
Note: n.
Caution: exploratory.
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	must.Succeed(t, d.WriteBrief(&b))
	if strings.Contains(b.String(), "Legend") {
		t.Error(b.String())
	}
}

// An effect whose direction is settled and whose edge is weak is stated if most graphs of bootstrap samples have it.
func TestWeakEdges(t *testing.T) {
	weak := []Unstated{{Link: polydag.Link{From: "arm", To: "pain"}, Probability: 0.5, Weak: true}}
	for share, stated := range map[float64]bool{0.7: false, 0.8: true, 1: true} {
		d := Driver{Name: "arm", Basis: Randomized, DependsOn: weak, Paths: &share, Total: &Quantity{Value: 1}}
		must.Same(t, d.Stated(), stated, share)
		must.Same(t, d.rests(), "randomized; weak edge: arm → pain 0.50", share)
		r := &ranking{Question: Question{On: "pain"}, out: Drivers{Drivers: []Driver{d}}}
		if strings.Contains(r.caveat(), "sure to exist") == stated {
			t.Errorf("%v: %s", share, r.caveat())
		}
	}
	if d := (Driver{Basis: Adjusted, DependsOn: weak}); d.Stated() {
		t.Error("stated without bootstrap graphs")
	}
}

// A binary outcome has risk differences in percentage points and risk ratios.
func TestDriversOfABinaryOutcome(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	smoke, ill := make([]float64, 4000), make([]float64, 4000)
	for i := range smoke {
		smoke[i] = float64(i % 2)
		if rng.Float64() < 0.1+0.2*smoke[i] {
			ill[i] = 1
		}
	}
	table := must.Get(polydag.FromColumns(polydag.Column{Name: "smoke", Numbers: smoke}, polydag.Column{Name: "ill", Numbers: ill}))
	g := graph.New(2)
	g.AddEdge(0, 1)
	q := NewQuestion("", "ill")
	q.GivenGraph, q.Replicates = true, 40
	d := must.Get(RankDrivers(context.Background(), known(t, table, g, score.MixedEffects), table, q))
	r := d.Drivers[0]
	near(t, "risk difference", r.Total.Value, 0.2, 0.03)
	near(t, "risk ratio", r.Ratio.Value, 3, 0.4)
	if r.Outcome != "1" || *r.Ratio.Low > r.Ratio.Value || *r.Ratio.High < r.Ratio.Value || *r.Ratio.Low < 2 {
		t.Errorf("%+v, ratio %v to %v", r, *r.Ratio.Low, *r.Ratio.High)
	}
	var b strings.Builder
	must.Succeed(t, d.WriteText(&b))
	for _, part := range []string{"total, pp", "Change of the probability of ill = 1 in percentage points (risk difference)", "ratio: probability at the second value", points(r.Total.Value)} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("%q is not in\n%s", part, b.String())
		}
	}
}

func TestDriversRefuse(t *testing.T) {
	columns, _ := doses(50, 4)
	table := must.Get(polydag.FromColumns(*columns...))
	res := known(t, table, dosesGraph(), score.LinearEffects)
	for name, part := range map[string]string{"pian": "did you mean pain?", "": "missing"} {
		if _, err := RankDrivers(context.Background(), res, table, NewQuestion("", name)); fault.Code(err) != "effect-question" || !strings.Contains(err.Error(), part) {
			t.Errorf("%q: %v", name, err)
		}
	}
	q := NewQuestion("", "pain")
	q.Do = []string{"1"}
	if _, err := RankDrivers(context.Background(), res, table, q); fault.Code(err) != "effect-question" {
		t.Error(err)
	}
}

// With graphs relearned a ranking has the figures of Ask, also where samples share their class.
func TestRelearnedDriversAgreeWithAsk(t *testing.T) {
	columns, _ := doses(300, 4)
	table := must.Get(polydag.FromColumns(*columns...))
	cfg := polydag.DefaultConfig()
	cfg.Method = order.New()
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	for i := range res.Edges {
		res.Edges[i].Verdict = polydag.Undirected // a ranking keeps stated directions
	}
	q := NewQuestion("", "pain")
	q.Replicates, q.Threads = 10, 2
	for _, r := range must.Get(RankDrivers(context.Background(), res, table, q)).Drivers {
		a := ask(t, res, table, r.Name, "pain", func(own *Question) {
			own.Replicates, own.Start, own.End, own.GivenGraph = 10, r.Contrast.Start, r.Contrast.End, false
		})
		near(t, r.Name+" low", *r.Total.Low, *a.Effects[0].Total.Low, 1e-2)
		near(t, r.Name+" high", *r.Total.High, *a.Effects[0].Total.High, 1e-2)
	}
}

// Rows that mechanisms are evaluated on are one of each part, in order.
func TestSomeRows(t *testing.T) {
	all := make([]int, 103)
	for i := range all {
		all[i] = 2 * i
	}
	if got := someOf(all, 0, 1); len(got) != 103 {
		t.Errorf("%d rows without a limit", len(got))
	}
	got := someOf(all, 10, 1)
	if len(got) != 10 || !slices.IsSorted(got) || got[9] < 2*92 || slices.Equal(got, someOf(all, 10, 2)) {
		t.Errorf("%v", got)
	}
}

// The interval of an effect that exists leaves out the graphs without it, and the estimate lies within it.
func TestIntervalsIfTheEffectExists(t *testing.T) {
	var all []replicate
	for k := range 40 {
		r := replicate{low: []float64{float64(k), 0, 1}, high: []float64{float64(k), 0, 1}}
		if k >= 20 {
			r.least, r.most = r.low[:1], r.high[:1]
		}
		all = append(all, r)
	}
	if got := ifExists(all, 0.9); len(got) != 1 || got[0].Low < 20 || got[0].High > 39 || got[0].Low > 21 {
		t.Errorf("%+v", got)
	}
	if got := ifExists(all[20:], 0.9); got != nil {
		t.Errorf("the effect exists in all graphs: %+v", got)
	}
	if got := ifExists(all[:29], 0.9); got != nil {
		t.Errorf("nine graphs are too few: %+v", got)
	}
	columns, _ := doses(30, 12)
	table := must.Get(polydag.FromColumns(*columns...))
	cfg := polydag.DefaultConfig()
	cfg.Method = order.New()
	res, some := must.Get(table.Learn(context.Background(), cfg, polydag.Run{})), 0
	for on := range 2 {
		q := NewQuestion("", []string{"pain", "weight"}[on])
		q.Replicates = 40
		for _, r := range must.Get(RankDrivers(context.Background(), res, table, q)).Drivers {
			if r.IfExists == nil {
				continue
			}
			some++
			if x := r.Total.Value; r.Basis != NotExcluded && (x < r.IfExists.Low || x > r.IfExists.High) {
				t.Errorf("%s: %v outside %+v", r.Name, x, r.IfExists)
			}
		}
	}
	if some == 0 {
		t.Error("no effect is missing in a graph")
	}
}

// A stated direction, here that of a randomized treatment, stays in the graphs of bootstrap samples; the table alone does not identify it.
func TestRandomizedTreatmentsKeepTheirEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	treatment, score := make([]float64, 60), make([]float64, 60)
	for i := range treatment {
		treatment[i] = float64(i % 2)
		score[i] = 4*treatment[i] + rng.NormFloat64()
	}
	table := must.Get(polydag.FromColumns(polydag.Column{Name: "arm", Numbers: treatment}, polydag.Column{Name: "score", Numbers: score}))
	cfg := polydag.DefaultConfig()
	cfg.Method = order.New()
	res := must.Get(table.Learn(context.Background(), cfg, polydag.Run{}))
	a := ask(t, res, table, "arm", "score", func(q *Question) { q.GivenGraph, q.Replicates = false, 60 })
	if e := a.Effects[0].Total; *e.Low < 3 || *e.High > 5 || e.Value <= *e.Low || e.Value >= *e.High || e.Value == 0 {
		t.Errorf("%v, interval %v to %v", e.Value, *e.Low, *e.High)
	}
	d := must.Get(RankDrivers(context.Background(), res, table, NewQuestion("", "score"))).Drivers[0]
	if d.Basis != Randomized || *d.Total.Low < 3 || *d.Paths < 1 {
		t.Errorf("%+v, %+v", d, d.Total)
	}
}
