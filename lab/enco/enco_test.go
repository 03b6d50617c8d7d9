package enco

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
)

// small returns rows of a category with three levels, a number that depends on it, and a category with two levels.
func small(n int) *rows {
	rng := rand.New(rand.NewPCG(1, 2))
	x := &rows{n: n, d: 3, levels: []int{3, 0, 2}, targets: [][]int{nil, {1}}}
	for i := range n {
		a := rng.IntN(3)
		x.values = append(x.values, float32(a), float32(float64(a)-1+0.5*rng.NormFloat64()), float32(rng.IntN(2)))
		x.environment = append(x.environment, i/3%2)
	}
	x.divide()
	return x
}

// slow returns the negative log-likelihood of a row in float64, from the formula in the comment of network.
func slow(n *network, row []float32, parents []int) float64 {
	top := make([]float64, n.out)
	for k := range top {
		top[k] = float64(n.tops(n.w)[k])
	}
	for u := range n.hidden {
		h := float64(n.constants(n.w)[u])
		for _, j := range parents {
			if n.x.levels[j] > 0 {
				h += float64(n.w[(n.first[j]+int(row[j]))*n.hidden+u])
			} else {
				h += float64(row[j]) * float64(n.w[n.first[j]*n.hidden+u])
			}
		}
		if h < 0 {
			h *= leak
		}
		for k := range top {
			top[k] += h * float64(n.weights(n.w).At(k, u))
		}
	}
	y := row[n.own]
	if n.x.levels[n.own] == 0 {
		s := math.Exp(float64(n.w[len(n.w)-1]) / 2)
		return math.Log(s*math.Sqrt(2*math.Pi)) + math.Pow((float64(y)-top[0])/s, 2)/2
	}
	sum := 0.0
	for _, t := range top {
		sum += math.Exp(t)
	}
	return -math.Log(math.Exp(top[int(y)]) / sum)
}

func TestNetworkAgainstFormula(t *testing.T) {
	x := small(40)
	for own := range x.d {
		n := newNetwork(x, own, 5, rand.New(rand.NewPCG(3, uint64(own))))
		for i := range n.w {
			n.w[i] += 0.1 * float32(i%7-3)
		}
		parents := slices.DeleteFunc([]int{0, 1, 2}, func(j int) bool { return j == own })
		clear(n.g)
		if got, want := n.add(x.row(7), parents, 1), slow(n, x.row(7), parents); !(math.Abs(got-want) <= 1e-5) {
			t.Errorf("column %d: loss %v, want %v", own, got, want)
		}
		for k := range n.w {
			const step = 1e-3
			was := n.w[k]
			n.w[k] = was + step
			up := slow(n, x.row(7), parents)
			n.w[k] = was - step
			down := slow(n, x.row(7), parents)
			n.w[k] = was
			if want := (up - down) / (2 * step); !(math.Abs(float64(n.g[k])-want) <= 5e-3*max(1, math.Abs(want))) {
				t.Errorf("column %d, weight %d: gradient %v, want %v", own, k, n.g[k], want)
			}
		}
		masks := matrix.Of(4, 4, []float32{0, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1})
		for k := range 4 {
			masks.Row(k)[own] = 0
		}
		batch := []int{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 38, 4}
		losses := []float64{100, 0, 0, 0} // what is there is kept
		n.losses(losses, masks, batch)
		losses[0] -= 100
		for k, got := range losses {
			want := 0.0
			for _, i := range batch {
				var parents []int
				for j, m := range masks.Row(k)[:3] {
					if m == 1 {
						parents = append(parents, j)
					}
				}
				want += slow(n, x.row(i), parents)
			}
			if !(math.Abs(got-want) <= 1e-4*want) {
				t.Errorf("column %d, graph %d: loss %v, want %v", own, k, got, want)
			}
		}
	}
}

// Networks are fitted to rows without interventions, and edges are judged by the others. Without one sort, odd rows judge.
func TestDivide(t *testing.T) {
	x := small(12) // rows 3 to 5 and 9 to 11 have an intervention on column 1
	if want := []int{0, 1, 2, 6, 7, 8}; !slices.Equal(x.fit[1], want) || !slices.Equal(x.fit[0], want) {
		t.Errorf("networks are fitted to %v and %v, want %v", x.fit[0], x.fit[1], want)
	}
	if want := []int{3, 4, 5, 9, 10, 11}; len(x.judge[0]) > 0 || !slices.Equal(x.judge[1], want) {
		t.Errorf("edges are judged by %v, want %v", x.judge, want)
	}
	x.targets = [][]int{{0}, {1}}
	x.divide()
	if !slices.Equal(x.fit[0], []int{4, 10}) || !slices.Equal(x.fit[1], []int{0, 2, 6, 8}) || !slices.Equal(x.judge[0], []int{1, 7}) || !slices.Equal(x.judge[1], []int{3, 5, 9, 11}) {
		t.Errorf("without rows of one sort: fitted to %v, judged by %v", x.fit, x.judge)
	}
}

