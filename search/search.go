package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Search looks for the DAG with the smallest score. observe, if not nil, is called from the calling goroutine. When ctx ends,
// Search returns the best graph so far with Status Stopped. An error means that p or s is invalid.
func Search(ctx context.Context, p Problem, s Settings, observe func(Progress)) (*Result, error) {
	if err := validate(p, s); err != nil {
		return nil, err
	}
	return newRun("search", p, s, observe).search(ctx)
}

// equivalent reports whether graphs of one Markov equivalence class have the same score.
func (r *run) equivalent() bool {
	if r.p.Score != nil {
		return r.p.Score.Equivalent()
	}
	return r.s.Variance == Unequal
}

func (r *run) search(ctx context.Context) (*Result, error) {
	defer r.e.pool.stop()
	defer r.watch(ctx)()
	if err := r.resume(); err != nil {
		return nil, err
	}
	for r.at.kind != finished {
		r.advance(ctx)
	}
	if r.e.d <= r.s.Exact && r.exact(ctx) && r.s.ExactMargin == 0 {
		r.status = Optimal
	}
	r.e.restore(&r.best)
	if r.equivalent() {
		r.e.prefer(r.rank)
	}
	return r.result(ctx), nil
}

// run has the state of one call of Search or TopDown.
type run struct {
	name    string // name of the function
	p       Problem
	s       Settings
	observe func(Progress)
	penalty float64
	pcg     *rand.PCG // state of rng
	rng     *rand.Rand
	e       *engine
	at      step
	best    snapshot
	rank    []int32 // rank of each variable in the order after the first descent
	stats   Stats
	status  Status
	priced  bool // the first descent is done and adapt was called
	idle    int  // consecutive rounds without a gain
	lanes   []*lane

	active *engine // engine whose state a checkpoint saves: e, or in topDown the one that start runs on
	half   *half   // partial start from a checkpoint
	print  uint64  // fingerprint of problem and settings, 0 until it is needed
	ended  bool    // the context ended at a pause
}

func newRun(name string, p Problem, s Settings, observe func(Progress)) *run {
	if observe == nil {
		observe = func(Progress) {}
	}
	r := &run{
		name: name, p: p, s: s, observe: observe,
		pcg: rand.NewPCG(s.Seed, 0),
		e:   newEngine(p, s, newModel(p, s.Variance), p.Knowledge.compile(p.Len())),
	}
	if r.penalty = r.e.model.price + s.Charge; p.Score == nil {
		r.penalty = s.EdgePenalty(p.N, r.e.d)
	}
	r.rng = rand.New(r.pcg)
	r.e.kept = []*snapshot{&r.best}
	r.active = r.e
	return r
}

// step is the descent in progress, so that a search can be resumed in the middle of it. A search is a sequence
// of descents, between which the penalty, the order or the noise variance changes.
type step struct {
	kind stepKind
	task int     // 0 is the search's own start, then come Settings.Starts, then the rounds
	turn int     // equal variances: number of updates of the noise variance in this task
	last float64 // objective before the last update
}

type stepKind int

const (
	starting  stepKind = iota // variables are placed one after the other; no descent yet
	path                      // descent at a higher penalty
	detouring                 // descent at another penalty in a round
	settling                  // descent at the penalty itself
	ready                     // between two tasks
	finished
)

// advance runs the present step and prepares the next one.
func (r *run) advance(ctx context.Context) {
	switch r.at.kind {
	case starting:
		r.first(ctx)
	case ready:
		if r.pause(ctx) {
			r.at.kind = finished
		} else {
			r.begin(ctx)
		}
	default:
		r.e.descend(func() bool { return r.pause(ctx) })
		r.descended()
	}
}

// first makes an initial order.
func (r *run) first(ctx context.Context) {
	e := r.e
	if r.s.Variance == Equal {
		r.topDown(ctx)
	} else if r.s.First != nil {
		e.setBase(r.penalty * loose)
		e.setPenalty(r.penalty)
		r.settle(nodes(r.s.First))
		return
	} else {
		e.setBase(r.penalty * loose)
		e.setPenalty(r.penalty * r.s.Path)
		r.place(ctx, e, nil)
	}
	r.report(Start, 0, r.objective())
	if r.s.Variance == Unequal && r.s.Path > 1 {
		e.queueAll()
		r.at.kind = path
		return
	}
	r.settle(e.order)
}

// descended continues after a descent.
func (r *run) descended() {
	if r.e.overspent() { // in the middle of a round, which is abandoned
		r.e.restore(&r.best)
		r.finish()
		return
	}
	switch r.at.kind {
	case path:
		r.report(Path, 0, r.objective())
		r.e.setPenalty(r.penalty)
		r.settle(r.e.order)
	case detouring:
		r.e.setPenalty(r.penalty)
		r.settle(r.e.order)
	case settling:
		if !r.renew() && !r.exchange() && !r.reprice() {
			r.finish()
		}
	}
}

// reprice runs adapt after the first descent and prepares a descent at the new penalty. It returns false if nothing changes.
func (r *run) reprice() bool {
	if r.priced {
		return false
	}
	r.priced = true
	before := r.penalty
	if r.adapt(); r.penalty == before {
		return false
	}
	r.e.setPenalty(r.penalty)
	r.settle(r.e.order)
	return true
}

