package order

import (
	"context"

	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/method/tests"
)

// Automatic has the settings of the method it chooses.
type Automatic struct{ *Method }

// NewAutomatic returns the method with its defaults.
func NewAutomatic() *Automatic { return &Automatic{New()} }

func (m *Automatic) Info() method.Info {
	i := m.Method.Info()
	i.Name, i.Title = "auto", "default: the order search, with a model chosen from the column kinds"
	return i
}

// Learn learns with the chosen method and adds to each edge whether a hidden common cause is excluded.
func (m *Automatic) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	s := &searcher{Method: m.Method, in: in, run: run}
	a, err := s.learn(ctx)
	if err != nil || a.Status == method.Canceled || in.GraphOnly {
		return a, err
	}
	if err := tests.AddHiddenCauses(ctx, in, a, s.table); err != nil && ctx.Err() == nil {
		return nil, err
	}
	return a, nil
}
