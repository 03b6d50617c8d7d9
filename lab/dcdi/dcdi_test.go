package dcdi

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// slow returns the negative log-likelihood of y given the inputs under network part in float64, from the formula in the comment of column.
func slow(c *column, part int, in []float32, y float32) float64 {
	l, m := c.layers(c.w, part), c.hidden
	leaky := func(v float64) float64 { return max(v, leak*v) }
	first := make([]float64, m)
	for k := range first {
		first[k] = float64(l.firstBias[k])
		for i, v := range in {
			first[k] += float64(v) * float64(l.first[i*m+k])
		}
		first[k] = leaky(first[k])
	}
	mean := float64(l.last[0])
	for k := range m {
		v := float64(l.secondBias[k])
		for i := range first {
			v += first[i] * float64(l.second[i*m+k])
		}
		mean += leaky(v) * float64(l.out[k])
	}
	s := float64(l.last[1])
	return math.Pow((float64(y)-mean)*math.Exp(-s), 2)/2 + s + math.Log(2*math.Pi)/2
}

// The likelihood and its gradients equal the formula and its differences, for all kinds of interventions.
func TestColumnAgainstFormula(t *testing.T) {
	for _, kind := range []struct{ perfect, unknown bool }{{true, false}, {false, false}, {true, true}, {false, true}} {
		x := noise(60, 3)
		x.perfect, x.unknown, x.ref = kind.perfect, kind.unknown, 0
		const own, n = 1, 24
		c := newColumn(x, own, 4, n, rand.New(rand.NewPCG(3, 4)))
		for i := range c.w {
			c.w[i] += 0.05 * float32(i%7-3)
		}
		c.edge = []float64{0.3, math.Inf(-1), -0.4}
		if kind.unknown {
			c.target = []float64{0, 0.5, -0.2, 0.1}
		}
		if want := map[bool][]int{true: {0, 0, -1, 0}, false: {0, 0, 1, 0}}[kind.perfect]; !kind.unknown && !slices.Equal(c.part, want) || kind.unknown && !slices.Equal(c.part, []int{0, 1, 2, 3}) {
			t.Errorf("%+v: networks %v", kind, c.part)
		}
		var b batch
		b.draw(x, x.training, n, rand.NewPCG(5, 6))
		const scale = 0.1
		got := c.evaluate(&b, 7, 8, scale)
		gradient, edges, targets := slices.Clone(c.g), slices.Clone(c.edgeSlope), slices.Clone(c.slope)
		if again := c.evaluate(&b, 7, 8, 0); again != got {
			t.Errorf("%+v: %v with a gradient, %v without", kind, got, again)
		}
		// The rows in the order of evaluate, with their networks and weights.
		type use struct {
			row, part int
			in, soft  []float32
		}
		var uses []use
		at := 0
		for part := range slices.Max(c.part) + 1 {
			for _, r := range b.runs {
				for i := r.lo; i < r.hi; i++ {
					k := at
					switch {
					case kind.unknown && part != 0:
						continue
					case kind.unknown:
						k = i
					case c.part[r.environment] != part:
						continue
					}
					if u := (use{int(b.rows[i]), part, slices.Clone(c.in[k*3 : k*3+3]), slices.Clone(c.soft[k*3 : k*3+3])}); !kind.unknown || c.part[r.environment] == 0 || c.gate[i] <= 0.5 {
						uses = append(uses, u)
					} else {
						if u.part = c.part[r.environment]; kind.perfect {
							clear(u.in)
							clear(u.soft)
						}
						uses = append(uses, u)
					}
					at++
				}
			}
		}
		value := func() (sum float64) {
			for _, u := range uses {
				sum += slow(c, u.part, u.in, x.row(u.row)[own])
			}
			return sum
		}
		if want := value(); math.Abs(got-want) > 1e-4*math.Abs(want) {
			t.Errorf("%+v: %v, want %v", kind, got, want)
		}
		const step = 1e-3
		differ := func(v *float32) float64 {
			was := *v
			*v = was + step
			up := value()
			*v = was - step
			down := value()
			*v = was
			return scale * (up - down) / (2 * step)
		}
		bad := 0
		for k := range c.w {
			if want := differ(&c.w[k]); math.Abs(float64(gradient[k])-want) > 2e-2*max(0.1, math.Abs(want)) {
				bad++
			}
		}
		if bad > 2 { // a step may cross the kink of a rectifier
			t.Errorf("%+v: %d of %d gradients differ", kind, bad, len(c.w))
		}
		want := make([]float64, 3)
		for u := range uses {
			for i := range want {
				want[i] += differ(&uses[u].in[i]) * float64(uses[u].soft[i])
			}
		}
		for i := range want {
			if math.Abs(edges[i]-want[i]) > 2e-2*max(0.1, math.Abs(want[i])) {
				t.Errorf("%+v: slope of edge %d is %v, want %v", kind, i, edges[i], want[i])
			}
		}
		if !kind.unknown {
			continue
		}
		for _, r := range b.runs {
			want := 0.0
			for i := r.lo; i < r.hi && c.part[r.environment] > 0; i++ {
				in, y := c.in[i*3:i*3+3], x.row(int(b.rows[i]))[own]
				with := in
				if kind.perfect {
					with = make([]float32, 3)
				}
				want += scale * (slow(c, c.part[r.environment], with, y) - slow(c, 0, in, y)) * float64(c.gate[i]*(1-c.gate[i]))
			}
			if math.Abs(targets[r.environment]-want) > 1e-3 {
				t.Errorf("%+v: slope of target %d is %v, want %v", kind, r.environment, targets[r.environment], want)
			}
		}
	}
}

