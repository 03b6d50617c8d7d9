// Package mechanism fits the conditional distribution of each column of a DAG given its parents: a smooth
// function, least squares or a logit for mixed columns, or a conditional probability table.
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
	// At returns the mean, or the probabilities of all levels, for these values of the parents, in the order of
	// the graph.
	At(parents []float64) []float64
	// Clone returns a copy for another goroutine.
	Clone() Function
}

// Fit fits column v of g to the rows without an intervention on it.
func Fit(model score.Effects, g *graph.Graph, d *Rows, v int) (Function, error) {
	switch {
	case model == score.TableEffects:
		return fitTable(g, d, v)
	case model == score.SmoothEffects:
		return fitCurve(g, d, v)
	case d.Levels[v] != nil:
		return fitLogit(g, d, v)
	case model == score.FlexibleEffects:
		return fitCurve(g, d, v)
	}
	return fitPlane(g, d, v)
}
