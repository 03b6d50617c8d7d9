// Package leaves has what the methods share that find a causal order by removing columns without effects, and then select the parents of
// each column along it.
package leaves

import (
	"context"
	"slices"

	"github.com/polydag/polydag/lab/internal/curves"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
)

// Learn selects the parents along the order that find returns, causes first, by the smooth score of the order search. find may return
// anything if the context ended.
func Learn(ctx context.Context, in *method.Input, run *stage.Run, name string, find func() ([]int, error)) (*method.Answer, error) {
	table, err := curves.Table(ctx, in)
	var order []int
	if err == nil {
		order, err = find()
	}
	g := in.RequiredGraph()
	if err == nil && ctx.Err() == nil {
		g, err = table.Along(ctx, run, name+"-parents", order)
	}
	a := &method.Answer{Graph: g.Mixed(), Status: method.Converged}
	switch {
	case ctx.Err() != nil:
		a.Cancel(ctx)
		return a, nil
	case err != nil:
		return nil, err
	}
	a.Stages, a.Score = []method.Stage{{Name: name + "-parents", Graph: g}}, scores.Total(table.Score.Evaluator(), g)
	curves.DescribeBy(ctx, table, a)
	return a, nil
}

// layout is the format version of a saved order.
const layout = "leaves/1"

// Order removes one column after the other, each time the one with the least criterion among those left without required effects on
// others that are left. criterion gets the columns left, ascending, and those removed, the first one first. Order returns the columns,
// causes first. It returns fewer if the context ended.
func Order(ctx context.Context, in *method.Input, run *stage.Run, name string, criterion func(left, gone []int) ([]float64, error)) ([]int, error) {
	return stage.Do(ctx, run, name, func(at stage.Point) ([]int, bool, error) {
		d, must := len(in.Names()), in.Required()
		var gone []int
		if at.Resume != nil {
			r := wire.NewReader(layout, at.Resume)
			gone = wire.ReadInts[int](r, 0, d)
			if err := r.Close(); err != nil {
				return nil, false, err
			}
		}
		for len(gone) < d {
			left := make([]int, 0, d)
			for v := range d {
				if !slices.Contains(gone, v) {
					left = append(left, v)
				}
			}
			if at.Pause != nil {
				at.Pause(func() []byte {
					w := wire.NewWriter(layout)
					wire.Ints(w, gone)
					return w.Seal()
				})
			}
			if ctx.Err() != nil {
				return gone, false, nil
			}
			run.Tell(stage.Progress{Stage: name, Step: len(gone), Steps: d, Untraced: true})
			values := []float64{0}
			if len(left) > 1 {
				var err error
				if values, err = criterion(left, gone); err != nil || ctx.Err() != nil {
					return gone, false, err
				}
			}
			best := -1
			for i, v := range left {
				causes := slices.ContainsFunc(must, func(e graph.Edge) bool { return e.From == v && !slices.Contains(gone, e.To) })
				if !causes && (best < 0 || values[i] < values[best]) {
					best = i
				}
			}
			gone = append(gone, left[best]) // knowledge has no cycle, so that a column without required effects remains
		}
		slices.Reverse(gone)
		return gone, true, nil
	})
}

// Variance returns the variance of numbers.
func Variance(x []float64) float64 {
	n, mean, sum := float64(len(x)), 0.0, 0.0
	for _, v := range x {
		mean += v / n
	}
	for _, v := range x {
		sum += (v - mean) * (v - mean) / n
	}
	return sum
}
