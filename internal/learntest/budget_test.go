package learntest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
)

// coupled draws levels in which each column depends on the two before it.
func coupled(rng *rand.Rand, d, n int) *sheet {
	s := &sheet{}
	columns := make([][]int, d)
	for j := range d {
		columns[j] = make([]int, n)
		for i := range n {
			k := rng.IntN(3)
			if j > 0 && rng.Float64() < 0.3+0.3*rng.Float64() {
				k = columns[j-1][i]
			}
			if j > 1 && rng.Float64() < 0.3 {
				k = columns[j-2][i] % 2
			}
			columns[j][i] = k
		}
		s.add(fmt.Sprint("c", j), n, func(i int) string { return fmt.Sprint("w", columns[j][i]) })
	}
	return s
}

// budgets are tables and methods of every model.
func budgets() map[string]struct {
	sheet *sheet
	m     *order.Method
} {
	rng := rand.New(rand.NewPCG(11, 1))
	with := func(set func(m *order.Method)) *order.Method {
		m := order.New()
		set(m)
		return m
	}
	mixed := coupled(rng, 4, 600)
	mixed.add("price", 600, func(i int) string {
		return fmt.Sprintf("%.4f", rng.NormFloat64()+2*float64(mixed.cells[1][i][1]-'0'))
	})
	return map[string]struct {
		sheet *sheet
		m     *order.Method
	}{
		"linear":   {numbers(rng, 400, line), with(func(m *order.Method) { m.Model, m.Variance = order.Linear, order.Unequal })},
		"equal":    {numbers(rng, 400, line), with(func(m *order.Method) { m.Model, m.Variance = order.Linear, order.Equal })},
		"smooth":   {numbers(rng, 400, func(v float64) float64 { return math.Sin(2 * v) }), with(func(m *order.Method) { m.Model = order.Smooth })},
		"discrete": {coupled(rng, 14, 1500), with(func(m *order.Method) { m.Model = order.Discrete })},
		"mixed":    {mixed, with(func(m *order.Method) { m.Model = order.Mixed })},
	}
}

// TestBudgetOfEdges checks that a budget is respected in every model, costs at most as much as dropping the
// weakest edges, and that the result states the remaining fit.
func TestBudgetOfEdges(t *testing.T) {
	for name, c := range budgets() {
		t.Run(name, func(t *testing.T) {
			table := prepared(t, c.sheet.plain())
			full := learnedFrom(t, table, c.m)
			all := len(full.Edges)
			if full.Budget != nil || all < 3 {
				t.Fatalf("%d edges, budget %v", all, full.Budget)
			}
			weakest := math.Inf(1)
			for _, e := range full.Edges {
				weakest = min(weakest, e.Gain)
			}
			if weakest < -1e-9 {
				t.Errorf("an edge of gain %v, which the graph would be better without", weakest)
			}
			unit := 2 * float64(full.Rows) * math.Ln2
			last := math.Inf(1)
			for _, most := range []int{all, all - 1, all / 2, 1} {
				m := *c.m
				m.MaxEdges = most
				res := learnedFrom(t, table, &m)
				b := res.Budget
				if len(res.Edges) > most || b == nil || b.MaxEdges != most || b.Edges != all {
					t.Fatalf("at most %d: %d edges, %+v", most, len(res.Edges), b)
				}
				if fit := b.AllBits - (res.Score-full.Score)/unit; !(math.Abs(fit-b.Bits) <= 1e-6) || !(math.Abs(b.Share-b.Bits/b.AllBits) <= 1e-9) {
					t.Errorf("at most %d: scores %v and %v, %+v", most, res.Score, full.Score, b)
				}
				if b.Bits > last+1e-9 || b.Share <= 0 || b.Share > 1+1e-9 {
					t.Errorf("at most %d: %+v, after %v bits with more edges", most, b, last)
				}
				last = b.Bits
				if most == all && (b.Share != 1 || !reflect.DeepEqual(res.Edges, full.Edges)) {
					t.Errorf("a budget that is no bound changes the graph: %+v", b)
				}
				if dropped := full.Score + weakest*unit; most == all-1 && res.Score > dropped+1e-6*unit {
					t.Errorf("score %v, and %v without the weakest edge", res.Score, dropped)
				}
			}
		})
	}
}

// TestBudgetOfStrength checks that each edge has the requested gain, in every model.
func TestBudgetOfStrength(t *testing.T) {
	for name, c := range budgets() {
		table := prepared(t, c.sheet.plain())
		full := learnedFrom(t, table, c.m)
		var gains []float64
		for _, e := range full.Edges {
			gains = append(gains, e.Gain)
		}
		slices.Sort(gains)
		m := *c.m
		m.MinGain = gains[len(gains)/2] * 1.001
		res := learnedFrom(t, table, &m)
		if len(res.Edges) == 0 || len(res.Edges) >= len(full.Edges) || res.Budget == nil || res.Budget.MinGain != m.MinGain {
			t.Errorf("%s: %d edges of %d, %+v", name, len(res.Edges), len(full.Edges), res.Budget)
		}
		for _, e := range res.Edges {
			if e.Gain < m.MinGain-1e-9 {
				t.Errorf("%s: %s → %s saves %v bits, want %v", name, e.From, e.To, e.Gain, m.MinGain)
			}
		}
	}
}