// Masks have the probabilities of their edges: always for a required edge and never for a forbidden one.
func TestMasks(t *testing.T) {
	x := noise(4000, 3)
	c := newColumn(x, 1, 2, len(x.training), rand.New(rand.NewPCG(3, 4)))
	c.edge = []float64{math.Log(3), math.Inf(-1), math.Inf(1)}
	b := batch{rows: x.training}
	b.divide(x)
	c.evaluate(&b, 1, 2, 0)
	var share [3]float64
	n := 0
	for _, r := range b.runs {
		if c.part[r.environment] == 0 {
			n += r.hi - r.lo
		}
	}
	for k, v := range c.in[:n*3] {
		if v != 0 {
			share[k%3] += 1 / float64(n)
		}
	}
	if math.Abs(share[0]-0.76) > 0.03 || share[1] != 0 || math.Abs(share[2]-1) > 1e-9 {
		t.Errorf("shares %v, want 0.75, 0 and 1", share)
	}
	if u := uniform(math.MaxUint32); u >= 1 || uniform(0) <= 0 {
		t.Errorf("uniform numbers reach %v and %v", u, uniform(0))
	}
}

// table returns three columns a → b → c with curves, and rows without interventions and with one on each column. Perfect interventions
// replace a column by noise, imperfect ones change the effect of its parent.
func table(t testing.TB, n int, perfect, unknown bool) *method.Input {
	rng := rand.New(rand.NewPCG(4, 5))
	const d = 3
	var values []float64
	var environments []int
	for i := range n {
		k := i % (d + 1)
		x := make([]float64, d)
		for j := range d {
			x[j] = 0.5 * rng.NormFloat64()
			if j == 0 {
				x[j] *= 2
			}
			switch {
			case k == j+1 && (perfect || j == 0):
				x[j] = 2 + rng.NormFloat64()
			case k == j+1:
				x[j] += 1 - x[j-1]
			case j > 0:
				x[j] += math.Tanh(2 * x[j-1])
			}
		}
		values, environments = append(values, x...), append(environments, k)
	}
	names := []string{"a", "b", "c"}
	kinds := make([]dataset.Variable, d)
	for j := range kinds {
		kinds[j] = dataset.Variable{Name: names[j], Kind: kind.Continuous}
	}
	x := matrix.Of(n, d, values)
	in := inputtest.Of(t, names, x)
	in.Kinds, in.Seed, in.Threads = kinds, 6, 2
	inputtest.InEnvironments(t, in, x, environments, [][]int{nil, {0}, {1}, {2}})
	if in.Environments.Unknown = unknown; unknown {
		in.Environments.Targets = nil
	}
	return in
}

func quick() *Method {
	m := New()
	m.Hidden, m.Batch, m.Steps, m.Patience, m.Rate, m.EdgeRate = 6, 32, 30000, 1, 3e-3, 2e-2
	return m
}

