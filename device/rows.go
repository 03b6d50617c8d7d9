package device

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Rows is what a device has to know of a score of rows beside its numbers. With the table X, n × Inputs, one of whose columns has ones, and the parameters
// as a matrix of Inputs × Outputs, the predictors are their product. Without Hidden each goes into the loss of a column; with it they go into networks of so many
// units each, whose output layers are the parameters behind.
type Rows struct {
	N       int
	Inputs  int // the columns of X
	Outputs int // predictors of a row
	Hidden  int // units of the network of each column

	Deep     bool // the networks have a second hidden layer, and a likelihood; see Deep
	Constant bool // with one variance for each column
	Leak     float64

	Losses []Loss // of the columns, where there are no networks; X has ones in its first column and the values of the predictors in the others
}

// Middle is the number of parameters behind the first matrix that join the units of two layers, and Tail that of the parameters behind those: of a network with one
// layer a weight for each unit and a shift for each column.
func (r *Rows) Middle() int {
	if !r.Deep {
		return 0
	}
	return r.Outputs * r.Hidden
}

// Tail is the number of the last parameters.
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

// Parameters is the number of all.
func (r *Rows) Parameters() int { return r.Inputs*r.Outputs + r.Middle() + r.Tail() }

// Networks is a score of networks with one hidden layer of sigmoids, one network for each column, which depends on the rows by the sum of squares alone:
//
//	Σ_rows Σ_j (x_j - f_j(x))²,   f_j(x) = Σ_k out_jk·σ(Σ_i first_ijk·x_i + bias_jk) + shift_j.
//
// The parameters are first, bias, out and shift, one after the other, first by i, then j, then k.
type Networks[T matrix.Float] interface {
	solve.Score[T]
	// Perceptrons returns the rows, which neither side changes, and the units of a network. The rows are nil where they are not all in memory.
	Perceptrons() (rows *matrix.Dense[T], hidden int)
	// OfSquares returns the score at theta where the sum is squares, and turns the gradient of the sum into that of the score.
	OfSquares(grad, theta *matrix.Dense[T], squares float64) float64
}

// LossKind names a loss.
type LossKind string

// The losses.
const (
	SquaredLoss  LossKind = "squares"
	LogisticLoss LossKind = "logistic"
	PoissonLoss  LossKind = "Poisson"
	SoftmaxLoss  LossKind = "softmax"
)

// Loss is that of a column, with the number of its predictors.
type Loss struct {
	Kind  LossKind
	Width int
}

// rowScore is a score of rows as a device gets it.
type rowScore[T matrix.Float] struct {
	Rows
	table []T
	of    func(grad, theta *matrix.Dense[T], sum float64) (float64, error) // the score of the sum over rows
}

// describeRows says what a score of rows is in the words of a device, nil where the score is none. The error names the part that no device knows.
func describeRows[T matrix.Float](s solve.Score[T]) (*rowScore[T], error) {
	switch f := s.(type) {
	case *score.ByLosses[T]:
		z, losses := f.Rows()
		r := &rowScore[T]{Rows: Rows{N: z.Rows, Inputs: z.Cols + 1, Outputs: z.Cols}, table: appendOnes(nil, z, true)}
		for v, l := range losses {
			var kind LossKind
			switch l.(type) {
			case score.SquaredLoss:
				kind = SquaredLoss
			case score.LogisticLoss:
				kind = LogisticLoss
			case score.PoissonLoss:
				kind = PoissonLoss
			case score.SoftmaxLoss:
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

// appendOnes appends rows, each with a one before or behind it.
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

// rowValues evaluates a score of rows on a device, and its constraint here at the same time: parameters go there, and as many numbers come back. The descent
// stays here.
type rowValues[T matrix.Float] struct {
	*place
	p      solve.Problem[T]
	of     func(grad, theta *matrix.Dense[T], sum float64) (float64, error)
	failed error // of the device: nothing is asked of it after that
}

func runRows[T matrix.Float](ctx context.Context, d *Device, r *rowScore[T], p solve.Problem[T], sched solve.Schedule, desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	var zero T
	at, err := takePlace(ctx, d, &Problem{D: p.D, Bits: bitsOf(zero), Batch: 1, Rows: &r.Rows})
	switch {
	case err != nil:
		return nil, err
	case at == nil: // it ends where it begins, and says so as every run does
		return solve.Run(ctx, p, sched, desc, s, observe)
	}
	if _, err := d.ask(&Request{Op: OpData, Session: at.session, Blobs: [][]byte{raw(r.table)}}); err != nil {
		return nil, errors.Join(err, at.Close())
	}
	r.table = nil // it is there
	v := &rowValues[T]{place: at, p: p, of: r.of}
	out, err := solve.RunBy(ctx, v, p, sched, desc, s, observe)
	if v.failed != nil { // a search takes every error for a step that is too long
		return nil, errors.Join(v.failed, at.Close())
	}
	return out, errors.Join(err, at.Close())
}

// Values evaluates the score on the device, and here where a value there is not finite.
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
