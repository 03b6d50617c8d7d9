package daggnn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/devicetest"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// elsewhere is a device that computes autoencoders on a local tape with the parameters S, Y and all others. It
// replies at most most times and fails every third time.
func elsewhere(t *testing.T, asked *int, most int) *device.Device {
	t.Helper()
	var c device.Coder
	values := func(blobs [][]byte) *device.Reply {
		tp := tape.New(1)
		x := tp.Input(c.Rows, c.Columns)
		copy(x.Value.Data, devicetest.Numbers(blobs[0]))
		s, y := tp.Param(c.Columns, c.Columns), tp.Param(c.Columns, c.Columns)
		l := layers{
			shift: tp.Param(1, 1),
			in:    tp.Param(1, c.Hidden), inBias: tp.Param(1, c.Hidden), out: tp.Param(c.Hidden, 1), outBias: tp.Param(1, 1),
			back: tp.Param(1, c.Hidden), backBias: tp.Param(1, c.Hidden), final: tp.Param(c.Hidden, 1), finalBias: tp.Param(1, 1),
		}
		shift := tp.Reshape(tp.Product(ones(tp, c.Rows*c.Columns), l.shift), c.Rows, c.Columns)
		e := tp.Add(perceptron(tp, x, l.in, l.inBias, l.out, l.outBias), shift)
		z := tp.Sub(tp.Sub(e, tp.Product(e, s)), shift)
		u := tp.Add(z, shift)
		if c.Noise {
			noise := tp.Input(c.Rows, c.Columns)
			copy(noise.Value.Data, devicetest.Numbers(blobs[4]))
			u = tp.Add(u, noise)
		}
		back := perceptron(tp, tp.Sub(tp.Product(u, y), shift), l.back, l.backBias, l.final, l.finalBias)
		out := tp.Scale(tp.Add(tp.SumSquares(tp.Sub(x, back)), tp.SumSquares(z)), 0.5)
		var theta []float64
		for _, b := range blobs[1:4] {
			theta = append(theta, devicetest.Numbers(b)...)
		}
		tp.Load(theta)
		loss, err := tp.Forward(out)
		if err != nil {
			t.Error(err)
		}
		tp.Backward(out, 1)
		grad, square := make([]float64, len(theta)), c.Columns*c.Columns
		tp.AddGradient(grad)
		return &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{loss}}}, Blobs: [][]byte{devicetest.Blob(grad[:square]), devicetest.Blob(grad[square : 2*square]), devicetest.Blob(grad[2*square:])}}
	}
	return devicetest.Unreliable(t, asked, most, func(q *device.Request) { c = *q.Problem.Coder }, values)
}

// TestAway checks that loss and gradient of a device equal those of the tape.
func TestAway(t *testing.T) {
	for _, noisy := range []bool{false, true} {
		m := model{columns: 4, hidden: 3, threads: 1}
		rng := rand.New(rand.NewPCG(1, 2))
		theta, batch := m.start(1), matrix.New[float64](7, 4)
		for e := range 16 {
			theta[e] = 0.1 * rng.NormFloat64()
		}
		for i := range batch.Data {
			batch.Data[i] = rng.NormFloat64()
		}
		g, noise := m.loss(7)
		if noisy {
			for i := range noise.Value.Data {
				noise.Value.Data[i] = rng.NormFloat64()
			}
		}
		g.X.Value.CopyFrom(batch)
		g.Load(theta)
		want, err := g.Forward(g.Out)
		must.Succeed(t, err)
		g.Backward(g.Out, 0.5)
		wanted, got := make([]float64, len(theta)), make([]float64, len(theta))
		g.AddGradient(wanted)
		asked := 0
		coding := must.Get(device.OpenCoding(device.Use(context.Background(), elsewhere(t, &asked, 1)), device.Coder{Rows: 7, Columns: 4, Hidden: 3, Noise: noisy}))
		a := newAway(coding, 4, 1, noise.Value)
		v, err := a.eval(batch, got, theta, 0.5)
		if err != nil || !(math.Abs(v-want) <= 1e-12*want) {
			t.Errorf("the loss is %v, want %v, %v", v, want, err)
		}
		for k := range got {
			if !(math.Abs(got[k]-wanted[k]) <= 1e-11*(1+math.Abs(wanted[k]))) {
				t.Errorf("noise %v, parameter %d: %v, want %v", noisy, k, got[k], wanted[k])
			}
		}
		if _, err := a.eval(batch, got, theta, 0.5); !errors.Is(err, network.ErrAway) {
			t.Errorf("a device that fails: %v", err)
		}
		clear(theta[:16])
		for _, e := range []int{0, 1, 4, 5} { // next to 1e17 the identity vanishes, so two rows of I - S are equal
			theta[e] = math.Asinh(1e17) / 3
		}
		if _, err := a.eval(batch, got, theta, 0.5); err == nil || errors.Is(err, network.ErrAway) || errors.Is(err, solve.ErrStuck) {
			t.Errorf("a graph without an inverse: %v", err)
		}
	}
}

// TestLearnElsewhere checks that a training with losses from a device agrees with the local one except for the
// last digits, and that a failed device ends it with an error.
func TestLearnElsewhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := matrix.New[float64](40, 3)
	for i := range 40 {
		a := rng.NormFloat64()
		b := a + rng.NormFloat64()
		copy(x.Row(i), []float64{a, b, math.Sin(b) + rng.NormFloat64()})
	}
	in := inputtest.Of(t, []string{"a", "b", "c"}, x)
	for _, sample := range []bool{false, true} {
		m := New()
		m.Steps, m.Batch, m.Hidden, m.Sample = 30, 12, 5, sample
		asked := 0
		ctx := device.Use(context.Background(), elsewhere(t, &asked, 100))
		here, err := m.Learn(context.Background(), in, nil)
		must.Succeed(t, err)
		there := must.Get(m.Learn(ctx, in, nil))
		for e, v := range here.Continuous.W.Data {
			if !(math.Abs(v-there.Continuous.W.Data[e]) <= 1e-9) {
				t.Errorf("sample %v, edge %d: %v, want %v", sample, e, there.Continuous.W.Data[e], v)
			}
		}
		if used, why := device.Used(ctx); !used || why != "" || asked != 30 || here.Continuous.Steps != 30 {
			t.Errorf("used %v, %q, asked %d times in %d steps", used, why, asked, here.Continuous.Steps)
		}
		ctx = device.Use(context.Background(), elsewhere(t, new(int), 5))
		if a, err := m.Learn(ctx, in, nil); a != nil || !errors.Is(err, network.ErrAway) {
			t.Errorf("a device that fails: %v, %v", a, err)
		}
	}
}
