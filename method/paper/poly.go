package paper

import (
	"context"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/linear"
	"github.com/polydag/polydag/method/stage"
)

// Poly has the constants of the paper's Algorithm 1.
type Poly struct{ linear.Released }

// NewPoly returns the method with the settings of the published code.
func NewPoly() *Poly { return &Poly{linear.DefaultReleased()} }

func (m *Poly) Info() method.Info {
	return linear.ReleasedInfo(method.Info{
		Name:  "polydag-poly",
		Title: "the method of the paper with the power sum computed term by term",
		About: "The same objective as polydag-geo, with d − 1 matrix products per step.",
	})
}

// Cost counts the products of h_poly: d − 1 for the powers.
func (m *Poly) Cost(rows, columns, threads int) method.Cost {
	return m.Released.Cost(columns, 4, float64(columns))
}

// Learn runs Algorithm 1 with h_poly.
func (m *Poly) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	return m.Released.Learn(ctx, in, run, "polydag-poly",
		&acyclic.Poly[float64]{Threads: in.Threads}, &acyclic.Poly[float32]{Threads: in.Threads})
}
