package grandag

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/network"
)

// elsewhere is a local device that computes likelihoods, at most most times, and fails every third time.
func elsewhere(t *testing.T, asked *int, most int) *device.Device {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	numbers := func(b []byte) []float64 { return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), len(b)/8) }
	var r device.Rows
	values := func(blobs [][]byte) *device.Reply {
		d := r.Inputs - 1
		g := model{columns: d, hidden: r.Hidden, constant: r.Constant, threads: 1}.loss(r.N)
		table := matrix.Of(r.N, r.Inputs, numbers(blobs[1]))
		for i := range r.N { // without the ones
			if copy(g.X.Value.Row(i), table.Row(i)); table.At(i, d) != 1 || r.Leak != leak {
				t.Errorf("row %d went as %v, with the slope %v", i, table.Row(i), r.Leak)
			}
		}
		g.Load(numbers(blobs[0]))
		v, err := g.Forward(g.Out)
		if err != nil {
			t.Error(err)
		}
		g.Backward(g.Out, float64(d)) // the gradient of the likelihood alone
		grad := make([]float64, r.Parameters())
		g.AddGradient(grad)
		return &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{v * float64(d)}}}, Blobs: [][]byte{unsafe.Slice((*byte)(unsafe.Pointer(&grad[0])), 8*len(grad))}}
	}
	go func() {
		for {
			var q device.Request
			blobs, err := device.Receive(inR, &q, func() []int { return q.Sizes })
			if err != nil {
				_ = outW.CloseWithError(err)
				return
			}
			reply := &device.Reply{Session: 1}
			switch q.Op {
			case device.OpOpen:
				r = *q.Problem.Rows
			case device.OpValues:
				switch *asked++; {
				case *asked > most:
					reply = &device.Reply{Error: "CUDA_ERROR_UNKNOWN (999)"}
				case *asked%3 == 0:
					reply = &device.Reply{Stuck: []bool{true}}
				default:
					reply = values(blobs)
				}
			}
			for _, b := range reply.Blobs {
				reply.Sizes = append(reply.Sizes, len(b))
			}
			_ = device.Send(outW, reply, reply.Blobs)
		}
	}()
	d, err := device.Over(inW, outR)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
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
	moments, err := dataset.FromRows([]string{"a", "b", "c"}, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	in := &method.Input{Moments: moments, Seed: 1, Threads: 1}
	in.Rows = func(_ context.Context, each func([]float64) error) error { return each(x.Data) }
	for _, deviation := range []Deviation{Network, Constant} {
		m := New()
		m.Steps, m.Batch, m.Hidden, m.Deviation = 30, 12, 4, deviation
		asked := 0
		ctx := device.Use(context.Background(), elsewhere(t, &asked, 100))
		here, err := m.Learn(context.Background(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		there, err := m.Learn(ctx, in, nil)
		if err != nil {
			t.Fatal(err)
		}
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
