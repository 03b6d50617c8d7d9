package lingam

import (
	"cmp"
	"context"
	"fmt"

	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/noise"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// MostValues limits the size of the sample from which an order is learned.
const MostValues = 4 << 20

// Cost counts the entropies of all pairs, d times.
func Cost(rows, columns int) method.Cost {
	d := float64(columns)
	return method.Cost{
		Bytes: 40*min(int64(rows)*int64(columns), MostValues) + method.Matrices(12, columns, 64),
		Flops: 20 * float64(rows) * d * d * d / 3, Columns: 500,
	}
}

// Sampled returns in with a sample of its rows, if it has rows and no sample.
func Sampled(ctx context.Context, in *method.Input) (*method.Input, error) {
	if in.Sample != nil || in.Rows == nil {
		return in, nil
	}
	sampler := prepare.NewRowSampler(len(in.Names()), 0)
	if err := in.Rows(ctx, sampler.Add); err != nil {
		return nil, err
	}
	own := *in
	own.Sample = sampler.Sample()
	return &own, nil
}

// Standardized returns a sample of the rows: each row of z is a column of the table with mean 0 and variance 1.
func Standardized(in *method.Input) (z *matrix.Dense[float64], err error) {
	d := in.Sample.Columns
	n := min(in.Sample.Rows(), max(score.LeastNoiseRows, MostValues/d))
	std := in.Moments.Std()
	z = matrix.New[float64](d, n)
	for v := range d {
		row := z.Row(v)
		mean := 0.0
		for i := range row {
			row[i] = in.Sample.Values[i*d+v] / std[v]
			mean += row[i] / float64(n)
		}
		for i := range row {
			row[i] -= mean
		}
		if !Unit(row) {
			return nil, fmt.Errorf("column %s does not vary in the sample of %d rows; drop it", in.Names()[v], n)
		}
	}
	return z, nil
}

// Settle makes g the answer and marks the directions that the noise does not identify.
func Settle(a *method.Answer, g *graph.Graph, free *score.FreeNoise) (settled int, err error) {
	fit := free.Fit()
	ps, err := noise.DirectionP(fit, g)
	if err != nil {
		return 0, err
	}
	a.Graph, a.Score, a.Identified, a.FreeNoise = g.Mixed(), scores.Total(fit, g), true, true
	a.Edges = method.EdgeRecords(g)
	return method.ByNoise(a.Edges, ps, trust.NoiseLevel), nil
}

// Unseen returns the reason why the noise distribution cannot be tested, or "".
func Unseen(in *method.Input) string {
	switch {
	case in.Rows == nil:
		return cmp.Or(in.NoRows, "only moments are known")
	case in.Sample == nil:
		return "the rows were not looked at"
	}
	for _, k := range in.Kinds {
		if k.Kind != kind.Continuous {
			return fmt.Sprintf("column %s is %s (%s), whose noise has not one shape", k.Name, k.Kind, k.Reason)
		}
	}
	return ""
}
