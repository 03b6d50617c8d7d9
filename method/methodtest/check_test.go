package methodtest_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/methodtest"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
)

// quick returns a method of the core with fewer steps, where it has such a setting.
func quick(t *testing.T, name string) func() method.Method {
	return func() method.Method {
		m := must.Get(polydag.MethodList(polydag.Methods).Find(name))
		s := param.Of(m)
		for setting, value := range map[string]string{"steps": "200", "stages": "4", "stage-steps": "150", "rate": "0.01", "restarts": "2"} {
			if s.Lookup(setting) != nil {
				must.Succeed(t, s.Set(setting, value))
			}
		}
		return m
	}
}

// TestEveryMethodPasses checks the methods of the core. The lab checks its own.
func TestEveryMethodPasses(t *testing.T) {
	for _, m := range polydag.Methods() {
		name := m.Info().Name
		t.Run(name, func(t *testing.T) {
			if err := methodtest.Check(quick(t, name), 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// brokenMethod is the order search with one fault.
type brokenMethod struct {
	*order.Method
	info   func(*method.Info)
	params func(*param.Set)
	cost   func(*method.Cost)
	learn  learnFunc
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

// learnFunc is Learn of a method that changes what the order search gets or returns.
type learnFunc func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error)

// with returns the order search with its answer changed.
func with(change func(in *method.Input, a *method.Answer)) learnFunc {
	return func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
		a, err := m.Learn(ctx, in, run)
		if err == nil {
			change(in, a)
		}
		return a, err
	}
}

// toggle adds the edge between the first column and the last one, or removes it.
func toggle(a *method.Answer) {
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
}

// answer returns a graph without anything that the order search knows of its own graph.
func answer(a *method.Answer, g *graph.Graph) {
	*a = method.Answer{Graph: g.Mixed(), Status: a.Status, Cause: a.Cause, Score: a.Score}
}

// failsOnly checks that the method fails the check and no other one.
func failsOnly(t *testing.T, check string, broken brokenMethod) {
	t.Helper()
	err := methodtest.Check(func() method.Method {
		b := broken
		b.Method = order.New()
		b.Model = order.Linear
		return &b
	}, 1)
	if err == nil {
		t.Errorf("the kit accepts a method that should fail the check %q", check)
		return
	}
	for _, fault := range err.(interface{ Unwrap() []error }).Unwrap() {
		if !strings.HasPrefix(fault.Error(), check+": ") {
			t.Errorf("a method that should fail only %q: %v", check, fault)
		}
	}
}

// Each check has a method that fails it and passes all others.
func TestMethodCatches(t *testing.T) {
	noKnowledge := func(i *method.Info) { i.Knowledge = false }
	for name, broken := range map[string]brokenMethod{
		"describes":                         {info: func(i *method.Info) { i.Reference = "" }},
		"costs":                             {cost: func(c *method.Cost) { c.Bytes = 1 }},
		"describes, a name with a space":    {info: func(i *method.Info) { i.Name = "order search" }},
		"describes, no publication":         {info: func(i *method.Info) { i.Reference = "none; after Chow and Liu (1968)" }},
		"describes, no title":               {info: func(i *method.Info) { i.Title = "" }},
		"describes, no explanation":         {info: func(i *method.Info) { i.About = "" }},
		"describes, a setting without help": {params: func(s *param.Set) { s.Int(new(int), "extra", "") }},
		"describes, a setting with a space": {params: func(s *param.Set) { s.Int(new(int), "one more", "an extra number") }},
		"costs, no growth of the work":      {cost: func(c *method.Cost) { c.Flops = 5 }},
		"costs, less than nothing":          {cost: func(c *method.Cost) { c.Bytes -= 1 << 50 }},
		"costs, less than no work":          {cost: func(c *method.Cost) { c.Flops = -1 / c.Flops }},
		"progress, one report": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			run.Tell(stage.Progress{Stage: "order"})
			return m.Learn(ctx, in, nil)
		}},
		"progress, a report without a stage": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			run.Tell(stage.Progress{Untraced: true})
			return m.Learn(ctx, in, run)
		}},
		"kind": {info: func(i *method.Info) { i.Gives = graph.KindCPDAG }},
		"kind, only errors": {learn: func(context.Context, *method.Input, *stage.Run, *order.Method) (*method.Answer, error) {
			return nil, errors.New("out of order")
		}},
		"progress": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			return m.Learn(ctx, in, nil)
		}},
		"threads": {learn: with(func(in *method.Input, a *method.Answer) {
			if in.Threads > 2 {
				a.Score++
			}
		})},
		"columns, names": {learn: with(func(in *method.Input, a *method.Answer) {
			if in.Names()[0] < in.Names()[1] {
				a.Score++
			}
		})},
		"columns, facts": {learn: with(func(in *method.Input, a *method.Answer) {
			explained := 0.5
			if in.Names()[0] < in.Names()[1] {
				explained = 0.25
			}
			a.Nodes = make([]method.NodeFacts, len(in.Names()))
			a.Nodes[0].Explained = &explained
		})},
		"units": {learn: with(func(in *method.Input, a *method.Answer) {
			if std := in.Moments.Std(); len(std) > 4 && std[0] > std[1] {
				toggle(a)
			}
		})},
		"untouched": {learn: with(func(in *method.Input, _ *method.Answer) { in.Moments.Mean[0]++ })},
		"canceled, ignores its context": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			return m.Learn(context.WithoutCancel(ctx), in, run)
		}},
		"canceled, looks at its context once": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			if ctx.Err() == nil {
				ctx = context.WithoutCancel(ctx)
			}
			return m.Learn(ctx, in, run)
		}},
		"canceled, another cause": {learn: with(func(_ *method.Input, a *method.Answer) {
			if a.Status == method.Canceled {
				a.Cause = method.Why(context.Canceled)
			}
		})},
		"canceled, an error": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			a, err := m.Learn(ctx, in, run)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return a, err
		}},
		"canceled, runs to its end": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			for range 5 {
				run.Tell(stage.Progress{Stage: "first", Untraced: true})
			}
			a, err := m.Learn(context.WithoutCancel(ctx), in, run)
			if err == nil && ctx.Err() != nil {
				a.Cancel(ctx)
			}
			return a, err
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
		"edge": {info: noKnowledge, learn: with(func(in *method.Input, a *method.Answer) {
			if in.RowWeight == 0 {
				answer(a, graph.New(len(in.Names())))
			}
		})},
		"noise": {info: noKnowledge, learn: with(func(in *method.Input, a *method.Answer) {
			g := graph.New(len(in.Names()))
			for to := range in.Names() {
				for from := range to {
					g.AddEdge(from, to)
				}
			}
			answer(a, g)
		})},
		"noise, a low threshold": {info: noKnowledge, learn: with(func(in *method.Input, a *method.Answer) {
			g, r := graph.New(len(in.Names())), in.Moments.Correlation()
			for to := range in.Names() {
				for from := range to {
					if math.Abs(r.At(from, to)) > 0.01 {
						g.AddEdge(from, to)
					}
				}
			}
			answer(a, g)
		})},
		"weights": {info: noKnowledge, learn: with(func(in *method.Input, a *method.Answer) {
			if in.RowWeight != 0 {
				answer(a, graph.New(len(in.Names())))
			}
		})},
		"weights, a refusal without need": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			if in.RowWeight != 0 {
				return nil, errors.New("row weights")
			}
			return m.Learn(ctx, in, run)
		}},
		"knowledge": {learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			without := *in
			without.Knowledge = nil
			return m.Learn(ctx, &without, run)
		}},
		"degenerate": {learn: with(func(in *method.Input, _ *method.Answer) {
			if in.Moments.N <= len(in.Names()) {
				panic("more columns than rows")
			}
		})},
	} {
		t.Run(name, func(t *testing.T) {
			check, _, _ := strings.Cut(name, ",")
			failsOnly(t, check, broken)
		})
	}
}

