package device_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// searched are the problems whose line searches a card evaluates.
func searched[T matrix.Float](t *testing.T, d int) map[string]solve.Problem[T] {
	s := score.NewLeastSquares[T](table(t, d).Covariance(), 1)
	out := map[string]solve.Problem[T]{}
	for name, h := range map[string]solve.Constraint[T]{
		"none": nil, "exponential": &acyclic.Exp[T]{}, "binomial": &acyclic.Binomial[T]{}, "truncated": &acyclic.Truncated[T]{}, "geometric": &acyclic.Geometric[T]{K: 16},
	} {
		out[name] = solve.Problem[T]{D: d, Score: s, Constraint: h, Penalty: solve.L1[T]{Lambda: 0.1}}
	}
	forbidden := out["exponential"]
	forbidden.Forbidden = make([]bool, d*d)
	for i := range forbidden.Forbidden {
		forbidden.Forbidden[i] = i%3 == 1
	}
	out["exponential, some forbidden"] = forbidden
	out["geometric, MCP"] = solve.Problem[T]{D: d, Score: s, Constraint: &acyclic.Geometric[T]{K: 16}, Penalty: solve.MCP[T]{Lambda: 0.1, Width: 0.4}}
	out["exponential, no penalty"] = solve.Problem[T]{D: d, Score: s, Constraint: &acyclic.Exp[T]{}}
	return out
}

// search runs some steps of the augmented Lagrangian.
func search[T matrix.Float](t *testing.T, ctx context.Context, p solve.Problem[T], s solve.Settings) *solve.Result[T] {
	t.Helper()
	out := must.Get(watched(ctx, p, optimize.NewOWLQN[T](1e-5), s, nil))
	return out
}

func watched[T matrix.Float](ctx context.Context, p solve.Problem[T], desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	sched := optimize.NewMultipliers(optimize.MultipliersSettings{Rho: 1, Factor: 10, RhoMax: 1e16, Progress: 0.25, HTol: 1e-8, Rounds: 100, Inner: 20, Every: 1, Tol: 1e-9})
	return solve.RunAccelerated(ctx, p, sched, desc, s, observe)
}

// numbers are the float64 of a blob, in place.
func numbers(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), len(b)/8)
}

func blob(x []float64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x)) }

