package network

import (
	"context"
	"math"

	"github.com/polydag/polydag/lab/internal/curves"

	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/solve"
)

// A Fit fits a perceptron to all rows at once.
type Fit struct {
	Name       string
	Perceptron Perceptron
	// Logarithm selects the score d/2·ln(S/n) of the sum of squares S instead of S/(2n).
	Logarithm bool
	// Lambda1 is the weight of Σ|w| over the first layer. Lambda2 is the weight of ½Σw² over both layers and,
	// with DecayAll, also over the biases.
	Lambda1, Lambda2 float64
	DecayAll         bool
	Constraint       tape.Constraint
	Schedule         solve.Schedule
	Descent          solve.Descent[float64]
	Steps            int
	ZeroStart        bool // the first layer starts at zero
}

// Learn reads the rows, fits the perceptron, thresholds the norms of its first layer and describes the edges as curves.
func (f *Fit) Learn(ctx context.Context, in *method.Input, run *stage.Run, scale Scale, threshold float64) (*method.Answer, error) {
	rows, err := NewRows(ctx, in, scale)
	if err != nil {
		return Unread(ctx, in, f.Name, f.Constraint, err)
	}
	found, err := f.Run(ctx, in, run, rows)
	if found == nil {
		return nil, err
	}
	a := found.Answer(in, f.Name, threshold, f.Constraint)
	curves.Describe(ctx, in, a)
	return a, err
}

// Run fits the perceptron, or resumes an interrupted fit. It returns an error if a solve left the domain and
// shorter steps did not help; Found is then its last finite point.
func (f *Fit) Run(ctx context.Context, in *method.Input, run *stage.Run, rows *Rows) (*Found, error) {
	var failed error
	found, err := stage.Do(ctx, run, f.Name, func(at stage.Point) (*Found, bool, error) {
		var found *Found
		found, failed = f.solve(ctx, in, run, rows, at)
		return found, failed == nil && found.Status != solve.Canceled, nil
	})
	if err != nil {
		return nil, err
	}
	return found, failed
}

func (f *Fit) solve(ctx context.Context, in *method.Input, run *stage.Run, rows *Rows, at stage.Point) (*Found, error) {
	p := f.Perceptron
	s := f.score(ctx, rows, in.Threads)
	problem := solve.Problem[float64]{
		D:          p.Columns,
		Constraint: (*graphConstraint)(p.Acyclic(f.Constraint, in.Threads)),
		Start:      matrix.Of(1, p.Parameters(), p.Start(in.Seed, f.ZeroStart)),
		Forbidden:  p.Forbidden(in),
		Parameters: adjacency(p),
		Penalty:    optimize.PartialL1[float64]{Lambda: f.Lambda1, Where: firstLayer(p)},
		Score:      s,
	}
	settings := solve.Settings{Steps: f.Steps, Retries: 20, Resume: at.Resume}
	if at.Pause != nil {
		settings.Pause = func(state func() []byte) {
			if !s.stopped { // an interrupted evaluation must not be recorded
				at.Pause(state)
			}
		}
	}
	watch := weighted.Watch(run, f.Name, f.Steps)
	out, err := solve.RunAccelerated(ctx, problem, f.Schedule, f.Descent, settings, func(st solve.Step) {
		if !s.stopped {
			watch(st)
		}
	})
	switch {
	case s.stopped && out == nil:
		return Stopped(ctx, p.Columns), nil
	case s.stopped:
		out.Status, out.Cause, err = solve.Canceled, context.Cause(ctx), nil
	case out == nil:
		return nil, err
	}
	return &Found{
		W: out.W, Status: out.Status, Cause: method.Why(out.Cause), Steps: out.Last.Step,
		H: out.Last.H, Score: out.Last.Score + out.Last.Penalty,
	}, err
}

