package sam

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// input returns a table of normal numbers, as a method gets it.
func input(t *testing.T, rows, columns int, spec knowledge.Spec) *method.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	x := matrix.New[float64](rows, columns)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return inputtest.Known(t, inputtest.Of(t, inputtest.Names(columns), x), spec)
}

// small returns a game with small networks, random parameters and drawn gates, and some rows.
func small(t *testing.T, spec knowledge.Spec, change func(*Method)) *game {
	m := New()
	m.Hidden, m.Critic, m.Batch, m.Steps = 2, 3, 4, 20
	change(m)
	in := input(t, 20, 3, spec)
	x := matrix.New[float64](20, 3)
	must.Succeed(t, in.Rows(t.Context(), func(b dataset.RowBatch) error { copy(x.Data, b.Values); return nil }))
	g := newGame(m, x, in)
	g.begin(0)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range g.logits {
		g.logits[i] = rng.NormFloat64()
	}
	g.draw(rng)
	return g
}

// TestModel compares both losses with slow versions, and the gradients with differences.
func TestModel(t *testing.T) {
	for _, loss := range []Loss{KL, JS} {
		g := small(t, knowledge.Spec{}, func(m *Method) { m.Loss = loss })
		m, d, h, q := g.model, 3, 2, 3
		slow := func(theta []float64) (critic, generators float64) {
			next := func(n int) []float64 {
				part := theta[:n]
				theta = theta[n:]
				return part
			}
			neurons, w, v, b, out, c := next(d*h), next(d*d*h), next(d*h), next(d*h), next(d*h), next(d)
			u1, b1, u2, b2, u3, b3 := next(d*q), next(q), next(q*q), next(q), next(q), next(1)
			rect := func(v float64) float64 { return max(v, leak*v) }
			judge := func(x []float64) float64 {
				var one, two [3]float64
				value := b3[0]
				for a := range q {
					one[a] = b1[a]
					for i := range d {
						one[a] += x[i] * u1[i*q+a]
					}
				}
				for a := range q {
					two[a] = b2[a]
					for k := range q {
						two[a] += rect(one[k]) * u2[k*q+a]
					}
					value += rect(two[a]) * u3[a]
				}
				return value
			}
			for n := range m.rows {
				x := slices.Clone(m.x.Value.Row(n))
				real := judge(x)
				if loss == KL {
					critic -= real / float64(m.rows)
				} else {
					critic += math.Log(1+math.Exp(-real)) / float64(m.rows)
				}
				for j := range d {
					made := c[j]
					for k := range h {
						sum := b[j*h+k] + v[j*h+k]*m.noise.Value.At(n, j)
						for i := range d {
							if m.open[(n*d+j)*d+i] {
								sum += w[(j*d+i)*h+k] * x[i]
							}
						}
						made += neurons[j*h+k] * out[j*h+k] * math.Tanh(sum)
					}
					other := slices.Clone(x)
					other[j] = made
					fake := judge(other)
					if loss == KL {
						critic += math.Exp(fake-1) / float64(m.rows*d)
						generators -= fake / float64(m.rows)
					} else {
						critic += math.Log(1+math.Exp(fake)) / float64(m.rows*d)
						generators += math.Log(1+math.Exp(-fake)) / float64(m.rows)
					}
				}
			}
			return critic, generators
		}
		must.Succeed(t, g.differentiate(0))
		if want, _ := slow(g.theta); math.Abs(g.value-want) > 1e-12 {
			t.Errorf("%s: the loss of the critic is %v, want %v", loss, g.value, want)
		}
		first := d*h + m.generators()
		for i, v := range g.theta {
			at := func(x float64) float64 {
				moved := slices.Clone(g.theta)
				moved[i] = x
				critic, generators := slow(moved)
				if i >= first {
					return critic
				}
				return generators
			}
			if want := (at(v+1e-6) - at(v-1e-6)) / 2e-6; math.Abs(g.grad[i]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s, parameter %d: gradient %v, differences %v", loss, i, g.grad[i], want)
			}
		}
	}
}

