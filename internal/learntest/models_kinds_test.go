package learntest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/metric"
)

// prepareErr prepares and learns, and returns the first error.
func prepareErr(text string) (*polydag.Result, error) {
	table, err := polydag.Prepare(context.Background(), written{text: text}, polydag.DefaultPreparation())
	if err != nil {
		return nil, err
	}
	return table.Learn(context.Background(), polydag.DefaultConfig(), polydag.Run{})
}

// TestKindsAtTheEdge checks that tables with borderline kinds give an error with a remedy, or a graph.
func TestKindsAtTheEdge(t *testing.T) {
	const n = 300
	rng := rand.New(rand.NewPCG(9, 1))
	state := make([]int, n)
	for i := range state {
		state[i] = rng.IntN(4)
	}
	level := func(k int) func(int) string { return func(int) string { return fmt.Sprint("v", rng.IntN(k)) } }
	number := func(int) string { return fmt.Sprintf("%.4f", rng.NormFloat64()) }
	word := func(w string) func(int) string { return func(int) string { return w } }
	type column struct {
		name string
		cell func(int) string
	}
	apart := column{"apart", func(i int) string { return fmt.Sprint("w", state[i]/2*2+rng.IntN(2)) }}
	states := column{"state", func(i int) string { return fmt.Sprint("s", state[i]) }}
	for _, c := range []struct {
		what    string
		columns []column
		fault   string   // "" for a graph
		edges   []string // edges that must be found, in any direction
	}{
		{"levels that never come together, counted", []column{states, apart, {"other", level(3)}}, "", []string{"apart state"}},
		{"levels that never come together, and numbers", []column{states, apart, {"x", number}}, "", []string{"apart state"}},
		{"a copy", []column{states, {"copy", func(i int) string { return fmt.Sprint("c", state[i]) }}, {"x", number}}, "", []string{"copy state"}},
		{"one level only", []column{states, {"only", word("one")}, {"x", number}}, "", nil},
		{"a level of one row", []column{{"rare", func(i int) string { return fmt.Sprint("r", i/(n-1)) }}, {"a", level(3)}, {"x", number}}, "", nil},
		{"45 levels in 300 rows", []column{{"many", level(45)}, {"a", level(3)}, {"x", number}}, "", nil},
		{"a level for nearly every row", []column{states, {"id", func(i int) string { return fmt.Sprint("u", i*9/10) }}, {"x", number}}, "", nil},
		{"a thousand levels", []column{states, {"k", func(i int) string { return fmt.Sprint("u", 997*i%1000) }}, {"x", number}}, "", nil},
		{"all text the same", []column{{"a", word("one")}, {"b", word("two")}}, `fewer than two usable columns; excluded: a: constant ("one" is its only value); b: constant ("two" is its only value)`, nil},
		{"all numbers the same", []column{{"a", word("1")}, {"b", word("2.5")}}, `fewer than two usable columns; excluded: a: constant (every value is 1); b: constant (every value is 2.5)`, nil},
	} {
		s := &sheet{}
		for _, col := range c.columns {
			s.add(col.name, n, col.cell)
		}
		res, err := prepareErr(s.plain())
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: %v, want %q", c.what, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if _, err := json.Marshal(res); err != nil { // NaN and infinities have no JSON
			t.Errorf("%s: %v", c.what, err)
		}
		var pairs []string
		for _, e := range res.Edges {
			pairs = append(pairs, min(e.From, e.To)+" "+max(e.From, e.To))
			if !(e.Gain > 0 && e.Gain <= 2) { // the entropy of four levels is 2 bits
				t.Errorf("%s: the gain of %s → %s is %v bits", c.what, e.From, e.To, e.Gain)
			}
		}
		for _, want := range c.edges {
			if !slices.Contains(pairs, want) {
				t.Errorf("%s: edges %v, want %q among them", c.what, pairs, want)
			}
		}
	}
	table := prepared(t, numbers(rng, n, line).plain())
	if err := table.Overrule([]string{"x0=categorical"}); !errors.Is(err, kind.ErrRule) || !strings.Contains(err.Error(), "at most 64 categories") {
		t.Errorf("300 values as levels: %v", err)
	}
}

