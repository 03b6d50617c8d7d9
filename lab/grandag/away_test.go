package grandag

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
	"github.com/polydag/polydag/matrix"
)

// elsewhere is a local device that computes likelihoods, at most most times, and fails every third time.
func elsewhere(t *testing.T, asked *int, most int) *device.Device {
	t.Helper()
	var r device.Rows
	values := func(blobs [][]byte) *device.Reply {
		d := r.Inputs - 1
		g := model{columns: d, hidden: r.Hidden, constant: r.Constant, threads: 1}.loss(r.N)
		table := matrix.Of(r.N, r.Inputs, devicetest.Numbers(blobs[1]))
		for i := range r.N { // without the ones
			if copy(g.X.Value.Row(i), table.Row(i)); table.At(i, d) != 1 || r.Leak != leak {
				t.Errorf("row %d went as %v, with the slope %v", i, table.Row(i), r.Leak)
			}
		}
		g.Load(devicetest.Numbers(blobs[0]))
		v, err := g.Forward(g.Out)
		if err != nil {
			t.Error(err)
		}
		g.Backward(g.Out, float64(d)) // the gradient of the likelihood alone
		grad := make([]float64, r.Parameters())
		g.AddGradient(grad)
		return &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{v * float64(d)}}}, Blobs: [][]byte{devicetest.Blob(grad)}}
	}
	return devicetest.Unreliable(t, asked, most, func(q *device.Request) { r = *q.Problem.Rows }, values)
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
	for _, deviation := range []Deviation{Network, Constant} {
		m := New()
		m.Steps, m.Batch, m.Hidden, m.Deviation = 30, 12, 4, deviation
		asked := 0
		ctx := device.Use(context.Background(), elsewhere(t, &asked, 100))
		here, err := m.Learn(context.Background(), in, nil)
		must.Succeed(t, err)
		there := must.Get(m.Learn(ctx, in, nil))
		for e, v := range here.Continuous.W.Data {
			if !(math.Abs(v-there.Continuous.W.Data[e]) <= 1e-9) {
				t.Errorf("deviation %v, edge %d: %v, want %v", deviation, e, there.Continuous.W.Data[e], v)
			}
		}
		if used, why := device.Used(ctx); !used || why != "" || asked != 30 || here.Continuous.Steps != 30 || !(math.Abs(here.Score-there.Score) <= 1e-9) {
			t.Errorf("used %v, %q, asked %d times in %d steps, scores %v and %v", used, why, asked, here.Continuous.Steps, here.Score, there.Score)
		}
		ctx = device.Use(context.Background(), elsewhere(t, new(int), 5))
		if a, err := m.Learn(ctx, in, nil); a != nil || !errors.Is(err, network.ErrAway) {
			t.Errorf("a device that fails: %v, %v", a, err)
		}
	}
}
