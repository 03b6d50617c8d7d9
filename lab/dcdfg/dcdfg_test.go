package dcdfg

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/method"
)

// noise returns rows of independent columns, with an environment without interventions and one for each column.
func noise(n, d int) *rows {
	rng := rand.New(rand.NewPCG(1, 2))
	x := &rows{n: n, d: d, targets: [][]int{nil}}
	for j := range d {
		x.targets = append(x.targets, []int{j})
	}
	for i := range n {
		x.environment = append(x.environment, i%(d+1))
		for range d {
			x.values = append(x.values, float32(rng.NormFloat64()))
		}
	}
	x.divide(n)
	return x
}

// slow returns the negative log-likelihood of the rows in float64 from the formula in the comment of shape, with masks that need not be 0 or 1.
func slow(s shape, x *rows, rows []int32, p parts, u, v []float64) (sum float64) {
	for _, row := range rows {
		value := x.row(row)
		f := make([]float64, s.m)
		for k := range f {
			for h := range s.hidden {
				at := k*s.hidden + h
				unit := float64(p.b[at])
				for i := range s.d {
					unit += u[i*s.m+k] * float64(p.w[(i*s.m+k)*s.hidden+h]) * float64(value[i])
				}
				if !s.linear && unit < 0 {
					unit *= leak
				}
				f[k] += float64(p.a[at]) * unit
			}
		}
		for j := range s.d {
			if slices.Contains(x.targets[x.environment[row]], j) {
				continue
			}
			e := float64(value[j]) - float64(p.c[j])
			for k := range f {
				e -= v[j*s.m+k] * float64(p.l[k*s.d+j]) * f[k]
			}
			sd := math.Exp(float64(p.s[j]))
			sum += e*e/(2*sd*sd) + math.Log(sd*math.Sqrt(2*math.Pi))
		}
	}
	return sum
}

// The likelihood and its gradients equal the formula and its differences. Values that an intervention set do not count.
func TestGroupAgainstFormula(t *testing.T) {
	for _, s := range []shape{{4, 3, 2, false}, {5, 2, 1, true}} {
		x := noise(30, s.d)
		rng := rand.New(rand.NewPCG(3, 4))
		all := s.start(rng)
		for k := range all {
			all[k] += 0.2 * float32(rng.NormFloat64())
		}
		p, g := s.parts(all), newGroup(s, 12)
		for k := range int32(12) {
			g.rows = append(g.rows, k)
		}
		edges := s.d * s.m
		in, out := make([]float64, edges), make([]float64, edges)
		for k := range in {
			in[k], out[k] = rng.NormFloat64(), rng.NormFloat64()
		}
		w := newWeights(edges)
		w.set(in, out)
		g.mask.draw(&w, rand.NewPCG(5, 6))
		u, v := make([]float64, edges), make([]float64, edges)
		for k := range u {
			if g.mask.in[k] {
				u[k] = 1
			}
			if g.mask.out[k] {
				v[k] = 1
			}
			if u[k]+v[k] > 1 {
				t.Fatalf("%+v: column and factor %d have two edges", s, k)
			}
		}
		g.forward(x, p)
		value := func() float64 { return slow(s, x, g.rows, p, u, v) }
		if want := value(); math.Abs(g.loss-want) > 1e-4*want {
			t.Errorf("%+v: loss %v, want %v", s, g.loss, want)
		}
		const scale = 0.5
		g.backward(x, p, scale)
		to := s.parts(g.g)
		for k := range all {
			was := all[k]
			const step = 1e-4
			all[k] = was + step
			up := value()
			all[k] = was - step
			want := scale * (up - value()) / (2 * step)
			all[k] = was
			if at := k - len(p.w) - len(p.b); s.linear && at >= 0 && at < len(p.a) {
				want = 0 // the scale of a linear factor is fixed
			}
			if got := float64(g.g[k]); math.Abs(got-want) > 2e-2*max(0.1, math.Abs(want)) {
				t.Errorf("%+v: gradient %d is %v, want %v", s, k, got, want)
			}
		}
		if len(to.w) != s.d*s.m*s.hidden || len(to.s) != s.d {
			t.Errorf("%+v: %d weights, %d deviations", s, len(to.w), len(to.s))
		}
		differ := func(m *float64) float64 {
			was := *m
			*m = was + 1e-4
			up := value()
			*m = was - 1e-4
			down := value()
			*m = was
			return scale * (up - down) / 2e-4
		}
		for k := range u {
			byIn, byOut := differ(&u[k]), differ(&v[k])
			a, b := float64(g.mask.softIn[k]), float64(g.mask.softOut[k])
			wantIn, wantOut := a*(byIn-a*byIn-b*byOut), b*(byOut-a*byIn-b*byOut)
			if math.Abs(float64(g.inSlope[k])-wantIn) > 1e-2*max(0.1, math.Abs(wantIn)) || math.Abs(float64(g.outSlope[k])-wantOut) > 1e-2*max(0.1, math.Abs(wantOut)) {
				t.Errorf("%+v: slopes of pair %d are %v and %v, want %v and %v", s, k, g.inSlope[k], g.outSlope[k], wantIn, wantOut)
			}
		}
	}
}

