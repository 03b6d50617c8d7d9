package joint

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

// family returns a column that is a function of the first three of six columns together and noise. The others are noisy copies of causes.
func family(n int, noise float64) *Family {
	rng := rand.New(rand.NewPCG(1, 2))
	f := &Family{Rows: matrix.New[float64](n, 7), Levels: make([]bool, 7), Weight: 1}
	for i := range n {
		row := f.Rows.Row(i)[1:]
		for j := range 3 {
			row[j] = rng.NormFloat64()
			row[3+j] = 5*row[j] + 5*rng.NormFloat64()
		}
		f.Rows.Row(i)[0] = 3*math.Tanh(row[0]+row[1]-row[2])*math.Cos(row[1]+row[2]) + noise*rng.NormFloat64()
	}
	return f
}

// TestNeeded checks that copies of causes are dropped and causes are not, that required parents stay, and that the seed and the rows
// determine the result.
func TestNeeded(t *testing.T) {
	f := family(LeastRows, 0.3)
	for range 2 {
		if got, err := f.Needed(t.Context(), 1); err != nil || !slices.Equal(got, []int{0, 1, 2}) {
			t.Fatalf("needed %v, %v", got, err)
		}
	}
	f.Required = []bool{false, false, false, false, true, false}
	if got, err := f.Needed(t.Context(), 2); err != nil || !slices.Contains(got, 4) {
		t.Fatalf("with a required parent: %v, %v", got, err)
	}
}

// TestNeededOfNoise checks that parents stay where the network fits no better than curves.
func TestNeededOfNoise(t *testing.T) {
	f := family(LeastRows, 0)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range f.Rows.Rows {
		f.Rows.Set(i, 0, rng.NormFloat64())
	}
	if got, err := f.Needed(t.Context(), 1); err != nil || len(got) != 6 {
		t.Errorf("needed %v, %v", got, err)
	}
}

// TestNeededStops checks that a stopped test returns the cause.
func TestNeededStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := family(LeastRows, 1).Needed(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestTake checks that a network without an input that is 0 in all rows has the same errors as with it.
func TestTake(t *testing.T) {
	f := family(300, 1)
	d := f.inputs()
	for i := range d.y {
		d.x.Set(i, 2, 0)
	}
	rows := make([]int, 300)
	for i := range rows {
		rows[i] = i
	}
	rng := rand.New(rand.NewPCG(5, 6))
	with := newNet(6)
	with.draw(rng)
	must.Succeed(t, with.fit(t.Context(), rng, d, rows, 2, rate))
	kept := []int{0, 1, 3, 4, 5}
	fewer := &data{x: matrix.New[float64](300, 5), y: d.y}
	for i := range d.y {
		for k, j := range kept {
			fewer.x.Set(i, k, d.x.At(i, j))
		}
	}
	without := newNet(5)
	without.take(with, kept)
	a, b := make([]float64, 300), make([]float64, 300)
	with.errors(a, d, rows)
	without.errors(b, fewer, rows)
	for i := range a {
		if !(math.Abs(a[i]-b[i]) <= 1e-12*(1+a[i])) {
			t.Fatalf("row %d: %v with the input, %v without", i, a[i], b[i])
		}
	}
}

// TestGradient compares backward with differences of the mean squared error.
func TestGradient(t *testing.T) {
	f := family(batch, 1)
	d, rows := f.inputs(), make([]int, batch)
	for i := range rows {
		rows[i] = i
	}
	n := newNet(6)
	n.draw(rand.New(rand.NewPCG(8, 9)))
	for k := range n.param[0].Data {
		n.param[0].Data[k] = float64(k) / 10
	}
	errors := make([]float64, batch)
	loss := func() float64 {
		n.errors(errors, d, rows)
		return mean(errors)
	}
	n.forward(d, rows)
	n.backward()
	grad := slices.Clone(n.grad)
	const step = 1e-6
	for k, w := range n.theta {
		n.theta[k] = w + step
		up := loss()
		n.theta[k] = w - step
		slope := (up - loss()) / (2 * step)
		n.theta[k] = w
		if !(math.Abs(grad[k]-slope) <= 1e-6*(1+math.Abs(slope))) {
			t.Fatalf("parameter %d has the derivative %v, want %v", k, grad[k], slope)
		}
	}
}

// TestStepsOfAdam compares fit with Adam as published (Kingma and Ba 2015: β₁ = 0.9, β₂ = 0.999, ε = 1e-8), at a rate that falls linearly to 0.
// Each step uses all rows, so that their order does not matter.
func TestStepsOfAdam(t *testing.T) {
	const steps = 5
	f := family(batch, 1)
	d, rows := f.inputs(), make([]int, batch)
	for i := range rows {
		rows[i] = i
	}
	rng := rand.New(rand.NewPCG(5, 7))
	got, want := newNet(6), newNet(6)
	got.draw(rng)
	copy(want.theta, got.theta)
	must.Succeed(t, got.fit(t.Context(), rng, d, rows, steps, 0.05))
	m, v := make([]float64, len(want.theta)), make([]float64, len(want.theta))
	for step := range steps {
		want.forward(d, rows)
		want.backward()
		for k := range want.theta {
			g := want.grad[k] + decay*want.theta[k]
			m[k], v[k] = 0.9*m[k]+0.1*g, 0.999*v[k]+0.001*g*g
			first, second := m[k]/(1-math.Pow(0.9, float64(step+1))), v[k]/(1-math.Pow(0.999, float64(step+1)))
			want.theta[k] -= 0.05 * (1 - float64(step)/steps) * first / (math.Sqrt(second) + 1e-8)
		}
	}
	for k, w := range want.theta {
		if !(math.Abs(got.theta[k]-w) <= 1e-7) {
			t.Fatalf("parameter %d is %v, want %v", k, got.theta[k], w)
		}
	}
}

// TestWorse compares errors that differ by 0 and 2 in turn: their mean is 1 with a standard error of 1/√(n·weight).
func TestWorse(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		weight, share float64
		want          bool
	}{{1, 0.01, true}, {0.1, 0.01, true}, {0.08, 0.01, false}, {1, 0.49, true}, {1, 0.51, false}} {
		a, b := &fitted{errors: make([]float64, n)}, &fitted{errors: make([]float64, n)}
		for i := range n {
			a.errors[i], b.errors[i] = 2, float64(2+2*(i%2))
		}
		if got := (&test{Family: &Family{Weight: c.weight}}).worse(a, b, c.share); got != c.want {
			t.Errorf("rows of weight %v, share %v: %v, want %v", c.weight, c.share, got, c.want)
		}
	}
}
