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
	"github.com/polydag/polydag/device"
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
func search[T matrix.Float](ctx context.Context, p solve.Problem[T], s solve.Settings) (*solve.Result[T], error) {
	return watched(ctx, p, solve.NewOWLQN[T](1e-5), s, nil)
}

func watched[T matrix.Float](ctx context.Context, p solve.Problem[T], desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	sched := solve.NewMultipliers(solve.MultipliersSettings{Rho: 1, Factor: 10, RhoMax: 1e16, Progress: 0.25, HTol: 1e-8, Rounds: 100, Inner: 20, Every: 1, Tol: 1e-9})
	return device.Run(ctx, p, sched, desc, s, observe)
}

// numbers are the float64 of a blob, in place.
func numbers(b []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(&b[0])), len(b)/8)
}

func blob(x []float64) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), 8*len(x)) }

// TestValuesFromElsewhere has a device that computes here: the run is that of solve.Run but for the last digits, with every evaluation from
// the device; where it is stuck, and each third time it says so, the value comes from here.
func TestValuesFromElsewhere(t *testing.T) {
	const d = 12
	for name, p := range searched[float64](t, d) {
		asked, open := 0, 0
		var s *matrix.Dense[float64]
		dev := scripted(t, func(q device.Request) any {
			switch q.Op {
			case device.OpOpen:
				open++
				if !q.Problem.Values || q.Problem.Masked || q.Problem.Penalty != device.NoPenalty {
					t.Errorf("%s: opened %+v", name, q.Problem)
				}
			case device.OpClose:
				open--
			case device.OpData:
				s = matrix.Of(d, d, slices.Clone(numbers(q.Blobs[0])))
			case device.OpValues:
				asked++
				if asked%3 == 0 {
					return &device.Reply{Points: [][][3]float64{nil}, Stuck: []bool{true}}
				}
				w, grad := matrix.Of(d, d, numbers(q.Blobs[0])), matrix.New[float64](d, d)
				f, err := score.NewLeastSquares[float64](s, 1).Eval(nil, w)
				if err != nil {
					t.Error(err)
				}
				product, h := matrix.New[float64](d, d), 0.0
				matrix.Mul(product, s, w, 1)
				reply := &device.Reply{Stuck: []bool{false}, Blobs: [][]byte{blob(product.Data)}}
				if p.Constraint != nil {
					if h, err = p.Constraint.Eval(grad, w); err != nil {
						t.Error(err)
					}
					for i, v := range w.Data {
						if v != 0 {
							grad.Data[i] /= 2 * v
						}
					}
					reply.Blobs = append(reply.Blobs, blob(grad.Data))
				}
				reply.Points = [][][3]float64{{{f, 0, h}}}
				return reply
			}
			return &device.Reply{Session: 1}
		})
		ctx := device.Use(context.Background(), dev)
		there, err := watched(ctx, p, solve.NewProximal[float64](1e-5), solve.Settings{Steps: 40}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		here, err := watched(context.Background(), p, solve.NewProximal[float64](1e-5), solve.Settings{Steps: 40}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if worst := distance(here.W, there.W); worst > 1e-6 || math.Abs(here.Last.Score-there.Last.Score) > 1e-8 || here.Last.Step != there.Last.Step {
			t.Errorf("%s: W differs by %g, scores are %v and %v", name, worst, here.Last.Score, there.Last.Score)
		}
		if used, why := device.Used(ctx); !used || why != "" || asked < 20 || open != 0 {
			t.Errorf("%s: used %v, %q, asked %d times, %d sessions left open", name, used, why, asked, open)
		}
	}
}

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
		p := searched[float64](t, 4)["exponential"]
		all.Go(func() {
			if _, err := watched(ctx, p, solve.NewProximal[float64](1e-5), solve.Settings{Steps: 5}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if last != 3*device.MaxSearches || most > device.MaxSearches || open != 0 {
		t.Errorf("%d searches, at most %d at once, %d left open", last, most, open)
	}
}

// TestSearchesThatDoNotFitWait has a device with room for four: searches wait for its memory, and one that does not fit alone says what to do.
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
			p := searched[float64](t, 4)["exponential"]
			all.Go(func() {
				_, err := watched(ctx, p, solve.NewProximal[float64](1e-5), solve.Settings{Steps: 5}, nil)
				if full := errors.Is(err, device.ErrFull); full != (room == 0) || err != nil && !full {
					t.Errorf("room for %d: %v", room, err)
				}
			})
		}
		all.Wait()
	}
}

// TestSearchesThatAreCanceled wants a result from a search whose context has ended, before it or while it waits for the memory that another holds.
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
		if res, err := watched(device.Use(ctx, dev), p, solve.NewProximal[float64](1e-5), solve.Settings{Steps: 100}, observe); err != nil || res == nil || res.Status != solve.Canceled {
			t.Errorf("%s: %v, %v", when, res, err)
		}
	}
	var all sync.WaitGroup
	one, other := searched[float64](t, 4)["exponential"], searched[float64](t, 4)["exponential"]
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

