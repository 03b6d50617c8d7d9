package metric

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
)

// randomDAG returns a DAG over a random order with each allowed edge present with
// probability p.
func randomDAG(rng *rand.Rand, n int, p float64) *graph.Graph {
	order := rng.Perm(n)
	g := graph.New(n)
	for a := range n {
		for b := a + 1; b < n; b++ {
			if rng.Float64() < p {
				g.AddEdge(order[a], order[b])
			}
		}
	}
	return g
}

// allDAGs calls f for every DAG on n nodes.
func allDAGs(n int, f func(*graph.Graph)) {
	total := 1
	for range n * (n - 1) / 2 {
		total *= 3
	}
	for code := range total {
		g := graph.New(n)
		for i := range n {
			for j := range i {
				switch code % 3 {
				case 1:
					g.AddEdge(i, j)
				case 2:
					g.AddEdge(j, i)
				}
				code /= 3
			}
		}
		if g.IsAcyclic() {
			f(g)
		}
	}
}

// naiveWrong is Proposition 6 of Peters and Bühlmann by the letter: it lists every simple
// path from i to j and tests the two conditions on each.
func naiveWrong(g *graph.Graph, i, j int, z []int) bool {
	below := func(v int) []bool { return g.Descendants([]int{v}) }
	if slices.Contains(z, j) {
		return below(i)[j]
	}
	hitsZ := func(v int) bool {
		d := below(v)
		return slices.ContainsFunc(z, func(x int) bool { return d[x] })
	}
	path := []int{i}
	var wrong func() bool
	wrong = func() bool {
		last := path[len(path)-1]
		if last != j {
			for next := range g.N() {
				if g.Adjacent(last, next) && !slices.Contains(path, next) {
					path = append(path, next)
					if wrong() {
						return true
					}
					path = path[:len(path)-1]
				}
			}
			return false
		}
		directed := true
		for k := 1; k < len(path); k++ {
			directed = directed && g.HasEdge(path[k-1], path[k])
		}
		if directed {
			return slices.ContainsFunc(path[1:], hitsZ)
		}
		for k := 1; k+1 < len(path); k++ {
			a, v, b := path[k-1], path[k], path[k+1]
			if g.HasEdge(a, v) && g.HasEdge(b, v) {
				if !hitsZ(v) {
					return false
				}
			} else if slices.Contains(z, v) {
				return false
			}
		}
		return true
	}
	return wrong()
}

// A gaussian is a linear model on a DAG with random weights and noise, so that what two
// formulas give differs unless they agree for all parameters.
type gaussian struct {
	effect [][]float64 // effect[i][j]: total effect of i on j
	cov    [][]float64
}

func newGaussian(rng *rand.Rand, g *graph.Graph) gaussian {
	n := g.N()
	order, err := g.Order()
	if err != nil {
		panic(err)
	}
	m := gaussian{make([][]float64, n), make([][]float64, n)}
	for v := range n {
		m.effect[v] = make([]float64, n)
		m.effect[v][v] = 1
		m.cov[v] = make([]float64, n)
	}
	for _, v := range order {
		for _, p := range g.Parents(v) {
			w := 0.5 + rng.Float64()
			if rng.IntN(2) == 0 {
				w = -w
			}
			for i := range n {
				m.effect[i][v] += w * m.effect[i][p]
			}
		}
	}
	for k := range n {
		noise := 0.5 + rng.Float64()
		for a := range n {
			for b := range n {
				m.cov[a][b] += noise * m.effect[k][a] * m.effect[k][b]
			}
		}
	}
	return m
}

// wrong compares the slope of E[x_j | do(x_i)] with the one that adjusting for z gives.
func (m gaussian) wrong(i, j int, z []int) bool {
	if slices.Contains(z, j) {
		return math.Abs(m.effect[i][j]) > 1e-9
	}
	// Regress j on i and z by Gauss and Jordan; i is the last pivot, so its coefficient
	// is ready when its row is.
	vars := append(slices.Clone(z), i)
	rows := make([][]float64, len(vars))
	for a, u := range vars {
		for _, v := range vars {
			rows[a] = append(rows[a], m.cov[u][v])
		}
		rows[a] = append(rows[a], m.cov[u][j])
	}
	for k := range rows {
		for below := k + 1; below < len(rows); below++ {
			f := rows[below][k] / rows[k][k]
			for c := k; c < len(rows[k]); c++ {
				rows[below][c] -= f * rows[k][c]
			}
		}
	}
	last := rows[len(rows)-1]
	slope := last[len(vars)] / last[len(vars)-1]
	return math.Abs(slope-m.effect[i][j]) > 1e-9
}