// TestDivergence checks the least losses: minus the divergence of distributions p and q on two points, at the critic that is best for them.
func TestDivergence(t *testing.T) {
	p, q := []float64{0.75, 0.25}, []float64{0.5, 0.5}
	kl, js := 0.0, 0.0
	for i := range p {
		kl += p[i] * math.Log(p[i]/q[i])
		mean := (p[i] + q[i]) / 2
		js += (p[i]*math.Log(p[i]/mean) + q[i]*math.Log(q[i]/mean)) / 2
	}
	for loss, want := range map[Loss]float64{KL: -kl, JS: 2*math.Log(2) - 2*js} {
		at := func(i int) float64 {
			if loss == KL {
				return 1 + math.Log(p[i]/q[i])
			}
			return math.Log(p[i] / q[i])
		}
		m := &model{loss: loss}
		fake, real := matrix.Of(4, 1, []float64{at(0), at(0), at(1), at(1)}), matrix.Of(4, 1, []float64{at(0), at(0), at(0), at(1)})
		got, err := m.divergence([]*matrix.Dense[float64]{matrix.New[float64](4, 1), matrix.New[float64](4, 1)}, []*matrix.Dense[float64]{fake, real})
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v, %v", loss, got, want, err)
		}
	}
}

// TestPenalty checks that h is 0 without cycles and about 1 for a cycle of two edges, its slopes, and that its weight grows from 0 in the
// second half.
func TestPenalty(t *testing.T) {
	for _, c := range []Constraint{Exponential, PowerSum, Geometric} {
		g := small(t, knowledge.Spec{}, func(m *Method) { m.Constraint = c })
		at := func(edges ...int) float64 {
			for e := range 9 {
				if g.logits[e] = -1000; slices.Contains(edges, e) {
					g.logits[e] = 1000
				}
			}
			must.Succeed(t, g.constrain())
			return g.h
		}
		if none, two := at(1, 2, 5), at(1, 3); none != 0 || two < 0.999 || two > 1.2 {
			t.Errorf("%s: h = %v of a DAG and %v of a cycle", c, none, two)
		}
		for e := range 9 {
			g.logits[e] = float64(e)/4 - 1
		}
		h := func(e int, logit float64) float64 {
			old := g.logits[e]
			defer func() { g.logits[e] = old }()
			g.logits[e] = logit
			must.Succeed(t, g.constrain())
			return g.h
		}
		for _, e := range []int{1, 3, 5} {
			want := (h(e, g.logits[e]+1e-5) - h(e, g.logits[e]-1e-5)) / 2e-5
			h(e, g.logits[e])
			p := sigmoid(g.logits[e])
			if got := g.slopeH(e) * p * (1 - p); math.Abs(got-want) > 1e-6 {
				t.Errorf("%s: slope %v of edge %d, want %v", c, got, e, want)
			}
		}
	}
	g := small(t, knowledge.Spec{}, func(m *Method) { m.Acyclicity = 6 })
	for step, want := range map[int]float64{0: 0, 10: 0, 15: 3, 20: 6} {
		if got := g.weight(step); math.Abs(got-want) > 1e-12 {
			t.Errorf("the weight of step %d is %v, want %v", step, got, want)
		}
	}
}

// TestGates checks the frequency of drawn gates, that those of required and forbidden edges are fixed, and the gradient of the logits.
func TestGates(t *testing.T) {
	g := small(t, knowledge.Spec{Require: []string{"x0->x1"}, Forbid: []string{"x2->x0"}}, func(m *Method) { m.Sparsity, m.Units = 0.5, 0.25 })
	rng := rand.New(rand.NewPCG(5, 6))
	count := make([]float64, len(g.logits))
	const draws = 2000
	for range draws {
		g.draw(rng)
		for i := range g.soft {
			count[9+i] += g.theta[i] / draws
		}
		for k, is := range g.model.open {
			if is {
				count[k%3*3+k/3%3] += 1 / float64(draws*g.model.rows)
			}
		}
	}
	for i, share := range count {
		want := sigmoid(g.logits[i])
		switch i {
		case 1:
			want = 1
		case 0, 4, 8, 6, 3: // of a column to itself, forbidden, and the reverse of a required edge
			want = 0
		}
		if math.Abs(share-want) > 0.04 {
			t.Errorf("gate %d is open in %v of the steps, want %v", i, share, want)
		}
	}
	must.Succeed(t, g.differentiate(0))
	for i, s := range g.soft {
		if want := (g.grad[i] + 0.25) * s; math.Abs(g.slope[9+i]-want) > 1e-15 {
			t.Errorf("the gradient of the logit of unit %d is %v, want %v", i, g.slope[9+i], want)
		}
	}
	for _, e := range []int{0, 1, 3, 4, 6, 8} {
		if g.slope[e] != 0 {
			t.Errorf("edge %d is fixed, and its gradient is %v", e, g.slope[e])
		}
	}
}

