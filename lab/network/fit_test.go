package network

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// slowSquares is the sum of squares of a perceptron by its definition.
func slowSquares(p Perceptron, theta []float64, rows *Rows) float64 {
	d, m := p.Columns, p.Hidden
	bias, out, shift := theta[d*d*m:], theta[d*d*m+d*m:], theta[d*d*m+2*d*m:]
	sum := 0.0
	for at := 0; at < len(rows.kept); at += d {
		x := rows.kept[at : at+d]
		for j := range d {
			f := shift[j]
			for k := range m {
				a := bias[j*m+k]
				for i := range d {
					a += theta[(i*d+j)*m+k] * x[i]
				}
				f += out[j*m+k] / (1 + math.Exp(-a))
			}
			sum += (x[j] - f) * (x[j] - f)
		}
	}
	return sum
}

// TestDensity compares with the sum of squares, at variance 4.
func TestDensity(t *testing.T) {
	const n, d, m = 5, 3, 2
	p := Perceptron{d, m}
	theta := p.Start(3, false)
	x := make([]float64, n*d)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	g := p.Density(n, 1)
	g.Load(append(slices.Clone(theta), math.Log(4), math.Log(4), math.Log(4)))
	got, err := g.Run(matrix.Of(n, d, x), nil, 0)
	if want := -slowSquares(p, theta, &Rows{kept: x})/8 - n*d*math.Log(8*math.Pi)/2; err != nil || !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%v, want %v: %v", got, want, err)
	}
}

// TestFitScore compares both scores with their definition, and their gradients with differences.
func TestFitScore(t *testing.T) {
	ctx := context.Background()
	in, _ := table(300, 3, 1) // a whole batch and a part
	rows := must.Get(NewRows(ctx, in, Unit))
	p := Perceptron{Columns: 3, Hidden: 2}
	theta := p.Start(3, false)
	first, units := p.First(), 6
	for _, log := range []bool{false, true} {
		f := &Fit{Perceptron: p, Logarithm: log, Lambda2: 0.1, DecayAll: log}
		s := f.score(ctx, rows, 1)
		slow := func(theta []float64) float64 {
			v := slowSquares(p, theta, rows) / 600
			if log {
				v = 1.5 * math.Log(slowSquares(p, theta, rows)/300)
			}
			for k, w := range theta {
				if log || k < first || k >= first+units && k < first+2*units {
					v += 0.05 * w * w
				}
			}
			return v
		}
		grad := matrix.New[float64](1, len(theta))
		v, err := s.Eval(grad, matrix.Of(1, len(theta), theta))
		if err != nil || !(math.Abs(v-slow(theta)) <= 1e-12) {
			t.Fatalf("logarithm %v: %v, want %v, %v", log, v, slow(theta), err)
		}
		for k := range theta {
			at := func(x float64) float64 {
				moved := slices.Clone(theta)
				moved[k] = x
				return slow(moved)
			}
			if diff := (at(theta[k]+1e-5) - at(theta[k]-1e-5)) / 2e-5; !(math.Abs(diff-grad.Data[k]) <= 1e-7) {
				t.Errorf("logarithm %v, parameter %d: gradient %v, differences %v", log, k, grad.Data[k], diff)
			}
		}
	}
}

// TestAdjacency checks that W of a perceptron, and the gradient of h through it, equal those of its tape.
func TestAdjacency(t *testing.T) {
	p := Perceptron{Columns: 3, Hidden: 2}
	theta := matrix.Of(1, p.Parameters(), p.Start(3, false))
	direct := (*graphConstraint)(p.Acyclic(&acyclic.Exp[float64]{}, 1))
	through := solve.Through[float64](&acyclic.Exp[float64]{}, adjacency(p), 3)
	a, b := matrix.New[float64](1, p.Parameters()), matrix.New[float64](1, p.Parameters())
	v, err := direct.Eval(a, theta)
	w, err2 := through.Eval(b, theta)
	if err != nil || err2 != nil || !(math.Abs(v-w) <= 1e-12) || v < 0.1 {
		t.Fatalf("h = %v and %v, %v, %v", v, w, err, err2)
	}
	for k := range a.Data {
		if !(math.Abs(a.Data[k]-b.Data[k]) <= 1e-12) {
			t.Errorf("parameter %d: %v and %v", k, a.Data[k], b.Data[k])
		}
	}
}

