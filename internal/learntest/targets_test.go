package learntest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// experiments draws a linear model of d columns and the given number of edges, weights ±[0.25, 1] and noise of standard deviation 0.5 to 1.5, and
// rows in which one column after the other was set from outside: cut off from its parents, with noise of its own. The
// column target names it. Columns are x0, x1, … in a drawn order, so that their names tell nothing.
func experiments(seed uint64, d, edges, rows int) (*sheet, *graph.Graph) {
	rng := rand.New(rand.NewPCG(seed, 0x7a59))
	truth := graph.New(d)
	rank := rng.Perm(d)
	weight := map[graph.Edge]float64{}
	for truth.NumEdges() < edges {
		i, j := rng.IntN(d), rng.IntN(d)
		if rank[i] < rank[j] && !truth.HasEdge(i, j) {
			truth.AddEdge(i, j)
			w := 0.25 + 0.75*rng.Float64()
			if rng.IntN(2) == 0 {
				w = -w
			}
			weight[graph.Edge{From: i, To: j}] = w
		}
	}
	order, _ := truth.Order()
	noise := make([]float64, d)
	for v := range noise {
		noise[v] = 0.5 + rng.Float64()
	}
	s := &sheet{}
	values := make([][]float64, rows)
	for i := range values {
		values[i] = make([]float64, d)
		for _, v := range order {
			x := noise[v] * rng.NormFloat64()
			if v != i%d {
				for _, p := range truth.Parents(v) {
					x += weight[graph.Edge{From: p, To: v}] * values[i][p]
				}
			}
			values[i][v] = x
		}
	}
	for v := range d {
		s.add(fmt.Sprint("x", v), rows, func(i int) string { return fmt.Sprintf("%.10g", values[i][v]) })
	}
	s.add("target", rows, func(i int) string { return fmt.Sprint("x", i%d) })
	return s, truth
}

// targeted reads a table with a column of targets.
func targeted(t testing.TB, text, column string) *polydag.Table {
	t.Helper()
	p := polydag.DefaultPreparation()
	p.Targets = column
	table := must.Get(polydag.Prepare(context.Background(), written{text: text}, p))
	return table
}

// TestTargetsLinear has a perfect intervention on each of 20 columns, 80 edges and 10,000 rows: the graph must
// be found except for one or two edges, with every direction identified.
func TestTargetsLinear(t *testing.T) {
	distance := 0
	const tables = 3
	for seed := range uint64(tables) {
		s, truth := experiments(seed, 20, 80, 10_000)
		res := learnedFrom(t, targeted(t, s.plain(), "target"), nil)
		distance += metric.SHD(truth, res.Graph).Distance()
		if res.Model != "linear" || len(res.Names) != 20 || res.Settings.Get("targets") != "target" {
			t.Errorf("model %s, %d columns, targets %v", res.Model, len(res.Names), res.Settings.Get("targets"))
		}
		for _, e := range res.Edges {
			if !e.Compelled || e.Verdict == polydag.Undirected {
				t.Errorf("table %d: %s → %s is not settled: compelled %v, %s", seed, e.From, e.To, e.Compelled, e.Verdict)
			}
		}
	}
	t.Logf("mean distance %.2f over %d tables", float64(distance)/tables, tables)
	if distance > 2*tables {
		t.Errorf("distances add up to %d over %d tables, want at most 2 each", distance, tables)
	}
}

// TestTargetsSettleDirections has five mutually adjacent columns, so that the Markov equivalence class has no
// direction, and checks that experiments identify every direction.
func TestTargetsSettleDirections(t *testing.T) {
	s, truth := experiments(7, 5, 10, 2000)
	res := learnedFrom(t, targeted(t, s.plain(), "target"), nil)
	if metric.SHD(truth, res.Graph).Distance() != 0 {
		t.Fatalf("found %v, want %v", res.Graph.Edges(), truth.Edges())
	}
	class, err := graph.CPDAG(res.Graph)
	if err != nil || len(class.UndirectedEdges()) != 10 {
		t.Fatalf("the class has %v, %v", class, err)
	}
	for _, e := range res.Edges {
		if !e.Compelled {
			t.Errorf("%s → %s is open", e.From, e.To)
		}
	}
}

func withVariance(variance string) *order.Method {
	m := order.New()
	m.Variance = order.Variance(variance)
	return m
}

