package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// checkState checks the invariants of e.
func checkState(t *testing.T, e *engine, tol float64) {
	t.Helper()
	total, edges := 0.0, 0
	interest := newBitRows(e.d)
	scan := &e.workers[0].regression
	r := &matrix.Dense[float64]{Rows: e.d, Cols: e.d, Stride: scan.Stride, Data: scan.R}
	for v, id := range e.node {
		nd := e.cache.at(id)
		if e.order[e.pos[v]] != int32(v) {
			t.Fatalf("variable %d is not where pos says", v)
		}
		for _, p := range nd.parents() {
			if e.pos[p] >= e.pos[v] {
				t.Fatalf("parent %d of %d stands after it", p, v)
			}
		}
		total += e.model.loss(int32(v), residualByRegression(r, v, ints(nd.parents()))) + e.penalty*float64(nd.degree())
		edges += nd.degree()
		e.each(nd, func(x uint32) { interest.set(int(x), v) })
	}
	if got := e.total(); !(math.Abs(got-total) <= tol*math.Abs(total)) {
		t.Fatalf("total score %v, from scratch %v", got, total)
	}
	if e.edges() != edges {
		t.Fatalf("%d edges, counted %d", e.edges(), edges)
	}
	if !slices.Equal(interest.words, e.interest.words) {
		t.Fatal("interest is out of date")
	}
}

// TestRandomMoves makes ten thousand arbitrary moves and compares the score with one from scratch, and each
// predicted delta with the actual change.
func TestRandomMoves(t *testing.T) {
	const d, moves = 24, 10000
	for _, variance := range []Variance{Unequal, Equal} {
		sm := randomSample(d, 2*d, 500, 1, 5)
		e := testEngine(sm.problem(), variance)
		e.start(nil, func() bool { return false })
		rng := rand.New(rand.NewPCG(1, 1))
		var p proposal
		for move := range moves {
			v := int32(rng.IntN(d))
			if move%2 == 0 {
				order := slices.Clone(e.order)
				at := slices.Index(order, v)
				order = slices.Insert(slices.Delete(order, at, at+1), rng.IntN(d), v)
				e.load(order)
			} else {
				before := e.total()
				e.workers[0].reinsert(v, &p)
				if p.delta < 0 {
					e.apply(&p)
				}
				if got := e.total() - before; math.Abs(got-p.delta) > 1e-9*math.Abs(before) {
					t.Fatalf("move %d: delta %v, the score changed by %v", move, p.delta, got)
				}
			}
			if move%500 == 0 {
				checkState(t, e, 1e-9)
			}
		}
		checkState(t, e, 1e-9)
	}
}

// TestReinsert compares reinsert with refitting every variable at every position. Both are greedy from
// different sides, so they may differ if sets compete. reinsert must be right nearly always and must never
// overstate a gain.
func TestReinsert(t *testing.T) {
	const d = 12
	missed, scans := 0, 0
	for seed := range uint64(20) {
		sm := randomSample(d, 2*d, 500, 1, seed)
		e := testEngine(sm.problem(), Unequal)
		rng := rand.New(rand.NewPCG(seed, 2))
		order := make([]int32, d)
		for i, v := range rng.Perm(d) {
			order[i] = int32(v)
		}
		e.load(order)
		var start snapshot
		e.save(&start, e.total())
		for v := range int32(d) {
			var p proposal
			e.workers[0].reinsert(v, &p)
			best := start.score
			for place := range d {
				at := slices.Index(start.order, v)
				e.restore(&start)
				e.load(slices.Insert(slices.Delete(slices.Clone(start.order), at, at+1), place, v))
				best = min(best, e.total())
			}
			e.restore(&start)
			scans++
			if start.score+p.delta > best+1e-6*math.Abs(best) {
				missed++
			}
		}
	}
	if 10*missed > scans {
		t.Errorf("reinsert missed a better place in %d of %d scans", missed, scans)
	}
	t.Logf("missed %d of %d", missed, scans)
}

// TestDescendEnds checks that a descent leaves no variable that a reinsertion would improve.
func TestDescendEnds(t *testing.T) {
	for seed := range uint64(5) {
		sm := randomSample(40, 80, 500, 1, seed)
		e := testEngine(sm.problem(), Unequal)
		never := func() bool { return false }
		e.start(nil, never)
		e.queueAll()
		e.descend(never)
		checkState(t, e, 1e-9)
		improved := 0
		for v := range int32(e.d) {
			var p proposal
			e.workers[0].reinsert(v, &p)
			if p.delta < 0 {
				improved++
			}
		}
		// The queue after a move is a heuristic.
		if improved > 1 {
			t.Errorf("seed %d: %d variables could still improve", seed, improved)
		}
	}
}
