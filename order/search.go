package order

import (
	"context"
	"math"
	"math/rand/v2"
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
	run := &run{ctx: ctx, p: p, s: s, observe: observe, penalty: s.EdgePenalty(p.N, d)}
	run.e = newEngine(p, newModel(p, s.Variance), p.Knowledge.compile(d), parentLimit(p.N, d, s.MaxParents), s.Threads)
	run.rng = rand.New(rand.NewPCG(s.Seed, 0))
	run.unequal()
	return run.result(), nil
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
	stats   Stats
}

func (r *run) stopped() bool { return r.ctx.Err() != nil }

func (r *run) unequal() {
	e := r.e
	e.setBase(r.penalty)
	e.setPenalty(r.penalty * r.s.Path)
	e.start(r.stopped)
	r.observe(Progress{Stage: Start, Score: e.total(), Edges: e.edges()})
	if r.s.Path > 1 {
		e.queueAll()
		e.descend(r.stopped)
		r.observe(Progress{Stage: Path, Score: e.total(), Edges: e.edges()})
		e.setPenalty(r.penalty)
		e.load(e.order)
	}
	e.queueAll()
	e.descend(r.stopped)
	e.save(&r.best)
	r.observe(Progress{Stage: Descent, Score: r.best.score, Edges: e.edges()})
	for round := 1; round <= r.s.Restarts && !r.stopped(); round++ {
		if round%2 == 1 {
			e.equivalent(r.rng)
		} else {
			e.shuffle(r.rng)
		}
		e.descend(r.stopped)
		r.stats.Rounds++
		if total := e.total(); total <= r.best.score+e.step {
			if total < r.best.score-e.step {
				r.stats.Improved++
			}
			e.save(&r.best)
		} else {
			e.restore(&r.best)
		}
		r.observe(Progress{Stage: Round, Round: round, Score: r.best.score, Edges: e.edges()})
	}
	e.restore(&r.best)
}

// setBase empties the cache and makes penalty the least one in use.
func (e *engine) setBase(penalty float64) {
	e.basePenalty = penalty
	e.baseThreshold = e.model.threshold(penalty)
}

// setPenalty changes the penalty in force, and with it who is interested in whom.
func (e *engine) setPenalty(penalty float64) {
	e.penalty = penalty
	e.thresholdBits = math.Float32bits(float32(e.model.threshold(penalty)))
	e.step = 1e-9 * max(penalty, e.model.n)
	clear(e.interest.words)
	for v, id := range e.node {
		if id != 0 {
			e.each(e.cache.at(id), func(x uint32) { e.interest.set(int(x), v) })
		}
	}
}

func (e *engine) queueAll() {
	for _, v := range e.order {
		e.queue.push(v)
	}
}

// descend reinserts queued variables until none is left.
func (e *engine) descend(stop func() bool) {
	w := e.workers[0]
	var best proposal
	for e.queue.count > 0 && !stop() {
		v := e.queue.pop()
		e.scans++
		w.reinsert(v, &best)
		if best.delta < 0 {
			e.apply(&best)
		}
	}
	for e.queue.count > 0 {
		e.queue.pop()
	}
}

func newModel(p Problem, variance Variance) model {
	m := model{variance: variance, n: float64(p.N)}
	if variance == Equal {
		m.scale2 = make([]float64, len(p.Scale))
		for i, s := range p.Scale {
			m.scale2[i] = s * s
		}
	}
	return m
}

func (r *run) result() *Result {
	e := r.e
	res := &Result{
		Order: make([]int, e.d), Parents: make([][]int, e.d), Residual: make([]float64, e.d),
		Penalty: r.penalty, Score: e.total(), Edges: e.edges(), Stats: r.stats,
	}
	for i, v := range e.order {
		res.Order[i] = int(v)
	}
	for v, id := range e.node {
		for _, p := range e.cache.at(id).parents() {
			res.Parents[v] = append(res.Parents[v], int(p))
		}
	}
	res.Stats.Scans, res.Stats.Moves = e.scans, e.moves
	res.Stats.CacheBytes = e.cache.bytes()
	for _, w := range e.workers {
		res.Stats.Nodes += w.expansions
	}
	if err := r.ctx.Err(); err != nil {
		res.Status, res.Cause = Stopped, err
	}
	return res
}

// Scores is filled in by Evaluate.
type Scores struct{}
