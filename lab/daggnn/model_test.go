package daggnn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// slowLoss is the loss of rows by its definition, with noise added to z.
func slowLoss(m model, theta []float64, rows, noise [][]float64) float64 {
	d, h := m.columns, m.hidden
	s := matrix.New[float64](d, d)
	minus := matrix.New[float64](d, d)
	for e := range s.Data {
		s.Data[e] = math.Sinh(3 * theta[e])
		minus.Data[e] = -s.Data[e]
	}
	for i := range d {
		minus.Set(i, i, 1-s.At(i, i))
	}
	var lu matrix.LU[float64]
	if err := lu.Factor(minus); err != nil {
		panic(err)
	}
	inverse := matrix.New[float64](d, d)
	lu.Inverse(inverse)
	c := theta[d*d]
	encoder, decoder := theta[d*d+1:], theta[d*d+1+3*h+1:]
	net := func(p []float64, x float64) float64 {
		y := p[3*h]
		for k := range h {
			y += max(0, p[k]*x+p[h+k]) * p[2*h+k]
		}
		return y
	}
	times := func(row []float64, a *matrix.Dense[float64]) []float64 {
		out := make([]float64, d)
		for j := range d {
			for i := range d {
				out[j] += row[i] * a.At(i, j)
			}
		}
		return out
	}
	sum := 0.0
	for r, x := range rows {
		e := make([]float64, d)
		for j := range d {
			e[j] = net(encoder, x[j]) + c
		}
		z := times(e, minus)
		back := make([]float64, d)
		for j := range d {
			z[j] -= c
			sum += z[j] * z[j] / 2
			back[j] = z[j] + noise[r][j] + c
		}
		for j, v := range times(back, inverse) {
			far := x[j] - net(decoder, v-c)
			sum += far * far / 2
		}
	}
	return sum
}

// TestLoss compares the loss with its definition, and its gradient with differences, with and without noise.
func TestLoss(t *testing.T) {
	m := model{columns: 3, hidden: 4, threads: 1}
	theta := m.start(1)
	if len(theta) != m.parameters() {
		t.Fatalf("%d parameters, want %d", len(theta), m.parameters())
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := range theta {
		theta[k] += 0.05 * rng.NormFloat64()
	}
	rows := [][]float64{{0.5, -1, 2}, {1, 0.3, -0.7}}
	for _, noise := range [][][]float64{{{0, 0, 0}, {0, 0, 0}}, {{0.4, -1, 0.2}, {-0.3, 0.6, 1}}} {
		g, eps := m.loss(2)
		copy(g.X.Value.Data, slices.Concat(rows...))
		copy(eps.Value.Data, slices.Concat(noise...))
		g.Load(theta)
		v, err := g.Forward(g.Out)
		if want := slowLoss(m, theta, rows, noise); err != nil || !(math.Abs(v-want) <= 1e-12*(1+want)) {
			t.Fatalf("%v, want %v, %v", v, want, err)
		}
		grad := make([]float64, len(theta))
		g.Backward(g.Out, 1)
		g.AddGradient(grad)
		for k := range theta {
			at := func(x float64) float64 {
				moved := slices.Clone(theta)
				moved[k] = x
				return slowLoss(m, moved, rows, noise)
			}
			if diff := (at(theta[k]+1e-6) - at(theta[k]-1e-6)) / 2e-6; !(math.Abs(diff-grad[k]) <= 1e-6*(1+math.Abs(diff))) {
				t.Errorf("parameter %d: gradient %v, differences %v", k, grad[k], diff)
			}
		}
	}
}

// TestRate checks that the rate decreases with the logarithm of ρ, within limits, as in the authors' program.
func TestRate(t *testing.T) {
	for _, c := range [][2]float64{{1, 1e-2}, {10, 3e-3}, {1e3, 1e-3}, {1e40, 1e-4}} {
		if got := rateAt(3e-3, c[0]); !(math.Abs(got-c[1]) <= 1e-9) {
			t.Errorf("ρ = %v: rate %v, want %v", c[0], got, c[1])
		}
	}
}

// TestStart checks that the rectifiers of the encoder bend at different positions from the start, as in the
// authors' program, and those of the decoder do not.
func TestStart(t *testing.T) {
	m := model{columns: 3, hidden: 4}
	theta := m.start(1)[3*3+1:]
	encoder, decoder := theta[:3*4+1], theta[3*4+1:]
	bends := encoder[4:8]
	if slices.Contains(bends, 0) || slices.Max(bends) > 1 || slices.Min(bends) < -1 || !(math.Abs(encoder[12]) <= 0.5) || encoder[12] == 0 {
		t.Errorf("biases of the encoder %v and %v", bends, encoder[12])
	}
	if !slices.Equal(decoder[4:8], make([]float64, 4)) || decoder[12] != 0 {
		t.Errorf("biases of the decoder %v and %v", decoder[4:8], decoder[12])
	}
	if slices.Contains(slices.Concat(encoder[:4], encoder[8:12], decoder[:4], decoder[8:12]), 0) {
		t.Errorf("weights %v %v", encoder, decoder)
	}
}

// TestVarianceOfTheWeights checks that of Glorot and Bengio (2010), 2/(inputs + outputs).
func TestVarianceOfTheWeights(t *testing.T) {
	square := 0.0
	for _, w := range (model{columns: 1, hidden: 4999}).start(1)[2:5001] {
		square += w * w / 4999
	}
	must.Near(t, square*5000, 2, 0.2, "variance")
}
