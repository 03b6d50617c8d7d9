package cuda

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/gpu/internal/emulator"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// emulated is a card whose kernels are interpreted here, with the blocks of each launch in an order.
func emulated(t *testing.T, order func([]int)) *card {
	t.Helper()
	e := emulator.New()
	e.Order = order
	card := must.Get(openCard(e, 0))
	return card
}

// blob is a matrix as the card has it.
func blob(bits int, x *matrix.Dense[float64]) []byte {
	var out []byte
	for _, v := range x.Data {
		if bits == 32 {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(float32(v)))
		} else {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return out
}

// moments returns the moments of d dependent columns, and weights a W with entries of about the given size.
func moments(d int) *matrix.Dense[float64] {
	s := matrix.New[float64](d, d)
	for i := range d {
		for j := range d {
			s.Set(i, j, math.Pow(0.6, math.Abs(float64(i-j))))
		}
	}
	return s
}

func weights(d int, size float64) *matrix.Dense[float64] {
	rng, w := rand.New(rand.NewPCG(3, 4)), matrix.New[float64](d, d)
	for i := range w.Data {
		if i%(d+1) != 0 {
			w.Data[i] = size * rng.NormFloat64()
		}
	}
	return w
}

// begin opens a session with the moments and a W for each of its problems.
func begin(t *testing.T, card *card, pl *plan, w *matrix.Dense[float64]) *session {
	t.Helper()
	s := must.Get(open(card, pl))
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	})
	for p := range pl.Batch {
		must.Succeed(t, s.put(p, s.at[ptx.FrameS], blob(pl.Bits, moments(pl.D))))
		if pl.Masked {
			mask := matrix.New[float64](pl.D, pl.D)
			for i := range mask.Data {
				mask.Data[i] = float64(min(i%3, 1))
			}
			must.Succeed(t, s.put(p, s.at[ptx.FrameMask], blob(pl.Bits, mask)))
		}
		must.Succeed(t, s.load(p, blob(pl.Bits, w), s.zero(), s.zero(), 0, 0))
	}
	return s
}

// walk executes commands with the given numbers of steps and returns W and both moments of all problems.
func (s *session) walk(t *testing.T, commands ...int) []byte {
	t.Helper()
	c := &command{}
	for range s.Batch {
		c.now, c.rest = append(c.now, [3]float64{1, 0.3, 0}), append(c.rest, solve.Weights{Score: 1, A: 0.3})
	}
	for _, n := range commands {
		_, bad, err := s.points()
		if err == nil && !bad[0] {
			_, bad, err = s.advance(c, n-1)
		}
		if err != nil || bad[0] {
			t.Fatalf("%+v: stuck %v, %v", s.Problem, bad, err)
		}
	}
	var out []byte
	for p := range s.Batch {
		for _, m := range s.kept[:3] {
			b := must.Get(s.get(p, m))
			out = append(out, b...)
		}
	}
	return out
}

// small are problems of each score with constraints that compute in different ways, and with each penalty.
func small(d int) []device.Problem {
	var out []device.Problem
	penalties := []device.Penalty{device.NoPenalty, device.L1, device.MCP}
	for _, bits := range []int{32, 64} {
		for i, score := range []device.Score{device.LeastSquares, device.Gaussian, device.GaussianEqual} {
			for j, p := range []device.Problem{{Constraint: device.Geometric, Order: 16}, {Constraint: device.Exponential}, {Constraint: device.LogDeterminant, S: 0.9}} {
				p.D, p.Bits, p.Batch, p.Score, p.Penalty, p.Masked = d, bits, 1, score, penalties[(i+j)%3], j == 0
				p.Rate, p.Beta1, p.Beta2, p.Eps, p.Lambda, p.Width = 0.003, 0.9, 0.999, 0.1, 0.1, 0.6
				out = append(out, p)
			}
		}
	}
	return out
}

func planned(t *testing.T, p device.Problem) *plan {
	t.Helper()
	pl := must.Get(newPlan(p))
	return pl
}