// Masks have the frequencies of the softmax of the stretched logits, and soft masks are as frequently the largest case as the logits say.
func TestMaskFrequencies(t *testing.T) {
	in, out := []float64{0, 1, -2, mostLogit, -mostLogit}, []float64{0, -1, 0.5, -mostLogit, -mostLogit}
	w, k := newWeights(len(in)), newMask(len(in))
	w.set(in, out)
	rng := rand.NewPCG(1, 2)
	const n = 20000
	var into, from, soft [5]float64
	for range n {
		k.draw(&w, rng)
		for i := range in {
			if k.in[i] {
				into[i] += 1.0 / n
			}
			if k.out[i] {
				from[i] += 1.0 / n
			}
			if k.softIn[i] > max(k.softOut[i], 1-k.softIn[i]-k.softOut[i]) {
				soft[i] += 1.0 / n
			}
		}
	}
	for i := range in {
		a, b := math.Exp(stretched(in[i])), math.Exp(stretched(out[i]))
		if math.Abs(into[i]-a/(1+a+b)) > 0.015 || math.Abs(from[i]-b/(1+a+b)) > 0.015 {
			t.Errorf("pair %d: %v in, %v out, want %v and %v", i, into[i], from[i], a/(1+a+b), b/(1+a+b))
		}
		a, b = math.Exp(in[i]), math.Exp(out[i])
		if math.Abs(soft[i]-a/(1+a+b)) > 0.015 {
			t.Errorf("pair %d: soft masks %v, want %v", i, soft[i], a/(1+a+b))
		}
	}
	if into[3] < 1-1e-9 || into[4] != 0 || from[4] != 0 {
		t.Error("an edge at a bound is not certain")
	}
}

// h is zero exactly if the graph of the columns is acyclic, and its gradient is that of differences, for every constraint.
func TestFactorGraph(t *testing.T) {
	const d, m = 6, 3
	rng := rand.New(rand.NewPCG(7, 8))
	cyclic := 0
	for _, name := range []Constraint{Exponential, PowerSum, Geometric} {
		set := New()
		set.Constraint = name
		g := newFactorGraph(d, m, set.Constraint.New())
		u, v := make([]float64, d*m), make([]float64, d*m)
		for range 200 {
			columns := graph.New(d)
			for k := range u {
				u[k], v[k] = 0, 0
				switch rng.IntN(4) {
				case 0:
					u[k] = 1
				case 1:
					v[k] = 1
				}
			}
			loop := false
			for i := range d {
				for j := range d {
					for k := range m {
						if u[i*m+k]*v[j*m+k] == 1 {
							if loop = loop || i == j; i != j {
								columns.AddEdge(i, j)
							}
						}
					}
				}
			}
			h, err := g.eval(u, v)
			if err != nil || (h == 0) != columns.IsAcyclic() || loop {
				t.Fatalf("%s: h = %v, %v; acyclic: %v", name, h, err, columns.IsAcyclic())
			}
			if h > 0 {
				cyclic++
			}
			if g.acyclic(u, v, 0.5) != columns.IsAcyclic() {
				t.Errorf("%s: acyclic differs", name)
			}
		}
		for k := range u {
			u[k], v[k] = 0.1+0.4*rng.Float64(), 0.1+0.4*rng.Float64()
		}
		must.Get(g.eval(u, v))
		into, out := slices.Clone(g.into), slices.Clone(g.out)
		differ := func(p *float64) float64 {
			was := *p
			*p = was + 1e-6
			up, _ := g.eval(u, v)
			*p = was - 1e-6
			down, _ := g.eval(u, v)
			*p = was
			return (up - down) / 2e-6
		}
		for k := range u {
			if a, b := differ(&u[k]), differ(&v[k]); math.Abs(a-into[k]) > 1e-5*max(1, a) || math.Abs(b-out[k]) > 1e-5*max(1, b) {
				t.Errorf("%s: gradients %v and %v, want %v and %v", name, into[k], out[k], a, b)
			}
		}
	}
	if cyclic == 0 || cyclic == 600 {
		t.Errorf("%d of 600 graphs have a cycle", cyclic)
	}
}

