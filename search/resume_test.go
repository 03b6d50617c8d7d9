package search

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/wire"
)

// comparable removes fields that depend on threads or on computations before a checkpoint.
func comparable(res *Result) Result {
	out := *res
	out.Stats.Nodes, out.Stats.CacheBytes, out.Stats.Flushes = 0, 0, 0
	return out
}

// resumeCases cover both models, knowledge, starts of the caller, the exact search and a single descent.
func resumeCases() map[string]func(seed uint64) (Problem, Settings) {
	base := func(d int, variance Variance, seed uint64) (Problem, Settings) {
		s := DefaultSettings()
		s.Variance, s.Seed, s.Restarts, s.singly = variance, seed, 4, true
		return randomSample(d, 3*d, 120, 0.7, seed).problem(), s
	}
	cases := map[string]func(seed uint64) (Problem, Settings){}
	for _, variance := range []Variance{Unequal, Equal} {
		cases[fmt.Sprint(variance, " plain")] = func(seed uint64) (Problem, Settings) { return base(18, variance, seed) }
		cases[fmt.Sprint(variance, " with knowledge")] = func(seed uint64) (Problem, Settings) {
			p, s := base(20, variance, seed)
			p.Knowledge = randomKnowledge(20, rand.New(rand.NewPCG(seed, 1)))
			return p, s
		}
		cases[fmt.Sprint(variance, " with starts")] = func(seed uint64) (Problem, Settings) {
			p, s := base(15, variance, seed)
			rng := rand.New(rand.NewPCG(seed, 2))
			s.Starts = [][]int{rng.Perm(15), rng.Perm(15)}
			return p, s
		}
		cases[fmt.Sprint(variance, " exact")] = func(seed uint64) (Problem, Settings) { return base(7, variance, seed) }
		cases[fmt.Sprint(variance, " without path and rounds")] = func(seed uint64) (Problem, Settings) {
			p, s := base(40, variance, seed)
			s.Path, s.Restarts = 1, 0
			return p, s
		}
	}
	cases["unequal in waves"] = func(seed uint64) (Problem, Settings) {
		p, s := base(18, Unequal, seed)
		s.Restarts, s.singly = 6, false
		return p, s
	}
	cases["unequal with exchanges"] = func(seed uint64) (Problem, Settings) {
		_, s := base(2, Unequal, seed)
		return randomSample(13, 65, 13*exchangeRows, 1, seed).problem(), s
	}
	cases["equal where it does not hold"] = func(seed uint64) (Problem, Settings) {
		_, s := base(2, Equal, seed)
		p := randomSample(40, 40, 120, 0.7, seed).problem()
		p.Scale[7] *= 100 // takes all the parents that the limit of topDown allows
		s.Restarts = 1
		return p, s
	}
	return cases
}

// TestResumeEverywhere resumes a search from every pause, on several numbers of threads, with a cache that is
// emptied at every pause and one that never is: the result has the same bits.
func TestResumeEverywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for name, make := range resumeCases() {
		t.Run(name, func(t *testing.T) {
			p, s := make(0)
			want := comparable(mustSearch(t, p, s))
			if crowded := len(want.Warnings) > 0; crowded != strings.Contains(name, "not hold") {
				t.Errorf("the limit of parents is reached: %v", crowded)
			}
			var states [][]byte
			s.Pause = func(state func() []byte) { states = append(states, state()) }
			if got := comparable(mustSearch(t, p, s)); !reflect.DeepEqual(got, want) {
				t.Fatal("Pause changed the result")
			}
			kinds := map[stepKind]bool{}
			for i, state := range states {
				kinds[kindOf(state)] = true
				if testing.Short() && i%4 != 0 {
					continue
				}
				s.Resume, s.Threads, s.Pause = state, 1, nil
				if i%5 == 0 {
					s.Threads = 2 + i%2
				}
				r := newRun("search", p, s, nil)
				if i%8 == 4 {
					r.s.Pause = func(func() []byte) { r.active.flush() }
				}
				res := must.Get(r.search(t.Context()))
				if got := comparable(res); !reflect.DeepEqual(got, want) {
					t.Fatalf("taken up from pause %d of %d, the result differs:\n%+v\n%+v", i, len(states), got, want)
				}
			}
			if len(states) < 10 || !kinds[starting] || !kinds[settling] || s.Restarts > 0 && !kinds[ready] ||
				s.Variance == Unequal && (s.Path > 1 && !kinds[path] || s.Restarts > 0 && s.singly && p.R.Rows > s.Exact && !kinds[detouring]) {
				t.Errorf("%d pauses of kinds %v: not every kind was tried", len(states), kinds)
			}
		})
	}
}

