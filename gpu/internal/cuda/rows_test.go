package cuda

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/lab/losses"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/emulator"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// places are the devices of these tests: the emulator, and a GPU if there is one.
func places(t *testing.T, run func(t *testing.T, d *device.Device, most int)) {
	t.Run("emulated", func(t *testing.T) {
		e := emulator.New()
		d := must.Get(serve(t, e))
		run(t, d, 1)
		if e.Err != nil {
			t.Error(e.Err)
		}
	})
	t.Run("card", func(t *testing.T) {
		d, err := device.Open(0)
		if err != nil {
			t.Skipf("no card to run on: %v", err)
		}
		defer d.Close()
		run(t, d, 40)
	})
}

// mixed is a table with columns of every loss, some of each.
func mixed[T matrix.Float](t *testing.T, rows, copies int) (*losses.ByLosses[T], solve.Problem[T]) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(rows)))
	var each []losses.Loss
	for range copies {
		each = append(each, losses.SquaredLoss{}, losses.LogisticLoss{}, losses.SoftmaxLoss{Levels: 4}, losses.PoissonLoss{}, losses.SoftmaxLoss{Levels: 2})
	}
	x := matrix.New[float64](rows, len(each))
	for i := range rows {
		last := 0.0
		for v, l := range each {
			value := rng.NormFloat64() + last/2
			switch l := l.(type) {
			case losses.LogisticLoss:
				value = float64(int(rng.Float64() + 0.5))
			case losses.SoftmaxLoss:
				value = float64(rng.IntN(l.Levels))
			case losses.PoissonLoss:
				value = float64(int(math.Exp(rng.NormFloat64() / 2)))
			}
			x.Set(i, v, value)
			last = value
		}
	}
	s := must.Get(losses.NewByLosses[T](x, each, 1))
	d := len(each)
	return s, solve.Problem[T]{D: d, Score: s, Constraint: solve.Through[T](&acyclic.Exp[T]{}, s, d), Parameters: s, Forbidden: s.Zero(nil), Penalty: solve.L1[T]{Lambda: 0.02}}
}

// nets is the obvious score of networks: a tenth of the sum of squares, row by row.
type nets struct {
	x      *matrix.Dense[float64]
	hidden int
}

func (s *nets) Perceptrons() (*matrix.Dense[float64], int) { return s.x, s.hidden }

func (s *nets) OfSquares(grad, _ *matrix.Dense[float64], squares float64) float64 {
	for k := range grad.Data {
		grad.Data[k] /= 10
	}
	return squares / 10
}

func (s *nets) Eval(grad, theta *matrix.Dense[float64]) (float64, error) {
	d, m := s.x.Cols, s.hidden
	units := d * m
	bias, out, shift := d*units, d*units+units, d*units+2*units
	at, sum := theta.Data, 0.0
	clear(grad.Data)
	for n := range s.x.Rows {
		x := s.x.Row(n)
		for j := range d {
			f, sigma := at[shift+j], make([]float64, m)
			for k := range m {
				eta := at[bias+j*m+k]
				for i := range d {
					eta += at[i*units+j*m+k] * x[i]
				}
				sigma[k] = 1 / (1 + math.Exp(-eta))
				f += at[out+j*m+k] * sigma[k]
			}
			r := x[j] - f
			sum += r * r
			grad.Data[shift+j] -= 2 * r
			for k, y := range sigma {
				grad.Data[out+j*m+k] -= 2 * r * y
				slope := -2 * r * at[out+j*m+k] * y * (1 - y)
				grad.Data[bias+j*m+k] += slope
				for i := range d {
					grad.Data[i*units+j*m+k] += slope * x[i]
				}
			}
		}
	}
	return s.OfSquares(grad, theta, sum), nil
}

// flat is a row of parameters without W.
type flat struct{ n int }

func (f flat) Shape() (int, int)                    { return 1, f.n }
func (flat) Adjacency(w, _ *matrix.Dense[float64])  { w.Zero() }
func (flat) Pull(grad, _, _ *matrix.Dense[float64]) { grad.Zero() }

func networks(rows, columns, hidden int) solve.Problem[float64] {
	rng := rand.New(rand.NewPCG(2, uint64(columns)))
	x, theta := matrix.New[float64](rows, columns), matrix.New[float64](1, columns*columns*hidden+2*columns*hidden+columns)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	for i := range theta.Data {
		theta.Data[i] = rng.NormFloat64() / 2
	}
	return solve.Problem[float64]{D: columns, Score: &nets{x, hidden}, Parameters: flat{len(theta.Data)}, Start: theta}
}

// agree runs a problem on the device, twice, and here.
func agree[T matrix.Float](t *testing.T, d *device.Device, name string, p solve.Problem[T], desc func() solve.Descent[T], tolerance float64) {
	t.Helper()
	run := func(ctx context.Context) (*solve.Result[T], []float64) {
		var scores []float64
		out, err := solve.RunAccelerated(ctx, p, optimize.NewSettling(1, 1, 0), desc(), solve.Settings{Steps: 4}, func(s solve.Step) { scores = append(scores, s.Score) })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return out, scores
	}
	ctx := device.Use(context.Background(), d)
	here, wanted := run(context.Background())
	there, got := run(ctx)
	if used, why := device.Used(ctx); !used || why != "" {
		t.Errorf("%s ran elsewhere: %s", name, why)
	}
	worst, moved := 0.0, 0.0
	for i, v := range here.Theta.Data {
		worst = max(worst, math.Abs(float64(v-there.Theta.Data[i])))
		moved = max(moved, math.Abs(float64(v)))
	}
	for i, v := range wanted {
		if !(math.Abs(v-got[i]) <= tolerance*(1+math.Abs(v))) {
			t.Errorf("%s, step %d: the score is %v, want %v", name, i, got[i], v)
		}
	}
	t.Logf("%s: parameters up to %.2g differ by %.2g after %d steps, and the score by %.2g", name, moved, worst, len(got)-1, math.Abs(got[len(got)-1]-wanted[len(got)-1]))
	if worst > tolerance || moved == 0 {
		t.Errorf("%s: parameters differ by %g", name, worst)
	}
	if again, _ := run(ctx); !slices.Equal(again.Theta.Data, there.Theta.Data) {
		t.Errorf("%s: a second run has other bytes", name)
	}
}