func chainFit(steps int) *Fit {
	return &Fit{
		Name: "test", Perceptron: Perceptron{Columns: 3, Hidden: 4}, Lambda1: 0.01, Lambda2: 0.01, Constraint: &acyclic.Exp[float64]{},
		Schedule: NewAscent(1e-8, 1e16, 1e-6, 10, steps), Descent: optimize.NewOWLQN[float64](1e-6), Steps: steps,
	}
}

// TestFitFindsAChain checks that a chain of nonlinear effects is found, with the right directions and zeros
// elsewhere.
func TestFitFindsAChain(t *testing.T) {
	in, _ := table(300, 3, 1)
	a := must.Get(chainFit(3000).Learn(context.Background(), in, nil, Unit, 0.3))
	g := a.Graph.Directed()
	if g.NumEdges() != 2 || !g.HasEdge(0, 1) || !g.HasEdge(1, 2) {
		t.Errorf("edges %v, W %v", g.Edges(), a.Continuous.W.Data)
	}
	if a.Status != method.Converged || a.Continuous.H > 1e-8 || *a.Continuous.HThreshold != 0 {
		t.Errorf("%s, h %v and %v", a.Status, a.Continuous.H, *a.Continuous.HThreshold)
	}
}

// TestFitStopsWithinAnEvaluation checks that a run stopped within an evaluation saves no state at that moment
// and reports the stop.
func TestFitStopsWithinAnEvaluation(t *testing.T) {
	in, _ := table(300, 3, 1)
	rows, err := newRows(context.Background(), in, Unit, 30)
	must.Succeed(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	read, passes := in.Rows, 0
	in.Rows = func(c context.Context, each func(dataset.RowBatch) error) error {
		if passes++; passes == 20 {
			cancel()
		}
		return read(c, each)
	}
	after := 0
	at := stage.Point{Pause: func(func() []byte) {
		if ctx.Err() != nil {
			after++
		}
	}}
	found, err := chainFit(3000).solve(ctx, in, nil, rows, at)
	if err != nil || found.Status != solve.Canceled || after != 0 || !found.W.Finite() {
		t.Errorf("%+v, %v, %d states after the end", found, err, after)
	}
}

// TestConstraintIsNeverNaN checks at random points that h of the tape is finite or an error.
func TestConstraintIsNeverNaN(t *testing.T) {
	p := Perceptron{Columns: 4, Hidden: 2}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, h := range []solve.Constraint[float64]{&acyclic.Exp[float64]{}, &acyclic.LogDet[float64]{}} {
		c := (*graphConstraint)(p.Acyclic(h, 1))
		for scale := 1e-3; scale < 1e6; scale *= 10 {
			theta, grad := matrix.New[float64](1, p.Parameters()), matrix.New[float64](1, p.Parameters())
			for k := range theta.Data {
				theta.Data[k] = scale * rng.NormFloat64()
			}
			if v, err := c.Eval(grad, theta); err == nil && (v-v != 0 || !grad.Finite()) {
				t.Errorf("scale %v: %v", scale, v)
			}
		}
	}
}

// TestEvaluationsDoNotAllocate checks that the inner loop allocates nothing: an evaluation over kept rows
// allocates as often for one batch as for ten.
func TestEvaluationsDoNotAllocate(t *testing.T) {
	p := Perceptron{Columns: 3, Hidden: 2}
	theta := p.Start(3, false)
	grad := make([]float64, len(theta))
	count := func(rows int) float64 {
		in, _ := table(rows, 3, 1)
		r := must.Get(NewRows(context.Background(), in, Unit))
		s := NewSum(r, func(n int) *Graph { return p.Squares(n, 1) })
		return testing.AllocsPerRun(5, func() {
			must.Get(s.Eval(context.Background(), grad, theta))
		})
	}
	if one, ten := count(batchRows), count(10*batchRows); ten > one {
		t.Errorf("one batch allocates %v times, ten %v", one, ten)
	}
}
