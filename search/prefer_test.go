package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestPreferFindsTheMember checks the choice inside the equivalence class: if the preferred order belongs to a
// member of the class, prefer ends there from any start. By Chickering (1995) two different members have a
// covered edge among their differences, so reversing edges against the order cannot end elsewhere.
func TestPreferFindsTheMember(t *testing.T) {
	began := 0
	for seed := range uint64(20) {
		sm := randomSample(20, 25, 300, 1, seed)
		e := testEngine(sm.problem(), Unequal)
		never := func() bool { return false }
		e.start(nil, never)
		e.queueAll()
		e.descend(never)
		want, order, rank := e.class().parents, slices.Clone(e.order), slices.Clone(e.pos)
		e.equivalent(rand.New(rand.NewPCG(seed, 1)))
		if !slices.EqualFunc(e.class().parents, want, slices.Equal) {
			began++
		}
		e.prefer(rank)
		if got := e.class().parents; !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("seed %d: parents %v, want those along the preferred order, %v", seed, got, want)
		}
		if !slices.Equal(e.order, order) {
			t.Errorf("seed %d: order %v, want the preferred one, %v", seed, e.order, order)
		}
		checkState(t, e, 1e-9)
	}
	if began < 15 {
		t.Errorf("only %d of 20 began in another member of the class: the test shows little", began)
	}
}

// TestPreferKeepsKnowledge checks that what runs against the order at the end is not covered, or must stay.
func TestPreferKeepsKnowledge(t *testing.T) {
	held := 0
	for seed := range uint64(20) {
		p := randomSample(20, 25, 300, 1, seed).problem()
		p.Knowledge.Forbidden = func(i, j int) bool { return i > j && (i+j)%3 == 0 }
		e := testEngine(p, Unequal)
		never := func() bool { return false }
		e.start(nil, never)
		e.queueAll()
		e.descend(never)
		rank := randomRank(e.d, rand.New(rand.NewPCG(seed, 2)))
		e.prefer(rank)
		parents := e.class().parents
		for v, ps := range parents {
			for _, u := range ps {
				if rank[u] < rank[v] || !covered(parents[u], ps, u) {
					continue
				}
				if !p.Knowledge.Forbidden(v, int(u)) {
					t.Errorf("seed %d: %d → %d is covered and runs against the order", seed, u, v)
				}
				held++
			}
		}
	}
	if held == 0 {
		t.Error("knowledge never held an edge: the test shows nothing about it")
	}
}

// TestSearchPrefersItsFirstOrder checks that Search makes this choice, also if a round from a random member
// found the best graph: no covered edge runs against the final order of the first descent.
func TestSearchPrefersItsFirstOrder(t *testing.T) {
	improved := 0
	for seed := range uint64(12) {
		p := randomSample(30, 60, 150, 0.5, seed).problem()
		s := DefaultSettings()
		s.Seed, s.Threads, s.Exact, s.Restarts = seed, 1, 0, 0
		first := mustSearch(t, p, s)
		s.Restarts = 12
		res := must.Get(Search(context.Background(), p, s, nil))
		if res.Stats.Improved > 0 {
			improved++
		} else if !slices.EqualFunc(res.Parents, first.Parents, slices.Equal) {
			t.Errorf("seed %d: no round improved the score, and the graph is not that of the first descent", seed)
		}
		place := make([]int, len(first.Order))
		for i, v := range first.Order {
			place[v] = i
		}
		narrow := func(xs []int) []int32 {
			var out []int32
			for _, x := range xs {
				out = append(out, int32(x))
			}
			return out
		}
		for v, ps := range res.Parents {
			for _, u := range ps {
				if place[u] > place[v] && covered(narrow(res.Parents[u]), narrow(ps), int32(u)) {
					t.Errorf("seed %d: %d → %d could be turned, and runs against the first descent", seed, u, v)
				}
			}
		}
	}
	if improved < 6 {
		t.Errorf("a round improved the score in only %d of 12 searches: the test shows little", improved)
	}
}
