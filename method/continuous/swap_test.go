package continuous

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/search"
)

func nothing() {}

// bare starts swaps from a random order without parents, and refits.
func bare(f *fits, rng *rand.Rand) *swaps {
	d := f.r.Rows
	s := newSwaps(f, rng.Perm(d), make([][]int, d))
	s.refit(context.Background())
	return s
}

// checkState checks the invariants of a state: every parent precedes its column, the objective is the sum of
// separate regressions, and wanted agrees with the fits.
func checkState(t *testing.T, s *swaps) {
	t.Helper()
	sum := 0.0
	wanted := newBitMatrix(len(s.now))
	for v, f := range s.now {
		if s.order[s.pos[v]] != v {
			t.Fatalf("column %d does not stand at its place", v)
		}
		for _, p := range f.parents {
			if s.pos[p] >= s.pos[v] {
				t.Fatalf("%d is a parent of %d and stands after it", p, v)
			}
			wanted.set(p, v)
		}
		for _, g := range f.gains {
			wanted.set(g.from, v)
		}
		sum += slowLoss(t, s.fits, v, f.parents)
	}
	if !(math.Abs(sum-s.total()) <= 1e-6*math.Abs(sum)) {
		t.Fatalf("the objective is %v, want %v", s.total(), sum)
	}
	if !slices.Equal(wanted.data, s.wanted.data) {
		t.Fatal("wanted is not what the fits say")
	}
}

// TestMovesKeepTheirPromise checks that a move changes the objective by its predicted amount and leaves a valid
// state.
func TestMovesKeepTheirPromise(t *testing.T) {
	data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 20, 4, 5 })
	s := bare(newFits(data.Correlation(), data.N, 12), rand.New(rand.NewPCG(1, 1)))
	checkState(t, s)
	later, earlier := 0, 0
	for moved := true; moved; {
		moved = false
		for v := range s.now {
			m := s.best(v)
			if m.delta >= -s.eps {
				continue
			}
			if moved = true; m.to > s.pos[m.v] {
				later++
			} else {
				earlier++
			}
			before := s.total()
			s.apply(m)
			if got := s.total() - before; !(math.Abs(got-m.delta) <= 1e-6) {
				t.Fatalf("a move promised %v and gained %v", m.delta, got)
			}
			checkState(t, s)
		}
	}
	if later == 0 || earlier == 0 {
		t.Errorf("%d moves to a later place and %d to an earlier one, want some of both", later, earlier)
	}
}

// TestSwapsFindTheBestGraph checks on tables of eight columns that swaps and rounds usually reach the optimum,
// which the order search finds by dynamic programming. Parents are added one at a time, so a few tables miss it
// by little.
func TestSwapsFindTheBestGraph(t *testing.T) {
	missed := 0
	for seed := range uint64(20) {
		data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 8, 3, seed })
		f := newFits(data.Correlation(), data.N, 0)
		settings := search.DefaultSettings()
		settings.Adapt = false
		f.price = settings.EdgePenalty(data.N, 8)
		s := bare(f, rand.New(rand.NewPCG(seed, 1)))
		s.improve(context.Background(), seed, nothing)
		exact, err := search.Search(context.Background(), search.Problem{R: data.Correlation(), N: data.N}, settings, nil)
		if err != nil || exact.Status != search.Optimal {
			t.Fatal(exact, err)
		}
		best := newSwaps(f, exact.Order, sorted(exact.Parents)).total()
		if s.total() < best-1e-6 {
			t.Fatalf("seed %d: %v is below the best of all graphs, %v", seed, s.total(), best)
		}
		if s.total() > best+1e-6 {
			t.Logf("seed %d: %.2f above the best graph", seed, s.total()-best)
			missed++
		}
	}
	if missed > 3 {
		t.Errorf("missed the best graph on %d of 20 tables", missed)
	}
}

func sorted(parents [][]int) [][]int {
	for _, list := range parents {
		slices.Sort(list)
	}
	return parents
}