// TestTargetsWhateverTheTable checks that the order of the columns, their units, the order of the names in a
// cell and the number of threads change nothing.
func TestTargetsWhateverTheTable(t *testing.T) {
	s, _ := experiments(3, 6, 8, 900)
	for i := range s.cells[6] {
		switch i % 7 {
		case 0:
			s.cells[6][i] = ""
		case 1:
			s.cells[6][i] = "x2; x0"
		}
	}
	edges := func(text string, threads int) string {
		cfg := polydag.DefaultConfig()
		cfg.Threads = threads
		res := must.Get(targeted(t, text, "target").Learn(context.Background(), cfg, polydag.Run{}))
		var list []string
		for _, e := range res.Edges {
			list = append(list, fmt.Sprintf("%s→%s %v %.17g", e.From, e.To, e.Compelled, e.Standardized))
		}
		slices.Sort(list)
		return strings.Join(list, "\n")
	}
	want := edges(s.plain(), 1)
	if got := edges(s.plain(), 3); got != want {
		t.Errorf("on three threads\n%s\nwant\n%s", got, want)
	}
	if got := edges(s.csv([]int{6, 3, 0, 5, 1, 4, 2}), 1); got != want {
		t.Errorf("columns in another order\n%s\nwant\n%s", got, want)
	}
	for i, cell := range s.cells[6] {
		if cell == "x2; x0" {
			s.cells[6][i] = "x0;x2"
		}
		x := must.Get(strconv.ParseFloat(s.cells[4][i], 64))
		s.cells[4][i] = strconv.FormatFloat(x*1024, 'g', -1, 64)
	}
	if got := edges(s.plain(), 1); got != want {
		t.Errorf("in other units\n%s\nwant\n%s", got, want)
	}
}

// TestEmptyTargets checks that without interventions the answer equals that of the table without the column,
// byte for byte except for the recorded setting.
func TestEmptyTargets(t *testing.T) {
	s, _ := experiments(5, 5, 5, 300)
	for i := range s.cells[5] {
		s.cells[5][i] = ""
	}
	with := learnedFrom(t, targeted(t, s.plain(), "target"), nil)
	without := learnedFrom(t, prepared(t, s.csv([]int{0, 1, 2, 3, 4})), nil)
	if with.Settings.Get("targets") != "target" {
		t.Errorf("the settings are %v", with.Settings)
	}
	for _, r := range []*polydag.Result{with, without} {
		r.Settings, r.Timing, r.Table = nil, polydag.Timing{}, polydag.Provenance{}
	}
	a, b := new(bytes.Buffer), new(bytes.Buffer)
	if json.NewEncoder(a).Encode(with) != nil || json.NewEncoder(b).Encode(without) != nil || a.String() != b.String() {
		t.Errorf("with a column of empty targets\n%s\nwithout\n%s", a, b)
	}
}