// TestCommandsMayBeCut takes the same steps in commands of other lengths, which depend on the clock in a run: the same bytes.
func TestCommandsMayBeCut(t *testing.T) {
	t.Parallel()
	card, d := emulated(t, nil), 5
	for _, p := range small(d) {
		pl := planned(t, p)
		whole := begin(t, card, pl, weights(d, 0.1)).walk(t, 3)
		if cut := begin(t, card, pl, weights(d, 0.1)).walk(t, 1, 2); !bytes.Equal(whole, cut) {
			t.Errorf("%+v: commands of 1 and 2 steps have other bytes than one of 3", p)
		}
	}
}

// TestOthersMayComeLate evaluates a problem again because another one begins: it must continue with the same
// bytes.
func TestOthersMayComeLate(t *testing.T) {
	t.Parallel()
	card, d := emulated(t, nil), 5
	for _, p := range small(d)[3:9] {
		alone := begin(t, card, planned(t, p), weights(d, 0.1)).walk(t, 2)
		p.Batch = 2
		s := begin(t, card, planned(t, p), weights(d, 0.1))
		if _, bad, err := s.points(); err != nil || bad[0] || bad[1] {
			t.Fatal(bad, err)
		}
		must.Succeed(t, s.load(1, blob(p.Bits, weights(d, 0.2)), s.zero(), s.zero(), 0, 0))
		if both := s.walk(t, 2); !bytes.Equal(both[:len(alone)], alone) {
			t.Errorf("%+v: it has other bytes than alone", p)
		}
	}
}

// TestTilesAgree makes the products of a problem by tiles of each shape: the same bytes, since each sum has one order.
func TestTilesAgree(t *testing.T) {
	t.Parallel()
	card, d := emulated(t, nil), 17
	for _, bits := range []int{32, 64} {
		p := device.Problem{
			D: d, Bits: bits, Batch: 1, Score: device.Gaussian, Constraint: device.Geometric, Order: 16,
			Rate: 0.003, Beta1: 0.9, Beta2: 0.999, Eps: 0.1,
		}
		var first []byte
		for _, tile := range ptx.Tiles(bits) {
			pl := must.Get(planOn(tile, p))
			got := begin(t, card, pl, weights(d, 0.1)).walk(t, 2)
			if first == nil {
				first = got
			}
			if !bytes.Equal(first, got) {
				t.Errorf("%d bits: %s has other bytes than the smallest", bits, tile.Name())
			}
		}
	}
}

// TestCarefulLaunchesHelp moves W too far for the inverse, or to where the exponential needs more squarings. A
// plain evaluation must detect it, and the careful one must give the right h and inverse. If neither works, the
// problem is stuck.
func TestCarefulLaunchesHelp(t *testing.T) {
	t.Parallel()
	card, d := emulated(t, nil), 5
	cycle := matrix.New[float64](d, d) // I - W and I - W∘W are singular; exp(W∘W) is large if scaled
	cycle.Set(0, 1, 1)
	cycle.Set(1, 0, 1)
	scaled := func(by float64) *matrix.Dense[float64] {
		out := matrix.New[float64](d, d)
		for i, v := range cycle.Data {
			out.Data[i] = by * v
		}
		return out
	}
	for _, p := range small(d) {
		far, hopeless := weights(d, 0.25), cycle
		switch squares := p.Score == device.LeastSquares; {
		case squares && p.Constraint == device.Exponential:
			root := map[int]float64{32: 40, 64: 400}[p.Bits] // the spectral radius of W∘W
			far, hopeless = scaled(math.Sqrt(root)), scaled(math.Sqrt(2*root))
		case squares && p.Constraint == device.Geometric, p.Constraint == device.Exponential:
			continue // there is no inverse, or it has as many factors as in the careful launches
		}
		s := begin(t, card, planned(t, p), weights(d, 0.01))
		at := func(w *matrix.Dense[float64], evaluate func() ([][]solve.Point, []bool, error)) (solve.Point, bool) {
			must.Succeed(t, s.put(0, s.at[ptx.FrameW], blob(p.Bits, w)))
			points, bad, err := evaluate()
			must.Succeed(t, err)
			if bad[0] {
				return solve.Point{}, true
			}
			return points[0][0], false
		}
		if _, bad := at(far, func() ([][]solve.Point, []bool, error) { return s.evaluateThose(nil, false) }); !bad {
			t.Errorf("%+v: nobody noticed", p)
		}
		must.Succeed(t, s.load(0, blob(p.Bits, weights(d, 0.01)), s.zero(), s.zero(), 0, 0))
		got, bad := at(far, s.evaluateAll)
		if bad {
			t.Errorf("%+v: stuck", p)
			continue
		}
		if c := constraint(p); p.Constraint != device.LogDeterminant { // whose value follows its changes
			want, err := c.Eval(nil, far)
			if err != nil || !(math.Abs(got.H-want) <= map[int]float64{32: 1e-4, 64: 1e-10}[p.Bits]*want) {
				t.Errorf("%+v: h is %v, want %v, %v", p, got.H, want, err)
			}
		}
		if _, bad := at(hopeless, s.evaluateAll); !bad {
			t.Errorf("%+v: evaluated where it cannot be", p)
		}
	}
}