// settle loads an order for a descent to a local optimum of the true score.
func (r *run) settle(order []int32) {
	if r.ended {
		r.finish()
		return
	}
	r.e.load(order)
	r.e.queueAll()
	r.at.kind, r.at.turn = settling, 0
}

// finish ends a task. A round that the context cut short does not count, but its best state is kept.
func (r *run) finish() {
	round := r.at.task - len(r.s.Starts)
	switch {
	case r.at.task == 0:
		r.e.save(&r.best, r.objective())
		r.rank = slices.Clone(r.e.pos)
		r.report(Descent, 0, r.best.score)
	case r.ended:
		r.keepBetter()
	case round <= 0:
		r.keepBetter()
		r.report(Descent, 0, r.best.score)
	default:
		r.stats.Rounds++
		r.idle++
		if r.keepBetter() {
			r.stats.Improved++
			r.idle = 0
		}
		r.report(Round, round, r.best.score)
	}
	r.at = step{kind: ready, task: r.at.task + 1}
}

// begin starts the next task: an order from the caller, or a round that leaves the local optimum from the best state.
func (r *run) begin(ctx context.Context) {
	round := r.at.task - len(r.s.Starts)
	switch {
	case round <= 0:
		r.settle(nodes(r.s.Starts[r.at.task-1]))
	case r.e.d <= r.s.Exact || !r.another(round):
		r.at.kind = finished
	case r.waves():
		r.wave(ctx, round)
	default:
		r.e.restore(&r.best)
		r.leave(round)
	}
}

// nodes is an order of the caller.
func nodes(order []int) []int32 {
	to := make([]int32, len(order))
	for i, v := range order {
		to[i] = int32(v)
	}
	return to
}

// place runs start, from the checkpoint if there is one.
func (r *run) place(ctx context.Context, e *engine, scale []float64) {
	r.active = e
	if h := r.half; h != nil {
		copy(e.order, h.order)
		e.placed = len(h.order)
		e.fitAll(identity(e.d), func(w *worker, v int32) nodeID { return w.nodeOf(v, h.parents[v]) })
		e.setWork(h.work)
		r.half = nil
	}
	e.start(scale, func() bool { return r.pause(ctx) })
	r.active = r.e
}

// watch makes the threads notice within one parent set that the context has ended. The returned function stops watching.
func (r *run) watch(ctx context.Context) (end func()) {
	if ctx.Err() != nil {
		r.e.halt.Store(true)
	}
	stop := context.AfterFunc(ctx, func() { r.e.halt.Store(true) })
	return func() { stop() }
}

// pause is called at every point where the search can be resumed. It offers the state to Settings.Pause and reports whether the
// context has ended. A state whose fits were cut short by the end of the context is not offered.
func (r *run) pause(ctx context.Context) bool {
	if !r.ended {
		r.ended = ctx.Err() != nil
		if r.s.Pause != nil && !r.active.partial {
			r.s.Pause(r.encode)
		}
	}
	return r.ended
}

func (r *run) report(stage Stage, round int, score float64) {
	r.observe(Progress{Stage: stage, Round: round, Score: score, Edges: r.e.edges()})
}

// keepBetter saves the present state if it is better than the best one by more than rounding, and reports whether it did.
func (r *run) keepBetter() bool {
	score := r.objective()
	if score < r.best.score-r.e.model.margin() {
		r.e.save(&r.best, score)
		return true
	}
	return false
}

// setBase makes penalty the smallest one in use. Candidates depend on it, so all nodes are rebuilt.
func (e *engine) setBase(penalty float64) {
	e.basePenalty = penalty
	e.baseThreshold = e.model.threshold(penalty)
	e.flush()
}

// setPenalty changes the penalty and rebuilds interest.
func (e *engine) setPenalty(penalty float64) {
	e.penalty = penalty
	e.charge = penalty - e.model.price
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

// descend reinserts queued variables until none is left. It evaluates a batch of them in parallel against the same state, then
// makes the moves in queue order. The first move of a batch is valid as evaluated; later ones are evaluated again. The batch size
// does not depend on the number of threads, so neither does the result.
func (e *engine) descend(stop func() bool) {
	for e.queue.count > 0 && !stop() && !e.overspent() {
		e.batch = e.batch[:0]
		for range min(len(e.proposals), e.queue.count) {
			e.batch = append(e.batch, e.queue.pop())
		}
		before := e.work()
		e.parallel(len(e.batch), func(w *worker, i int) { w.reinsert(e.batch[i], &e.proposals[i]) })
		if e.halt.Load() { // proposals may have been cut short: discard them
			e.queue.unpop(e.batch)
			e.setWork(before)
			continue
		}
		e.scans += len(e.batch)
		moved := false
		for i, v := range e.batch {
			p := &e.proposals[i]
			if p.delta < 0 && moved {
				e.scans++
				e.workers[0].reinsert(v, p)
			}
			if moved && e.halt.Load() {
				e.partial = true
				break
			}
			if p.delta < 0 {
				e.apply(p)
				moved = true
			}
		}
		e.trim()
	}
	e.queue.clear()
}
