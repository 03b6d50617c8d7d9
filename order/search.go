package order

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Search looks for the DAG of least score. observe, if not nil, is called from the calling
// goroutine. When ctx ends, Search returns the best graph so far with Status Stopped; an error
// means that p or s are faulty.
func Search(ctx context.Context, p Problem, s Settings, observe func(Progress)) (*Result, error) {
	if err := validate(p, s); err != nil {
		return nil, err
	}
	if observe == nil {
		observe = func(Progress) {}
	}
	d := p.R.Rows
	r := &run{
		ctx: ctx, p: p, s: s, observe: observe,
		penalty: s.EdgePenalty(p.N, d),
		rng:     rand.New(rand.NewPCG(s.Seed, 0)),
	}
	r.e = newEngine(p, s, newModel(p, s.Variance), p.Knowledge.compile(d))
	defer r.e.pool.stop()
	r.e.kept = []*snapshot{&r.best}
	r.first()
	for _, order := range s.Starts {
		r.from(order)
	}
	if d > s.Exact {
		r.rounds()
	} else if r.exact() {
		r.status = Optimal
	}
	r.e.restore(&r.best)
	if s.Variance == Unequal {
		r.e.prefer(r.rank)
	}
	return r.result(), nil
}

// run is one call of Search.
type run struct {
	ctx     context.Context
	p       Problem
	s       Settings
	observe func(Progress)
	penalty float64
	rng     *rand.Rand
	e       *engine
	best    snapshot
	rank    []int32 // of each variable in the order that the first descent ended with
	stats   Stats
	status  Status
}

func (r *run) stopped() bool { return r.ctx.Err() != nil }

func (r *run) report(stage Stage, round int, score float64) {
	r.observe(Progress{Stage: stage, Round: round, Score: score, Edges: r.e.edges()})
}

// first makes an order and descends from it.
func (r *run) first() {
	e := r.e
	if r.s.Variance == Equal {
		r.topDown()
	} else {
		e.setBase(r.penalty * loose)
		e.setPenalty(r.penalty * r.s.Path)
		e.start(nil, r.stopped)
	}
	r.report(Start, 0, r.objective())
	if r.s.Variance == Unequal && r.s.Path > 1 {
		e.queueAll()
		e.descend(r.stopped)
		r.report(Path, 0, r.objective())
		e.setPenalty(r.penalty)
	}
	if !r.stopped() {
		e.load(e.order)
		e.queueAll()
		r.settle()
	}
	e.save(&r.best, r.objective())
	r.rank = slices.Clone(e.pos)
	r.report(Descent, 0, r.best.score)
}

// from descends from an order of the caller.
func (r *run) from(order []int) {
	if r.stopped() {
		return
	}
	e := r.e
	to := make([]int32, e.d)
	for i, v := range order {
		to[i] = int32(v)
	}
	e.load(to)
	e.queueAll()
	r.settle()
	r.keepBetter()
	r.report(Descent, 0, r.best.score)
}

// rounds tries Restarts times to leave the local optimum, from the best state each time.
func (r *run) rounds() {
	e := r.e
	for round := 1; round <= r.s.Restarts && !r.stopped(); round++ {
		e.restore(&r.best)
		r.leave(round)
		r.settle()
		r.stats.Rounds++
		if r.keepBetter() {
			r.stats.Improved++
		}
		r.report(Round, round, r.best.score)
	}
}

// keepBetter saves the present state if it beats the best one by more than rounding, and
// reports whether it did.
func (r *run) keepBetter() bool {
	score := r.objective()
	if score < r.best.score-1e-9*r.e.model.n {
		r.e.save(&r.best, score)
		return true
	}
	return false
}

// setBase makes penalty the least one in use. Candidates depend on it, so all nodes are made anew.
func (e *engine) setBase(penalty float64) {
	e.basePenalty = penalty
	e.baseThreshold = e.model.threshold(penalty)
	e.flush()
}

// setPenalty changes the penalty in force, and with it who is interested in whom.
func (e *engine) setPenalty(penalty float64) {
	e.penalty = penalty
	e.thresholdBits = math.Float32bits(float32(e.model.threshold(penalty)))
	e.dropThreshold = float32(e.model.dropThreshold(penalty))
	e.step = 1e-9 * max(penalty, e.model.unit())
	e.resetInterest()
}

func (e *engine) queueAll() {
	for _, v := range e.order {
		e.queue.push(v)
	}
}

// descend reinserts queued variables until none is left. It looks at a batch of them at once, in
// parallel and all against the same state, then makes the moves in the order of the queue. The
// first move of a batch is as good as it looked; a later one is looked at again. The
// size of a batch does not depend on the number of threads, so neither does the result.
func (e *engine) descend(stop func() bool) {
	for e.queue.count > 0 && !stop() {
		e.batch = e.batch[:0]
		for range min(batchSize, e.queue.count) {
			e.batch = append(e.batch, e.queue.pop())
		}
		e.scans += len(e.batch)
		e.parallel(len(e.batch), func(w *worker, i int) { w.reinsert(e.batch[i], &e.proposals[i]) })
		moved := false
		for i, v := range e.batch {
			p := &e.proposals[i]
			if p.delta < 0 && moved {
				e.scans++
				e.workers[0].reinsert(v, p)
			}
			if p.delta < 0 {
				e.apply(p)
				moved = true
			}
		}
		e.trim()
	}
	for e.queue.count > 0 {
		e.queue.pop()
	}
}