func (s *session) zero() []byte { return blob(s.Bits, matrix.New[float64](s.D, s.D)) }

// TestStuckStepsAreUndone takes steps that fail: the problem must return to its state, and its neighbor must
// not change.
func TestStuckStepsAreUndone(t *testing.T) {
	t.Parallel()
	card, d := emulated(t, nil), 5
	for i, p := range small(d) {
		if i%2 != 0 {
			continue // every constraint and every score, in either precision
		}
		alone := begin(t, card, planned(t, p), weights(d, 0.1)).walk(t, 1)
		p.Batch = 2
		s := begin(t, card, planned(t, p), weights(d, 0.1))
		s.rate[1] = 1e200
		before := must.Get(s.get(1, s.at[ptx.FrameW]))
		both := s.walk(t, 1)
		if !bytes.Equal(both[:len(alone)], alone) {
			t.Errorf("%+v: what was fine has other bytes than alone", p)
		}
		if !bytes.Equal(both[len(alone):][:len(before)], before) {
			t.Errorf("%+v: what was stuck is not back where it was", p)
		}
	}
}

// TestDeterminantsAreFollowed compares the tracked changes of log|det(I - W)| and log|det(sI - W∘W)| with
// determinants. The trapezoid rule has an error of third order.
func TestDeterminantsAreFollowed(t *testing.T) {
	t.Parallel()
	card, d := emulated(t, nil), 5
	p := small(d)[14] // Gaussian with log-det, in double
	if p.Bits != 64 || p.Score != device.Gaussian || p.Constraint != device.LogDeterminant {
		t.Fatalf("%+v", p)
	}
	s := begin(t, card, planned(t, p), weights(d, 0.1))
	c := &command{now: [][3]float64{{1, 0.3, 0}}, rest: []solve.Weights{{Score: 1, A: 0.3}}}
	if _, _, err := s.points(); err != nil {
		t.Fatal(err)
	}
	after, bad, err := s.advance(c, 1) // the point has the change of the first of two steps
	if err != nil || bad[0] {
		t.Fatal(bad, err)
	}
	again := begin(t, card, planned(t, p), weights(d, 0.1))
	walked := again.walk(t, 1)
	fresh, _, err := again.points() // at the start of a command nothing has changed
	must.Succeed(t, err)
	before, w := weights(d, 0.1), matrix.New[float64](d, d)
	for i := range w.Data {
		w.Data[i] = math.Float64frombits(binary.LittleEndian.Uint64(walked[8*i:]))
	}
	determinant := func(w *matrix.Dense[float64], shift float64, f func(float64) float64) float64 {
		n := matrix.New[float64](d, d)
		for i, v := range w.Data {
			n.Data[i] = -f(v)
		}
		for i := range d {
			n.Data[i*(d+1)] += shift
		}
		lu := matrix.LU[float64]{Threads: 1}
		must.Succeed(t, lu.Factor(n))
		out, _ := lu.LogAbsDet()
		return out
	}
	plain, square := func(w float64) float64 { return w }, func(w float64) float64 { return w * w }
	for _, v := range []struct {
		name      string
		got, want float64
	}{
		{"-log|det(I - W)|", after[0][0].Score - fresh[0][0].Score, determinant(before, 1, plain) - determinant(w, 1, plain)},
		{"h", after[0][0].H - fresh[0][0].H, determinant(before, p.S, square) - determinant(w, p.S, square)},
	} {
		if math.Abs(v.want) < 1e-5 || !(math.Abs(v.got-v.want) <= 1e-3*math.Abs(v.want)) {
			t.Errorf("%s changed by %v, want %v", v.name, v.got, v.want)
		}
	}
}