// TestTurnStaysInTheClass checks that reversing covered edges stays in the class and keeps the objective.
func TestTurnStaysInTheClass(t *testing.T) {
	data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 15, 3, 2 })
	s := bare(newFits(data.Correlation(), data.N, 12), rand.New(rand.NewPCG(3, 1)))
	s.descend(context.Background(), nothing)
	turned := 0
	for seed := range uint64(20) {
		before, total := graph.FromParents(s.parents()), s.total()
		rng := rand.New(rand.NewPCG(seed, 9))
		s.turn(rng)
		s.place(s.shuffled(rng))
		checkState(t, s)
		after := graph.FromParents(s.parents())
		if same, err := graph.MarkovEquivalent(before, after); err != nil || !same {
			t.Fatalf("seed %d: another class: %v", seed, err)
		}
		if !(math.Abs(s.total()-total) <= 1e-6) {
			t.Fatalf("seed %d: the objective was %v and is %v", seed, total, s.total())
		}
		for _, e := range after.Edges() {
			if !before.HasEdge(e.From, e.To) {
				turned++
			}
		}
	}
	if turned < 10 {
		t.Errorf("%d edges were turned in 20 rounds, want more", turned)
	}
}

// TestSwapsResume checks that swaps resumed from any state end as without an interruption.
func TestSwapsResume(t *testing.T) {
	data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 20, 4, 7 })
	fresh := func() *fits { return newFits(data.Correlation(), data.N, 12) }
	s := bare(fresh(), rand.New(rand.NewPCG(4, 1)))
	var states [][]byte
	s.improve(context.Background(), 5, func() {
		if s.resumable {
			states = append(states, s.encode())
		}
	})
	if len(states) < patience+2 {
		t.Fatalf("%d states, want some of the descent and of every round", len(states))
	}
	for i, b := range states {
		again := must.Get(decode(fresh(), b))
		again.improve(context.Background(), 5, nothing)
		if !slices.Equal(again.encode(), s.encode()) {
			t.Errorf("state %d of %d ends elsewhere", i+1, len(states))
		}
	}
	if _, err := decode(fresh(), states[0][:len(states[0])-3]); err == nil {
		t.Error("a state that is cut off was taken")
	}
	other := newFits(data.CorrelationOf([]int{0, 1, 2}), data.N, 12)
	if _, err := decode(other, states[0]); err == nil {
		t.Error("a state of other columns was taken")
	}
}

// TestSwapsStop checks that an ended context leaves a graph and is reported.
func TestSwapsStop(t *testing.T) {
	data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed = 20, 4, 7 })
	s := bare(newFits(data.Correlation(), data.N, 12), rand.New(rand.NewPCG(4, 1)))
	ctx, cancel := context.WithCancel(context.Background())
	passes := 0
	if s.improve(ctx, 1, func() {
		if passes++; passes == 3 {
			cancel()
		}
	}) {
		t.Error("it says that it is done")
	}
	checkState(t, s)
}

// TestSettleLowersTheObjective checks that the tangent lies above the objective of equal variances and touches
// it, so that settle never makes it worse.
func TestSettleLowersTheObjective(t *testing.T) {
	data, _ := drawn(t, 300, func(c *sim.Settings) { c.Nodes, c.Degree, c.Seed, c.Standardize = 15, 4, 3, false })
	s := bare(newFits(data.Correlation(), data.N, 12), rand.New(rand.NewPCG(4, 1)))
	s.assumeEqual(data.Std())
	n, d, sigma2 := s.n, float64(len(s.scale)), s.noise()
	above := func() float64 { return s.total() - n*d + n*d*math.Log(sigma2) }
	if now := s.objective(); !(math.Abs(above()-now) <= 1e-6) {
		t.Errorf("the tangent is %v where the objective is %v", above(), now)
	}
	before := s.objective()
	for v := range s.now {
		m := s.best(v)
		if m.delta < -s.eps {
			s.apply(m)
		}
		if now := s.objective(); now > above()+1e-6 {
			t.Fatalf("the tangent is %v below the objective %v", above(), now)
		}
	}
	if !s.settle(context.Background(), nothing) || s.objective() > before {
		t.Errorf("the objective was %v and is %v", before, s.objective())
	}
	checkState(t, s)
}
