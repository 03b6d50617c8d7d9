package cuda

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
)

// coded is the loss of an autoencoder by its definition, on a tape whose parameters are S, Y and the tail, one after the other.
func coded(c device.Coder, x, noise *matrix.Dense[float64]) (*tape.Tape, *tape.Node) {
	t := tape.New(1)
	given := func(m *matrix.Dense[float64]) *tape.Node {
		n := t.Input(m.Rows, m.Cols)
		n.Value.CopyFrom(m)
		return n
	}
	ones := matrix.New[float64](c.Rows*c.Columns, 1)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	s, y, shift := t.Param(c.Columns, c.Columns), t.Param(c.Columns, c.Columns), t.Param(1, 1)
	moved := t.Reshape(t.Product(given(ones), shift), c.Rows, c.Columns)
	var nets [2]func(*tape.Node) *tape.Node
	for i := range nets {
		in, b, out, bias := t.Param(1, c.Hidden), t.Param(1, c.Hidden), t.Param(c.Hidden, 1), t.Param(1, 1)
		nets[i] = func(x *tape.Node) *tape.Node {
			hidden := t.LeakyReLU(t.AddRow(t.Product(t.Reshape(x, c.Rows*c.Columns, 1), in), b), 0)
			return t.Reshape(t.AddRow(t.Product(hidden, out), bias), c.Rows, c.Columns)
		}
	}
	from := given(x)
	e := t.Add(nets[0](from), moved)
	z := t.Sub(t.Sub(e, t.Product(e, s)), moved)
	u := t.Add(z, moved)
	if noise != nil {
		u = t.Add(u, given(noise))
	}
	back := nets[1](t.Sub(t.Product(u, y), moved))
	return t, t.Scale(t.Add(t.SumSquares(t.Sub(from, back)), t.SumSquares(z)), 0.5)
}

// sameValues compares a value and its gradient with the wanted ones.
func sameValues(t *testing.T, what any, got, want float64, grad, wanted []float64) {
	t.Helper()
	worst, largest := 0.0, 0.0
	for i, v := range grad {
		worst, largest = max(worst, math.Abs(v-wanted[i])), max(largest, math.Abs(wanted[i]))
	}
	t.Logf("%+v: the value %.3g differs by %.2g, gradients up to %.3g by %.2g", what, want, math.Abs(got-want), largest, worst)
	if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) || worst > 1e-12*largest || largest == 0 {
		t.Errorf("%+v: the value is %v, want %v; gradients up to %g differ by %g", what, got, want, largest, worst)
	}
}