// TestCovariance compares the mean gradient of the logits over many draws with the difference of the expected losses. With one free gate per
// column the expected loss has two terms: the loss with the gate open and with it closed.
func TestCovariance(t *testing.T) {
	m := &model{d: 2, rows: 1000, fake: &tape.Node{Value: matrix.New[float64](2000, 1)}, open: make([]bool, 4000), loss: KL}
	p, rng := []float64{0, 0.3, 0.8, 0}, rand.New(rand.NewPCG(1, 2))
	with, without := []float64{0, 2, -1, 0}, []float64{0, 0.5, 1.5, 0} // values of the critic, by edge
	grad := make([]float64, 4)
	const repeats = 100
	for range repeats {
		for n := range m.rows {
			for e := range 4 {
				from, to := e/2, e%2
				is := rng.Float64() < p[e]
				m.open[(n*2+to)*2+from] = is
				if from == to {
					continue
				}
				v := without[e]
				if is {
					v = with[e]
				}
				m.fake.Value.Data[n*2+to] = v + rng.NormFloat64()/10
			}
		}
		m.covary(grad, p)
	}
	for e := range 4 {
		want := -(with[e] - without[e]) * p[e] * (1 - p[e]) // the loss is minus the value
		if got := grad[e] / repeats; math.Abs(got-want) > 0.01 {
			t.Errorf("edge %d: %v, want %v", e, got, want)
		}
	}
}

// TestGraph checks that a cycle is cut at its least probable edge, and that a required edge stays.
func TestGraph(t *testing.T) {
	g := small(t, knowledge.Spec{Require: []string{"x0->x1"}}, func(m *Method) { m.Runs = 1 })
	g.step = g.set.Steps
	clear(g.mean)
	g.mean[1*3+2], g.mean[2*3+0], g.mean[1*3+0], g.mean[0*3+2] = 0.9, 0.6, 0.7, 0.4
	found := must.Get(g.graph())
	if want := []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}}; !slices.Equal(found.Edges(), want) {
		t.Errorf("%v, want %v", found.Edges(), want)
	}
}

// TestMeanOfTheRuns checks that the probabilities of the last tenth of the steps of every run have the same weight.
func TestMeanOfTheRuns(t *testing.T) {
	g := small(t, knowledge.Spec{}, func(m *Method) { m.Runs = 2 })
	want := make([]float64, len(g.mean))
	for step := range 40 {
		must.Succeed(t, g.Advance(t.Context()))
		for e := range want {
			if step%20 >= 18 {
				want[e] += g.probability(e) / 4
			}
		}
	}
	for e, p := range want {
		must.Near(t, g.mean[e], p, 1e-12, "entry %d", e)
	}
}

// TestStepsDrawAgain checks that a repeated step draws the same rows, and another step other rows.
func TestStepsDrawAgain(t *testing.T) {
	rows := func(step int) []float64 {
		g := small(t, knowledge.Spec{}, func(*Method) {})
		g.step = step
		must.Succeed(t, g.Advance(t.Context()))
		return g.model.x.Value.Data
	}
	if !slices.Equal(rows(1), rows(1)) || slices.Equal(rows(1), rows(2)) {
		t.Error("the rows of a step are not its own")
	}
}
