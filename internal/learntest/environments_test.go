package learntest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// environments draws a chain with a side branch, c0 → c1 → c2 → c3 and c1 → c4, in three environments. Environment b changes the mechanism of c2 and
// environment c those of c0 and c4, by what change says; environment a is twice as large as the others.
func environments(seed uint64, n int, change func(x, cause float64) float64, cut func(column int, x float64) string) *sheet {
	rng := rand.New(rand.NewPCG(seed, 0xe57))
	values := make([][5]float64, n)
	environment := make([]string, n)
	for i := range values {
		environment[i] = []string{"a", "a", "b", "c"}[i%4]
		for j := range 5 {
			x, cause := rng.NormFloat64(), 0.0
			if j > 0 {
				cause = 1.2 * values[i][[]int{0, 0, 1, 2, 1}[j]]
			}
			if environment[i] == "b" && j == 2 || environment[i] == "c" && (j == 0 || j == 4) {
				values[i][j] = change(x, cause)
			} else {
				values[i][j] = x + cause
			}
		}
	}
	s := &sheet{}
	for j := range 5 {
		s.add(fmt.Sprint("c", j), n, func(i int) string { return cut(j, values[i][j]) })
	}
	s.add("site", n, func(i int) string { return environment[i] })
	return s
}

func inEnvironments(t testing.TB, text, column string) *polydag.Table {
	t.Helper()
	p := polydag.DefaultPreparation()
	p.Environments = column
	table := must.Get(polydag.Prepare(context.Background(), written{text: text}, p))
	return table
}

func number(_ int, x float64) string { return fmt.Sprintf("%.10g", x) }

// TestEnvironmentsFindWhatChanges checks that changed mechanisms between environments with unknown targets are found,
// with the directions that they identify: a shift in every model, and another noise, another slope and a
// removal of all causes in the linear one.
func TestEnvironmentsFindWhatChanges(t *testing.T) {
	truth, _ := graph.FromEdges(5, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}, {From: 1, To: 4}})
	shift := func(x, cause float64) float64 { return x + cause + 2 }
	levels := func(column int, x float64) string {
		return fmt.Sprint("level", math.Floor(min(2, max(0, x/1.5+1))))
	}
	for name, c := range map[string]struct {
		model  order.Model
		change func(x, cause float64) float64
		cut    func(column int, x float64) string
	}{
		"shift":    {order.Linear, shift, number},
		"noise":    {order.Linear, func(x, cause float64) float64 { return 3*x + cause }, number},
		"slope":    {order.Linear, func(x, cause float64) float64 { return 2*x - cause }, number},
		"set":      {order.Linear, func(x, _ float64) float64 { return x / 2 }, number},
		"smooth":   {order.Smooth, shift, number},
		"discrete": {order.Discrete, shift, levels},
		"mixed": {order.Mixed, shift, func(j int, x float64) string {
			if j == 3 { // a leaf: of a cause the cut would hide a part
				return levels(j, x)
			}
			return number(j, x)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			m := order.New()
			m.Model = c.model
			res := learnedFrom(t, inEnvironments(t, environments(4, 4000, c.change, c.cut).plain(), "site"), m)
			var found []string
			for _, ch := range res.Environments.Changed {
				found = append(found, ch.Environment+ch.Column)
				if !(ch.P >= 0 && ch.P <= ch.Adjusted && ch.Adjusted < 0.01) {
					t.Errorf("%s in %s: p = %v, adjusted %v", ch.Column, ch.Environment, ch.P, ch.Adjusted)
				}
			}
			slices.Sort(found)
			if want := []string{"bc2", "cc0", "cc4"}; !slices.Equal(found, want) {
				t.Errorf("changed: %v, want %v", found, want)
			}
			if d := metric.SHD(truth, res.Graph).Distance(); d != 0 {
				t.Errorf("the graph is %v", res.Graph.Edges())
			}
			for _, e := range res.Edges {
				if told := e.From == "c0" || e.To == "c2" || e.From == "c2" || e.To == "c4"; told && !e.Compelled {
					t.Errorf("%s → %s is open", e.From, e.To)
				}
			}
			if !slices.Equal(res.Names, []string{"c0", "c1", "c2", "c3", "c4"}) || res.Settings.Get("environments") != "site" {
				t.Errorf("columns %v, environments %v", res.Names, res.Settings.Get("environments"))
			}
		})
	}
}

