package cuda

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
)

// likelihood returns the likelihood of networks with two hidden layers, by its definition on a tape.
func likelihood(x *matrix.Dense[float64], hidden int, constant bool, leak float64) (*tape.Tape, *tape.Node) {
	t := tape.New(1)
	d, units := x.Cols, x.Cols*hidden
	from := t.Input(x.Rows, d)
	from.Value.CopyFrom(x)
	first, firstBias, second, secondBias := t.Param(d, units), t.Param(1, units), t.Param(units, hidden), t.Param(1, units)
	mean, shift, logs := t.Param(units, 1), t.Param(1, d), t.Param(1, d)
	a := t.LeakyReLU(t.AddRow(t.Product(from, first), firstBias), leak)
	b := t.LeakyReLU(t.AddRow(t.BlockProduct(a, second, d), secondBias), leak)
	s := logs
	if !constant {
		s = t.AddRow(t.BlockProduct(b, t.Param(units, 1), d), logs)
	}
	return t, t.Scale(t.NormalLogDensity(from, t.AddRow(t.BlockProduct(b, mean, d), shift), t.Scale(s, 2)), -1)
}

// TestCardDeep compares networks with two hidden layers with the tape: the likelihood of two batches, one after the other, and every gradient.
func TestCardDeep(t *testing.T) {
	places(t, func(t *testing.T, d *device.Device, most int) {
		for _, size := range []struct {
			rows, columns, hidden int
			constant              bool
		}{{1, 1, 1, false}, {64, 5, 4, false}, {70, 7, 10, true}, {200, 100, 10, false}} {
			if most == 1 && size.rows > 100 {
				continue
			}
			rng := rand.New(rand.NewPCG(6, uint64(size.rows)))
			coding := must.Get(device.OpenDeep(device.Use(context.Background(), d), size.rows, size.columns, size.hidden, size.constant, 0.01))
			for range 2 {
				x := matrix.New[float64](size.rows, size.columns)
				for i := range x.Data {
					x.Data[i] = rng.NormFloat64()
				}
				tp, out := likelihood(x, size.hidden, size.constant, 0.01)
				theta, grad, wanted := make([]float64, tp.Parameters()), make([]float64, tp.Parameters()), make([]float64, tp.Parameters())
				for i := range theta {
					theta[i] = 0.3 * rng.NormFloat64()
				}
				tp.Load(theta)
				want, err := tp.Forward(out)
				must.Succeed(t, err)
				tp.Backward(out, 1)
				tp.AddGradient(wanted)
				got := must.Get(coding.Eval(grad, theta, x))
				sameValues(t, size, got, want, grad, wanted)
			}
			if err := coding.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}