// TestBudgetIsNoCut checks that the best graph with one edge is not the full graph without its weakest edges:
// of two causes with only a joint effect, one alone gains nothing.
func TestBudgetIsNoCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	const n = 2000
	a, b, y := make([]int, n), make([]int, n), make([]int, n)
	s := &sheet{}
	s.add("a", n, func(i int) string { a[i] = rng.IntN(2); return fmt.Sprint(a[i]) })
	s.add("b", n, func(i int) string { b[i] = rng.IntN(2); return fmt.Sprint(b[i]) })
	noisy := func(k int, share float64) int {
		if rng.Float64() < share {
			return 1 - k
		}
		return k
	}
	s.add("c", n, func(i int) string { y[i] = noisy(a[i]^b[i], 0.02); return fmt.Sprint(y[i]) })
	s.add("late", n, func(i int) string { return fmt.Sprint(noisy(y[i], 0.25)) })
	m := order.New()
	m.MaxEdges = 1
	res := learnedFrom(t, prepared(t, s.plain()), m)
	if len(res.Edges) != 1 || res.Budget.Edges != 3 || res.Edges[0].From == "a" || res.Edges[0].From == "b" {
		t.Errorf("%+v of %+v", res.Edges, res.Budget)
	}
}

// TestBudgetIsTheSameEverywhere checks that threads and the order of the columns change nothing.
func TestBudgetIsTheSameEverywhere(t *testing.T) {
	for name, c := range budgets() {
		m := *c.m
		m.MaxEdges = 4
		learn := func(columns []int, threads int) string {
			cfg := polydag.DefaultConfig()
			cfg.Method, cfg.Threads = &m, threads
			res := must.Get(prepared(t, c.sheet.csv(columns)).Learn(context.Background(), cfg, polydag.Run{}))
			slices.SortFunc(res.Edges, func(a, b polydag.Edge) int { return slices.Compare([]string{a.From, a.To}, []string{b.From, b.To}) })
			for i := range res.Edges { // least squares may add up in another order
				res.Edges[i].Weight, res.Edges[i].Standardized = 0, 0
				res.Edges[i].Gain = math.Round(res.Edges[i].Gain*1e9) / 1e9
			}
			text := must.Get(json.Marshal(res.Edges))
			return fmt.Sprintf("%s %.9g", text, res.Budget.Share)
		}
		plain := intset.Range(0, len(c.sheet.names))
		first := learn(plain, 1)
		turned := slices.Clone(plain)
		slices.Reverse(turned)
		if other := learn(turned, 3); other != first {
			t.Errorf("%s:\n%s\n%s", name, first, other)
		}
	}
}

// TestBudgetAndKnowledge checks that required edges count and stay; more of them than allowed are refused with
// the way out.
func TestBudgetAndKnowledge(t *testing.T) {
	table := prepared(t, coupled(rand.New(rand.NewPCG(13, 1)), 6, 800).plain())
	learn := func(most int, require ...string) (*polydag.Result, error) {
		m := order.New()
		m.MaxEdges = most
		cfg := polydag.DefaultConfig()
		cfg.Method = m
		cfg.Knowledge.Require = require
		return table.Learn(context.Background(), cfg, polydag.Run{})
	}
	res, err := learn(2, "c5->c0", "c4->c1")
	if err != nil || len(res.Edges) != 2 {
		t.Fatalf("%v, %v", res, err)
	}
	for _, e := range res.Edges {
		if e.From != "c5" && e.From != "c4" {
			t.Errorf("%s → %s stands where a required edge should", e.From, e.To)
		}
	}
	_, err = learn(1, "c5->c0", "c4->c1")
	if !errors.Is(err, order.ErrBudget) || fault.Code(err) != "edge-budget" || len(fault.Remedies(err)) != 1 || fault.Remedies(err)[0].Value != "2" {
		t.Errorf("two required edges where one is allowed: %v", err)
	}
}

// TestBudgetWhenStopped checks that a run that is stopped keeps the budget too.
func TestBudgetWhenStopped(t *testing.T) {
	for name, c := range budgets() {
		m := *c.m
		m.MaxEdges = 2
		table := prepared(t, c.sheet.plain())
		for _, after := range []int{1, 3, 6} {
			ctx, cancel := context.WithCancel(context.Background())
			told := 0
			cfg := polydag.DefaultConfig()
			cfg.Method = &m
			res, err := polydag.BestSoFar(table.Learn(ctx, cfg, polydag.Run{Observe: func(polydag.Progress) {
				if told++; told == after {
					cancel()
				}
			}}))
			cancel()
			if err != nil || len(res.Edges) > 2 || told >= after && res.Status != method.Canceled {
				t.Errorf("%s, stopped after %d reports: %v, %+v", name, after, err, res)
			}
		}
	}
}
