package continuous

import (
	"context"
	"errors"
	"math"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/released"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// relaxed is where the path ended. Its fields are exported for gob.
type relaxed struct {
	Status  method.Status
	Cause   string
	Warning string
	Steps   int
	H       float64
	W       *matrix.Dense[float64] // in units of standard deviations; small entries are zero
}

const (
	// beta1 and beta2 are Adam's decays; docs/evidence/continuous.md has the measurements.
	beta1, beta2 = 0.95, 0.99
	// ridge is added to the diagonal of the correlation matrix, so that columns which others determine have a likelihood.
	ridge = 1e-5
	// retries is how often in a row a step that leaves the domain is halved.
	retries = 40
	// settled is how many steps of Adam an entry may be from zero and still be zero: the penalty holds it there, and Adam
	// steps to and fro across it.
	settled = 3
)

// relax minimizes the Gaussian likelihood plus MCP plus μh along a path of rising μ,
//
//	½ Σ log r_j - log|det(I - W)| + MCP(W) - μ log det(I - W∘W),   r_j = [(I - W)ᵀ R (I - W)]_jj,
//
// on the correlation matrix R: nothing in it depends on a column's units or sign. A negative det(I - W) is a trap, since every DAG
// has 1 and the likelihood is infinite between. The log-determinant is infinite where the spectral radius of W∘W comes to 1, which
// for one cycle of two columns is the same border, and a step beyond is halved. Several cycles through one column can still cross.
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
		Penalty: solve.MCP[T]{Lambda: m.Lambda, Width: m.Width},
	}
	if in.Knowledge != nil {
		problem.Forbidden = in.Knowledge.Mask()
	}
	settings := solve.Settings{Steps: path.Steps(), Retries: retries, Pause: at.Pause, Resume: at.Resume}
	out, err := device.Run(ctx, problem, path, adam, settings, released.Watch(run, name, path.Steps()))
	if out == nil {
		return nil, err
	}
	r := &relaxed{Status: out.Status, Cause: method.Why(out.Cause), Steps: out.Last.Step, H: out.Last.H, W: matrix.Convert[float64](out.W)}
	if err != nil { // the last finite point is as good a start for the swaps as any
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

// stageSteps is the number of gradient steps of a stage: 60 up to 500 columns, and beyond fewer by the square of their number, at
// least 5. A step costs 5 products, and the swaps repair what fewer steps leave.
func (m *Method) stageSteps(d int) int {
	more := max(1, float64(d)/500)
	return m.StageSteps.Or(max(5, int(60/(more*more))))
}

// inUnits turns W from standard deviations to the units of the data: a weight says how many units of the effect a unit of the
// cause makes.
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