// TestEnvironmentsWithoutChange checks that identical environments change nothing, and neither do the column order and
// the threads.
func TestEnvironmentsWithoutChange(t *testing.T) {
	s := environments(8, 1500, func(x, cause float64) float64 { return x + cause }, number)
	var all []string
	for _, columns := range [][]int{{0, 1, 2, 3, 4, 5}, {5, 3, 1, 0, 4, 2}} {
		cfg := polydag.DefaultConfig()
		cfg.Threads = 1 + len(all)
		res := must.Get(inEnvironments(t, s.csv(columns), "site").Learn(context.Background(), cfg, polydag.Run{}))
		if len(res.Environments.Changed) > 0 || len(res.Environments.Rows) != 3 {
			t.Errorf("changed: %v", res.Environments)
		}
		var list []string
		for _, e := range res.Edges {
			list = append(list, fmt.Sprintf("%s→%s %v %.17g", e.From, e.To, e.Compelled, e.Weight))
		}
		slices.Sort(list)
		all = append(all, strings.Join(list, "\n"))
	}
	if all[0] != all[1] {
		t.Errorf("columns in another order, on two threads:\n%s\nwant\n%s", all[1], all[0])
	}
}

// TestEnvironmentsAtTheEdge covers degenerate environments: one with one row, one without variation, a single one, and a
// missing column.
func TestEnvironmentsAtTheEdge(t *testing.T) {
	s := environments(2, 400, func(x, cause float64) float64 { return x + cause }, number)
	s.cells[5][7] = "alone"
	for i := range s.cells[5] {
		if s.cells[5][i] == "c" {
			for j := range 5 {
				s.cells[j][i] = "1"
			}
		}
	}
	for _, model := range []order.Model{order.AutoModel, order.Linear, order.Smooth} {
		m := order.New()
		m.Model = model
		res := learnedFrom(t, inEnvironments(t, s.plain(), "site"), m)
		for _, c := range res.Environments.Changed {
			if c.Environment == "alone" {
				t.Errorf("model %s: %s changes by one row", model, c.Column)
			}
		}
		if model == order.Linear && len(res.Environments.Changed) < 5 {
			t.Errorf("an environment in which nothing varies changes %v", res.Environments.Changed)
		}
	}
	for i := range s.cells[5] {
		s.cells[5][i] = "one"
	}
	if res := learnedFrom(t, inEnvironments(t, s.plain(), "site"), nil); res.Environments != nil {
		t.Errorf("one environment: %+v", res.Environments)
	}
	p := polydag.DefaultPreparation()
	p.Environments = "c0"
	if _, err := polydag.Prepare(context.Background(), written{text: s.plain()}, p); !errors.Is(err, prepare.ErrEnvironments) {
		t.Errorf("a column of numbers that do not repeat: %v", err)
	}
	p.Environments = "sites"
	if _, err := polydag.Prepare(context.Background(), written{text: s.plain()}, p); !errors.Is(err, prepare.ErrUnknownColumn) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestStagesOfTwoModels checks that the graph of the first model, which another one replaces, keeps its columns, also with environments of
// unknown targets, which are variables of the search.
func TestStagesOfTwoModels(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	heavy := func() float64 { return rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()+0.1) }
	const rows = 600
	site := make([]string, rows)
	columns := polydag.Columns{{Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "d"}, {Name: "site", Text: site}}
	for i := range rows {
		site[i] = string(rune('p' + i%6))
		a := heavy()
		b := 3*math.Tanh(a) + 0.5*heavy() + float64(i%6)/3
		c := b*b/4 + 0.5*heavy()
		for j, x := range []float64{a, b, c, math.Abs(c) + 0.4*heavy()} {
			columns[j].Numbers = append(columns[j].Numbers, x)
		}
	}
	table := must.Get(polydag.Prepare(context.Background(), columns, polydag.Preparation{Environments: "site"}))
	res := must.Get(polydag.Learn(context.Background(), table))
	if len(res.Stages) != 2 || res.Environments == nil {
		t.Fatalf("%+v", res.Stages)
	}
	for _, s := range res.Stages {
		var pairs []string
		for _, l := range s.Graph {
			pairs = append(pairs, min(l.From, l.To)+max(l.From, l.To))
		}
		if slices.Sort(pairs); !slices.Equal(pairs, []string{"ab", "bc", "cd"}) {
			t.Errorf("stage %s: %v", s.Name, s.Graph)
		}
	}
}
