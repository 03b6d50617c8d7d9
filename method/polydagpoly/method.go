// Package polydagpoly is the paper's method with the power sum h_poly added term by term.
//
// Experimental: the API of this package may change before 1.0.
package polydagpoly

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/internal/linear"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

const name = "polydag-poly"

// Method has the constants of the paper's Algorithm 1.
type Method struct{ linear.Released }

// New returns the method with the settings of the published code.
func New() *Method { return &Method{linear.DefaultReleased()} }

func (m *Method) Info() method.Info {
	return linear.ReleasedInfo(method.Info{
		Name:  name,
		Title: "the method of the paper with the power sum computed term by term",
		About: "The same objective as polydag-geo, with d − 1 matrix products per step.",
	})
}

// Cost counts the products of h_poly: d − 1 for the powers.
func (m *Method) Cost(rows, columns, threads int) method.Cost {
	return m.Released.Cost(columns, 4, float64(columns))
}

// Learn runs Algorithm 1 with h_poly.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Released.Learn(ctx, in, run, name,
		&acyclic.Poly[float64]{Threads: in.Threads}, &acyclic.Poly[float32]{Threads: in.Threads})
}