// TestTargetsAtTheEdge covers faults of the column and degenerate tables.
func TestTargetsAtTheEdge(t *testing.T) {
	s, _ := experiments(9, 4, 4, 240)
	set := func(cell func(i int) string) string {
		c := &sheet{names: s.names, cells: slices.Clone(s.cells)}
		c.cells[4] = make([]string, 240)
		for i := range c.cells[4] {
			c.cells[4][i] = cell(i)
		}
		return c.plain()
	}
	read := func(text string, p polydag.Preparation) (*polydag.Table, error) {
		return polydag.Prepare(context.Background(), written{text: text}, p)
	}
	p := polydag.DefaultPreparation()
	p.Targets = "target"
	for name, c := range map[string]struct {
		text   string
		change func(p *polydag.Preparation)
		is     error
		says   string
	}{
		"no such target":   {set(func(i int) string { return []string{"", "x01"}[i%2] }), nil, prepare.ErrTarget, `row 2`},
		"no such place":    {set(func(i int) string { return []string{"0", "9"}[i%2] }), nil, prepare.ErrTarget, "9"},
		"itself":           {set(func(i int) string { return []string{"", "target"}[i%2] }), nil, prepare.ErrTarget, "target"},
		"no such column":   {s.plain(), func(p *polydag.Preparation) { p.Targets = "targe" }, prepare.ErrUnknownColumn, `did you mean "target"`},
		"no such value":    {s.plain(), func(p *polydag.Preparation) { p.Targets = "target:x0=x0,x9=x1" }, prepare.ErrTarget, `"x9"`},
		"half a list":      {s.plain(), func(p *polydag.Preparation) { p.Targets = "target:x0=x0,x1" }, nil, "COLUMN:VALUE=NAMES"},
		"two such columns": {s.plain(), func(p *polydag.Preparation) { p.Environments = "x0" }, nil, "set one of them"},
		"too much memory":  {set(func(i int) string { return fmt.Sprint("x", i%4, ";x", i/4%4, ";x", i/16%4) }), func(p *polydag.Preparation) { p.MaxMemory = 3000 }, prepare.ErrEnvironments, "kB"},
	} {
		p := p
		if c.change != nil {
			c.change(&p)
		}
		if _, err := read(c.text, p); err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v; want %v that says %q", name, err, c.is, c.says)
		}
	}
	answers := map[string]string{
		"one column in every row":   set(func(int) string { return "x0" }),
		"all columns, always":       set(func(int) string { return "x0;x1;x2;x3" }),
		"one row of an environment": set(func(i int) string { return []string{"", "x1"}[min(1, i/239)] }),
		"by place":                  set(func(i int) string { return fmt.Sprint(i % 5) }),
		"a column left out":         set(func(i int) string { return []string{"", "x3", "x0"}[i%3] }),
	}
	for name, text := range answers {
		p := p
		if name == "a column left out" {
			p.Drop = []string{"x3"}
		}
		table, err := read(text, p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, model := range []order.Model{order.AutoModel, order.Linear, order.Smooth} {
			m := order.New()
			m.Model = model
			res := learnedFrom(t, table, m)
			for _, e := range res.Edges {
				if name == "all columns, always" || name == "one column in every row" && e.To == "x0" {
					t.Errorf("%s, model %s: %s → %s, although no row tells", name, model, e.From, e.To)
				}
				// A row in which x1 was set turns no direction from open to settled.
				if e.Compelled && name == "one row of an environment" && (e.From == "x1" || e.To == "x1") && model == order.Linear {
					without := learnedFrom(t, prepared(t, s.csv([]int{0, 1, 2, 3})), m)
					for _, o := range without.Edges {
						if o.From == e.From && o.To == e.To && !o.Compelled {
							t.Errorf("%s: one row settles %s → %s", name, e.From, e.To)
						}
					}
				}
			}
		}
	}
	table := must.Get(read(s.plain(), p))
	cfg := polydag.DefaultConfig()
	for name, is := range map[string]error{"polydag": polydag.ErrEnvironments, "equal": order.ErrVariance} {
		if cfg.Method = withVariance("equal"); name == "polydag" {
			cfg.Method = must.Get(lab.Find(name))
		}
		if _, err := table.Learn(context.Background(), cfg, polydag.Run{}); !errors.Is(err, is) {
			t.Errorf("%s: %v, want %v", name, err, is)
		}
	}
	gap := strings.Replace(s.plain(), "\n", "\n,1,1,1,x0\n", 1)
	p.Missing = "pairwise"
	table = must.Get(read(gap, p))
	if _, err := table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{}); err == nil {
		t.Error("correlations of different rows were learned from with targets")
	}
	p.Missing = "drop"
	table = must.Get(read(gap, p))
	learnedFrom(t, table, nil)
}

// TestTargetsByCondition checks that conditions with a list of targets are equivalent to a target column.
func TestTargetsByCondition(t *testing.T) {
	s, _ := experiments(13, 4, 5, 800)
	want := learnedFrom(t, targeted(t, s.plain(), "target"), nil)
	for i, cell := range s.cells[4] {
		s.cells[4][i] = map[string]string{"x0": "7", "x1": "8", "x2": "drug B", "x3": "9"}[cell]
	}
	table := targeted(t, s.plain(), "target: 7=x0, 8 = x1 ,drug B=x2,9=x3")
	res := learnedFrom(t, table, nil)
	if !slices.Equal(res.Graph.Edges(), want.Graph.Edges()) || res.Score != want.Score || len(res.Names) != 4 {
		t.Errorf("found %v of score %v, want %v of %v", res.Graph.Edges(), res.Score, want.Graph.Edges(), want.Score)
	}
	if !slices.Contains(table.Environments.Names, "drug B=x2") || res.Settings.Get("targets") != "target: 7=x0, 8 = x1 ,drug B=x2,9=x3" {
		t.Errorf("environments %q, settings %v", table.Environments.Names, res.Settings.Get("targets"))
	}
}

