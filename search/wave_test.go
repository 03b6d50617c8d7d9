package search

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/lab/sim"
)

// settled runs a search up to the start of its rounds.
func settled(p Problem, s Settings) *run {
	r := newRun("search", p, s, nil)
	for r.at.kind != ready || r.at.task == 0 {
		r.advance(context.Background())
	}
	return r
}

// TestWaveIsItsRounds checks that a wave keeps the best of its rounds, each run separately from the same state,
// and counts the same work.
func TestWaveIsItsRounds(t *testing.T) {
	p := problemOf(t, drawn(t, 60, 6, sim.Hetero), 400)
	s := DefaultSettings()
	s.Restarts, s.Threads = 2*waveRounds, 3
	waves := settled(p, s)
	defer waves.e.pool.stop()
	s.Threads, s.singly = 1, true
	alone := settled(p, s)
	for from := 1; from <= s.Restarts; from += waveRounds {
		waves.advance(t.Context())
		var start, best snapshot
		start.copy(&alone.best)
		best.copy(&alone.best)
		for round := from; round < from+waveRounds; round++ {
			alone.best.copy(&start)
			alone.rng = rand.New(rand.NewPCG(s.Seed, uint64(round)))
			alone.e.proposals = alone.e.proposals[:1]
			alone.e.restore(&start)
			alone.at.task = round
			for alone.leave(round); alone.at.kind != ready; {
				alone.advance(t.Context())
			}
			if alone.best.score < best.score {
				best.copy(&alone.best)
			}
		}
		alone.best.copy(&best)
		if waves.best.score != best.score || !slices.Equal(waves.best.order, best.order) {
			t.Errorf("rounds from %d: score %v in a wave, %v one by one", from, waves.best.score, best.score)
		}
		if waves.e.work() != alone.e.work() || waves.e.scans != alone.e.scans || waves.e.moves != alone.e.moves {
			t.Errorf("rounds from %d: work %d, %d scans, %d moves in a wave, %d, %d, %d one by one", from,
				waves.e.work(), waves.e.scans, waves.e.moves, alone.e.work(), alone.e.scans, alone.e.moves)
		}
	}
	if waves.stats.Rounds != s.Restarts || waves.stats.Improved == 0 {
		t.Errorf("%d rounds, %d waves gained; want %d and some", waves.stats.Rounds, waves.stats.Improved, s.Restarts)
	}
}

// TestWaveIsCut checks that a wave that exceeds the remaining work is cut, at the same place on any number of
// threads.
func TestWaveIsCut(t *testing.T) {
	p := problemOf(t, drawn(t, 60, 6, sim.Hetero), 400)
	want := -1
	for threads := 1; threads <= 3; threads++ {
		s := DefaultSettings()
		s.Threads = threads
		r := settled(p, s)
		before := r.best.score
		r.another(1) // sets the allowance
		r.e.allowance = r.e.work() + 4000
		r.wave(t.Context(), 1)
		r.e.pool.stop()
		if want < 0 {
			want = r.e.work()
		}
		if r.e.work() != want || r.best.score > before || !r.e.overspent() {
			t.Errorf("%d threads: work %d, want %d; score %v from %v", threads, r.e.work(), want, r.best.score, before)
		}
	}
}

// TestWaveIsStopped checks that a wave whose context ends does not count, and that its result is kept.
func TestWaveIsStopped(t *testing.T) {
	p := problemOf(t, drawn(t, 60, 6, sim.Hetero), 400)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r := newRun("search", p, DefaultSettings(), nil)
	r.observe = func(pr Progress) {
		if pr.Stage == Round && pr.Round == waveRounds {
			cancel()
		}
	}
	res, err := r.search(ctx)
	if err != nil || res.Status != Stopped || res.Stats.Rounds != waveRounds {
		t.Errorf("%v, status %v after %d rounds; want stopped after %d", err, res.Status, res.Stats.Rounds, waveRounds)
	}
}