// An edge gains by how much smaller the loss is under the graphs that have it.
func TestDifference(t *testing.T) {
	l := &learner{set: &Method{Batch: 2}, losses: [][]float64{nil, {2, 4, 10, 20}}, masks: []*matrix.Dense[float32]{nil, matrix.Of(4, 2, []float32{1, 0, 1, 0, 0, 0, 0, 0})}}
	if got, ok := l.difference(0, 1); got != 1.5-7.5 || !ok {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := l.difference(1, 1); ok {
		t.Error("no graph has the edge, and a difference is computed")
	}
}

// A pair of columns has one direction: interventions on either end move it, and both entries stay opposite.
func TestDirectionsAreOpposite(t *testing.T) {
	order := newNumbers(4, 0.1, 0.999)
	turn := newTurns(2)
	turn.add(1, 0, 0.5) // a positive gradient speaks against 1 → 0
	turn.apply(order)
	if !(order.w[0*2+1] > 0) || order.w[0*2+1] != -order.w[1*2+0] || order.w[0] != 0 || order.w[3] != 0 {
		t.Errorf("directions %v", order.w)
	}
	before := order.w[1]
	turn = newTurns(2)
	turn.add(0, 1, 0.5)
	turn.apply(order)
	if !(order.w[1] < before) || order.w[1] != -order.w[2] {
		t.Errorf("directions %v", order.w)
	}
}

// Adam divides by the root of the second moment, so the first step has the size of the rate whatever the gradient.
func TestFirstStepHasTheRate(t *testing.T) {
	x := newNumbers(2, 0.02, 0.9)
	x.move(0, 1e-3)
	x.move(1, -50)
	if !(math.Abs(x.w[0]+0.02) <= 1e-6) || !(math.Abs(x.w[1]-0.02) <= 1e-6) {
		t.Errorf("%v", x.w)
	}
}

// chain returns a table of three categories a → b → c and a fourth one that is unrelated, with interventions on the first three in turn
// and rows without.
func chain(t testing.TB, n int) *method.Input {
	rng := rand.New(rand.NewPCG(4, 5))
	var values []float64
	var environments []int
	noisy := func(from int, p float64) int {
		if rng.Float64() < p {
			return rng.IntN(3)
		}
		return (from + 1) % 3
	}
	for i := range n {
		k := i % 4
		a := rng.IntN(3)
		b := noisy(a, 0.4)
		if k == 2 {
			b = rng.IntN(3)
		}
		c := noisy(b, 0.4)
		if k == 3 {
			c = rng.IntN(3)
		}
		values = append(values, float64(a), float64(b), float64(c), float64(rng.IntN(2)))
		environments = append(environments, k)
	}
	names := []string{"a", "b", "c", "d"}
	kinds := make([]dataset.Variable, 4)
	for j := range kinds {
		kinds[j] = dataset.Variable{Name: names[j], Kind: kind.Categorical}
	}
	kinds[3].Kind = kind.Binary
	x := matrix.Of(n, 4, values)
	in := inputtest.Of(t, names, x)
	in.Kinds, in.Seed, in.Threads = kinds, 6, 2
	inputtest.InEnvironments(t, in, x, environments, [][]int{nil, {0}, {1}, {2}})
	return in
}

func quick() *Method {
	m := New()
	m.Epochs, m.FitSteps, m.GraphSteps, m.Graphs, m.Batch, m.Hidden = 8, 100, 40, 20, 32, 8
	return m
}

// In a chain of categories interventions tell both directions, and a resumed run continues with the same bytes on another number of threads.
func TestChainIsFound(t *testing.T) {
	in, m := chain(t, 2000), quick()
	l, err := newLearner(t.Context(), m, in)
	must.Succeed(t, err)
	for range m.Epochs / 2 {
		l.advance(t.Context())
	}
	in.Threads = 1
	again := must.Get(newLearner(t.Context(), m, in))
	must.Succeed(t, again.decode(l.encode()))
	for l.epoch < m.Epochs {
		l.advance(t.Context())
		again.advance(t.Context())
	}
	if !bytes.Equal(l.encode(), again.encode()) {
		t.Error("a resumed run ends with other bytes")
	}
	a := must.Get(m.answer(t.Context(), in, &found{l.edge.w, l.order.w, l.epoch, l.value}))
	g := a.Graph.Directed()
	if g.NumEdges() != 2 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2) {
		t.Errorf("edges %v, want a → b → c", g.Edges())
	}
	for _, e := range a.Edges {
		if e.Direction != method.DirectionSettled {
			t.Errorf("the direction of %v is not settled, with a probability of %.2f", e.Edge, sigmoid(l.order.w[e.From*4+e.To]))
		}
	}
	// The entropy of a row: ln 3 of a, that of 0.733, 0.133 and 0.133 for b and c, and ln 2 of d.
	if want := 3.32; !(math.Abs(l.value-want) <= 0.1*want) {
		t.Errorf("a row has the negative log-likelihood %.2f, want %.2f", l.value, want)
	}
	canceled, stop := context.WithCancel(t.Context())
	stop()
	l.advance(canceled)
	if l.epoch != m.Epochs {
		t.Error("an interrupted epoch counts")
	}
}

