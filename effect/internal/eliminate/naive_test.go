package eliminate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/internal/must"
)

// factor is a function of some nodes, the last of which changes fastest.
type factor struct {
	nodes  []int
	values []float64
}

// naive is eliminate, written out: every product over all of its nodes, cell by cell, and then every sum.
func (n *Network) naive(target int) []float64 {
	var factors []factor
	for k, node := range n.Nodes {
		if node.fixed >= 0 {
			continue
		}
		f, ok := n.own(k, target)
		if !ok {
			return nil
		}
		factors = append(factors, f)
	}
	for {
		best, size := -1, math.MaxInt
		for k := range n.Nodes {
			if k == target {
				continue
			}
			if scope, touched := n.scope(factors, k); touched {
				if cells := n.cells(scope); cells < size {
					best, size = k, cells
				}
			}
		}
		if best < 0 {
			break
		}
		if size > mostCells {
			return nil
		}
		var rest, joined []factor
		for _, f := range factors {
			if slices.Contains(f.nodes, best) {
				joined = append(joined, f)
			} else {
				rest = append(rest, f)
			}
		}
		scope, _ := n.scope(factors, best)
		factors = append(rest, n.sumOut(n.multiply(scope, joined), best))
	}
	p := n.multiply([]int{target}, factors).values
	total := 0.0
	for _, x := range p {
		total += x
	}
	if !(total > 0) { // evidence that the model rules out
		return nil
	}
	for c := range p {
		p[c] /= total
	}
	return p
}

// own returns the factor of a node given its parents, with known values inserted.
func (n *Network) own(k, target int) (factor, bool) {
	node := n.Nodes[k]
	t, _ := n.of.Table(node.column)
	var free []int
	for _, p := range append(slices.Clone(node.parents), k) {
		if _, ok := n.known(p); (!ok || p == target) && !slices.Contains(free, p) {
			free = append(free, p)
		}
	}
	slices.Sort(free)
	if n.cells(free) > mostCells {
		return factor{}, false
	}
	f := factor{nodes: free, values: make([]float64, n.cells(free))}
	at := make([]int, len(free))
	codes := make([]int, len(node.parents))
	for i := range f.values {
		code := func(p int) int {
			if j := slices.Index(free, p); j >= 0 {
				return at[j]
			}
			c, _ := n.known(p)
			return c
		}
		for j, p := range node.parents {
			codes[j] = code(p)
		}
		f.values[i] = t.At(codes)[code(k)]
		n.next(free, at)
	}
	return f, true
}

// next counts one cell on, the last node fastest.
func (n *Network) next(nodes, at []int) {
	for j := len(at) - 1; j >= 0; j-- {
		if at[j]++; at[j] < n.levels(nodes[j]) {
			return
		}
		at[j] = 0
	}
}