// checkAdjustments compares, for every i, j and set z, the fast answer with the definition
// and with a linear Gaussian model.
func checkAdjustments(t *testing.T, rng *rand.Rand, g *graph.Graph) (wrong, right int) {
	n := g.N()
	model := newGaussian(rng, g)
	s := must.Get(newSIDSearch(g))
	for i := range n {
		for bits := range 1 << n {
			if bits>>i&1 == 1 {
				continue
			}
			var z []int
			for v := range n {
				if bits>>v&1 == 1 {
					z = append(z, v)
				}
			}
			want := 0
			for j := range n {
				if j == i {
					continue
				}
				bad := naiveWrong(g, i, j, z)
				if numeric := model.wrong(i, j, z); numeric != bad {
					t.Fatalf("edges %v, effect of %d on %d adjusted for %v: wrong by the criterion %v, by numbers %v",
						g.Edges(), i, j, z, bad, numeric)
				}
				if bad {
					want++
				}
			}
			if got := s.wrong(i, z); got != want {
				t.Fatalf("edges %v, effects of %d adjusted for %v: %d wrong, want %d", g.Edges(), i, z, got, want)
			}
			wrong += want
			right += n - 1 - want
		}
	}
	return wrong, right
}

func TestAdjustmentAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	wrong, right := 0, 0
	add := func(g *graph.Graph) {
		w, r := checkAdjustments(t, rng, g)
		wrong += w
		right += r
	}
	for n := 1; n <= 4; n++ {
		allDAGs(n, add)
	}
	for range 300 {
		add(randomDAG(rng, 5, 0.2+0.6*rng.Float64()))
	}
	for range 20 {
		add(randomDAG(rng, 6, 0.2+0.6*rng.Float64()))
	}
	if wrong < 10000 || right < 10000 {
		t.Fatalf("%d wrong and %d right adjustments tried", wrong, right)
	}
}

// TestSIDAgainstDefinition sums the definition over all pairs of nodes.
func TestSIDAgainstDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range 500 {
		n := 2 + rng.IntN(4)
		truth, est := randomDAG(rng, n, 0.5), randomDAG(rng, n, 0.5)
		want := 0
		for i := range n {
			for j := range n {
				if i != j && naiveWrong(truth, i, j, est.Parents(i)) {
					want++
				}
			}
		}
		got, err := SID(truth, est)
		if err != nil || got != want {
			t.Fatalf("truth %v, estimate %v: SID %d, want %d; %v", truth.Edges(), est.Edges(), got, want, err)
		}
	}
}

func edges(t testing.TB, n int, list ...graph.Edge) *graph.Graph {
	t.Helper()
	g := must.Get(graph.FromEdges(n, list))
	return g
}

// TestSIDPaperExample is Example 1 of Peters and Bühlmann (2015): both estimates have SHD 1,
// but SID 0 and 8.
func TestSIDPaperExample(t *testing.T) {
	// X1, X2 are 0, 1 and Y1, Y2, Y3 are 2, 3, 4.
	truth := edges(t, 5, graph.Edge{From: 0, To: 1},
		graph.Edge{From: 0, To: 2}, graph.Edge{From: 0, To: 3}, graph.Edge{From: 0, To: 4},
		graph.Edge{From: 1, To: 2}, graph.Edge{From: 1, To: 3}, graph.Edge{From: 1, To: 4})
	more := truth.Clone()
	more.AddEdge(2, 3)
	reversed := truth.Clone()
	reversed.RemoveEdge(0, 1)
	reversed.AddEdge(1, 0)
	for _, test := range []struct {
		est  *graph.Graph
		want int
	}{{truth, 0}, {more, 0}, {reversed, 8}} {
		got, err := SID(truth, test.est)
		if err != nil || got != test.want {
			t.Errorf("estimate %v: SID %d, want %d; %v", test.est.Edges(), got, test.want, err)
		}
	}
}

func TestSIDOfSupergraphIsZero(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	for range 50 {
		est := randomDAG(rng, 12, 0.6)
		truth := est.Clone()
		for _, e := range est.Edges() {
			if rng.IntN(2) == 0 {
				truth.RemoveEdge(e.From, e.To)
			}
		}
		if got, err := SID(truth, est); err != nil || got != 0 {
			t.Fatalf("SID %d, %v", got, err)
		}
	}
}

func TestSIDRefusesCycles(t *testing.T) {
	cyclic := edges(t, 2, graph.Edge{From: 0, To: 1}, graph.Edge{From: 1, To: 0})
	var cycle *graph.CycleError
	if _, err := SID(graph.New(2), cyclic); !errors.As(err, &cycle) {
		t.Errorf("cyclic estimate: %v", err)
	}
	if _, err := SID(cyclic, graph.New(2)); !errors.As(err, &cycle) {
		t.Errorf("cyclic truth: %v", err)
	}
}

func BenchmarkSID(b *testing.B) {
	for _, n := range []int{100, 1000} {
		rng := rand.New(rand.NewPCG(11, 4))
		truth, est := randomDAG(rng, n, 4/float64(n-1)), randomDAG(rng, n, 4/float64(n-1))
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				must.Get(SID(truth, est))
			}
		})
	}
}