// TestSearchesWait has more searches than there are places, on a device that is always stuck, so that they evaluate here: all end, and at no time
// are more sessions open than places.
func TestSearchesWait(t *testing.T) {
	open, most, last := 0, 0, 0
	dev := scripted(t, func(q device.Request) any { // one request at a time
		switch q.Op {
		case device.OpOpen:
			open, last = open+1, last+1
			most = max(most, open)
			return &device.Reply{Session: last}
		case device.OpClose:
			open--
		case device.OpValues:
			return &device.Reply{Points: [][][3]float64{nil}, Stuck: []bool{true}}
		}
		return &device.Reply{}
	})
	ctx := device.Use(context.Background(), dev)
	var all sync.WaitGroup
	for range 3 * device.MaxSearches {
		p, _ := counted(t)
		all.Go(func() {
			if _, err := watched(ctx, p, optimize.NewOWLQN[float64](1e-5), solve.Settings{Steps: 5}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if last != 3*device.MaxSearches || most > device.MaxSearches || open != 0 {
		t.Errorf("%d searches, at most %d at once, %d left open", last, most, open)
	}
}

// TestSearchesThatDoNotFitWait has a device with memory for four searches. Others wait, and one that does not
// fit alone gives an error with a remedy.
func TestSearchesThatDoNotFitWait(t *testing.T) {
	for _, room := range []int{4, 0} {
		open := 0
		ctx := device.Use(context.Background(), scripted(t, func(q device.Request) any {
			switch q.Op {
			case device.OpOpen:
				if open == room {
					return &device.Reply{Error: "out of memory", Full: true}
				}
				open++
				return &device.Reply{Session: 1}
			case device.OpClose:
				open--
			case device.OpValues:
				return &device.Reply{Points: [][][3]float64{nil}, Stuck: []bool{true}}
			}
			return &device.Reply{}
		}))
		var all sync.WaitGroup
		for range 2 * device.MaxSearches {
			p, _ := counted(t)
			all.Go(func() {
				_, err := watched(ctx, p, optimize.NewOWLQN[float64](1e-5), solve.Settings{Steps: 5}, nil)
				if full := errors.Is(err, device.ErrFull); full != (room == 0) || err != nil && !full {
					t.Errorf("room for %d: %v", room, err)
				}
			})
		}
		all.Wait()
	}
}

// TestSearchesThatAreCanceled checks that a search returns a result if its context ended before it or while it
// waits for memory.
func TestSearchesThatAreCanceled(t *testing.T) {
	first, endFirst := context.WithCancel(context.Background())
	second, endSecond := context.WithCancel(context.Background())
	opened, there := 0, make(chan struct{})
	dev := scripted(t, func(q device.Request) any {
		switch q.Op {
		case device.OpOpen:
			if opened++; opened > 1 {
				endSecond()
				return &device.Reply{Error: "out of memory", Full: true}
			}
			close(there)
			return &device.Reply{Session: 1}
		case device.OpValues:
			return &device.Reply{Points: [][][3]float64{nil}, Stuck: []bool{true}}
		}
		return &device.Reply{}
	})
	canceled := func(when string, ctx context.Context, p solve.Problem[float64], observe solve.Observer) {
		if res, err := watched(device.Use(ctx, dev), p, optimize.NewOWLQN[float64](1e-5), solve.Settings{Steps: 100}, observe); err != nil || res == nil || res.Status != solve.Canceled {
			t.Errorf("%s: %v, %v", when, res, err)
		}
	}
	var all sync.WaitGroup
	one, _ := counted(t)
	other, _ := counted(t)
	all.Go(func() { canceled("under way", first, one, func(solve.Step) { <-first.Done() }) })
	<-there
	canceled("waiting", second, other, nil)
	for range 20 {
		canceled("before", second, other, nil)
	}
	endFirst()
	all.Wait()
	if opened != 2 {
		t.Errorf("%d sessions were asked for, want 2", opened)
	}
}

// TestSearchesThatStayHere covers searches with a determinant, without a binding constraint, and without
// memory.
func TestSearchesThatStayHere(t *testing.T) {
	p := searched[float64](t, 3)["none"]
	p.Constraint = &acyclic.LogDet[float64]{}
	if _, _, err := device.Describe(p, optimize.NewOWLQN[float64](1e-5)); err == nil || !strings.Contains(err.Error(), "determinant") {
		t.Errorf("log-det: %v", err)
	}
	p.Constraint = &acyclic.Geometric[float64]{K: 1}
	if _, _, err := device.Describe(p, optimize.NewOWLQN[float64](1e-5)); err == nil {
		t.Error("an order of 1 was taken")
	}
	if _, _, err := device.Describe(searched[float64](t, 3)["none"], &optimize.OWLQN[float64]{}); err == nil {
		t.Error("an OWL-QN without memory was taken")
	}
}

// TestCardSearches compares runs of the augmented Lagrangian on a card with those here, a second one to the byte, and states that travel.
func TestCardSearches(t *testing.T) {
	on := device.Use(context.Background(), card(t))
	searches[float64](t, on, on, 2, 25, 1e-6)
	searches[float64](t, on, on, 33, 25, 1e-6)
	searches[float64](t, on, on, 100, 25, 1e-5)
	searches[float32](t, on, on, 40, 25, 0.05)
	searchesTravel(t, on, 30, 60)
}

func searchesTravel(t *testing.T, on context.Context, d, steps int) {
	t.Helper()
	p := searched[float64](t, d)["truncated"]
	var states [][]byte
	want := search(t, on, p, solve.Settings{Steps: steps, Pause: func(encode func() []byte) { states = append(states, encode()) }})
	for _, ctx := range []context.Context{on, context.Background()} {
		got := search(t, ctx, p, solve.Settings{Steps: steps, Resume: states[len(states)/2]})
		if worst := distance(want.W, got.W); worst > 1e-5 || ctx == on && worst != 0 {
			t.Errorf("W differs by %g", worst)
		}
	}
	ctx, cancel := context.WithCancelCause(on)
	why := errors.New("enough")
	cancel(why)
	if out := search(t, ctx, p, solve.Settings{Steps: steps}); out.Status != solve.Canceled || !errors.Is(out.Cause, why) {
		t.Errorf("%+v", out)
	}
}

func searches[T matrix.Float](t *testing.T, on, other context.Context, d, steps int, tolerance float64) {
	t.Helper()
	for name, p := range searched[T](t, d) {
		run := func(ctx context.Context) *solve.Result[T] { return search(t, ctx, p, solve.Settings{Steps: steps}) }
		here, there := run(context.Background()), run(on)
		worst, off := distance(here.W, there.W), math.Abs(here.Last.Score-there.Last.Score)/(1+math.Abs(here.Last.Score))
		t.Logf("d = %d, %s: W differs by %.2g, the score by %.2g of itself", d, name, worst, off)
		if worst > tolerance || off > tolerance {
			t.Errorf("d = %d, %s: W differs by %g, the score by %g of itself", d, name, worst, off)
		}
		if other == nil {
			continue
		}
		if again := run(other); !slices.Equal(again.W.Data, there.W.Data) {
			t.Errorf("d = %d, %s: a second run has other bytes", d, name)
		}
	}
}