// A method that needs rows gets them, and the checks of its input and of the units look at them.
func TestMethodCatchesWithRows(t *testing.T) {
	needsRows := func(i *method.Info) { i.Needs = method.Rows }
	for check, look := range map[string]func(rows []float64, a *method.Answer){
		"untouched": func(rows []float64, _ *method.Answer) { rows[0]++ },
		"units": func(rows []float64, a *method.Answer) {
			d, first, second := a.Graph.N(), 0.0, 0.0
			for i := 0; i < len(rows); i += d {
				first, second = first+rows[i]*rows[i], second+rows[i+1]*rows[i+1]
			}
			if d > 4 && first > second {
				toggle(a)
			}
		},
	} {
		failsOnly(t, check, brokenMethod{info: needsRows, learn: func(ctx context.Context, in *method.Input, run *stage.Run, m *order.Method) (*method.Answer, error) {
			moments := *in
			moments.Rows = nil
			a, err := m.Learn(ctx, &moments, run)
			if err == nil {
				_ = in.Rows(context.WithoutCancel(ctx), func(b dataset.RowBatch) error { look(b.Values, a); return nil })
			}
			return a, err
		}})
	}
}

// TestMethodCatchesNumbers checks that a score and a weight that are not finite are faults, whatever the check that meets them.
func TestMethodCatchesNumbers(t *testing.T) {
	for want, change := range map[string]func(a *method.Answer){
		"the score is NaN": func(a *method.Answer) { a.Score = math.NaN() },
		"the weight of c": func(a *method.Answer) {
			a.Edges = method.EdgeRecords(a.Graph.Directed())
			for i := range a.Edges {
				weight := math.Inf(1)
				a.Edges[i].Weight = &weight
			}
		},
	} {
		err := methodtest.Check(func() method.Method {
			return &brokenMethod{Method: order.New(), info: func(i *method.Info) { i.Knowledge = false }, learn: with(func(_ *method.Input, a *method.Answer) { change(a) })}
		}, 1)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want a fault with %q", err, want)
		}
	}
}

// TestMethodWithUnits checks that a method that depends on units may give another graph in other units.
func TestMethodWithUnits(t *testing.T) {
	err := methodtest.Check(func() method.Method {
		b := &brokenMethod{Method: order.New(), info: func(i *method.Info) { i.UnitFree = false }, learn: with(func(in *method.Input, a *method.Answer) {
			if std := in.Moments.Std(); len(std) > 4 && std[0] > std[1] {
				toggle(a)
			}
		})}
		b.Model = order.Linear
		return b
	}, 1)
	if err != nil && strings.Contains(err.Error(), "units: ") {
		t.Error(err)
	}
}

// TestMethodRunsTwice checks that a second run with the same number of threads must give the same result.
func TestMethodRunsTwice(t *testing.T) {
	runs := 0
	failsOnly(t, "threads", brokenMethod{learn: with(func(_ *method.Input, a *method.Answer) {
		if runs++; runs == 2 {
			a.Score++
		}
	})})
}