// Probable edges that would close a cycle are omitted, the least probable first.
func TestAnswerHasNoCycle(t *testing.T) {
	in, m := chain(t, 100), quick()
	d := 4
	f := &found{Edge: make([]float64, d*d), Order: make([]float64, d*d), Epoch: m.Epochs}
	for i := range f.Edge {
		f.Edge[i] = -5
	}
	for k, e := range [][2]int{{0, 1}, {1, 2}, {2, 0}} {
		f.Edge[e[0]*d+e[1]] = float64(3 - k)
		f.Order[e[0]*d+e[1]], f.Order[e[1]*d+e[0]] = 1, -1
	}
	f.Edge[3*d+0], f.Edge[0*d+3] = 1, 2 // no interventions: the larger one counts
	a, err := m.answer(t.Context(), in, f)
	must.Succeed(t, err)
	g := a.Graph.Directed()
	if g.NumEdges() != 3 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2) || !g.HasEdge(0, 3) {
		t.Errorf("edges %v", g.Edges())
	}
	for _, e := range a.Edges {
		if e.Direction != method.DirectionOpen { // σ(1) is below 0.9
			t.Errorf("%+v", e)
		}
	}
	f.Order[2*d+0], f.Order[0*d+2] = 0, 0
	f.Edge[0*d+2] = 0.5 // less than that of 2 → 0, which would close a cycle
	if a, err = m.answer(t.Context(), in, f); err != nil || a.Graph.NumEdges() != 3 {
		t.Errorf("edges %v, %v: an edge that is omitted has no other direction", a.Graph.Edges(), err)
	}
}

// TestStepFollowsTheGradients compares the gradients of a step with their formulas (Lippe, Cohen and Gavves 2022). With L the
// difference of the mean losses with and without the edge i → j, γ its edge and θ its direction,
//
//	∂γ = σ'(γ)·σ(θ)·(L + sparsity),   ∂θ = σ'(θ)·σ(γ)·L in rows with an intervention on i.
//
// A column with an intervention says nothing about its own parents.
func TestStepFollowsTheGradients(t *testing.T) {
	in, m := chain(t, 400), quick()
	m.Sparsity, m.Graphs = 0.25, 60
	l := must.Get(newLearner(t.Context(), m, in))
	const d, target = 4, 1 // environment 2 has an intervention on b
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range d {
		for j := range i {
			l.edge.w[i*d+j], l.edge.w[j*d+i] = rng.Float64(), rng.Float64()
			l.order.w[i*d+j] = rng.Float64() - 0.5
			l.order.w[j*d+i] = -l.order.w[i*d+j]
		}
	}
	edge, order := slices.Clone(l.edge.w), slices.Clone(l.order.w)
	l.step(rng, 2)
	for i := range d {
		for j := range d {
			var sum [2]float64
			var n [2]int
			for k := range m.Graphs {
				with := int(l.masks[j].Row(k)[i])
				sum[with] += l.losses[j][k] / float64(m.Batch)
				n[with]++
			}
			at := i*d + j
			gamma, theta := sigmoid(edge[at]), sigmoid(order[at])
			wantEdge, wantOrder := 0.0, 0.0
			if i != j && j != target {
				if n[0] == 0 || n[1] == 0 {
					t.Fatalf("no graph with or without %d → %d", i, j)
				}
				more := sum[1]/float64(n[1]) - sum[0]/float64(n[0])
				wantEdge = gamma * (1 - gamma) * theta * (more + m.Sparsity)
				if i == target {
					wantOrder = theta * (1 - theta) * gamma * more
				}
			}
			// The first moment of Adam is a tenth of the first gradient.
			if got := l.edge.m[at] * 10; !(math.Abs(got-wantEdge) <= 1e-9) {
				t.Errorf("the edge %d → %d has the gradient %v, want %v", i, j, got, wantEdge)
			}
			got := l.order.m[at] * 10
			if i > j { // the direction of a pair is moved by its entry with i < j
				got = -l.order.m[j*d+i] * 10
			}
			if i == target && j != target && !(math.Abs(got-wantOrder) <= 1e-9) {
				t.Errorf("the direction %d → %d has the gradient %v, want %v", i, j, got, wantOrder)
			}
			if i != target && j != target && got != 0 {
				t.Errorf("the direction %d → %d moves without an intervention", i, j)
			}
		}
	}
}

