package device

import (
	"context"
	"errors"
	"fmt"

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

	Losses []Loss // of the columns, where there are no networks; X has ones in its first column and the values of the predictors in the others
}

// Tail is the number of parameters behind the first matrix: a weight for each unit and a shift for each column.
func (r *Rows) Tail() int {
	if r.Hidden == 0 {
		return 0
	}
	return r.Outputs + r.Outputs/r.Hidden
}

// Parameters is the number of all.
func (r *Rows) Parameters() int { return r.Inputs*r.Outputs + r.Tail() }

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
		r := &rowScore[T]{Rows: Rows{N: z.Rows, Inputs: z.Cols + 1, Outputs: z.Cols}, table: withOnes(z, true)}
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
		r := &rowScore[T]{Rows: Rows{N: x.Rows, Inputs: x.Cols + 1, Outputs: x.Cols * hidden, Hidden: hidden}, table: withOnes(x, false)}
		r.of = func(grad, theta *matrix.Dense[T], sum float64) (float64, error) {
			return f.OfSquares(grad, theta, sum), nil
		}
		return r, nil
	}
	return nil, nil
}

// withOnes copies rows with a column of ones before or behind them.
func withOnes[T matrix.Float](x *matrix.Dense[T], before bool) []T {
	out := make([]T, 0, x.Rows*(x.Cols+1))
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
	*values[T]
	of func(grad, theta *matrix.Dense[T], sum float64) (float64, error)
}

// runRows is solve.RunBy with values from the device.
func runRows[T matrix.Float](ctx context.Context, d *Device, r *rowScore[T], p solve.Problem[T], sched solve.Schedule, desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	var zero T
	session, err := d.begin(ctx, &Problem{D: p.D, Bits: bitsOf(zero), Batch: 1, Values: true, Rows: &r.Rows})
	if ctx.Err() != nil && session == 0 {
		return solve.Run(ctx, p, sched, desc, s, observe)
	}
	if err != nil {
		return nil, err
	}
	defer d.end()
	v := &rowValues[T]{&values[T]{device: d, session: session, p: p}, r.of}
	if _, err := d.ask(&Request{Op: OpData, Session: session, Blobs: [][]byte{raw(r.table)}}); err != nil {
		return nil, errors.Join(err, v.close())
	}
	r.table = nil // it is there
	out, err := solve.RunBy(ctx, v, p, sched, desc, s, observe)
	if v.failed != nil {
		return nil, errors.Join(v.failed, v.close())
	}
	return out, errors.Join(err, v.close())
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
		sum, err = v.sum(grad, theta)
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

// sum asks for the sum over rows and its gradient.
func (v *rowValues[T]) sum(grad, theta *matrix.Dense[T]) (float64, error) {
	into := raw(grad.Data)
	reply, err := v.device.ask(&Request{Op: OpValues, Session: v.session, Blobs: [][]byte{raw(theta.Data)}, Into: [][]byte{into}})
	if err != nil {
		return 0, err
	}
	if len(reply.Stuck) == 1 && reply.Stuck[0] {
		return 0, solve.ErrStuck
	}
	if len(reply.Points) != 1 || len(reply.Points[0]) != 1 || len(reply.Blobs) != 1 || len(reply.Blobs[0]) != len(into) { // a blob of that length is there already
		return 0, fmt.Errorf("the device answered with %d matrices, want one of %d bytes with a point: %w", len(reply.Blobs), len(into), ErrLost)
	}
	if !grad.Finite() {
		return 0, solve.ErrStuck
	}
	return reply.Points[0][0][0], nil
}