// TestValuesThatAreNone wants an error for every answer that is none: a line search must not take it for a step that is too long.
func TestValuesThatAreNone(t *testing.T) {
	p := searched[float64](t, 3)["exponential"]
	full := make([]byte, 72)
	for name, answer := range map[string]any{
		"closed":          nil,
		"an error":        &device.Reply{Error: "CUDA_ERROR_UNKNOWN (999)"},
		"no point":        &device.Reply{Stuck: []bool{false}, Blobs: [][]byte{full, full}},
		"one matrix":      &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{}}}, Blobs: [][]byte{full}},
		"a short matrix":  &device.Reply{Stuck: []bool{false}, Points: [][][3]float64{{{}}}, Blobs: [][]byte{full, {1}}},
		"neither of them": &device.Reply{},
	} {
		for _, after := range []int{0, 3} {
			asked := 0
			dev := scripted(t, func(q device.Request) any {
				if q.Op != device.OpValues {
					return &device.Reply{Session: 1}
				}
				if asked++; asked > after {
					if r, ok := answer.(*device.Reply); ok {
						again := *r
						return &again
					}
					return answer
				}
				return &device.Reply{Stuck: []bool{true}}
			})
			out, err := watched(device.Use(context.Background(), dev), p, solve.NewProximal[float64](1e-5), solve.Settings{Steps: 40}, nil)
			if err == nil || out != nil {
				t.Errorf("%s after %d: nothing was said, and the status is %v", name, after, out.Status)
			}
			if asked > after+1 {
				t.Errorf("%s after %d: it was asked %d times", name, after, asked)
			}
		}
	}
}

// TestSearchesThatStayHere are those with a determinant, and those of parameters.
func TestSearchesThatStayHere(t *testing.T) {
	p := searched[float64](t, 3)["none"]
	p.Constraint = &acyclic.LogDet[float64]{}
	if _, _, err := device.Describe(p, nil); err == nil || !strings.Contains(err.Error(), "determinant") {
		t.Errorf("log-det: %v", err)
	}
	p.Constraint = &acyclic.Geometric[float64]{K: 1}
	if _, _, err := device.Describe(p, nil); err == nil {
		t.Error("an order of 1 was taken")
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
	want, err := search(on, p, solve.Settings{Steps: steps, Pause: func(encode func() []byte) { states = append(states, encode()) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, ctx := range []context.Context{on, context.Background()} {
		got, err := search(ctx, p, solve.Settings{Steps: steps, Resume: states[len(states)/2]})
		if err != nil {
			t.Fatal(err)
		}
		if worst := distance(want.W, got.W); worst > 1e-5 || ctx == on && worst != 0 {
			t.Errorf("W differs by %g", worst)
		}
	}
	ctx, cancel := context.WithCancelCause(on)
	why := errors.New("enough")
	cancel(why)
	if out, err := search(ctx, p, solve.Settings{Steps: steps}); err != nil || out.Status != solve.Canceled || !errors.Is(out.Cause, why) {
		t.Errorf("%+v, %v", out, err)
	}
}

func searches[T matrix.Float](t *testing.T, on, other context.Context, d, steps int, tolerance float64) {
	t.Helper()
	for name, p := range searched[T](t, d) {
		run := func(ctx context.Context) *solve.Result[T] {
			out, err := search(ctx, p, solve.Settings{Steps: steps})
			if err != nil {
				t.Fatalf("d = %d, %s: %v", d, name, err)
			}
			return out
		}
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
