// Package mechanism fits, for each column of a DAG, what its parents make of it: a smooth curve, least squares or a logit on mixed
// columns, or a table of conditional probabilities.
//
//	rows, err := mechanism.Read(ctx, table, score.MixedEffects, nil)
//	f, err := mechanism.Fit(score.MixedEffects, g, rows, v)
//	mean := f.At(parents) // or the probabilities of all levels
package mechanism

import (
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/score"
)

// Function is the fitted mechanism of one column.
type Function interface {
	// At returns the mean, or the probabilities of all levels, where the parents have these values, in the order of the graph.
	At(parents []float64) []float64
	// Clone returns a copy for another goroutine.
	Clone() Function
}

// Fit fits column v of g to the rows in which it was not intervened on, under a smooth, a mixed or a flexible model.
func Fit(model score.Effects, g *graph.Graph, d *Rows, v int) (Function, error) {
	switch {
	case model == score.SmoothEffects:
		return fitCurve(g, d, v)
	case d.Levels[v] != nil:
		return fitLogit(g, d, v)
	case model == score.FlexibleEffects:
		return fitCurve(g, d, v)
	}
	return fitPlane(g, d, v)
}
