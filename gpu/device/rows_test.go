package device_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/lab/losses"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// counted is a table of numbers, counts, classes and levels, with a descent along their losses.
func counted(t *testing.T, each ...losses.Loss) (solve.Problem[float64], *losses.ByLosses[float64]) {
	t.Helper()
	if each == nil {
		each = []losses.Loss{losses.SquaredLoss{}, losses.PoissonLoss{}, losses.LogisticLoss{}, losses.SoftmaxLoss{Levels: 3}}
	}
	x := matrix.New[float64](30, len(each))
	for i := range x.Data {
		x.Data[i] = float64(i * i % 7 % 2)
	}
	s := must.Get(losses.NewByLosses[float64](x, each, 1))
	d := len(each)
	return solve.Problem[float64]{
		D: d, Score: s, Constraint: solve.Through[float64](&acyclic.Exp[float64]{}, s, d), Parameters: s, Forbidden: s.Zero(nil), Penalty: solve.L1[float64]{Lambda: 0.01},
	}, s
}

// TestRowsFromElsewhere uses a local device that fails every third time. The run must agree with solve.Run
// except for the last digits, with line searches and with Adam.
func TestRowsFromElsewhere(t *testing.T) {
	p, s := counted(t)
	z, _ := s.Rows()
	for _, descent := range []func() solve.Descent[float64]{
		func() solve.Descent[float64] { return optimize.NewOWLQN[float64](1e-5) }, func() solve.Descent[float64] { return solve.NewAdam[float64](0.01) },
	} {
		asked, open := 0, 0
		dev := scripted(t, func(q device.Request) any {
			switch q.Op {
			case device.OpOpen:
				open++
				want := []device.Loss{{Kind: device.SquaredLoss, Width: 1}, {Kind: device.PoissonLoss, Width: 1}, {Kind: device.LogisticLoss, Width: 1}, {Kind: device.SoftmaxLoss, Width: 2}}
				if r := q.Problem.Rows; r == nil || r.N != 30 || r.Inputs != 6 || r.Outputs != 5 || r.Parameters() != 30 || !slices.Equal(r.Losses, want) {
					t.Errorf("opened %+v", q.Problem.Rows)
				}
			case device.OpClose:
				open--
			case device.OpData:
				table := numbers(q.Blobs[0])
				for i := range 30 {
					if table[6*i] != 1 || !slices.Equal(table[6*i+1:6*i+6], z.Row(i)) {
						t.Fatalf("row %d went as %v", i, table[6*i:6*i+6])
					}
				}
			case device.OpValues:
				if asked++; asked%3 == 0 {
					return &device.Reply{Stuck: []bool{true}}
				}
				grad := matrix.New[float64](6, 5)
				again, twin := counted(t)
				f, err := twin.Eval(grad, matrix.Of(6, 5, numbers(q.Blobs[0])))
				if err != nil || again.D != 4 {
					t.Error(err)
				}
				for i := range grad.Data {
					grad.Data[i] *= 30 // the gradient of the sum, not of the mean
				}
				return &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{30 * f}}}, Blobs: [][]byte{blob(grad.Data)}}
			}
			return &device.Reply{Session: 1}
		})
		run := func(ctx context.Context) *solve.Result[float64] {
			return ran(t, ctx, p, optimize.NewSettling(1, 1, 0), descent(), solve.Settings{Steps: 20})
		}
		ctx := device.Use(context.Background(), dev)
		there, here := run(ctx), run(context.Background())
		if worst := distance(here.Theta, there.Theta); worst > 1e-9 || !(math.Abs(here.Last.Score-there.Last.Score) <= 1e-12) || here.Last.H != 0 && !(math.Abs(here.Last.H-there.Last.H) <= 1e-9) {
			t.Errorf("parameters differ by %g, the points are %+v and %+v", worst, here.Last.Point, there.Last.Point)
		}
		if used, why := device.Used(ctx); !used || why != "" || asked < 10 || open != 0 {
			t.Errorf("used %v, %q, asked %d times, %d sessions left open", used, why, asked, open)
		}
	}
}

// TestRowsThatAreNone checks that every invalid reply gives an error, also in line searches, which normally
// treat an error as a step that is too long.
func TestRowsThatAreNone(t *testing.T) {
	p, _ := counted(t)
	full := make([]byte, 240)
	for name, answer := range map[string]any{
		"closed":         nil,
		"an error":       &device.Reply{Error: "CUDA_ERROR_UNKNOWN (999)"},
		"no point":       &device.Reply{Stuck: []bool{false}, Blobs: [][]byte{full}},
		"no matrix":      &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{}}}},
		"a short matrix": &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{}}}, Blobs: [][]byte{full[:8]}},
	} {
		for _, after := range []int{0, 3} {
			asked := 0
			dev := scripted(t, func(q device.Request) any {
				if q.Op != device.OpValues {
					return &device.Reply{Session: 1}
				}
				if asked++; asked > after {
					if r, ok := answer.(*device.Reply); ok {
						again := *r
						return &again
					}
					return answer
				}
				return &device.Reply{Stuck: []bool{true}}
			})
			out, err := solve.RunAccelerated(device.Use(context.Background(), dev), p, optimize.NewSettling(1, 1, 0), optimize.NewOWLQN[float64](1e-5), solve.Settings{Steps: 40}, nil)
			if err == nil || out != nil || asked > after+1 {
				t.Errorf("%s after %d: %v, asked %d times", name, after, err, asked)
			}
		}
	}
	// A non-finite value is not a reply either; the CPU evaluates it.
	full = slices.Clone(full)
	numbers(full)[3] = math.NaN()
	dev := scripted(t, func(q device.Request) any {
		if q.Op != device.OpValues {
			return &device.Reply{Session: 1}
		}
		return &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{1}}}, Blobs: [][]byte{full}}
	})
	run := func(ctx context.Context) *solve.Result[float64] {
		return ran(t, ctx, p, optimize.NewSettling(1, 1, 0), solve.NewAdam[float64](0.01), solve.Settings{Steps: 5})
	}
	if here, there := run(context.Background()), run(device.Use(context.Background(), dev)); !slices.Equal(here.Theta.Data, there.Theta.Data) {
		t.Error("a gradient that is not finite was taken")
	}
}

// unread is a score of networks whose rows are not in memory.
type unread struct{ *losses.ByLosses[float64] }

func (unread) Perceptrons() (*matrix.Dense[float64], int)                     { return nil, 3 }
func (unread) OfSquares(_, _ *matrix.Dense[float64], squares float64) float64 { return squares }

// TestRowsThatStayHere covers losses that no device supports, and rows that are not in memory.
func TestRowsThatStayHere(t *testing.T) {
	huber, _ := counted(t, losses.SquaredLoss{}, losses.HuberLoss{Delta: 1})
	elsewhere, s := counted(t)
	elsewhere.Score = unread{s}
	for why, p := range map[string]solve.Problem[float64]{"HuberLoss of column 2": huber, "read anew": elsewhere} {
		ctx := device.Use(context.Background(), scripted(t, func(q device.Request) any { return &device.Reply{} }))
		ran(t, ctx, p, optimize.NewSettling(1, 1, 0), solve.NewAdam[float64](0.01), solve.Settings{Steps: 2})
		if used, said := device.Used(ctx); used || !strings.Contains(said, why) {
			t.Errorf("used %v, and %q does not say %q", used, said, why)
		}
	}
}