// kindOf reads the kind of step from a state.
func kindOf(state []byte) stepKind {
	rd := wire.NewReader(layout, state)
	rd.Uint64()
	return stepKind(rd.Int())
}

// TestResumeAgainAndAgain ends the context at every pause and resumes from the state offered there.
func TestResumeAgainAndAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: make test runs it; the race detector has the tests of threads")
	}
	for name, make := range resumeCases() {
		t.Run(name, func(t *testing.T) {
			p, s := make(7)
			var observed, seen []Progress
			plain := must.Get(Search(context.Background(), p, s, func(pr Progress) { observed = append(observed, pr) }))
			var state []byte
			var kept []Progress // observations when the state was taken
			for runs := 0; ; runs++ {
				ctx, cancel := context.WithCancel(context.Background())
				pauses := 0
				s.Resume = state
				s.Pause = func(encode func() []byte) {
					if pauses++; pauses == 2 {
						cancel()
					}
					state, kept = encode(), slices.Clone(seen)
				}
				seen = slices.Clone(kept)
				res, err := Search(ctx, p, s, func(pr Progress) { seen = append(seen, pr) })
				ended := ctx.Err() != nil
				cancel()
				must.Succeed(t, err)
				if ended {
					if runs > 5000 {
						t.Fatal("no end in sight")
					}
					continue
				}
				if !reflect.DeepEqual(comparable(res), comparable(plain)) {
					t.Fatalf("after %d interruptions the result differs", runs)
				}
				if !reflect.DeepEqual(seen, observed) {
					t.Errorf("after %d interruptions observers saw\n%v, undisturbed\n%v", runs, seen, observed)
				}
				return
			}
		})
	}
}

// TestResumeTopDown does the same for the pass without a search.
func TestResumeTopDown(t *testing.T) {
	p := randomSample(30, 60, 200, 1, 3).problem()
	p.Knowledge = randomKnowledge(30, rand.New(rand.NewPCG(1, 1)))
	s := DefaultSettings()
	var states [][]byte
	s.Pause = func(state func() []byte) { states = append(states, state()) }
	want := must.Get(TopDown(context.Background(), p, s))
	s.Pause = nil
	for i, state := range states {
		s.Resume = state
		got, err := TopDown(context.Background(), p, s)
		if err != nil || !reflect.DeepEqual(comparable(got), comparable(want)) {
			t.Fatalf("taken up from pause %d of %d: %v, %v", i, len(states), got, err)
		}
	}
	if len(states) != 30 {
		t.Errorf("%d pauses for 30 variables", len(states))
	}
	if _, err := Search(context.Background(), p, s, nil); err == nil {
		t.Error("Search took up a state of TopDown")
	}
}

// TestResumeRefuses checks that a state of another search, or a damaged one, is an error.
func TestResumeRefuses(t *testing.T) {
	p, s := resumeCases()["unequal with knowledge"](1)
	var states [][]byte
	s.Pause = func(state func() []byte) { states = append(states, state()) }
	mustSearch(t, p, s)
	s.Pause = nil
	s.Resume = states[len(states)/2]
	for name, change := range map[string]func(*Problem, *Settings){
		"rows":      func(p *Problem, _ *Settings) { p.N++ },
		"data":      func(p *Problem, _ *Settings) { p.R = p.R.Clone(); p.R.Set(0, 1, 0.1); p.R.Set(1, 0, 0.1) },
		"scale":     func(p *Problem, _ *Settings) { p.Scale = slices.Clone(p.Scale); p.Scale[3] *= 2 },
		"knowledge": func(p *Problem, _ *Settings) { p.Knowledge = Knowledge{} },
		"seed":      func(_ *Problem, s *Settings) { s.Seed++ },
		"penalty":   func(_ *Problem, s *Settings) { s.Gamma = 0.25 },
		"restarts":  func(_ *Problem, s *Settings) { s.Restarts++ },
		"variance":  func(_ *Problem, s *Settings) { s.Variance = Equal },
	} {
		p, s := p, s
		change(&p, &s)
		if _, err := Search(context.Background(), p, s, nil); err == nil {
			t.Errorf("other %s: accepted", name)
		}
	}
	for n := range s.Resume {
		s := s
		s.Resume = slices.Clone(s.Resume)
		s.Resume[n]++
		if _, err := Search(context.Background(), p, s, nil); !errors.Is(err, wire.ErrState) {
			t.Errorf("byte %d of %d changed: %v", n, len(s.Resume), err)
		}
	}
}
