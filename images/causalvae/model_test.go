package causalvae

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// slowLoss is the loss of one row by its definition. x has the pixels and then the labels.
func slowLoss(m model, theta, x, noise []float64) float64 {
	n := m.factors
	take := func(rows, cols int) *matrix.Dense[float64] {
		w := matrix.Of(rows, cols, theta[:rows*cols])
		theta = theta[rows*cols:]
		return w
	}
	a := take(n, n).Clone()
	for e := range a.Data {
		a.Data[e] *= edgeScale
	}
	first, firstBias, second, secondBias := take(n, n*m.mask), take(1, n*m.mask), take(n*m.mask, 1), take(1, n)
	rise := func(v float64) float64 { return max(v, leak*v) }
	network := func(in []float64, widths []int) []float64 {
		for k := 1; k < len(widths); k++ {
			w, b := take(widths[k-1], widths[k]), take(1, widths[k])
			out := slices.Clone(b.Data)
			for j := range out {
				for i, v := range in {
					out[j] += v * w.At(i, j)
				}
				if k < len(widths)-1 {
					out[j] = rise(out[j])
				}
			}
			in = out
		}
		return in
	}
	// solve returns the solution of z = z·a + in, by repetition: a is small.
	solve := func(in []float64) []float64 {
		z := slices.Clone(in)
		for range 400 {
			next := slices.Clone(in)
			for j := range n {
				for i := range n {
					next[j] += z[i] * a.At(i, j)
				}
			}
			z = next
		}
		return z
	}
	pixels, u := x[:m.pixels], x[m.pixels:]
	code := network(pixels, m.widths()[0])
	eps, sum := make([]float64, n), 0.0
	for i := range n {
		eps[i] = code[i] + math.Exp(code[n+i]/2)*noise[i]
		sum += (code[i]*code[i] + math.Exp(code[n+i]) - code[n+i]) / 2
	}
	z, mean := solve(eps), solve(code[:n])
	variance := make([]float64, n)
	for i := range n {
		unit := make([]float64, n)
		unit[i] = 1
		for j, c := range solve(unit) {
			variance[j] += c * c * math.Exp(code[n+i])
		}
	}
	y := make([]float64, n)
	for i := range n {
		sum += ((mean[i]-u[i])*(mean[i]-u[i]) + variance[i] - code[n+i]) / 2
		g, linear := secondBias.At(0, i), 0.0
		for k := range m.mask {
			at := i*m.mask + k
			in := firstBias.At(0, at)
			for j := range n {
				in += first.At(j, at) * a.At(j, i) * z[j]
			}
			g += rise(in) * second.At(at, 0)
		}
		for j := range n {
			linear += u[j] * a.At(j, i)
		}
		y[i] = g + eps[i]
		sum += m.labels*(u[i]-linear)*(u[i]-linear) + m.masks*(z[i]-g)*(z[i]-g)
	}
	for k, v := range network(y, m.widths()[1]) {
		e := pixels[k] - 1/(1+math.Exp(-v))
		sum += e * e / (2 * m.noise * m.noise)
	}
	return sum
}

// TestLoss compares the loss with its definition, and its gradient with differences. The gradient of the first parameters is that
// through the causal layer, the mask layer and the supervision.
func TestLoss(t *testing.T) {
	m := model{factors: 3, pixels: 5, hidden: 4, mask: 2, noise: 0.3, labels: 0.7, masks: 1.3, threads: 1}
	theta := m.start(1)
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range theta {
		if theta[k] += 0.05 * rng.NormFloat64(); k < 9 {
			theta[k] = 0.2 / edgeScale * rng.NormFloat64()
		}
	}
	const rows = 2
	g, noise := m.loss(rows)
	if g.Parameters() != len(theta) {
		t.Fatalf("%d parameters, want %d", len(theta), g.Parameters())
	}
	for _, x := range [][]float64{g.X.Value.Data, noise.Value.Data} {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	slow := func(theta []float64) (sum float64) {
		for i := range rows {
			sum += slowLoss(m, theta, g.X.Value.Row(i), noise.Value.Row(i))
		}
		return sum
	}
	g.Load(theta)
	v, err := g.Forward(g.Out)
	if want := slow(theta); err != nil || !(math.Abs(v-want) <= 1e-10*want) {
		t.Fatalf("%v, want %v, %v", v, want, err)
	}
	grad := make([]float64, len(theta))
	g.Backward(g.Out, 1)
	g.AddGradient(grad)
	for k := range theta {
		at := func(step float64) float64 {
			moved := slices.Clone(theta)
			moved[k] += step
			return slow(moved)
		}
		if diff := (at(1e-6) - at(-1e-6)) / 2e-6; !(math.Abs(diff-grad[k]) <= 1e-5*(1+math.Abs(diff))) {
			t.Errorf("parameter %d: gradient %v, differences %v", k, grad[k], diff)
		}
	}
}

// TestConstraints checks that each choice is zero without a cycle and positive with one.
func TestConstraints(t *testing.T) {
	m := model{factors: 2, pixels: 1, hidden: 1, mask: 1, threads: 1}
	for _, c := range []Constraint{Geometric, PowerSum, Exponential} {
		g := m.acyclic((&Settings{Constraint: c}).Constraint.New())
		theta := m.start(1)
		theta[1] = 0.5 / edgeScale
		for _, back := range []float64{0, 0.5 / edgeScale} {
			theta[2] = back
			g.Load(theta)
			if h, err := g.Forward(g.Out); err != nil || math.Abs(h) < 1e-12 != (back == 0) {
				t.Errorf("%s: h = %v, %v", c, h, err)
			}
		}
	}
}
