package scores

import (
	"context"
	"math"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// Sampled returns the sample of rows under smooth effects, with three curves per column and no products, for a first search of a
// large table.
func Sampled(ctx context.Context, in *method.Input) (*ScoredTable, error) {
	return orStop(ctx, func() (*ScoredTable, error) {
		d := len(in.Names())
		t := &ScoredTable{Model: Smooth, In: in, Sample: true, group: make([]int, d), rows: []float64{float64(in.Sample.Rows())}}
		curves := basis.DefaultSettings()
		curves.Curves, curves.Crossed = 3, 0
		b, err := sampleBlocks(in, curves)
		if err != nil {
			return nil, err
		}
		for j := range d {
			t.Order = append(t.Order, j)
		}
		t.Blocks = []*score.Blocks{b}
		set := score.DefaultSmoothSettings()
		set.Drawn = in.Drawn
		t.Score, err = score.NewSmooth(b, set)
		return t, err
	})
}

// sampleBlocks expands the sample and weights its rows.
func sampleBlocks(in *method.Input, s basis.Settings) (*score.Blocks, error) {
	b, err := basis.OfRows(in.Names(), nil, matrix.Of(in.Sample.Rows(), in.Sample.Columns, in.Sample.Values), s, in.Threads)
	if err != nil {
		return nil, err
	}
	b.N = max(1, int(math.Round(float64(b.N)*in.SampleWeight())))
	return b, nil
}

// Straight reports whether linear effects fit the sample better than curves under g. A linear effect with skewed noise looks curved
// in the reverse direction, so the comparison needs the right graph.
func Straight(ctx context.Context, in *method.Input, g *graph.Graph) (bool, error) {
	curved := SmoothBasis(in.Sample.Columns)
	curved.Crossed, curved.Bounded = 0, true
	b, err := sampleBlocks(in, curved)
	if err != nil || ctx.Err() != nil {
		return false, err
	}
	total := func(s score.SmoothSettings) (float64, error) {
		smooth, err := score.NewSmooth(b, s)
		if err != nil {
			return 0, err
		}
		return Total(smooth.Evaluator(), g), nil
	}
	lines, curves := score.ComparedSettings()
	linear, err := total(lines)
	if err != nil {
		return false, err
	}
	smooth, err := total(curves)
	return linear <= smooth, err
}
