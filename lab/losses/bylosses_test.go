package losses_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag/lab/losses"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/kit"
	"github.com/polydag/polydag/solve"
)

var _ solve.Parameters[float64] = (*losses.ByLosses[float64])(nil)

// mixedLosses are one of each.
var mixedLosses = []losses.Loss{
	losses.SquaredLoss{}, losses.LogisticLoss{}, losses.SoftmaxLoss{Levels: 4}, losses.PoissonLoss{}, losses.HuberLoss{Delta: 0.7},
}

// mixedRows draws a table for them in which each column depends on the one before.
func mixedRows(seed uint64, n int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 51))
	x := matrix.New[float64](n, len(mixedLosses))
	for i := range n {
		z := rng.NormFloat64()
		x.Set(i, 0, z)
		if rng.Float64() < 1/(1+math.Exp(-2*z)) {
			x.Set(i, 1, 1)
		}
		level := rng.IntN(4)
		if x.At(i, 1) == 1 && rng.Float64() < 0.6 {
			level = 2
		}
		x.Set(i, 2, float64(level))
		mean := 1.0
		if level == 2 {
			mean = 4
		}
		for p := rng.ExpFloat64(); p < mean; p += rng.ExpFloat64() {
			x.Set(i, 3, x.At(i, 3)+1)
		}
		x.Set(i, 4, x.At(i, 3)/3+rng.NormFloat64())
	}
	return x
}

func TestByLossesKeepsTheLaws(t *testing.T) {
	t.Run("float64", testByLossesLaws[float64])
	t.Run("float32", testByLossesLaws[float32])
}

func testByLossesLaws[T matrix.Float](t *testing.T) {
	for seed := range uint64(3) {
		s, err := losses.NewByLosses[T](mixedRows(seed, 300), mixedLosses, 1) // more than a block of rows
		must.Succeed(t, err)
		if err := kit.ScoreAt(s, randomTheta[T](s, seed)); err != nil {
			t.Error(err)
		}
	}
	for _, l := range mixedLosses { // each alone, so that no other hides it
		x := mixedRows(7, 40)
		one := matrix.New[float64](40, 2)
		for i := range 40 {
			for j := range 2 {
				switch v := x.At((i+7*j)%40, 3); l.(type) {
				case losses.LogisticLoss:
					one.Set(i, j, min(v, 1))
				case losses.SoftmaxLoss:
					one.Set(i, j, min(v, 3))
				default:
					one.Set(i, j, v)
				}
			}
		}
		s := must.Get(losses.NewByLosses[T](one, []losses.Loss{l, l}, 1))
		if err := kit.ScoreAt(s, randomTheta[T](s, 5)); err != nil {
			t.Errorf("%T: %v", l, err)
		}
	}
}

func randomTheta[T matrix.Float](s interface{ Shape() (int, int) }, seed uint64) *matrix.Dense[T] {
	rng := rand.New(rand.NewPCG(seed, 52))
	theta := matrix.New[T](s.Shape())
	for i := range theta.Data {
		theta.Data[i] = T(rng.NormFloat64() / 10)
	}
	return theta
}

// The slow twin: probabilities and densities row by row, as they are written down.
func TestByLossesAgainstTheRows(t *testing.T) {
	const n = 50
	x := mixedRows(3, n)
	s := must.Get(losses.NewByLosses[float64](x, mixedLosses, 2))
	theta := randomTheta[float64](s, 3)
	want := 0.0
	for i := range n {
		z := []float64{1, x.At(i, 0), x.At(i, 1), 0, 0, 0, x.At(i, 3), x.At(i, 4)}
		if l := int(x.At(i, 2)); l > 0 {
			z[2+l] = 1
		}
		eta := make([]float64, 7)
		for j := range eta {
			for k, v := range z {
				eta[j] += v * theta.At(k, j)
			}
		}
		want += (x.At(i, 0) - eta[0]) * (x.At(i, 0) - eta[0]) / 2
		p := 1 / (1 + math.Exp(-eta[1]))
		want -= math.Log(x.At(i, 1)*p + (1-x.At(i, 1))*(1-p))
		levels := []float64{1, math.Exp(eta[2]), math.Exp(eta[3]), math.Exp(eta[4])}
		want -= math.Log(levels[int(x.At(i, 2))] / (levels[0] + levels[1] + levels[2] + levels[3]))
		want += math.Exp(eta[5]) - x.At(i, 3)*eta[5]
		if r := math.Abs(x.At(i, 4) - eta[6]); r <= 0.7 {
			want += r * r / 2
		} else {
			want += 0.7 * (r - 0.35)
		}
	}
	if got, err := s.Eval(nil, theta); err != nil || !(math.Abs(got-want/n) <= 1e-12) {
		t.Errorf("F = %v (%v), the rows give %v", got, err, want/n)
	}
}