// fitScore is the smooth part of the objective of a Fit. It implements device.Networks, so that a device can
// compute its sum of squares.
type fitScore struct {
	*Fit
	rows    *Rows
	squares func(grad, theta []float64) (float64, error) // the sum of squares
	ended   func() error                                 // reason why evaluations ended
	stopped bool                                         // an evaluation was interrupted
}

func (f *Fit) score(ctx context.Context, rows *Rows, threads int) *fitScore {
	sum := NewSum(rows, func(n int) *Graph { return f.Perceptron.Squares(n, threads) })
	return &fitScore{Fit: f, rows: rows, ended: ctx.Err, squares: func(grad, theta []float64) (float64, error) { return sum.Eval(ctx, grad, theta) }}
}

func (s *fitScore) Eval(grad, theta *matrix.Dense[float64]) (float64, error) {
	var g []float64
	if grad != nil {
		g = grad.Data
	}
	squares, err := s.squares(g, theta.Data)
	if err != nil {
		s.stopped = s.stopped || s.ended() != nil
		return math.Inf(1), err
	}
	return s.OfSquares(grad, theta, squares), nil
}

// Perceptrons returns the rows if they are in memory, and the units of each network.
func (s *fitScore) Perceptrons() (*matrix.Dense[float64], int) {
	return s.rows.Kept(), s.Perceptron.Hidden
}

// OfSquares returns the score for the given sum of squares. If grad is not nil, it turns the gradient of the
// sum into that of the score.
func (s *fitScore) OfSquares(grad, theta *matrix.Dense[float64], squares float64) float64 {
	var g []float64
	if grad != nil {
		g = grad.Data
	}
	n := float64(s.rows.N)
	v, slope := squares/(2*n), 1/(2*n)
	if s.Logarithm {
		half := float64(s.Perceptron.Columns) / 2
		v, slope = half*math.Log(squares/n), half/squares
	}
	first, units := s.Perceptron.First(), s.Perceptron.Columns*s.Perceptron.Hidden
	for k := range g {
		g[k] *= slope
	}
	decay := func(from, to int) {
		for k, w := range theta.Data[from:to] {
			v += s.Lambda2 / 2 * w * w
			if g != nil {
				g[from+k] += s.Lambda2 * w
			}
		}
	}
	if s.DecayAll {
		decay(0, len(theta.Data))
	} else {
		decay(0, first)
		decay(first+units, first+2*units)
	}
	return v
}

// graphConstraint is a constraint evaluated on a tape.
type graphConstraint Graph

func (c *graphConstraint) Eval(grad, theta *matrix.Dense[float64]) (float64, error) {
	g := (*Graph)(c)
	g.Load(theta.Data)
	var dst []float64
	if grad != nil {
		dst = grad.Data
		clear(dst)
	}
	v, err := g.Run(nil, dst, 1)
	if err != nil {
		return math.Inf(1), err
	}
	return v, nil
}

// adjacency computes W from the parameters of a perceptron.
type adjacency Perceptron

func (a adjacency) Shape() (rows, cols int) { return 1, Perceptron(a).Parameters() }

func (a adjacency) Adjacency(w, theta *matrix.Dense[float64]) {
	for e := range w.Data {
		sum := 0.0
		for _, v := range theta.Data[e*a.Hidden : (e+1)*a.Hidden] {
			sum += v * v
		}
		w.Data[e] = math.Sqrt(sum)
	}
}

func (a adjacency) Pull(grad, gradW, theta *matrix.Dense[float64]) {
	w := matrix.New[float64](a.Columns, a.Columns)
	a.Adjacency(w, theta)
	clear(grad.Data)
	for e, norm := range w.Data {
		for k := e * a.Hidden; norm > 0 && k < (e+1)*a.Hidden; k++ {
			grad.Data[k] = gradW.Data[e] * theta.Data[k] / norm
		}
	}
}

// firstLayer marks the weights of the first layer.
func firstLayer(p Perceptron) []bool {
	mask := make([]bool, p.Parameters())
	for k := range p.First() {
		mask[k] = true
	}
	return mask
}
