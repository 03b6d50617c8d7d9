package sample_test

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/search"
)

// table draws n rows of a random linear model over d variables and returns their correlations.
func table(d, n int, density, strength float64, seed uint64) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 17))
	x := matrix.New[float64](n, d)
	order := rng.Perm(d)
	for j, v := range order {
		for i := range n {
			x.Set(i, v, rng.NormFloat64())
		}
		for _, u := range order[:j] {
			if rng.Float64() < density {
				w := strength * (0.5 + rng.Float64()) * float64(2*rng.IntN(2)-1)
				for i := range n {
					x.Set(i, v, x.At(i, v)+w*x.At(i, u))
				}
			}
		}
	}
	return correlate(x)
}

func bge(tb testing.TB, r *matrix.Dense[float64], n int) search.Score {
	return must.Get(score.NewBGe(r, n, score.DefaultBGe()))
}

// enumerated has all DAGs on d variables with their probabilities, by trying every set of parents of every variable.
type enumerated struct {
	d       int
	graphs  [][]int // the parents of each variable as sets
	p       []float64
	edges   *matrix.Dense[float64]
	orders  []float64              // how many orders each graph has
	ordered *matrix.Dense[float64] // edge probabilities where each order of each graph counts
}

func enumerate(p sample.Problem) *enumerated {
	d := p.Score.Variables()
	e := &enumerated{d: d, edges: matrix.New[float64](d, d), ordered: matrix.New[float64](d, d)}
	eval := p.Score.Evaluator()
	allowed := func(x, v int) bool {
		k := p.Knowledge
		return (k.Forbidden == nil || !k.Forbidden(x, v)) && (k.Tiers == nil || k.Tiers[x] <= k.Tiers[v])
	}
	logw := make([][]float64, d)
	for v := range d {
		logw[v] = make([]float64, 1<<d)
	sets:
		for set := range logw[v] {
			logw[v][set] = math.Inf(-1)
			if set>>v&1 == 1 {
				continue
			}
			var parents []int
			for x := range d {
				if set>>x&1 == 1 {
					if !allowed(x, v) {
						continue sets
					}
					parents = append(parents, x)
				}
			}
			for _, e := range p.Knowledge.Required {
				if e[1] == v && set>>e[0]&1 == 0 {
					continue sets
				}
			}
			logw[v][set] = -eval.Score(v, parents) / 2
		}
	}
	now := make([]int, d)
	var logs []float64
	var try func(v int, sum float64)
	try = func(v int, sum float64) {
		if v == d {
			if acyclic(now) {
				e.graphs = append(e.graphs, append([]int(nil), now...))
				e.orders = append(e.orders, countOrders(now))
				logs = append(logs, sum)
			}
			return
		}
		for set, w := range logw[v] {
			if !math.IsInf(w, -1) {
				now[v] = set
				try(v+1, sum+w)
			}
		}
	}
	try(0, 0)
	top := math.Inf(-1)
	for _, w := range logs {
		top = max(top, w)
	}
	total, ordered := 0.0, 0.0
	for i, w := range logs {
		e.p = append(e.p, math.Exp(w-top))
		total += e.p[i]
		ordered += e.p[i] * e.orders[i]
	}
	for i, g := range e.graphs {
		for v, set := range g {
			for ; set != 0; set &= set - 1 {
				at := bits.TrailingZeros(uint(set))*d + v
				e.edges.Data[at] += e.p[i] / total
				e.ordered.Data[at] += e.p[i] * e.orders[i] / ordered
			}
		}
		e.p[i] /= total
	}
	return e
}

// acyclic takes variables away whose parents are gone until none is left.
func acyclic(parents []int) bool {
	left := 1<<len(parents) - 1
	for before := 0; left != before; {
		before = left
		for v, p := range parents {
			if p&left == 0 {
				left &^= 1 << v
			}
		}
	}
	return left == 0
}

// countOrders returns how many orders a DAG has.
func countOrders(parents []int) float64 {
	d := len(parents)
	ways := make([]float64, 1<<d)
	ways[0] = 1
	for set := range ways {
		for v, p := range parents {
			if set>>v&1 == 0 && p&^set == 0 {
				ways[set|1<<v] += ways[set]
			}
		}
	}
	return ways[1<<d-1]
}