// With equal first probabilities M has a spectral radius of 1: h_exp is that of a complete graph with weights 1/(m-1).
func TestFirstConstraint(t *testing.T) {
	l := newLearner(New(), noise(40, 7), 1, 1)
	m := float64(l.shape.m)
	want := math.E + (m-1)*math.Exp(-1/(m-1)) - m
	if math.Abs(l.now-want) > 1e-9 {
		t.Errorf("h = %v, want %v", l.now, want)
	}
}

// Threads change nothing, and a decoded state continues as the original.
func TestThreadsAndState(t *testing.T) {
	set := New()
	set.Batch, set.Masks, set.Mechanism, set.Hidden, set.Factors = 12, 5, Network, 2, 3
	x := noise(60, 5)
	one, two := newLearner(set, x, 1, 1), newLearner(set, x, 1, 3)
	for range 150 {
		one.Advance()
		two.Advance()
	}
	if !bytes.Equal(one.Encode(), two.Encode()) {
		t.Error("threads change the state")
	}
	three := newLearner(set, x, 1, 1)
	must.Succeed(t, three.Decode(one.Encode()))
	for range 60 {
		one.Advance()
		three.Advance()
	}
	if !bytes.Equal(one.Encode(), three.Encode()) || one.now != three.now {
		t.Error("a decoded state continues differently")
	}
	if three.Decode(one.Encode()[:40]) == nil {
		t.Error("a damaged state is accepted")
	}
}

// three returns rows of 30 columns with three factors: of columns 0 to 4 for columns 10 to 17, of 5 to 9 for 18 to 24, and of 10 to 14 for 25 to
// 29. Each column has an environment that sets it. Factors are rectified if effects are not linear.
func three(n int, nonlinear bool) (*rows, *graph.Graph) {
	const d = 30
	rng := rand.New(rand.NewPCG(9, 10))
	spans := [][4]int{{0, 5, 10, 18}, {5, 10, 18, 25}, {10, 15, 25, 30}}
	truth := graph.New(d)
	for _, s := range spans {
		for i := s[0]; i < s[1]; i++ {
			for j := s[2]; j < s[3]; j++ {
				truth.AddEdge(i, j)
			}
		}
	}
	r := &network.EnvironmentRows{N: n, D: d, Targets: make([][]int, d+1)}
	for j := range d {
		r.Targets[j+1] = []int{j}
	}
	for i := range n {
		k, x := (d+1)*i/n, make([]float64, d)
		set := func(j int, mean, sd float64) {
			if x[j] = mean + sd*rng.NormFloat64(); j == k-1 {
				x[j] = 2 + rng.NormFloat64()
			}
		}
		for j := range 10 {
			set(j, 0, 1)
		}
		for _, s := range spans {
			f := 0.0
			for i := s[0]; i < s[1]; i++ {
				f += x[i] / 2
			}
			if nonlinear {
				f = 2 * max(f, 0)
			}
			for j := s[2]; j < s[3]; j++ {
				set(j, f*float64(1-j%2*2), 0.5)
			}
		}
		r.Values, r.Environment = append(r.Values, x...), append(r.Environment, k)
	}
	x := &rows{n: n, d: d, environment: r.Environment, targets: r.Targets}
	var err error
	if x.values, err = r.Standardized(make([]string, d), network.Unit); err != nil {
		panic(err)
	}
	x.divide(n)
	return x, truth
}

