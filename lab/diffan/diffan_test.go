package diffan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// output evaluates the network by its definition.
func output(n *denoiser, x []float64, level float64) []float64 {
	layer := func(w *matrix.Dense[float64], b, in []float64, f func(float64) float64) []float64 {
		out := slices.Clone(b)
		for k := range out {
			for i, v := range in {
				out[k] += v * w.At(i, k)
			}
			out[k] = f(out[k])
		}
		return out
	}
	same := func(v float64) float64 { return v }
	y := layer(n.first, n.bias1, append(slices.Clone(x), level), math.Tanh)
	return layer(n.third, n.bias3, layer(n.second, n.bias2, y, math.Tanh), same)
}

func parameters(d, hidden int) int { return (d+2)*hidden + (hidden+1)*hidden + (hidden+1)*d }

// TestDiagonal compares with differences of the updated score, whose Jacobian is itself computed by differences. The slope of a removed
// leaf is the least one if the network has a smaller one, and then constant.
func TestDiagonal(t *testing.T) {
	for _, sign := range []float64{1, -1} {
		testDiagonal(t, sign)
	}
}

func testDiagonal(t *testing.T, sign float64) {
	t.Helper()
	const d, hidden, step = 4, 6, 1e-4
	rng := rand.New(rand.NewPCG(1, 2))
	theta, x := make([]float64, parameters(d, hidden)), make([]float64, d)
	for i := range theta {
		theta[i] = rng.NormFloat64() / 2
	}
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	n := newDenoiser(d, hidden, theta)
	for l := range d { // a large slope of each entry by its own column, as a score has
		for k := range hidden {
			for i := range hidden {
				n.third.Data[k*d+l] += sign * n.first.At(l, i) * n.second.At(i, k)
			}
		}
	}
	matrix.Transpose(n.thirdRows, n.third)
	moved := func(x []float64, j int, by float64) []float64 {
		x = slices.Clone(x)
		x[j] += by
		return x
	}
	slope := func(x []float64, l, j int) float64 {
		return (output(n, moved(x, j, step), 0.3)[l] - output(n, moved(x, j, -step), 0.3)[l]) / (2 * step)
	}
	for _, gone := range [][]int{nil, {2}, {2, 0}} {
		left := []int{1, 3}
		updated := func(x []float64, j int) float64 {
			y := output(n, x, 0.3)
			u := y[j]
			for _, l := range gone {
				u -= y[l] * slope(x, l, j) / max(leastSlope, slope(x, l, l))
			}
			return u
		}
		two := matrix.New[float64](2, 2)
		n.diagonal(two, matrix.Of(2, d, append(make([]float64, d), x...)), 0.3, left, gone)
		got := two.Row(1)
		for i, j := range left {
			for _, l := range gone {
				if s := slope(x, l, l); (s < leastSlope) != (sign < 0) {
					t.Fatal("the slope of the test has the wrong size:", s)
				}
			}
			want := (updated(moved(x, j, 1e-3), j) - updated(moved(x, j, -1e-3), j)) / 2e-3
			if !(math.Abs(got[i]-want) <= 1e-3*(1+math.Abs(want))) {
				t.Errorf("sign %v, without %v, column %d: %v, want %v", sign, gone, j, got[i], want)
			}
		}
	}
}

// TestUpdateIsMarginal checks the update on a normal distribution: the network is its precision matrix, in the linear range of tanh, and
// without a leaf it is the precision matrix of the others.
func TestUpdateIsMarginal(t *testing.T) {
	const d, small = 3, 1e-4
	theta := make([]float64, parameters(d, d))
	n := newDenoiser(d, d, theta)
	precision := [d][d]float64{{2, -0.7, -0.3}, {-0.7, 1.5, -0.5}, {-0.3, -0.5, 1}}
	for i := range d {
		n.first.Set(i, i, small)
		n.second.Set(i, i, 1)
		for j := range d {
			n.third.Set(i, j, precision[i][j]/small)
		}
	}
	n = newDenoiser(d, d, theta)
	got := matrix.New[float64](1, 2)
	n.diagonal(got, matrix.Of(1, d, []float64{0.4, -0.2, 0.1}), 0, []int{0, 1}, []int{2})
	for j, v := range got.Data {
		if want := precision[j][j] - precision[j][2]*precision[2][j]/precision[2][2]; !(math.Abs(v-want) <= 1e-4) {
			t.Errorf("column %d: %v, want %v", j, v, want)
		}
	}
}

