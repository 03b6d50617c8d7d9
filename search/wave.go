package search

import (
	"context"
	"math/rand/v2"
)

// Rounds start independently from the best state so far. So a wave of rounds runs in parallel, one thread each, and the best final
// state is kept; of equally good ones that of the first round. Threads synchronize once per wave instead of once per batch, and a
// round on one thread evaluates one variable at a time, so no evaluation is wasted. The disadvantage: a round does not see the
// gains of the others in its wave.
//
// The number of rounds in a wave does not depend on the number of threads, so neither does the result.
const (
	waveRounds = 4
	// Above waveColumns a batch of variables keeps the threads busy, and a round is long enough to be interrupted and resumed in
	// the middle.
	waveColumns = 400
)

// lane is the engine of one round of a wave. It shares the problem and the cache with the others.
type lane struct {
	engine
	run   run
	spent int // work
}

// waves reports whether rounds run in waves. With equal variances a round may empty the cache, which the others need. An evaluation
// of a Coster takes long enough to keep all threads busy in a batch, and its rounds are few.
func (r *run) waves() bool {
	_, dear := r.p.Score.(Coster)
	return !dear && !r.s.singly && r.s.Variance == Unequal && r.e.d <= waveColumns
}

// wave runs several rounds from the best state, starting with the given one.
func (r *run) wave(ctx context.Context, round int) {
	count := waveRounds
	if r.s.Restarts != Auto {
		count = min(count, r.s.Restarts-round+1)
	}
	for len(r.lanes) < count {
		r.lanes = append(r.lanes, r.newLane())
	}
	e, lanes := r.e, r.lanes[:count]
	share := 0
	if e.allowance > 0 {
		share = max(1, (e.allowance-e.work())/count)
	}
	e.parallel(count, func(w *worker, i int) { lanes[i].round(ctx, w, r, round+i, share) })
	best, gained := &r.best, false
	for _, l := range lanes {
		e.workers[0].work += l.spent
		e.scans += l.scans
		e.moves += l.moves
		l.scans, l.moves = 0, 0
		if l.run.best.score < best.score {
			best, gained = &l.run.best, true
		}
	}
	if gained {
		r.best.copy(best)
	}
	if ctx.Err() != nil { // keep the best state, but do not count the wave
		r.ended, r.at.kind = true, finished
		return
	}
	r.stats.Rounds += count
	r.idle += count
	if gained {
		r.stats.Improved++
		r.idle = 0
	}
	e.restore(&r.best)
	for i := range count {
		r.report(Round, round+i, r.best.score)
	}
	e.trim()
	r.at = step{kind: ready, task: r.at.task + count}
}

func (r *run) newLane() *lane {
	e := r.e
	return &lane{engine: engine{
		d: e.d, model: e.model, rules: e.rules, limit: e.limit, cache: e.cache, cacheBytes: e.cacheBytes, halt: e.halt,
		order: make([]int32, e.d), pos: make([]int32, e.d), node: make([]nodeID, e.d),
		priorUnit: e.priorUnit, interest: newBitRows(e.d), queue: newQueue(e.d, e.rules), proposals: make([]proposal, 1), shared: true,
	}}
}

// round runs one round on the thread of w, up to the given amount of work, and leaves its best state in run.best.
func (l *lane) round(ctx context.Context, w *worker, r *run, round, allowance int) {
	before := w.work
	w.e, w.work = &l.engine, 0
	l.workers = []*worker{w}
	l.basePenalty, l.baseThreshold = r.e.basePenalty, r.e.baseThreshold
	l.allowance, l.partial, l.placed = allowance, false, l.d
	best := l.run.best
	l.run = run{
		name: r.name, p: r.p, s: r.s, observe: func(Progress) {}, penalty: r.penalty,
		rng: rand.New(rand.NewPCG(r.s.Seed, uint64(round))), e: &l.engine, best: best, priced: true,
		at: step{task: len(r.s.Starts) + round},
	}
	l.run.s.Pause, l.run.active = nil, &l.engine
	l.run.best.copy(&r.best)
	l.penalty = -1 // reset, because the cache may have lost the nodes of the last round
	l.restore(&l.run.best)
	for l.run.leave(round); l.run.at.kind != ready; {
		l.run.advance(ctx)
	}
	l.spent = w.work
	w.e, w.work = r.e, before
}

func (s *snapshot) copy(from *snapshot) {
	s.order = append(s.order[:0], from.order...)
	s.node = append(s.node[:0], from.node...)
	s.penalty, s.score = from.penalty, from.score
}
