// Package auto chooses the method for a table. So far that is always the order search.
//
// Experimental: the API of this package may change before 1.0.
package auto

import (
	"context"

	"github.com/polydag/polydag/internal/tests"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/stage"
)

// Method has the settings of the method it chooses.
type Method struct{ *order.Method }

// New returns the method with its defaults.
func New() *Method { return &Method{order.New()} }

func (m *Method) Info() method.Info {
	i := m.Method.Info()
	i.Name, i.Title = "auto", "default: the order search, with a model chosen from the column kinds"
	return i
}

// Learn learns with the chosen method and adds to each edge whether a hidden common cause is excluded.
func (m *Method) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	a, err := m.Method.Learn(ctx, in, run)
	if err != nil || a.Status == method.Canceled || in.GraphOnly {
		return a, err
	}
	if err := tests.AddHiddenCauses(ctx, in, a); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return a, nil
}
