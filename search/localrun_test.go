package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestLocalThreads checks that the result is the same on any number of threads, also with a cache that is emptied often, and
// up to the number of variables that dynamic programming takes.
func TestLocalThreads(t *testing.T) {
	for _, d := range []int{7, 25} {
		p := localProblem(d, 4)
		s := DefaultSettings()
		s.Restarts = 5
		want := comparable(mustLocal(t, p, s))
		for _, threads := range []int{2, 5} {
			s.Threads = threads
			if got := comparable(mustLocal(t, p, s)); !reflect.DeepEqual(got, want) {
				t.Errorf("d = %d: the result differs on %d threads", d, threads)
			}
		}
		r := newRun("search", p, s, nil)
		r.s.Pause = func(func() []byte) { r.active.flush() }
		if got, err := r.search(t.Context()); err != nil || !reflect.DeepEqual(comparable(got), want) {
			t.Errorf("d = %d: the result differs with an empty cache: %v", d, err)
		}
	}
}

// TestLocalResume resumes the search from every pause: the result has the same bits.
func TestLocalResume(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for _, d := range []int{6, 13, 14} {
		p := localProblem(d, 2)
		s := DefaultSettings()
		s.Restarts, s.singly = 4, d == 13
		want := comparable(mustLocal(t, p, s))
		var states [][]byte
		s.Pause = func(state func() []byte) { states = append(states, state()) }
		if got := comparable(mustLocal(t, p, s)); !reflect.DeepEqual(got, want) {
			t.Fatal("Pause changed the result")
		}
		s.Pause = nil
		kinds := map[stepKind]bool{}
		for i, state := range states {
			kinds[kindOf(state)] = true
			s.Resume, s.Threads = state, 1+i%3
			if got := comparable(mustLocal(t, p, s)); !reflect.DeepEqual(got, want) {
				t.Fatalf("d = %d: taken up from pause %d of %d, the result differs", d, i, len(states))
			}
		}
		if !kinds[starting] || !kinds[path] || !kinds[settling] || !kinds[ready] || s.singly && !kinds[detouring] {
			t.Errorf("pauses of kinds %v: not every kind was tried", kinds)
		}
		for name, other := range map[string]Problem{
			"data":      localProblem(d, 3),
			"price":     {Score: pairScore{p.Score.(pairScore).p, 9}, Knowledge: p.Knowledge},
			"knowledge": {Score: p.Score},
		} {
			if name == "data" {
				other.Knowledge = p.Knowledge
			}
			if _, err := Search(context.Background(), other, s, nil); err == nil || !strings.Contains(err.Error(), "another search") {
				t.Errorf("a state of a search with other %s: %v", name, err)
			}
		}
	}
}

// TestLocalStop ends the context in the middle of an evaluation. No new set is grown then; only single scores
// of at most two graphs, the final one and its predecessor, are computed.
func TestLocalStop(t *testing.T) {
	const d = 10
	for _, exact := range []int{0, 12} {
		full := randomTable(d, rand.New(rand.NewPCG(5, 5)))
		s := DefaultSettings()
		s.Exact, s.Restarts = exact, 20
		mustLocal(t, Problem{Score: full}, s)
		all := full.calls.Load()
		for part := range int64(20) {
			table := *full
			table.calls = &atomic.Int64{}
			ctx, cancel := context.WithCancelCause(context.Background())
			var at int64
			var r *run
			table.ask = func() {
				if table.calls.Load() == max(2*d, all*part/20) {
					cancel(errors.New("enough"))
					for !r.e.halt.Load() {
						runtime.Gosched()
					}
					at = table.calls.Load()
				}
			}
			p := Problem{Score: &table}
			r = newRun("search", p, s, nil)
			res := must.Get(r.search(ctx))
			if more := table.calls.Load() - at; more > 5*d {
				t.Errorf("exact %d, %d of 20: %d scores after the end", exact, part, more)
			}
			checkLocal(t, p, res)
			if res.Status != Stopped || res.Cause == nil || res.Cause.Error() != "enough" {
				t.Errorf("exact %d, %d of 20: %v, cause %v", exact, part, res.Status, res.Cause)
			}
		}
	}
}