// TestOwnTargetValues checks that if the intervention is not on the measured value, a separate level represents
// the column. With measured values, which its effect no longer follows, the edge is reversed.
func TestOwnTargetValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	s := &sheet{}
	const n = 3000
	a, b, set := make([]int, n), make([]int, n), make([]string, n)
	for i := range n {
		a[i] = rng.IntN(3)
		if seen := a[i]; i%3 == 0 { // blocked: b sees 0, and the amount of a is still measured
			set[i], seen = "a", 0
			b[i] = seen
		} else {
			b[i] = seen
		}
		if rng.IntN(5) < 2 {
			b[i] = rng.IntN(3)
		}
	}
	s.add("a", n, func(i int) string { return fmt.Sprint("l", a[i]) })
	s.add("b", n, func(i int) string { return fmt.Sprint("l", b[i]) })
	s.add("set", n, func(i int) string { return set[i] })
	table := targeted(t, s.plain(), "set")
	for _, values := range []order.TargetValues{order.Measured, order.Own} {
		m := order.New()
		m.TargetValues = values
		res := learnedFrom(t, table, m)
		if len(res.Edges) != 1 || (res.Edges[0].From == "a") != (values == order.Own) {
			t.Errorf("%s: %+v", values, res.Edges)
		}
	}
}

// TestManyTargetSets covers a thousand different target sets, and an environment in which no column varies.
func TestManyTargetSets(t *testing.T) {
	s, truth := experiments(11, 12, 14, 3000)
	for i := range s.cells[12] {
		code := 1 + i%1000
		var names []string
		for v := range 12 {
			if code>>v&1 == 1 {
				names = append(names, fmt.Sprint("x", v))
			}
		}
		s.cells[12][i] = strings.Join(names, ";")
		if i%1000 == 0 { // x0 is set, and nothing else varies
			for v := range 12 {
				s.cells[v][i] = "1"
			}
		}
	}
	table := targeted(t, s.plain(), "target")
	if len(table.Environments.Names) != 1000 {
		t.Fatalf("%d environments", len(table.Environments.Names))
	}
	res := learnedFrom(t, table, nil)
	if len(res.Edges) == 0 || len(res.Edges) > 3*truth.NumEdges() {
		t.Errorf("%d edges", len(res.Edges))
	}
}

// TestTargetsOfManyColumns has an intervention on each of 165 columns: the moments of the environments and of the rows that count for
// each column are computed on demand. Stored moments of the environments give the same graph, and bootstrap samples do the same.
func TestTargetsOfManyColumns(t *testing.T) {
	const d = 165
	s, truth := experiments(5, d, d, 10*d)
	table := targeted(t, s.plain(), "target")
	m := order.New()
	m.Model, m.Restarts.Word = order.Linear, ""
	res := learnedFrom(t, table, m)
	if shd := metric.SHD(truth, res.Graph).Distance(); shd > d/10 {
		t.Errorf("structural Hamming distance %d", shd)
	}
	twin, stored := *table, *table.Environments
	stored.Moments = nil
	for _, own := range table.Environments.Moments {
		if !own.OnDemand() || own.N != 10 {
			t.Fatalf("an environment of %d rows, on demand: %v", own.N, own.OnDemand())
		}
		stored.Moments = append(stored.Moments, own.Stored())
	}
	twin.Environments = &stored
	if other := learnedFrom(t, &twin, m); metric.SHD(other.Graph, res.Graph).Distance() != 0 {
		t.Error("stored moments give another graph")
	}
	draws := must.Get(table.Resampler(context.Background(), 1<<30))
	drawn := must.Get(draws.Draw(context.Background(), polydag.Draw{Kind: polydag.Bootstrap, Seed: 1}))
	for _, own := range drawn.Environments.Moments {
		if !own.OnDemand() || own.N != 10 {
			t.Fatalf("a drawn environment of %d rows, on demand: %v", own.N, own.OnDemand())
		}
	}
	if again := learnedFrom(t, drawn, m); metric.SHD(truth, again.Graph).Distance() > d/2 {
		t.Errorf("the sample gives %d edges", len(again.Edges))
	}
}

// TestTargetsOfControls checks that a list with nothing but observational values leaves the other values to name their targets.
func TestTargetsOfControls(t *testing.T) {
	s := &sheet{}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"a", "b", "c"} {
		s.add(name, 60, func(int) string { return fmt.Sprintf("%.4f", rng.NormFloat64()) })
	}
	s.add("guide", 60, func(i int) string { return []string{"control", "a", "b;c", "safe"}[i%4] })
	r := targeted(t, s.plain(), "guide:control=,safe=").Environments
	if got := fmt.Sprint(r.Names, r.Targets, r.Moments[0].N); got != "[ a b;c] [[] [0] [1 2]] 30" {
		t.Error(got)
	}
}