// TestCardCoders compares autoencoders with the tape: loss and every gradient, around the sizes of tiles, with noise and without.
func TestCardCoders(t *testing.T) {
	places(t, func(t *testing.T, d *device.Device, most int) {
		for _, c := range []device.Coder{{Rows: 1, Columns: 1, Hidden: 1}, {Rows: 30, Columns: 5, Hidden: 7, Noise: true}, {Rows: 70, Columns: 66, Hidden: 3}, {Rows: 600, Columns: 100, Hidden: 64, Noise: true}} {
			if most == 1 && c.Rows > 200 {
				continue
			}
			rng := rand.New(rand.NewPCG(4, uint64(c.Rows)))
			draw := func(rows, cols int, scale float64) *matrix.Dense[float64] {
				m := matrix.New[float64](rows, cols)
				for i := range m.Data {
					m.Data[i] = scale * rng.NormFloat64()
				}
				return m
			}
			x, s, y, tail := draw(c.Rows, c.Columns, 1), draw(c.Columns, c.Columns, 0.2), draw(c.Columns, c.Columns, 0.3), draw(1, c.Tail(), 0.5)
			var noise *matrix.Dense[float64]
			if c.Noise {
				noise = draw(c.Rows, c.Columns, 1)
			}
			tp, out := coded(c, x, noise)
			tp.Load(slices.Concat(s.Data, y.Data, tail.Data))
			want, err := tp.Forward(out)
			must.Succeed(t, err)
			tp.Backward(out, 1)
			grad := make([]float64, tp.Parameters())
			tp.AddGradient(grad)

			coding := must.Get(device.OpenCoding(device.Use(context.Background(), d), c))
			for range 2 { // nothing is left over from the first
				got := must.Get(coding.Eval(x, noise, s, y, tail.Data))
				sameValues(t, c, got.Loss, want, slices.Concat(got.S, got.Y, got.Tail), grad)
			}
			if err := coding.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestCoderPlan checks that the pieces are consecutive, and that invalid shapes are refused.
func TestCoderPlan(t *testing.T) {
	problem := func(c device.Coder) device.Problem {
		return device.Problem{Bits: 64, Batch: 1, Coder: &c}
	}
	for _, c := range []device.Coder{{Rows: 1, Columns: 1, Hidden: 1}, {Rows: 100, Columns: 100, Hidden: 64}, {Rows: 65, Columns: 200, Hidden: 10, Noise: true}} {
		pl := must.Get(newCoderPlan(problem(c)))
		table, square := 8*pl.rows*pl.columns, 8*pl.columns*pl.columns
		least := map[int]int{coderSentX: 8 * c.Rows * c.Columns, coderTail: 8 * c.Tail(), coderFoundSums: 24 * pl.columns, coderGrads: 3 * table, coderPartY: square, coderM: table, coderTurnedS: square}
		for piece, at := range append(pl.at, pl.bytes)[1:] {
			if size := at - pl.at[piece]; pl.at[piece]%256 != 0 || size < least[piece] || size < 8 {
				t.Errorf("%+v: piece %d has %d bytes, want %d", c, piece, size, least[piece])
			}
		}
		if n := len(pl.launches()); n != 21 && !c.Noise || n != 22 && c.Noise {
			t.Errorf("%+v: %d launches", c, n)
		}
	}
	for _, c := range []device.Coder{{Columns: 1, Hidden: 1}, {Rows: 1, Hidden: 1}, {Rows: 1, Columns: 1}, {Rows: 1 << 25, Columns: 100, Hidden: 3}} {
		if _, err := newCoderPlan(problem(c)); err == nil {
			t.Errorf("%+v was planned", c)
		}
	}
}

// TestCoderCalls checks that each driver error is named, everything is freed, and invalid requests are refused.
func TestCoderCalls(t *testing.T) {
	c := device.Coder{Rows: 3, Columns: 2, Hidden: 2}
	run := func(d *device.Device) error {
		coding, err := device.OpenCoding(device.Use(context.Background(), d), c)
		if err != nil {
			return err
		}
		_, err = coding.Eval(matrix.New[float64](3, 2), nil, matrix.New[float64](2, 2), matrix.New[float64](2, 2), make([]float64, c.Tail()))
		if closed := coding.Close(); err == nil {
			err = closed
		}
		return err
	}
	errorsAreNamed(t, run)
	f := newFake()
	d, err := serve(t, f)
	must.Succeed(t, err)
	if err := run(d); err != nil || len(f.memory) != 0 {
		t.Errorf("%v, %d pieces of memory left", err, len(f.memory))
	}
	f.free = 1 << 10
	if err := run(d); err == nil || !strings.Contains(err.Error(), "MiB") {
		t.Errorf("got %v, want an error with the memory that is needed and free", err)
	}
	card := must.Get(openCard(newFake(), 0))
	s := must.Get(newCoderSession(card, device.Problem{Bits: 64, Batch: 1, Coder: &c}))
	blobs := [][]byte{make([]byte, 48), make([]byte, 32), make([]byte, 32), make([]byte, 8*c.Tail())}
	if _, err := s.respond(&device.Request{Op: device.OpValues, Blobs: blobs}); err != nil {
		t.Error(err)
	}
	for _, q := range []*device.Request{{Op: device.OpLoad}, {Op: device.OpValues}, {Op: device.OpValues, Blobs: append(blobs[:3:3], nil)}, {Op: device.OpValues, Blobs: append(blobs[:4:4], blobs[0])}} {
		if _, err := s.respond(q); err == nil {
			t.Errorf("%s with %d matrices was taken", q.Op, len(q.Blobs))
		}
	}
}
