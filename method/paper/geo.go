// Package paper has the methods of the paper polyDAG: least squares, an L1 penalty and a polynomial constraint, solved by its Algorithm 1.
// They differ in the constraint: the geometric series h_geo, the power sum h_poly, and the matrix exponential of NOTEARS as the baseline.
//
// Experimental: the API of this package may change before 1.0.
package paper

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/weighted"
)

// Geo has the constants of the paper's Algorithm 1 and the order of its constraint.
type Geo struct {
	linear.Released
	// K is the order of h_geo. Below the number of columns longer cycles go unnoticed; "d" makes it exact.
	K param.Count
}

// NewGeo returns the method with the settings of the published code.
func NewGeo() *Geo {
	return &Geo{Released: linear.DefaultReleased(), K: param.Count{N: 16, May: "d"}}
}

func (m *Geo) Info() method.Info {
	return linear.ReleasedInfo(method.Info{
		Name:  "polydag-geo",
		Title: "the method of the paper: least squares, L1 penalty, h_geo with K = 16, threshold 0.3",
		About: "The method of the paper as published.",
	})
}

func (m *Geo) Params(s *param.Set) {
	s.Count(&m.K, "k", "order of h_geo; d for the number of columns, which is exact", param.AtLeast(1))
	m.Released.Params(s)
}

// Cost counts the products of h_geo.
func (m *Geo) Cost(rows, columns, threads int) method.Cost {
	k := m.K.Or(columns)
	products := (&acyclic.Geometric[float64]{K: k}).Products(columns)
	return m.Released.Cost(columns, weighted.GeometricMatrices(k), float64(products))
}

// Learn runs Algorithm 1 with h_geo.
func (m *Geo) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	k := m.K.Or(len(in.Names()))
	return m.Released.Learn(ctx, in, run, "polydag-geo",
		&acyclic.Geometric[float64]{K: k, Threads: in.Threads}, &acyclic.Geometric[float32]{K: k, Threads: in.Threads})
}