// problems are some with and without knowledge, few and many rows, weak and overwhelming effects.
func problems(tb testing.TB, d int) map[string]sample.Problem {
	know := search.Knowledge{
		Required:  [][2]int{{2, 1}},
		Forbidden: func(i, j int) bool { return i == 0 && j == 3 || i == 1 && j == 0 },
	}
	return map[string]sample.Problem{
		"weak":         {Score: bge(tb, table(d, 60, 0.5, 0.3, 1), 60)},
		"strong":       {Score: bge(tb, table(d, 300, 0.6, 1, 2), 300)},
		"overwhelming": {Score: bge(tb, table(d, 20000, 0.8, 5, 3), 20000)},
		"prior":        {Score: sample.WithPrior(bge(tb, table(d, 60, 0.5, 0.3, 6), 60), func(x, v int) float64 { return float64(x - v) })},
		"known":        {Score: bge(tb, table(d, 60, 0.5, 0.5, 4), 60), Knowledge: know},
		"tiers":        {Score: bge(tb, table(d, 60, 0.5, 0.5, 5), 60), Knowledge: search.Knowledge{Tiers: []int{1, 0, 1, 2, 0}[:d]}},
	}
}

func TestExactAgainstEnumeration(t *testing.T) {
	for d, graphs := range map[int]int{3: 25, 4: 543, 5: 29281} {
		for name, p := range problems(t, 5) {
			if d < 5 && name != "weak" {
				continue
			}
			if d < 5 {
				p = sample.Problem{Score: bge(t, table(d, 60, 0.5, 0.3, 1), 60)}
			}
			want := enumerate(p)
			if p.Knowledge.Required == nil && p.Knowledge.Tiers == nil && len(want.graphs) != graphs {
				t.Fatalf("%d graphs on %d variables, want %d", len(want.graphs), d, graphs)
			}
			e := must.Get(sample.NewExact(context.Background(), p, 2))
			got := must.Get(e.Edges(context.Background()))
			for i := range got.Data {
				must.Near(t, got.Data[i], want.edges.Data[i], 1e-9, "%s, d = %d: edge %d → %d has", name, d, i/d, i%d)
			}
		}
	}
}

// TestExactDraws compares samples with the probabilities of the graphs by Pearson's statistic, over graphs
// expected at least five times.
func TestExactDraws(t *testing.T) {
	p := problems(t, 4)["weak"]
	p.Score = bge(t, table(4, 40, 0.6, 0.4, 7), 40)
	want := enumerate(p)
	e := must.Get(sample.NewExact(context.Background(), p, 1))
	const draws = 20000
	seen := map[[4]int]float64{}
	rng := rand.New(rand.NewPCG(1, 2))
	for range draws {
		var key [4]int
		for v, parents := range e.Draw(rng) {
			for _, x := range parents {
				key[v] |= 1 << x
			}
		}
		seen[key]++
	}
	chi, cells, rest, restWant := 0.0, 0, float64(draws), float64(draws)
	for i, g := range want.graphs {
		expect := want.p[i] * draws
		if expect < 5 {
			continue
		}
		got := seen[[4]int(g)]
		chi += (got - expect) * (got - expect) / expect
		cells++
		rest, restWant = rest-got, restWant-expect
	}
	chi += (rest - restWant) * (rest - restWant) / max(restWant, 1)
	if cells < 50 || chi > float64(cells)+5*math.Sqrt(2*float64(cells)) {
		t.Errorf("χ² = %v on %d graphs", chi, cells)
	}
}

// TestExactOfStrongEdges checks that no sum overflows if the log probabilities of graphs differ by thousands and knowledge excludes most orders.
func TestExactOfStrongEdges(t *testing.T) {
	const d, n = 3, 20_000
	r := matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			r.Set(i, j, math.Pow(0.9, math.Abs(float64(i-j)))) // the chain 0 → 1 → 2
		}
	}
	p := sample.Problem{Score: bge(t, r, n), Knowledge: search.Knowledge{Tiers: []int{0, 1, 2}}}
	e := must.Get(sample.NewExact(context.Background(), p, 1))
	got := must.Get(e.Edges(context.Background()))
	for i, want := range enumerate(p).edges.Data {
		if !(math.Abs(got.Data[i]-want) < 1e-9) {
			t.Errorf("edge %d → %d has %v, want %v", i/d, i%d, got.Data[i], want)
		}
	}
}
