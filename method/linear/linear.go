// Package linear provides the common parts of the published continuous methods for linear models. These are the
// solver as resumable stages, knowledge as zero entries, and the step from a weight matrix to a graph. Each
// method adds a score, a constraint and a schedule, with references.
package linear

import (
	"context"
	"errors"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Settings are the settings that all these methods share.
type Settings struct {
	L1        float64 // weight of the L1 penalty
	Threshold float64 // edges with an absolute weight at or below this are dropped
	Precision int     // bits of the solver's arithmetic, 64 or 32
}

func (s *Settings) Params(set *param.Set) {
	set.Float(&s.L1, "l1", "weight of the L1 penalty", param.AtLeast(0))
	set.Float(&s.Threshold, "threshold", "drop edges with an absolute weight at or below this", param.AtLeast(0))
	param.Bits(set, &s.Precision, "precision", "floating-point precision of the solver in bits")
}

// Info fills in the fields that these methods share.
func Info(i method.Info) method.Info {
	i.Needs, i.Gives, i.Knowledge, i.Continuous = method.Moments, graph.KindDAG, true, true
	i.About += " Its answer depends on the units of the columns, and on standardized data it finds little: compare it there, do not rely on it."
	return i
}

// LeastSquares returns the usual problem: least squares with an L1 penalty under a constraint.
func LeastSquares[T matrix.Float](in *method.Input, s Settings, h solve.Constraint[T]) solve.Problem[T] {
	return solve.Problem[T]{
		D: len(in.Names()), Score: squares[T](in.Moments.Covariance(), in.Threads), Constraint: h,
		Penalty: solve.L1[T]{Lambda: s.L1}, Forbidden: in.ForbiddenMask(),
	}
}

// squares returns the least squares of a covariance matrix.
func squares[T matrix.Float](s *matrix.Dense[float64], threads int) (f solve.Score[T]) {
	switch f := any(&f).(type) {
	case *solve.Score[float32]:
		*f = squares32(s, threads)
	case *solve.Score[float64]:
		*f = squares64(s, threads)
	}
	return f
}

// Adam returns the descent of solve.NewAdam.
func Adam[T matrix.Float](rate float64) (d solve.Descent[T]) {
	switch d := any(&d).(type) {
	case *solve.Descent[float32]:
		*d = adam32(rate)
	case *solve.Descent[float64]:
		*d = adam64(rate)
	}
	return d
}

// retries is the number of halvings of a step that leaves the domain before the run fails; 2⁻⁶⁰ of a step is
// below rounding.
const retries = 60

// A Course is one run of a method: one or more consecutive legs, each a run of the solver.
type Course struct {
	Name    string // name of the method
	Stage   *stage.Run
	Steps   int // largest number of steps of all legs together
	Threads int // threads for the passes over the parameters

	before int // steps of the legs so far
}

// Taken returns the steps of all legs so far.
func (c *Course) Taken() int { return c.before }

// A Leg is one run of the solver.
type Leg[T matrix.Float] struct {
	Name     string // name of the leg within its course; "" for the only leg
	Problem  solve.Problem[T]
	Schedule solve.Schedule
	Descent  solve.Descent[T]
	Steps    int  // largest number of steps
	Firm     bool // a step that leaves the domain is an error
}

// Do runs a leg, or returns its result from before an interruption. A step that leaves the domain of score or
// constraint is repeated with a shorter length, unless the leg is Firm. If the start cannot be evaluated, there is an error and no
// result. A run that failed later returns both.
func Do[T matrix.Float](ctx context.Context, c *Course, leg Leg[T]) (*solve.Result[T], error) {
	var out any
	var err error
	switch leg := any(leg).(type) {
	case Leg[float32]:
		out, err = do32(ctx, c, leg)
	case Leg[float64]:
		out, err = do64(ctx, c, leg)
	}
	return out.(*solve.Result[T]), err
}

// Variables, so that only this package compiles the parts of methods and not every method.
var (
	do32, do64           = do[float32], do[float64]
	finish32, finish64   = finish[float32], finish[float64]
	squares32, squares64 = newSquares[float32], newSquares[float64]
	adam32, adam64       = newAdam[float32], newAdam[float64]
)

func newSquares[T matrix.Float](s *matrix.Dense[float64], threads int) solve.Score[T] {
	return score.NewLeastSquares[T](s, threads)
}

func newAdam[T matrix.Float](rate float64) solve.Descent[T] { return solve.NewAdam[T](rate) }

func do[T matrix.Float](ctx context.Context, c *Course, leg Leg[T]) (*solve.Result[T], error) {
	watch := weighted.Watch(c.Stage, c.Name, c.Steps)
	observe := func(st solve.Step) {
		st.Step += c.before
		watch(st)
	}
	name := c.Name
	if leg.Name != "" {
		name += "/" + leg.Name
	}
	var failed error
	out, err := stage.Do(ctx, c.Stage, name, func(at stage.Point) (*solve.Result[T], bool, error) {
		var out *solve.Result[T]
		settings := solve.Settings{Steps: leg.Steps, Threads: c.Threads, Retries: retries, Pause: at.Pause, Resume: at.Resume}
		if leg.Firm {
			settings.Retries = 0
		}
		out, failed = solve.RunAccelerated(ctx, leg.Problem, leg.Schedule, leg.Descent, settings, observe)
		return out, failed == nil && out.Status != solve.Canceled, nil
	})
	if out == nil || err != nil {
		return nil, errors.Join(failed, err)
	}
	c.before += out.Last.Step
	return out, failed
}

// Finish returns the answer of a method from the result and the error of its last leg.
func Finish[T matrix.Float](in *method.Input, c *Course, f solve.Score[T], h solve.Constraint[T], out *solve.Result[T], failed error, threshold float64) (*method.Answer, error) {
	switch out := any(out).(type) {
	case *solve.Result[float32]:
		f, _ := any(f).(solve.Score[float32])
		h, _ := any(h).(solve.Constraint[float32])
		return finish32(in, c, f, h, out, failed, threshold)
	case *solve.Result[float64]:
		f, _ := any(f).(solve.Score[float64])
		h, _ := any(h).(solve.Constraint[float64])
		return finish64(in, c, f, h, out, failed, threshold)
	}
	return nil, failed
}

func finish[T matrix.Float](in *method.Input, c *Course, f solve.Score[T], h solve.Constraint[T], out *solve.Result[T], failed error, threshold float64) (*method.Answer, error) {
	if out == nil {
		return nil, failed
	}
	a, err := answer(in, c, f, h, out, threshold)
	return a, errors.Join(failed, err)
}

// answer thresholds the result of the last leg and adds the required edges. If the graph has cycles, it removes
// edges of small total weight that are not required. h is the constraint of the last leg. f is its score, or
// nil if that is not a function of W.
func answer[T matrix.Float](in *method.Input, c *Course, f solve.Score[T], h solve.Constraint[T], out *solve.Result[T], threshold float64) (*method.Answer, error) {
	w := matrix.Convert[float64](out.W)
	d := w.Rows
	required := in.RequiredGraph()
	heavy := 1.0 // more than the sum of all entries
	for _, v := range w.Data {
		heavy += math.Abs(v)
	}
	weight := func(i, j int) float64 {
		if required.HasEdge(i, j) {
			return heavy + threshold
		}
		return w.At(i, j)
	}
	k := &method.Continuous{W: w, Steps: c.Taken(), H: math.Abs(out.Last.H), Threshold: threshold, Thresholded: graph.Threshold(d, weight, threshold)}
	k.HThreshold = weighted.Restricted(h, out.W, k.Thresholded)
	g := k.Thresholded
	if !g.IsAcyclic() {
		kept, cut, err := graph.BreakCycles(g, func(e graph.Edge) float64 { return weight(e.From, e.To) })
		if err != nil {
			return nil, err
		}
		if f != nil {
			if a, b := weighted.Restricted[T](f, out.W, g), weighted.Restricted[T](f, out.W, kept); a != nil && b != nil {
				cost := *b - *a
				k.CutCost = &cost
			}
		}
		g, k.Cut = kept, cut
	}
	return &method.Answer{
		Graph: g.Mixed(), Status: out.Status, Cause: method.Why(out.Cause),
		Score: out.Last.Score + out.Last.Penalty, Continuous: k, Edges: method.Weighted(g, w.At),
		Stages: []method.Stage{{Name: c.Name, Graph: g, H: &k.H}},
	}, nil
}

// Cost counts the matrices of a method in its own precision, those of the moments, and the products of a step.
func Cost(columns, bits, matrices, steps int, products float64) method.Cost {
	cube := 2 * float64(columns) * float64(columns) * float64(columns)
	return method.Cost{
		Bytes: method.Matrices(4, columns, 64) + method.Matrices(matrices, columns, bits),
		State: method.Matrices(3*matrices, columns, bits),
		Flops: float64(steps) * products * cube,
	}
}

// These are the matrices that Run needs with each descent: W and its last value, two gradients, and the state
// of the descent. With several legs, those of the previous leg may not be collected yet.
const (
	AdamMatrices  = 6
	OWLQNMatrices = 32
)