// TestMomentsOfAdam checks the second moments, which forget after 10 steps for edges and after 1000 for directions, as in
// the authors' program.
func TestMomentsOfAdam(t *testing.T) {
	l := must.Get(newLearner(t.Context(), quick(), chain(t, 20)))
	for x, want := range map[*numbers][3]float64{l.edge: {0.02, 0.9, 0.1}, l.order: {0.1, 0.999, 0.001}} {
		x.move(0, 1)
		if x.rate != want[0] || x.beta2 != want[1] || !(math.Abs(x.v[0]-want[2]) <= 1e-12) {
			t.Errorf("rate %v, decay %v, second moment %v, want %v", x.rate, x.beta2, x.v[0], want)
		}
	}
}

// TestKnowledgeFixesEdges checks that required edges have probability 1 and forbidden ones 0.
func TestKnowledgeFixesEdges(t *testing.T) {
	in := chain(t, 40)
	known, err := knowledge.Spec{Require: []string{"a->b"}, Forbid: []string{"c->d"}}.Resolve(in.Names())
	must.Succeed(t, err)
	in.Knowledge = known
	l := must.Get(newLearner(t.Context(), quick(), in))
	for e, want := range map[[2]int]float64{{0, 1}: 1, {1, 0}: 0, {2, 3}: 0, {1, 1}: 0, {3, 2}: 0.25} {
		if got := l.probability(e[0], e[1]); got != want {
			t.Errorf("the edge %v has probability %v, want %v", e, got, want)
		}
	}
}

// TestLongTablesAreThinned checks that every third row of a table with three times keptValues values is used, from the first on.
func TestLongTablesAreThinned(t *testing.T) {
	in := chain(t, 13)
	all, err := readRows(t.Context(), in)
	must.Succeed(t, err)
	in.Moments.N = 3 * keptValues / 4
	some := must.Get(readRows(t.Context(), in))
	if want := []int{0, 3, 2, 1, 0}; all.n != 13 || !slices.Equal(some.environment, want) { // rows 0, 3, 6, 9 and 12
		t.Errorf("%d rows, then rows of the environments %v, want %v", all.n, some.environment, want)
	}
}

// TestModelOfTheEdges checks that edges are described by probability tables, linear effects, or the mixed model, by the kinds of the columns.
func TestModelOfTheEdges(t *testing.T) {
	for want, kinds := range map[scores.Model][]kind.Kind{
		scores.Linear:   {kind.Continuous, kind.Count},
		scores.Discrete: {kind.Binary, kind.Ordinal, kind.Categorical},
		scores.Mixed:    {kind.Binary, kind.Continuous},
	} {
		in := &method.Input{}
		for _, k := range kinds {
			in.Kinds = append(in.Kinds, dataset.Variable{Kind: k})
		}
		if got := model(in); got != want {
			t.Errorf("%v: %s, want %s", kinds, got, want)
		}
	}
}

// TestEachPassHasItsOwnOrder compares an epoch with its steps one by one: each pass has every environment once, in an order of its own.
func TestEachPassHasItsOwnOrder(t *testing.T) {
	in, m := chain(t, 400), quick()
	m.FitSteps = 0
	got, err := newLearner(t.Context(), m, in)
	must.Succeed(t, err)
	want := must.Get(newLearner(t.Context(), m, in))
	got.advance(t.Context())
	rng, orders := want.random(2, 0), map[string]bool{}
	environments := []int{1, 2, 3} // those with interventions
	for step := 0; step < m.GraphSteps; step += len(environments) {
		rng.Shuffle(len(environments), func(a, b int) { environments[a], environments[b] = environments[b], environments[a] })
		orders[fmt.Sprint(environments)] = true
		for _, k := range environments[:min(len(environments), m.GraphSteps-step)] {
			want.step(rng, k)
		}
	}
	if !slices.Equal(got.edge.w, want.edge.w) || !slices.Equal(got.order.w, want.order.w) || len(orders) < 3 {
		t.Errorf("an epoch of %d steps, with %d orders of the environments, ends elsewhere", m.GraphSteps, len(orders))
	}
}
