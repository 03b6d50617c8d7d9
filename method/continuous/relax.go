package continuous

import (
	"context"
	"errors"
	"math"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// relaxed is the result of the relaxation. Its fields are exported for gob.
type relaxed struct {
	Status  method.Status
	Cause   string
	Warning string
	Steps   int
	H       float64
	W       *matrix.Dense[float64] // for standardized columns; small entries are zero
}

const (
	// beta1 and beta2 are Adam's decays; docs/evidence/continuous.md gives the measurements.
	beta1, beta2 = 0.95, 0.99
	// ridge is added to the diagonal of the correlation matrix, so that the likelihood of collinear columns is
	// finite.
	ridge = 1e-5
	// retries is the number of consecutive halvings of a step that leaves the domain.
	retries = 40
	// settled is the distance from zero, in steps of Adam, below which an entry counts as zero. The penalty
	// keeps such an entry at zero, and Adam oscillates around it.
	settled = 3
)

// relax minimizes the Gaussian likelihood plus MCP plus μh along a path of increasing μ,
//
//	½ Σ log r_j - log|det(I - W)| + MCP(W) - μ log det(I - W∘W),   r_j = [(I - W)ᵀ R (I - W)]_jj,
//
// on the correlation matrix R, so the result does not depend on the units or signs of columns. A negative det(I
// - W) is a trap: every DAG has 1, and the likelihood is infinite in between. The log-determinant is infinite
// where the spectral radius of W∘W reaches 1. For one cycle of two columns this is the same boundary, and a
// step beyond is halved. Several cycles through one column can still cross it.
func relax[T matrix.Float](ctx context.Context, m *Method, in *method.Input, run *stage.Run, at stage.Point) (*relaxed, error) {
	s := in.Moments.Correlation()
	d := s.Rows
	for j := range d {
		s.Set(j, j, 1+ridge)
	}
	path := solve.NewRising(solve.RisingSettings{First: m.MuFirst, Last: m.MuLast, Stages: m.Stages, StageSteps: m.stageSteps(d)})
	if err := path.Validate(); err != nil {
		return nil, err
	}
	adam := solve.NewAdam[T](m.Rate)
	adam.Beta1, adam.Beta2 = beta1, beta2
	problem := solve.Problem[T]{
		D: d, Score: score.NewGaussian[T](s, false, in.Threads), Constraint: &acyclic.LogDet[T]{Threads: in.Threads},
		Penalty: solve.MCP[T]{Lambda: m.Lambda, Width: m.Width}, Forbidden: in.ForbiddenMask(),
	}
	settings := solve.Settings{Steps: path.Steps(), Retries: retries, Pause: at.Pause, Resume: at.Resume}
	out, err := solve.RunAccelerated(ctx, problem, path, adam, settings, weighted.Watch(run, name, path.Steps()))
	if out == nil {
		return nil, err
	}
	r := &relaxed{Status: out.Status, Cause: method.Why(out.Cause), Steps: out.Last.Step, H: out.Last.H, W: matrix.Convert[float64](out.W)}
	if err != nil { // the swaps can start from the last finite point
		if !errors.Is(err, score.ErrDomain) && !errors.Is(err, acyclic.ErrDomain) {
			return nil, err
		}
		r.Status, r.Cause, r.Warning = method.Completed, "", "the relaxation ended early: "+err.Error()
	}
	for i, w := range r.W.Data {
		if math.Abs(w) <= settled*m.Rate {
			r.W.Data[i] = 0
		}
	}
	return r, nil
}

func (m *Method) relax(ctx context.Context, in *method.Input, run *stage.Run, at stage.Point) (*relaxed, error) {
	if m.Precision == 32 {
		return relax[float32](ctx, m, in, run, at)
	}
	return relax[float64](ctx, m, in, run, at)
}

// stageSteps returns the number of gradient steps of a stage: 60 up to 500 columns, and beyond that fewer in
// proportion to d⁻², at least 5. A step costs 5 products, and the swaps correct the difference.
func (m *Method) stageSteps(d int) int {
	more := max(1, float64(d)/500)
	return m.StageSteps.Or(max(5, int(60/(more*more))))
}

// inUnits converts W from standardized columns to the units of the data.
func inUnits(w *matrix.Dense[float64], std []float64) *matrix.Dense[float64] {
	out := matrix.New[float64](w.Rows, w.Cols)
	for i := range w.Rows {
		for j, v := range w.Row(i) {
			if v != 0 {
				out.Set(i, j, v*std[j]/std[i])
			}
		}
	}
	return out
}