// The chain is found under every kind of intervention and with every constraint, with its directions identified.
func TestChainIsFound(t *testing.T) {
	for name, change := range map[string]func(m *Method) *method.Input{
		"perfect":   func(m *Method) *method.Input { return table(t, 2000, true, false) },
		"geo":       func(m *Method) *method.Input { m.Constraint = Geometric; return table(t, 2000, true, false) },
		"imperfect": func(m *Method) *method.Input { m.Interventions = Imperfect; return table(t, 2000, false, false) },
		"unknown":   func(m *Method) *method.Input { return table(t, 2000, true, true) },
		"unknown imperfect": func(m *Method) *method.Input {
			m.Interventions = Imperfect
			return table(t, 2000, false, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := quick()
			in := change(m)
			a := must.Get(m.Learn(t.Context(), in, nil))
			g := a.Graph.Directed()
			if g.NumEdges() != 2 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2) {
				t.Errorf("edges %v, want a → b → c; %s", g.Edges(), a.Status)
			}
			for _, e := range a.Edges {
				if e.Direction != method.DirectionSettled {
					t.Errorf("the direction of %v is not settled", e.Edge)
				}
			}
			if !in.Environments.Unknown {
				return
			}
			found := 0
			for _, c := range a.Changes {
				if c.Column == c.Environment-1 && c.Adjusted < 1e-6 {
					found++
				}
				must.Near(t, c.Adjusted, min(1, 9*c.P), 1e-12*c.P, "p-value of three environments and columns")
			}
			if found != 3 || len(a.Changes) > 4 {
				t.Errorf("changes %+v", a.Changes)
			}
		})
	}
}

// A resumed run continues with the same bytes on another number of threads.
func TestResumed(t *testing.T) {
	m, in := quick(), table(t, 400, false, true)
	x := must.Get(readRows(t.Context(), in, network.Unit, true))
	start := func(threads int) *learner {
		l := must.Get(newLearner(m, x, free(3), 1, threads))
		return l
	}
	l, again := start(2), start(1)
	for range 333 {
		l.Advance()
	}
	must.Succeed(t, again.Decode(l.Encode()))
	for range 500 {
		l.Advance()
		again.Advance()
	}
	if !bytes.Equal(l.Encode(), again.Encode()) {
		t.Error("a resumed run ends with other bytes")
	}
	if err := again.Decode(l.Encode()[:99]); err == nil {
		t.Error("a damaged state is no error")
	}
}

// The copies of a row, 7 rows apart, are held out together, a fifth of the rows, and sorted by environment. The reference is the
// environment with most rows.
func TestDivide(t *testing.T) {
	x := &rows{n: 20, d: 1, targets: [][]int{nil, nil}}
	for i := range 20 {
		x.environment = append(x.environment, min(1, i%3))
	}
	x.divide(7)
	if want := []int32{18, 4, 11}; !slices.Equal(x.held, want) || len(x.training) != 17 || x.ref != 1 {
		t.Errorf("held out %v, want %v; reference %d", x.held, want, x.ref)
	}
}

// ρ grows only if h does not fall, first to the value that counts, and a solve ends only if the objective of three windows is monotone and flat.
func TestWeightsOfTheConstraint(t *testing.T) {
	l := must.Get(newLearner(quick(), noise(200, 3), free(3), 1, 1))
	l.constrain()
	first := l.least()
	if pull := first * l.now * l.slopeH(0, 1); math.Abs(pull/(weakPull*l.price)-1) > 1e-9 {
		t.Errorf("the first pull is %v", pull)
	}
	if math.Abs(l.now-1) > 0.1 || l.acyclic() {
		t.Errorf("h of nearly the complete graph is %v", l.now)
	}
	solve := func(rising bool) {
		l.step = 2 * window
		l.hold()
		now := l.heldOut/3 + l.penalty()
		if l.before, l.half = now+2e-4, now+1e-4; !rising {
			l.half = now - 1
		}
		l.judge()
	}
	solve(false)
	if l.rho != firstRho || l.alpha != 0 {
		t.Errorf("the objective is not monotone: ρ %v, α %v", l.rho, l.alpha)
	}
	l.lastH = 2 // h has fallen
	solve(true)
	if l.rho != firstRho || math.Abs(l.alpha-firstRho*l.now) > 1e-20 {
		t.Errorf("h has fallen: ρ %v, α %v", l.rho, l.alpha)
	}
	solve(true)
	if l.rho != first {
		t.Errorf("h has not fallen: ρ %v, want %v", l.rho, first)
	}
	solve(true)
	if l.rho != 2*first {
		t.Errorf("h has not fallen: ρ %v, want %v", l.rho, 2*first)
	}
}

