package lagrangian

import (
	"context"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/lab/losses"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
)

// Loss selects the score of the Lagrangian.
type Loss string

const (
	Squares  Loss = "squares"   // least squares for all columns, from their moments
	ByColumn Loss = "by-column" // a loss for the kind of each column, from the rows
)

// LearnByColumn is Learn with a loss per column instead of least squares: logistic for two values, softmax for
// nominal columns, Poisson for counts, and squares for numbers and ordinal columns. The penalty covers all
// weights but no intercept.
func (l *Lagrangian) LearnByColumn(ctx context.Context, in *method.Input, run *stage.Run, name string, path Path, wide solve.Constraint[float64], narrow solve.Constraint[float32]) (*method.Answer, error) {
	x, kinds, err := rowsByColumn(ctx, in)
	if err != nil {
		if ctx.Err() != nil {
			return &method.Answer{Graph: in.RequiredGraph().Mixed(), Status: method.Canceled, Cause: method.Why(context.Cause(ctx)), Stages: []method.Stage{{Name: name}}}, nil
		}
		return nil, err
	}
	var a *method.Answer
	if l.Precision == 32 {
		a, err = byColumn(ctx, l, in, run, name, path, narrow, x, kinds)
	} else {
		a, err = byColumn(ctx, l, in, run, name, path, wide, x, kinds)
	}
	if a != nil {
		a.Edges = nil // the entries of W are norms of blocks, not slopes
	}
	return a, err
}

func byColumn[T matrix.Float](ctx context.Context, l *Lagrangian, in *method.Input, run *stage.Run, name string, path Path, h solve.Constraint[T], x *matrix.Dense[float64], kinds []losses.Loss) (*method.Answer, error) {
	s, err := losses.NewByLosses[T](x, kinds, in.Threads)
	if err != nil {
		return nil, err
	}
	d := len(kinds)
	rows, columns := s.Shape()
	where := make([]bool, rows*columns)
	for k := columns; k < len(where); k++ { // the first row has the intercepts
		where[k] = true
	}
	p := solve.Problem[T]{D: d, Score: s, Constraint: solve.Through[T](h, s, d), Parameters: s, Forbidden: s.Zero(in.ForbiddenMask())}
	return lagrangian(ctx, l, in, run, name, path, h, nil, p, func(lambda float64) solve.Penalty[T] { return optimize.PartialL1[T]{Lambda: lambda, Where: where} })
}

// rowsByColumn returns the rows as the kinds need them: numbers centred in the units of the moments, and
// categories as 0, 1, … in the order of their values.
func rowsByColumn(ctx context.Context, in *method.Input) (*matrix.Dense[float64], []losses.Loss, error) {
	if in.Rows == nil {
		return nil, nil, method.ErrNoRows
	}
	d := len(in.Names())
	all, err := in.Rows.Read(ctx, in.RowCount()*d)
	if err != nil {
		return nil, nil, err
	}
	x, std := matrix.Of(len(all.Values)/d, d, all.Values), in.Moments.Std()
	kinds := make([]losses.Loss, d)
	for v := range kinds {
		what := kind.Continuous
		if in.Kinds != nil {
			what = in.Kinds[v].Kind
		}
		switch what {
		case kind.Binary:
			coded(x, v)
			kinds[v] = losses.LogisticLoss{}
		case kind.Categorical:
			kinds[v] = losses.SoftmaxLoss{Levels: max(coded(x, v), 2)}
		case kind.Count:
			kinds[v] = losses.PoissonLoss{}
		default:
			centred(x, v, std[v])
			kinds[v] = losses.SquaredLoss{}
		}
	}
	return x, kinds, nil
}

// coded replaces the values of a column by their ranks among the distinct values, and returns the number of
// these.
func coded(x *matrix.Dense[float64], v int) int {
	values := make([]float64, x.Rows)
	for i := range values {
		values[i] = x.At(i, v)
	}
	slices.Sort(values)
	values = slices.Compact(values)
	for i := range x.Rows {
		rank, _ := slices.BinarySearch(values, x.At(i, v))
		x.Set(i, v, float64(rank))
	}
	return len(values)
}

// centred centres a column and scales it to the given standard deviation.
func centred(x *matrix.Dense[float64], v int, std float64) {
	n, mean, squares := float64(x.Rows), 0.0, 0.0
	for i := range x.Rows {
		mean += x.At(i, v) / n
	}
	for i := range x.Rows {
		squares += (x.At(i, v) - mean) * (x.At(i, v) - mean) / n
	}
	scale := 1.0
	if squares > 0 {
		scale = std / math.Sqrt(squares)
	}
	for i := range x.Rows {
		x.Set(i, v, (x.At(i, v)-mean)*scale)
	}
}