// scope lists the nodes of all factors that have node k, ascending.
func (n *Network) scope(factors []factor, k int) (nodes []int, touched bool) {
	for _, f := range factors {
		if slices.Contains(f.nodes, k) {
			nodes, touched = append(nodes, f.nodes...), true
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes), touched
}

// cells counts the cells of a factor, up to just above mostCells.
func (n *Network) cells(nodes []int) int {
	size := 1
	for _, k := range nodes {
		if size *= n.levels(k); size > mostCells {
			return mostCells + 1
		}
	}
	return size
}

// multiply returns the product of factors over the given nodes, which are all of theirs.
func (n *Network) multiply(nodes []int, factors []factor) factor {
	out := factor{nodes: nodes, values: make([]float64, n.cells(nodes))}
	strides := make([][]int, len(factors)) // the strides of each factor, by the nodes of the product
	for i, f := range factors {
		strides[i] = make([]int, len(nodes))
		step := 1
		for j := len(f.nodes) - 1; j >= 0; j-- {
			if at := slices.Index(nodes, f.nodes[j]); at >= 0 {
				strides[i][at] = step
			}
			step *= n.levels(f.nodes[j])
		}
	}
	at := make([]int, len(nodes))
	for c := range out.values {
		x := 1.0
		for i, f := range factors {
			place := 0
			for j, code := range at {
				place += strides[i][j] * code
			}
			x *= f.values[place]
		}
		out.values[c] = x
		n.next(nodes, at)
	}
	return out
}

// sumOut returns f summed over node k.
func (n *Network) sumOut(f factor, k int) factor {
	rest := slices.DeleteFunc(slices.Clone(f.nodes), func(v int) bool { return v == k })
	out := factor{nodes: rest, values: make([]float64, n.cells(rest))}
	at := make([]int, len(f.nodes))
	for _, x := range f.values {
		place := 0
		for j, v := range f.nodes {
			if v != k {
				place = place*n.levels(v) + at[j]
			}
		}
		out.values[place] += x
		n.next(f.nodes, at)
	}
	return out
}

// TestPlansAgainstNaive compares eliminations along a plan with naive ones, for all kinds of effects and with
// evidence, and passes with single eliminations.
func TestPlansAgainstNaive(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	asked, known, passed, edges := 0, 0, 0, 0
	for range 60 {
		g := randomDAG(rng, 9, 0.2+0.4*rng.Float64())
		m := NewModel(g, randomRows(rng, g.N(), 80), 1)
		same := func(what string, got, want []float64) {
			t.Helper()
			if len(got) != len(want) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
			for c := range want {
				near(t, what, got[c], want[c], 1e-12)
			}
		}
		both := func(n *Network, target int) []float64 {
			t.Helper()
			asked++
			must.Succeed(t, n.Fit())
			got := n.eliminate(target)
			same("elimination", got, n.naive(target))
			return got
		}
		a := rng.IntN(9)
		var targets []int
		for b, after := range g.Descendants([]int{a}) {
			if after && b != a {
				targets = append(targets, b)
			}
		}
		for b := range 9 {
			if b == a {
				continue
			}
			n := m.network(map[int]int{})
			w := m.set(n, map[int]int{}, a, 1)
			for v := range 9 {
				if v != b && !w.after[v] && rng.IntN(3) == 0 {
					known++
					n.evidence[v] = rng.IntN(2)
				}
			}
			for v := range 9 {
				if _, ok := n.evidence[v]; ok {
					m.place(n, w, v)
				}
			}
			both(n, m.place(n, w, b))
		}
		p, _ := m.NewPass(a, targets)
		if len(targets) == 0 {
			continue
		}
		for code := range m.Levels(a) {
			found := must.Get(p.Run(m, code))
			for _, b := range targets {
				n := m.network(nil)
				same("pass", found.Do[b], both(n, m.place(n, m.set(n, map[int]int{}, a, code), b)))
				passed++
				for by := range 9 {
					if g.HasPath(a, by) && g.HasPath(by, b) {
						both(m.Mediated(a, b, by, code, 0))
					}
				}
				if !g.HasEdge(a, b) {
					continue
				}
				for end := range m.Levels(a) {
					same("along the edge", found.Direct[b][end], both(m.Along(a, b, code, end)))
					edges++
				}
			}
		}
	}
	if asked < 500 || known < 100 || passed < 100 || edges < 100 {
		t.Errorf("%d eliminations, %d known codes, %d targets of passes and %d edges were compared", asked, known, passed, edges)
	}
}

// TestPlansAgainstNaiveInLarge uses a large network, whose walks have unrolled inner loops.
func TestPlansAgainstNaiveInLarge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 8))
	g := randomDAG(rng, 22, 0.3)
	m := NewModel(g, randomRows(rng, g.N(), 400), 1)
	order, _ := g.Order()
	a := order[2]
	n := m.network(nil)
	w := m.set(n, map[int]int{}, a, 1)
	target := m.place(n, w, order[21])
	must.Succeed(t, n.Fit())
	p := NewPlan(n, target)
	written := 0
	for _, b := range p.buckets {
		if b.sum != nil && b.sum.inner != nil {
			written++
		}
	}
	if written == 0 {
		t.Error("no loops are written out: the test tells nothing")
	}
	want := n.naive(target)
	for c, x := range p.Answer(n) {
		near(t, "elimination", x, want[c], 1e-12)
	}
	pass, _ := m.NewPass(a, []int{order[21]})
	found := must.Get(pass.Run(m, 1))
	for c, x := range found.Do[order[21]] {
		near(t, "pass", x, want[c], 1e-12)
	}
}

// randomRows draws n rows of columns with two or three levels.
func randomRows(rng *rand.Rand, d, n int) *mechanism.Rows {
	columns, levels := make([][]float64, d), make([][]float64, d)
	for v := range d {
		k := 2 + rng.IntN(2)
		for c := range k {
			levels[v] = append(levels[v], float64(c))
		}
		for range n {
			columns[v] = append(columns[v], float64(rng.IntN(k)))
		}
	}
	return mechanism.New(columns, levels)
}