// Most edges through three factors are found, linear or not.
func TestFindsFactors(t *testing.T) {
	for _, mechanism := range []Mechanism{Linear, Network} {
		t.Run(string(mechanism), func(t *testing.T) { testFactors(t, mechanism) })
	}
}

func testFactors(t *testing.T, mechanism Mechanism) {
	set := New()
	set.Mechanism, set.Factors, set.Hidden, set.Patience, set.Constraint = mechanism, 5, 4, 1, Geometric
	x, truth := three(4000, mechanism == Network)
	l := newLearner(set, x, 1, 1)
	for l.step < 6000 && !l.Advance() {
	}
	into, out := l.probabilities()
	g, _ := network.Threshold(&method.Input{Moments: dataset.NewMoments(make([]string, x.d))}, product(x.d, set.Factors, into, out), 0.5)
	found := 0
	for _, e := range g.Edges() {
		if truth.HasEdge(e.From, e.To) {
			found++
		}
	}
	f1 := 2 * float64(found) / float64(truth.NumEdges()+g.NumEdges())
	t.Logf("F1 %.3f, %d of %d edges and %d others after %d steps", f1, found, truth.NumEdges(), g.NumEdges()-found, l.step)
	if f1 < 0.6 {
		t.Errorf("F1 is %v", f1)
	}
}

// An edge is as probable as the less probable of its halves, through the best factor.
func TestProduct(t *testing.T) {
	p := product(2, 2, []float64{0.9, 0.4, 0.2, 0.1}, []float64{0.1, 0.6, 0, 0.9})
	if got := p.At(0, 1); got != 0.6 {
		t.Errorf("p = %v, want 0.6", got)
	}
	if p.At(1, 0) != 0.1 || p.At(0, 0) != 0 {
		t.Errorf("p = %v", p.Data)
	}
}

// One row in five is held out, together with its copies, and at most about mostHeld rows.
func TestDivide(t *testing.T) {
	x := &rows{n: 20}
	x.divide(10)
	if !slices.Equal(x.held, []int32{4, 9, 14, 19}) || len(x.training) != 16 {
		t.Errorf("held out: %v", x.held)
	}
	x = &rows{n: 100 * mostHeld}
	if x.divide(x.n); len(x.held) != mostHeld {
		t.Errorf("%d rows are held out", len(x.held))
	}
	x = &rows{n: 2}
	if x.divide(2); len(x.held) != 2 || len(x.training) != 2 {
		t.Errorf("two rows: %v, %v", x.held, x.training)
	}
}

// TestSlopesOfThePenalty compares the gradient with differences of the penalty.
func TestSlopesOfThePenalty(t *testing.T) {
	set := New()
	set.Batch, set.Masks, set.Factors = 12, 3, 3
	l := newLearner(set, noise(60, 5), 1, 1)
	l.alpha, l.rho = 0.7, 3
	rng := rand.New(rand.NewPCG(3, 4))
	for k := range l.in {
		l.in[k], l.out[k] = rng.NormFloat64(), rng.NormFloat64()
	}
	l.measure()
	l.slopes(l.groups[0]) // before the first step the slopes of the loss are 0
	for _, side := range []struct {
		logits, got []float64
	}{{l.in, slices.Clone(l.slopeIn)}, {l.out, slices.Clone(l.slopeOut)}} {
		for k, at := range side.logits {
			const step = 1e-5
			side.logits[k] = at + step
			l.measure()
			above := l.penalty()
			side.logits[k] = at - step
			l.measure()
			must.Near(t, side.got[k], (above-l.penalty())/(2*step), 1e-7, "slope %d", k)
			side.logits[k] = at
		}
	}
}
