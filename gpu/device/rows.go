package device

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/lab/losses"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// Rows describes a score of rows to a device, without its numbers. X is the n × Inputs table with one column of
// ones, and the parameters form an Inputs × Outputs matrix. Their product gives the predictors. Without Hidden,
// each predictor enters the loss of a column. With Hidden, they enter networks with that many units, whose
// output layers are the remaining parameters.
type Rows struct {
	N       int
	Inputs  int // columns of X
	Outputs int // predictors per row
	Hidden  int // units in the network of each column

	Deep     bool // the networks have a second hidden layer and a likelihood; see Deep
	Constant bool // one variance per column
	Leak     float64

	Losses []Loss // losses of the columns if there are no networks; X then has ones in its first column and the predictor values in the others
}

// Middle returns the number of parameters between two hidden layers.
func (r *Rows) Middle() int {
	if !r.Deep {
		return 0
	}
	return r.Outputs * r.Hidden
}

// Tail returns the number of parameters after those. For one hidden layer, these are a weight per unit and a
// shift per column.
func (r *Rows) Tail() int {
	switch {
	case r.Hidden == 0:
		return 0
	case !r.Deep:
		return r.Outputs + r.Outputs/r.Hidden
	case r.Constant:
		return 2*r.Outputs + 2*r.Outputs/r.Hidden
	}
	return 3*r.Outputs + 2*r.Outputs/r.Hidden
}

// Parameters returns the number of all parameters.
func (r *Rows) Parameters() int { return r.Inputs*r.Outputs + r.Middle() + r.Tail() }

// Networks is a score of networks with one hidden layer of sigmoids, one network per column. It depends on the
// rows only through the sum of squares
//
//	Σ_rows Σ_j (x_j - f_j(x))²,   f_j(x) = Σ_k out_jk·σ(Σ_i first_ijk·x_i + bias_jk) + shift_j.
//
// The parameters are first, bias, out and shift; first is ordered by i, then j, then k.
type Networks[T matrix.Float] interface {
	solve.Score[T]
	// Perceptrons returns the rows, which neither side changes, and the units per network. The rows are nil if
	// they are not all in memory.
	Perceptrons() (rows *matrix.Dense[T], hidden int)
	// OfSquares returns the score at theta for the given sum of squares. It turns grad from the gradient of the
	// sum into that of the score.
	OfSquares(grad, theta *matrix.Dense[T], squares float64) float64
}

// LossKind is the name of a loss.
type LossKind string

// These are the supported losses.
const (
	SquaredLoss  LossKind = "squares"
	LogisticLoss LossKind = "logistic"
	PoissonLoss  LossKind = "Poisson"
	SoftmaxLoss  LossKind = "softmax"
)

// Loss is the loss of a column and the number of its predictors.
type Loss struct {
	Kind  LossKind
	Width int
}

// rowScore is a score of rows in the form that a device gets.
type rowScore[T matrix.Float] struct {
	Rows
	table []T
	of    func(grad, theta *matrix.Dense[T], sum float64) (float64, error) // computes the score from the sum over rows
}

// describeRows translates a score of rows for a device. It returns nil for other scores. The error names the
// part that no device supports.
func describeRows[T matrix.Float](s solve.Score[T]) (*rowScore[T], error) {
	switch f := s.(type) {
	case *losses.ByLosses[T]:
		z, each := f.Rows()
		r := &rowScore[T]{Rows: Rows{N: z.Rows, Inputs: z.Cols + 1, Outputs: z.Cols}, table: appendOnes(nil, z, true)}
		for v, l := range each {
			var kind LossKind
			switch l.(type) {
			case losses.SquaredLoss:
				kind = SquaredLoss
			case losses.LogisticLoss:
				kind = LogisticLoss
			case losses.PoissonLoss:
				kind = PoissonLoss
			case losses.SoftmaxLoss:
				kind = SoftmaxLoss
			default:
				return nil, fmt.Errorf("the loss %T of column %d is not on the device", l, v+1)
			}
			r.Losses = append(r.Losses, Loss{kind, l.Width()})
		}
		r.of = func(grad, _ *matrix.Dense[T], sum float64) (float64, error) { return f.Mean(grad, sum) }
		return r, nil
	case Networks[T]:
		x, hidden := f.Perceptrons()
		if x == nil {
			return nil, errors.New("a table that is read anew for each step is not on the device")
		}
		r := &rowScore[T]{Rows: Rows{N: x.Rows, Inputs: x.Cols + 1, Outputs: x.Cols * hidden, Hidden: hidden}, table: appendOnes(nil, x, false)}
		r.of = func(grad, theta *matrix.Dense[T], sum float64) (float64, error) {
			return f.OfSquares(grad, theta, sum), nil
		}
		return r, nil
	}
	return nil, nil
}

// appendOnes appends rows to out, each with a one before or after it.
func appendOnes[T matrix.Float](out []T, x *matrix.Dense[T], before bool) []T {
	out = slices.Grow(out, x.Rows*(x.Cols+1))
	for i := range x.Rows {
		if before {
			out = append(out, 1)
		}
		out = append(out, x.Row(i)...)
		if !before {
			out = append(out, 1)
		}
	}
	return out
}

// rowValues evaluates a score of rows on a device while the CPU evaluates its constraint. The descent runs on
// the CPU.
type rowValues[T matrix.Float] struct {
	*place
	p      solve.Problem[T]
	of     func(grad, theta *matrix.Dense[T], sum float64) (float64, error)
	failed error // error of the device, after which it gets no requests
}

func runRows[T matrix.Float](ctx context.Context, d *Device, r *rowScore[T], p solve.Problem[T], sched solve.Schedule, desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	var zero T
	at, err := takePlace(ctx, d, &Problem{D: p.D, Bits: bitsOf(zero), Batch: 1, Rows: &r.Rows})
	switch {
	case err != nil:
		return nil, err
	case at == nil: // the run ends at once with the usual status
		return solve.Run(ctx, p, sched, desc, s, observe)
	}
	if _, err := d.ask(&Request{Op: OpData, Session: at.session, Blobs: [][]byte{raw(r.table)}}); err != nil {
		return nil, errors.Join(err, at.Close())
	}
	r.table = nil // the device has it
	v := &rowValues[T]{place: at, p: p, of: r.of}
	out, err := solve.RunBy(ctx, v, p, sched, desc, s, observe)
	if v.failed != nil { // a line search treats every error as a step that is too long
		return nil, errors.Join(v.failed, at.Close())
	}
	return out, errors.Join(err, at.Close())
}

// Values evaluates the score on the device, or on the CPU if a value there is not finite.
func (v *rowValues[T]) Values(grad, gradH, theta *matrix.Dense[T]) (score, h float64, err error) {
	if v.failed != nil {
		return 0, 0, v.failed
	}
	var sum float64
	done := make(chan error, 1)
	go func() {
		var err error
		sum, err = v.values([][]byte{raw(theta.Data)}, [][]byte{raw(grad.Data)})
		if err == nil && !grad.Finite() {
			err = solve.ErrStuck
		}
		done <- err
	}()
	var outside error
	if gradH != nil {
		h, outside = v.p.Constraint.Eval(gradH, theta)
	}
	switch err = <-done; {
	case err == nil:
		score, err = v.of(grad, theta, sum)
	case errors.Is(err, solve.ErrStuck):
		score, err = v.p.Score.Eval(grad, theta)
	default:
		v.failed = err
	}
	if err == nil {
		err = outside
	}
	return score, h, err
}