// randomDAG draws edges along a random order.
func randomDAG(rng *rand.Rand, n int, p float64) *graph.Graph {
	g := graph.New(n)
	order := rng.Perm(n)
	for i := range n {
		for j := range i {
			if rng.Float64() < p {
				g.AddEdge(order[j], order[i])
			}
		}
	}
	return g
}

func near(t testing.TB, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within) {
		t.Errorf("%s: %v, want %v within %v", what, got, want, within)
	}
}

// Sampling has the probabilities of elimination within four of its standard errors, with and without evidence.
func TestSamplesAgainstElimination(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 3))
	for k := range 4 {
		g := randomDAG(rng, 6, 0.5)
		m := NewModel(g, randomRows(rng, g.N(), 200), uint64(k))
		order, _ := g.Order()
		a, b := order[1], order[5]
		evidence := map[int]int{}
		if k%2 == 1 {
			evidence[order[0]] = 1
		}
		n, target := m.Given(a, b, 1, evidence)
		want, exact, _, err := n.Query(target)
		if err != nil || !exact {
			t.Fatalf("exact is %v, %v", exact, err)
		}
		got, standardError := n.Sample(target)
		if !(standardError > 0 && standardError < 0.01) {
			t.Errorf("standard error %v of %d samples", standardError, Draws)
		}
		sum := 0.0
		for c, p := range got {
			sum += p
			if !(math.Abs(p-want[c]) <= 4*standardError) {
				t.Errorf("level %d: %v, want %v with standard error %v", c, p, want[c], standardError)
			}
			if own := math.Sqrt(p * (1 - p) / Draws); len(evidence) == 0 && own > standardError+1e-12 {
				t.Errorf("standard error %v, the one of level %d is %v", standardError, c, own)
			}
		}
		if !(math.Abs(sum-1) <= 1e-9) {
			t.Errorf("sum %v", sum)
		}
	}
}

// With u → v, u → b and a → b, P(b | do(a), v) = Σ_u P(b | a, u)·P(u)·P(v | u) / Σ_u P(u)·P(v | u): evidence counts although v is no cause of b.
func TestEvidenceOnAnEffect(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	const u, v, a, b = 0, 1, 2, 3
	g, _ := graph.FromEdges(4, []graph.Edge{{From: u, To: v}, {From: u, To: b}, {From: a, To: b}})
	columns := make([][]float64, 4)
	for range 300 {
		x := rng.IntN(2)
		row := []int{x, (x + rng.IntN(4)/3) % 2, rng.IntN(2), 0}
		row[b] = (x + row[a] + rng.IntN(3)/2) % 2
		for j, c := range row {
			columns[j] = append(columns[j], float64(c))
		}
	}
	m := NewModel(g, mechanism.New(columns, [][]float64{{0, 1}, {0, 1}, {0, 1}, {0, 1}}), 1)
	table := func(column int, codes ...int) []float64 {
		c := must.Get(m.Table(column))
		return c.At(codes)
	}
	n, target := m.Given(a, b, 1, map[int]int{v: 1})
	got, exact, _, err := n.Query(target)
	if err != nil || !exact {
		t.Fatal(err, exact)
	}
	above, below := 0.0, 0.0
	for x := range 2 {
		weight := table(u)[x] * table(v, x)[1]
		above += weight * table(b, x, 1)[1]
		below += weight
	}
	if want := above / below; !(math.Abs(got[1]-want) <= 1e-12) {
		t.Errorf("%v, want %v", got[1], want)
	}
}

// TestOrderOfElimination checks the greedy order of the chain a → b → c → d with 2, 4, 3 and 6 levels. The smallest bucket is that of a with 8
// cells, then that of b with 4·3 cells. The buckets of c and d then have the same size.
func TestOrderOfElimination(t *testing.T) {
	g, _ := graph.FromEdges(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 3}})
	columns, levels := make([][]float64, 4), make([][]float64, 4)
	n := &Network{}
	for v, k := range []int{2, 4, 3, 6} {
		for c := range 12 {
			columns[v] = append(columns[v], float64(c%k))
		}
		levels[v] = columns[v][:k]
		n.Nodes = append(n.Nodes, netNode{column: v, parents: g.Parents(v), fixed: -1})
	}
	n.of = NewModel(g, mechanism.New(columns, levels), 1)
	if p := NewPlan(n, -1); p == nil || !slices.Equal(p.nodes, []int{0, 1, 2, 3}) {
		t.Errorf("plan %+v", p)
	}
}