// TestSignal checks ᾱ_t against its definition at the ends.
func TestSignal(t *testing.T) {
	if got := signal(0); !(math.Abs(got-(1-1e-4)) <= 1e-12) {
		t.Error(got)
	}
	if got := signal(noiseSteps - 1); !(math.Abs(math.Log(got)+1.0119) <= 1e-3) { // Σ ln(1 - β_t)
		t.Error(math.Log(got))
	}
}

// table has the curves a → b → c.
func table(t *testing.T, rows int) *method.Input {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 8))
	x := matrix.New[float64](rows, 3)
	for i := range rows {
		row := x.Row(i)
		row[0] = rng.NormFloat64()
		row[1] = 2*math.Sin(2*row[0]) + rng.NormFloat64()
		row[2] = row[1]*row[1]/2 + rng.NormFloat64()
	}
	in := inputtest.Of(t, []string{"a", "b", "c"}, x)
	in.Threads, in.GraphOnly = 2, true
	return in
}

// TestOrder checks that the update of the score finds the order of two curves, and that a required edge overrules the data.
func TestOrder(t *testing.T) {
	for _, update := range []Update{Deciduous, Masked} {
		in := table(t, 600)
		m := New()
		m.Update, m.Steps, m.Hidden, m.Batch, m.Rate, m.Sample = update, 600, 24, 64, 0.01, 200
		a, err := m.Learn(t.Context(), in, nil)
		must.Succeed(t, err)
		if g := a.Graph.Directed(); update == Deciduous && (g.NumEdges() != 2 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2)) {
			t.Errorf("%s: %v", update, g.Edges())
		}
		if in.Knowledge, err = (knowledge.Spec{Require: []string{"c->a"}}).Resolve(in.Names()); err != nil {
			t.Fatal(err)
		}
		if a, err = m.Learn(t.Context(), in, nil); err != nil || !a.Graph.Directed().HasEdge(2, 0) {
			t.Errorf("%s: the required edge is missing: %v, %v", update, a, err)
		}
	}
}

// TestHeldOut checks that training rows and held-out rows are disjoint.
func TestHeldOut(t *testing.T) {
	x := matrix.New[float64](23, 1)
	for i := range x.Data {
		x.Data[i] = 100 * float64(i)
	}
	m := New()
	m.Batch, m.Hidden = 200, 2
	tr := newTraining(m, x, &method.Input{Threads: 1})
	for k := range tr.signals {
		tr.signals[k] = 1 // no noise
	}
	for _, held := range []bool{false, true} {
		tr.fill(rand.New(rand.NewPCG(1, 2)), held)
		for i := range m.Batch {
			if row := int(math.Round(tr.rows.At(i, 0) / 100)); (row%heldOut == 0) != held {
				t.Fatalf("held out %v: row %d", held, row)
			}
		}
	}
}

// TestTiesOfVotes draws networks in which two columns have two votes each: the one that the first level votes for is the leaf.
func TestTiesOfVotes(t *testing.T) {
	all, ties := levels, 0
	defer func() { levels = all }()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 9))
		theta, x := make([]float64, parameters(3, 4)), matrix.New[float64](6, 3)
		for i := range theta {
			theta[i] = 2 * rng.NormFloat64()
		}
		for i := range x.Data {
			x.Data[i] = rng.NormFloat64()
		}
		n, left := newDenoiser(3, 4, theta), []int{0, 1, 2}
		wins, first := make([]int, 3), -1
		for _, level := range all {
			levels = []int{level}
			one := votes(n, x, left, nil, false, 1)
			best := slices.Index(one, slices.Min(one))
			if wins[best]++; first < 0 {
				first = best
			}
		}
		if slices.Max(wins) != 2 || wins[first] != 2 || slices.Contains(wins, 1) {
			continue
		}
		levels = all
		both := votes(n, x, left, nil, false, 1)
		must.Same(t, slices.Index(both, slices.Min(both)), first, "seed", seed)
		ties++
	}
	if ties == 0 {
		t.Error("no votes are tied: the test is too narrow")
	}
}