// A constraint on the lengths of blocks has the gradient that differences give, and a path of rising weights ends at an acyclic graph
// that explains the rows better than the empty one.
func TestByLossesSolved(t *testing.T) {
	s, d := smallMixed(t)
	h := solve.Through(&acyclic.Geometric[float64]{}, s, d)
	if err := kit.ScoreAt(h, randomTheta[float64](s, 6)); err != nil {
		t.Error(err)
	}
	path := solve.NewRising(solve.RisingSettings{First: 1e-2, Last: 1e3, Stages: 6, StageSteps: 60})
	problem := solve.Problem[float64]{D: d, Score: s, Constraint: h, Parameters: s, Forbidden: s.Zero(nil), Penalty: solve.MCP[float64]{Lambda: 0.05, Width: 0.5}}
	out := must.Get(solve.Run(context.Background(), problem, path, solve.NewAdam[float64](0.04), solve.Settings{Steps: path.Steps(), Retries: 20}, nil))
	empty := fitOrder(t, s, d, nil)
	if out.Last.H > 1e-3 || out.Last.Score > empty-0.1 {
		t.Errorf("h = %v and F = %v at the end of the path, without edges %v", out.Last.H, out.Last.Score, empty)
	}
}

// In a given order the problem is convex. OWL-QN solves it to a residual of 1e-6; the true order explains more than none.
func TestByLossesConvex(t *testing.T) {
	s, d := smallMixed(t)
	order := []int{0, 1, 2, 3, 4}
	if along, empty := fitOrder(t, s, d, order), fitOrder(t, s, d, nil); along > empty-0.2 {
		t.Errorf("F = %v in the order of the model, %v without edges", along, empty)
	}
}

func smallMixed(t *testing.T) (s *losses.ByLosses[float64], d int) {
	x := mixedRows(4, 300)
	for i := range x.Rows { // counts predict counts by way of an exponential: keep them small
		x.Set(i, 3, min(x.At(i, 3), 8))
	}
	s = must.Get(losses.NewByLosses[float64](x, mixedLosses, 1))
	return s, len(mixedLosses)
}

// fitOrder returns the least F with edges along the order, or with intercepts alone, and checks that its gradient vanishes.
func fitOrder(t *testing.T, s *losses.ByLosses[float64], d int, order []int) float64 {
	widths := []int{1, 1, 3, 1, 1}
	var column []int
	for v, w := range widths {
		for range w {
			column = append(column, v)
		}
	}
	mask := s.Zero(nil)
	p := len(column)
	for i, u := range column {
		for j, v := range column {
			if order == nil || u >= v {
				mask[(i+1)*p+j] = true
			}
		}
	}
	problem := solve.Problem[float64]{D: d, Score: s, Parameters: s, Forbidden: mask}
	out := must.Get(solve.Run(context.Background(), problem, solve.Constant{}, optimize.NewOWLQN[float64](1e-7), solve.Settings{Steps: 2000}, nil))
	grad := matrix.New[float64](p+1, p)
	must.Get(s.Eval(grad, out.Theta))
	for i, g := range grad.Data {
		if !mask[i] && !(math.Abs(g) <= 1e-6) {
			t.Errorf("order %v: entry %d of the gradient is %v at the end", order, i, g)
			break
		}
	}
	return out.Last.Score
}

func TestByLossesNamesWhatDoesNotFit(t *testing.T) {
	for _, c := range []struct {
		column int
		value  float64
		says   string
	}{
		{0, math.NaN(), "row 3, column 1: NaN is no finite number"},
		{1, 0.5, "row 3, column 2: 0.5 is not 0 or 1"},
		{2, 4, "row 3, column 3: 4 is no level of a column with levels 0 to 3"},
		{3, -1, "row 3, column 4: -1 is no count"},
		{4, math.Inf(1), "row 3, column 5: +Inf is no finite number"},
	} {
		x := mixedRows(1, 5)
		x.Set(2, c.column, c.value)
		if _, err := losses.NewByLosses[float64](x, mixedLosses, 1); !errors.Is(err, losses.ErrLoss) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("column %d: %v, want %q", c.column+1, err, c.says)
		}
	}
	if _, err := losses.NewByLosses[float64](mixedRows(1, 5), mixedLosses[:3], 1); !errors.Is(err, losses.ErrLoss) {
		t.Errorf("too few losses: %v", err)
	}
}

// TestZeroOfByLosses checks the entries of θ that stay zero: the blocks of the diagonal and of forbidden edges, never the intercepts.
func TestZeroOfByLosses(t *testing.T) {
	s := must.Get(losses.NewByLosses[float64](mixedRows(1, 40), mixedLosses, 1))
	d := len(mixedLosses)
	_, p := s.Shape()
	var of []int // the column of each function
	for v, l := range mixedLosses {
		for range l.Width() {
			of = append(of, v)
		}
	}
	forbidden := make([]bool, d*d)
	forbidden[0*d+2], forbidden[3*d+1] = true, true
	for _, mask := range [][]bool{nil, forbidden} {
		for k, got := range s.Zero(mask) {
			i, j := k/p-1, k%p
			if want := i >= 0 && (of[i] == of[j] || mask != nil && mask[of[i]*d+of[j]]); got != want {
				t.Errorf("entry %d, %d is zero: %v, want %v (forbidden edges: %v)", i+1, j, got, want, mask != nil)
			}
		}
	}
}