// TestMixedTableWrittenAnotherWay checks that other names of categories, units and column orders give the same
// graph and figures.
func TestMixedTableWrittenAnotherWay(t *testing.T) {
	cfg := sim.Default()
	cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = sim.Mixed, 16, 28, 5
	s, _ := simulated(t, cfg, 600)
	first := learnedFrom(t, prepared(t, s.plain()), nil)
	other := &sheet{names: s.names}
	for j, cells := range s.cells {
		column := slices.Clone(cells)
		for i, cell := range column {
			if l, ok := strings.CutPrefix(cell, "v"); ok {
				column[i] = []string{"ruby", "amber", "zinc", "coal", "iron"}[(int(l[0]-'0')*3+j)%5]
			} else {
				var v float64
				fmt.Sscan(cell, &v)
				column[i] = fmt.Sprintf("%.17g", math.Exp2(float64(j%7-3))*v)
			}
		}
		other.cells = append(other.cells, column)
	}
	again := learnedFrom(t, prepared(t, other.csv(rand.New(rand.NewPCG(1, 2)).Perm(16))), nil)
	gains := func(res *polydag.Result) (out []string) {
		for _, e := range res.Edges {
			out = append(out, fmt.Sprintf("%s %s %.7f", e.From, e.To, e.Gain))
		}
		slices.Sort(out)
		return out
	}
	if a, b := gains(first), gains(again); !slices.Equal(a, b) || len(a) < 10 {
		t.Errorf("%v\n%v", a, b)
	}
}

// TestCodesAreLevels checks that numeric codes are detected as categories, with nearly the graph of the words,
// and that amounts stay numeric.
func TestCodesAreLevels(t *testing.T) {
	cfg := sim.Default()
	cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.LevelsLow, cfg.Seed = sim.Mixed, 16, 28, 3, 7
	s, truth := simulated(t, cfg, 1500)
	words := metric.Compare(truth, learnedFrom(t, prepared(t, s.plain()), nil).Graph).F1
	for _, cells := range s.cells {
		for i, cell := range cells {
			cells[i] = strings.TrimPrefix(cell, "v")
		}
	}
	res := learnedFrom(t, prepared(t, s.plain()), nil)
	codes := metric.Compare(truth, res.Graph).F1
	if c := res.Choice("model"); c.Chosen != string(order.Mixed) || !strings.Contains(c.Reason, "numeric codes that are used as nominal") || codes < words-0.05 {
		t.Errorf("F1 %.3f of codes, %.3f of words: %+v", codes, words, c)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	amounts := &sheet{}
	latent := make([]float64, 1500)
	amounts.add("rooms", 1500, func(i int) string {
		latent[i] = rng.NormFloat64()
		return fmt.Sprint(max(1, min(6, int(math.Round(3.5+1.2*latent[i])))))
	})
	amounts.add("rent", 1500, func(i int) string { return fmt.Sprintf("%.4f", latent[i]+0.7*rng.NormFloat64()) })
	amounts.add("size", 1500, func(i int) string { return fmt.Sprintf("%.4f", latent[i]+0.5*rng.NormFloat64()) })
	codes3 := &sheet{names: []string{"code", "y"}, cells: make([][]string, 2)}
	for range 400 {
		code := rng.IntN(3)
		codes3.cells[0] = append(codes3.cells[0], fmt.Sprint(code))
		codes3.cells[1] = append(codes3.cells[1], fmt.Sprintf("%.4f", []float64{0, 3, 1}[code]+rng.NormFloat64()))
	}
	table := prepared(t, codes3.plain())
	if res := learnedFrom(t, table, nil); res.Model != "mixed" || len(res.Edges) != 1 {
		t.Errorf("three codes: %+v", res.Choice("model"))
	}
	must.Succeed(t, table.Overrule([]string{"code=ordinal"}))
	if res := learnedFrom(t, table, nil); res.Model == "mixed" {
		t.Errorf("codes that were said to be in an order: %+v", res.Choice("model"))
	}
	if res := learnedFrom(t, prepared(t, amounts.plain()), nil); res.Model != "linear" || len(res.Edges) == 0 {
		t.Errorf("amounts: %+v", res.Choice("model"))
	}
}
