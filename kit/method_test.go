package kit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/kit"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// quick returns a method of the list with fewer steps, where it has such a setting.
func quick(t *testing.T, name string) func() method.Method {
	return func() method.Method {
		m, err := polydag.FindMethod(name)
		if err != nil {
			t.Fatal(err)
		}
		s := param.Of(m)
		for setting, value := range map[string]string{"steps": "60", "inner": "20", "stages": "4", "stage-steps": "20", "last-steps": "20", "restarts": "2", "hidden": "3", "batch": "16", "passes": "2"} {
			if s.Lookup(setting) != nil {
				if err := s.Set(setting, value); err != nil {
					t.Fatal(err)
				}
			}
		}
		return m
	}
}

func TestEveryMethodKeepsTheLaws(t *testing.T) {
	for _, m := range polydag.Methods() {
		name := m.Info().Name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := kit.Method(quick(t, name), 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// brokenMethod is the order search with one law broken.
type brokenMethod struct {
	*order.Method
	info   func(*method.Info)
	params func(*param.Set)
	cost   func(*method.Cost)
	learn  func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error)
}

func (b *brokenMethod) Info() method.Info {
	i := b.Method.Info()
	if b.info != nil {
		b.info(&i)
	}
	return i
}

func (b *brokenMethod) Params(s *param.Set) {
	b.Method.Params(s)
	if b.params != nil {
		b.params(s)
	}
}

func (b *brokenMethod) Cost(rows, columns, threads int) method.Cost {
	c := b.Method.Cost(rows, columns, threads)
	if b.cost != nil {
		b.cost(&c)
	}
	return c
}

func (b *brokenMethod) Learn(ctx context.Context, in *method.Input, run *stage.Run) (*method.Answer, error) {
	if b.learn != nil {
		return b.learn(ctx, in, run, b.Method)
	}
	return b.Method.Learn(ctx, in, run)
}

// turned returns the answer with one more edge between the first column and the last, or without it.
func turned(a *method.Answer) *method.Answer {
	g := a.Graph.Directed()
	last := g.N() - 1
	if g.HasEdge(0, last) {
		g.RemoveEdge(0, last)
	} else if !g.HasPath(last, 0) {
		g.AddEdge(0, last)
	} else {
		g.RemoveEdge(last, 0)
	}
	a.Graph = g.Mixed()
	return a
}

func TestMethodCatches(t *testing.T) {
	runs := 0
	for law, broken := range map[string]brokenMethod{
		"describes": {info: func(i *method.Info) { i.Reference = "" }},
		"costs":     {cost: func(c *method.Cost) { c.Bytes = 1 }},
		"kind":      {info: func(i *method.Info) { i.Gives = graph.KindCPDAG }},
		"threads": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			a, err := m.Learn(ctx, in, run)
			if err == nil && in.Threads > 1 {
				a.Score++
			}
			return a, err
		}},
		"columns": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			a, err := m.Learn(ctx, in, run)
			if runs++; err == nil && runs > 5 { // as a search that depends on what came before
				a = turned(a)
			}
			return a, err
		}},
		"units": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			a, err := m.Learn(ctx, in, run)
			if err == nil && in.Moments.Std()[0] > in.Moments.Std()[1] {
				a = turned(a)
			}
			return a, err
		}},
		"untouched": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			a, err := m.Learn(ctx, in, run)
			in.Moments.Mean[0]++
			return a, err
		}},
		"canceled": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			return m.Learn(context.WithoutCancel(ctx), in, run)
		}},
		"resumed": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			resumed, err := stage.Do(ctx, run, "first", func(at stage.Point) (bool, bool, error) {
				if at.Pause != nil {
					at.Pause(func() []byte { return []byte("x") })
				}
				return at.Resume != nil, true, nil
			})
			if err != nil {
				return nil, err
			}
			a, err := m.Learn(ctx, in, run)
			if err == nil && resumed {
				a.Score++
			}
			return a, err
		}},
		"knowledge": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			without := *in
			without.Knowledge = nil
			return m.Learn(ctx, &without, run)
		}},
		"degenerate": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			if in.Moments.N <= len(in.Names()) {
				panic("more columns than rows")
			}
			return m.Learn(ctx, in, run)
		}},
	} {
		t.Run(law, func(t *testing.T) {
			err := kit.Method(func() method.Method {
				b := broken
				b.Method = order.New()
				return &b
			}, 1)
			if err == nil || !strings.Contains(err.Error(), law+": ") {
				t.Errorf("the kit does not catch a method that breaks %q: %v", law, err)
			}
		})
	}
	fails := brokenMethod{learn: func(context.Context, *method.Input, *stage.Run, *order.Method) (*method.Answer, error) {
		return nil, errors.New("out of order")
	}}
	if err := kit.Method(func() method.Method { b := fails; b.Method = order.New(); return &b }, 1); err == nil {
		t.Error("a method that only fails is not caught")
	}
}

// The laws hold on rows as well, where a method needs them.
func TestMethodCatchesWithRows(t *testing.T) {
	sum := func(ctx context.Context, in *method.Input, each func(rows []float64)) float64 {
		total := 0.0
		_ = in.Rows(ctx, func(rows []float64) error { // of a table in memory
			each(rows)
			for i := 0; i < len(rows); i += len(in.Names()) {
				total += rows[i]*rows[i] - rows[min(i+1, len(rows)-1)]*rows[min(i+1, len(rows)-1)]
			}
			return nil
		})
		return total
	}
	moments := func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
		bare := *in
		bare.Rows = nil
		return m.Learn(ctx, &bare, run)
	}
	needsRows := func(i *method.Info) { i.Needs = method.Rows }
	for law, learn := range map[string]func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error){
		"untouched": func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			sum(ctx, in, func(rows []float64) { rows[0]++ })
			return moments(ctx, in, run, m)
		},
		"units": func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			a, err := moments(ctx, in, run, m)
			if err == nil && sum(ctx, in, func([]float64) {}) > 0 {
				a = turned(a)
			}
			return a, err
		},
	} {
		err := kit.Method(func() method.Method {
			m := order.New()
			m.Model = order.Linear
			return &brokenMethod{Method: m, info: needsRows, learn: learn}
		}, 1)
		if err == nil || !strings.Contains(err.Error(), law+": ") {
			t.Errorf("%s is broken, and the kit says %v", law, err)
		}
	}
}