// h_poly and h_geo have the same value. Every constraint is 1 at the complete graph, and its slope by an edge equals differences.
func TestConstraints(t *testing.T) {
	var values []float64
	for _, c := range []Constraint{Exponential, PowerSum, Geometric} {
		m := quick()
		m.Constraint = c
		l := must.Get(newLearner(m, noise(50, 4), free(4), 1, 1))
		for j, own := range l.columns {
			for i := range own.edge {
				if i != j {
					own.edge[i] = float64(i-2*j) / 3
				}
			}
		}
		at := func(logit float64) float64 {
			l.columns[2].edge[1] = logit
			l.constrain()
			return l.now
		}
		difference := (at(0.31) - at(0.29)) / float64(unselected(0.29)-unselected(0.31))
		values = append(values, at(0.3))
		if slope := l.slopeH(1, 2); math.Abs(slope-difference) > 1e-4*difference {
			t.Errorf("%s: slope %v, want %v", c, slope, difference)
		}
		for j, own := range l.columns {
			for i := range own.edge {
				if i != j {
					own.edge[i] = math.Inf(1)
				}
			}
		}
		if l.constrain(); math.Abs(l.now-1) > 1e-12 {
			t.Errorf("%s of the complete graph is %v", c, l.now)
		}
	}
	if math.Abs(values[1]-values[2]) > 1e-12 || values[0] == values[1] {
		t.Errorf("values %v", values)
	}
}

// A direction is identified if an environment has one end of the edge as a target and not the other.
func TestIdentified(t *testing.T) {
	in := &method.Input{Environments: &dataset.Environments{Names: []string{"", "ab", "c"}, Targets: [][]int{nil, {0, 1}, {2}}}}
	if r := told(in, nil).Environments; network.Identified(r, 0, 1) || !network.Identified(r, 1, 2) || network.Identified(r, 3, 4) || network.Identified(nil, 0, 1) {
		t.Error("known targets")
	}
	in.Environments.Targets, in.Environments.Unknown = nil, true
	if r := told(in, []method.Change{{Environment: 1, Column: 1}, {Environment: 2, Column: 1}, {Environment: 2, Column: 2}}).Environments; !network.Identified(r, 0, 1) || !network.Identified(r, 0, 2) || network.Identified(r, 0, 3) || r.Unknown || !in.Environments.Unknown {
		t.Errorf("unknown targets: %+v", r)
	}
}

// A new pass keeps the graph, admits every edge that closes no cycle with it, and resets the constraint. Required and forbidden edges stay.
func TestReopen(t *testing.T) {
	fixed := free(4)
	fixed[3*4+0] = 0
	l := must.Get(newLearner(quick(), noise(50, 4), fixed, 1, 1))
	for _, c := range l.columns {
		for i := range c.edge {
			c.edge[i] = min(c.edge[i], -mostLogit)
		}
	}
	l.columns[1].edge[0], l.columns[2].edge[1] = 4, 3 // 0 → 1 → 2
	l.rho, l.alpha, l.lastH = 7, 8, 9
	if !l.acyclic() {
		t.Fatal("the chain has a cycle")
	}
	l.reopen()
	no := math.Inf(-1)
	for j, want := range [][]float64{{no, no, no, no}, {4, no, no, 5}, {5, 3, no, 5}, {5, 5, 5, no}} {
		if !slices.Equal(l.columns[j].edge, want) {
			t.Errorf("edges into column %d: %v, want %v", j, l.columns[j].edge, want)
		}
	}
	if l.pass != 2 || l.rho != firstRho || l.alpha != 0 || !math.IsInf(l.lastH, 1) {
		t.Errorf("pass %d, ρ %v, α %v", l.pass, l.rho, l.alpha)
	}
}

// An edge at the bound of its logit is always or never selected, and the probability of others lies beyond σ.
func TestUnselected(t *testing.T) {
	for logit, want := range map[float64]float64{0: 0.5, 5: 0, -5: 1, math.Inf(1): 0, math.Inf(-1): 1, 2.5: 1 / (1 + math.Exp(2.5/0.75)), -2.5: 1 / (1 + math.Exp(-2.5/0.75))} {
		if got := float64(unselected(logit)); math.Abs(got-want) > 1e-6 {
			t.Errorf("logit %v: %v, want %v", logit, got, want)
		}
	}
}

// TestPriceOfAnEdge: an edge has the parameters of one network input, which BIC prices at ln(n)/2 each, per row and column.
func TestPriceOfAnEdge(t *testing.T) {
	m, x := New(), noise(1000, 4)
	m.Hidden, m.Sparsity, m.TargetSparsity = 6, 2, 3
	l := must.Get(newLearner(m, x, free(4), 1, 1))
	n := float64(len(x.training))
	must.Near(t, l.price, 2*6*math.Log(n)/2/n/4, 1e-12, "edge")
	must.Near(t, l.priceTarget, 3*6*math.Log(n)/2/n/4, 1e-12, "change")
}