func adam[T matrix.Float]() solve.Descent[T] {
	a := solve.NewAdam[T](0.01)
	a.Eps = 0.1 // rounding of a gradient that is nearly zero must not decide a step
	return a
}

func owlqn[T matrix.Float]() solve.Descent[T] { return optimize.NewOWLQN[T](1e-5) }

// TestCardRows compares steps by scores of rows with those here: around the sizes of tiles, with one part of the rows and with several, in
// both precisions.
func TestCardRows(t *testing.T) {
	places(t, func(t *testing.T, d *device.Device, most int) {
		for _, size := range []struct{ rows, each int }{{2, 1}, {130, 1}, {67, 5}, {700, 13}} {
			if most == 1 && size.rows > 200 {
				continue
			}
			_, wide := mixed[float64](t, size.rows, size.each)
			agree(t, d, "losses", wide, adam[float64], 1e-11)
			if size.rows > 2 { // a line search along what rounding decides goes anywhere
				agree(t, d, "losses, OWL-QN", wide, owlqn[float64], 1e-9)
			}
			_, narrow := mixed[float32](t, size.rows, size.each)
			agree(t, d, "losses in single precision", narrow, adam[float32], 1e-5)
		}
		for _, size := range []struct{ rows, columns, hidden int }{{1, 2, 1}, {130, 3, 4}, {70, 9, 8}, {600, 64, 10}} {
			if most == 1 && size.rows > 200 {
				continue
			}
			agree(t, d, "networks", networks(size.rows, size.columns, size.hidden), adam[float64], 1e-11)
		}
	})
}

// TestCardFunctions compares the exponential, the sigmoid and the logarithm of the kernels with package math,
// in units of the last place. The logarithm is that of the logistic loss of a single row, log(1 + e^η) for η
// below zero.
func TestCardFunctions(t *testing.T) {
	var at []float64
	for _, v := range []float64{0, 1e-300, 1e-17, 1e-8, 0.1, 0.34657359, 0.34657360, 0.5, 1, 3, 10, 20, 36, 40, 100, 700, 709.4, 709.9, 745, 746, 800, 1e6} {
		at = append(at, v, -v)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for len(at) < 600 {
		at = append(at, 30*(2*rng.Float64()-1))
	}
	card := emulated(t, nil)
	rows := &device.Rows{N: len(at), Inputs: 4, Outputs: 3, Losses: []device.Loss{{Kind: device.PoissonLoss, Width: 1}, {Kind: device.LogisticLoss, Width: 1}, {Kind: device.SquaredLoss, Width: 1}}}
	s, err := newRowSession(card, device.Problem{Bits: 64, Batch: 1, Rows: rows})
	must.Succeed(t, err)
	table, theta := make([]float64, 0, 4*len(at)), make([]float64, 12)
	for _, v := range at {
		table = append(table, 1, 0, 0, v) // counts and classes are 0
	}
	theta[3*3+0], theta[3*3+1] = 1, 1 // both predictors are the third column
	must.Succeed(t, s.data([][]byte{bytesOf(table)}))
	must.Get(s.values([][]byte{bytesOf(theta)}))
	slopes := make([]float64, s.outputs*len(at))
	must.Succeed(t, card.down(bytesOf(slopes), s.base+uintptr(s.at[rowPredictors])))
	worst := [2]float64{}
	for i, v := range at {
		for j, want := range []float64{math.Exp(v), 1 / (1 + math.Exp(-v))} {
			got := slopes[i*s.outputs+j]
			if want == got || j == 0 && math.IsInf(want, 1) && math.IsInf(got, 1) {
				continue
			}
			if want < 1e-300 && math.Abs(got-want) < 1e-307 { // denormal results have fewer bits
				continue
			}
			units := math.Abs(got-want) / (math.Nextafter(want, math.Inf(1)) - want)
			if worst[j] = max(worst[j], units); !(units <= 3) {
				t.Errorf("function %d of %v is %v, want %v", j, v, got, want)
			}
		}
	}
	alone := must.Get(newRowSession(card, device.Problem{Bits: 64, Batch: 1, Rows: &device.Rows{N: 1, Inputs: 2, Outputs: 1, Losses: []device.Loss{{Kind: device.LogisticLoss, Width: 1}}}}))
	must.Succeed(t, alone.data([][]byte{bytesOf([]float64{1, 0})}))
	logarithm := 0.0
	for i, v := range at {
		if v > 0 || v < -700 || i > 150 {
			continue
		}
		reply, err := alone.values([][]byte{bytesOf([]float64{v, 0})})
		if err != nil || reply.Stuck[0] {
			t.Fatal(reply, err)
		}
		got, want := reply.Points[0][0][0], math.Log1p(slopes[i*s.outputs])
		units := math.Abs(got-want) / (math.Nextafter(want, math.Inf(1)) - want)
		if logarithm = max(logarithm, units); !(units <= 2) {
			t.Errorf("log(1 + e^%v) is %v, want %v", v, got, want)
		}
	}
	t.Logf("the exponential is off by at most %v units in the last place, the sigmoid by %v, the logarithm by %v", worst[0], worst[1], logarithm)
}

func bytesOf(x []float64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x)) }
