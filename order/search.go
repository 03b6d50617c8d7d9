package order

import (
	"context"
	"fmt"
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
	rank    []int32 // of each variable in the order of the start
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

// keepBetter saves the present state if it beats the best one. A tie keeps the older: the start puts
// variables in an order that is right more often than a random one of the same score.
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

func (r *run) result() *Result {
	e := r.e
	res := &Result{
		Order: make([]int, e.d), Parents: make([][]int, e.d), Residual: make([]float64, e.d),
		Penalty: r.penalty, Edges: e.edges(), Stats: r.stats,
	}
	for i, v := range e.order {
		res.Order[i] = int(v)
	}
	w := e.workers[0]
	crowded := 0
	for v, id := range e.node {
		parents := e.cache.at(id).parents()
		res.Parents[v] = make([]int, len(parents))
		for j, p := range parents {
			res.Parents[v][j] = int(p)
		}
		if len(parents) == e.limit && e.limit < e.d-1 {
			crowded++
		}
		res.Residual[v] = max(w.factor(int32(v), parents), leastResidual)
		if res.Residual[v] <= 2*leastResidual {
			res.Warnings = append(res.Warnings, fmt.Sprintf("variable %d is a linear function of its parents %v; drop a duplicate or derived column", v, res.Parents[v]))
		}
	}
	if crowded > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d variables have as many parents as are allowed (%d); raise MaxParents or the penalty", crowded, e.limit))
	}
	if e.d >= r.p.N {
		res.Warnings = append(res.Warnings, fmt.Sprintf("%d variables but only %d observations: R is singular, and edges rest on little", e.d, r.p.N))
	}
	res.Scores = compare(r.p, res.Residual, res.Edges, r.penalty)
	res.Score = res.Scores.Equal - math.Log(e.model.n)
	if r.s.Variance == Unequal {
		res.Score = e.total()
	}
	res.Stats.Scans, res.Stats.Moves, res.Stats.Flushes = e.scans, e.moves, e.flushes
	res.Stats.CacheBytes = e.cache.bytes()
	for _, w := range e.workers {
		res.Stats.Nodes += w.expansions
	}
	res.Status = r.status
	if err := r.ctx.Err(); err != nil && r.status != Optimal {
		res.Status, res.Cause = Stopped, err
	}
	return res
}
