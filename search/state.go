package search

import (
	"slices"
	"sync/atomic"

	"github.com/polydag/polydag/internal/chol"
)

// engine is one search: the problem, the cache, and the present state, an order with a node for every variable. Every node is a
// fixed point of fit among the predecessors of its variable.
type engine struct {
	d     int
	model model
	rules rules
	limit int // largest number of parents

	// basePenalty is the smallest penalty for which the candidates of nodes are complete; penalty is the present one, not below it.
	basePenalty, baseThreshold float64
	penalty                    float64
	charge                     float64 // penalty of a parent besides its part in the loss; model.go
	thresholdBits              uint32  // float32 bits of the key threshold for penalty
	dropThreshold              float32 // dropKey below which removing a parent improves the score
	step                       float64 // smallest gain of a move
	priorUnit                  float64 // unit of prior costs in a loss: 1, or the noise variance over n with equal variances

	cache   *cache
	workers []*worker
	pool    pool

	order []int32 // the variables
	pos   []int32 // position of each variable
	node  []nodeID
	// placed is the number of variables that start has placed.
	placed int

	// interest has, in row x, every z that has x as a parent or as a candidate at the present penalty: the variables that a move of
	// x can affect. It replaces a d×d matrix of gains, with one bit per entry.
	interest bitRows

	queue     queue
	batch     []int32
	proposals []proposal
	fitted    []nodeID    // buffer of fitAll
	kept      []*snapshot // states that must survive a flush

	halt      *atomic.Bool // the context has ended: stop fitting
	partial   bool         // the present state was not completely fitted
	allowance int          // work limit, 0 for none; see roundWork

	shared                bool  // other engines use the cache at the same time
	cacheBytes            int64 // flush above this size
	flushed               int64 // bytes left by the last flush
	moves, scans, flushes int
}

// worker has the buffers of one thread.
type worker struct {
	e          *engine
	arena      arena
	eval       Evaluator // evaluator of Problem.Score; nil for correlations
	expansions int
	work       int // see roundWork

	set        []uint32
	hits       []hit
	drops      []float64 // drop keys of the parents
	regression chol.Scan
	asked      asked
	scan       scan
}

func newEngine(p Problem, s Settings, m model, r rules) *engine {
	d := p.Len()
	e := &engine{
		d: d, model: m, rules: r,
		limit:      p.parentLimit(s.MaxParents),
		cacheBytes: min(s.CacheBytes, maxChunks/2*chunkWords*4),
		cache:      newCache(d),
		order:      make([]int32, d),
		pos:        make([]int32, d),
		node:       make([]nodeID, d),
		interest:   newBitRows(d),
		queue:      newQueue(d, r),
		proposals:  make([]proposal, batchSize),
		halt:       &atomic.Bool{},
		priorUnit:  1,
	}
	for range s.Threads {
		e.workers = append(e.workers, newWorker(e, p))
	}
	e.pool.start(e.workers[1:])
	return e
}

func newWorker(e *engine, p Problem) *worker {
	w := &worker{e: e}
	switch {
	case p.Score != nil:
		w.eval = p.Score.Evaluator()
	case p.Gram != nil:
		w.regression.Wide = p.Gram
	default:
		w.regression.R, w.regression.Columns, w.regression.Stride = p.R.Data, p.R.Cols, p.R.Stride
	}
	return w
}

// total returns the score of the present state.
func (e *engine) total() float64 {
	sum := 0.0
	for _, id := range e.node {
		sum += e.score(e.cache.at(id))
	}
	return sum
}

// edges returns the number of edges of the present state.
func (e *engine) edges() int {
	sum := 0
	for _, id := range e.node {
		sum += e.cache.at(id).degree()
	}
	return sum
}

// each calls f for every variable whose scans the node affects: its parents and its candidates at the present penalty.
func (e *engine) each(nd node, f func(x uint32)) {
	for _, p := range nd.parents() {
		f(p)
	}
	xs, keys := nd.candidates()
	for i, x := range xs {
		if keys[i] > e.thresholdBits {
			f(x)
		}
	}
}

// setNode gives v another node.
func (e *engine) setNode(v int32, id nodeID) {
	if old := e.node[v]; old != 0 {
		e.each(e.cache.at(old), func(x uint32) { e.interest.clear(int(x), int(v)) })
	}
	e.node[v] = id
	e.each(e.cache.at(id), func(x uint32) { e.interest.set(int(x), int(v)) })
}

// resetInterest rebuilds interest after a change of the penalty.
func (e *engine) resetInterest() {
	clear(e.interest.words)
	for v, id := range e.node {
		if id != 0 {
			e.each(e.cache.at(id), func(x uint32) { e.interest.set(int(x), v) })
		}
	}
}

// snapshot is a saved state.
type snapshot struct {
	order   []int32
	node    []nodeID
	penalty float64
	score   float64
}

func (e *engine) save(s *snapshot, score float64) {
	s.order = append(s.order[:0], e.order...)
	s.node = append(s.node[:0], e.node...)
	s.penalty = e.penalty
	s.score = score
}

func (e *engine) restore(s *snapshot) {
	e.place(s.order)
	if e.penalty != s.penalty {
		copy(e.node, s.node)
		e.setPenalty(s.penalty)
		return
	}
	for v, id := range s.node {
		if e.node[v] != id {
			e.setNode(int32(v), id)
		}
	}
}

// trim empties the cache when it is full, unless the saved states take most of it.
func (e *engine) trim() {
	if e.shared {
		return
	}
	if b := e.cache.bytes(); b > e.cacheBytes && b > 2*e.flushed {
		e.flush()
		e.flushes++
	}
}

// flush empties the cache and rebuilds the nodes of the saved states.
func (e *engine) flush() {
	states := [][]nodeID{e.node}
	for _, s := range e.kept {
		states = append(states, s.node)
	}
	parents := make([][][]uint32, len(states))
	for i, state := range states {
		parents[i] = make([][]uint32, len(state))
		for v, id := range state {
			if id != 0 {
				parents[i][v] = slices.Clone(e.cache.at(id).parents())
			}
		}
	}
	e.cache.empty()
	for _, w := range e.workers {
		w.arena = arena{}
	}
	for i, state := range states {
		e.parallel(len(state), func(w *worker, v int) {
			if state[v] != 0 {
				state[v] = w.nodeOf(int32(v), parents[i][v])
			}
		})
	}
	e.flushed = e.cache.bytes()
}

// queue has the variables whose reinsertion may improve the score, each once, first in first out.
type queue struct {
	ring   []int32
	head   int
	count  int
	queued []bool
}

// newQueue returns an empty queue that never takes variables without possible parents.
func newQueue(d int, r rules) queue {
	q := queue{ring: make([]int32, d), queued: make([]bool, d)}
	if r.targets != nil {
		for v := range q.queued {
			q.queued[v] = true
		}
		for _, v := range r.targets {
			q.queued[v] = false
		}
	}
	return q
}

func (q *queue) push(v int32) {
	if q.queued[v] {
		return
	}
	q.queued[v] = true
	i := q.head + q.count
	if i >= len(q.ring) {
		i -= len(q.ring)
	}
	q.ring[i] = v
	q.count++
}

// unpop returns popped variables to the front.
func (q *queue) unpop(vs []int32) {
	rest := q.list()
	q.clear()
	for _, v := range vs {
		q.push(v)
	}
	for _, v := range rest {
		q.push(v)
	}
}

func (q *queue) clear() {
	for q.count > 0 {
		q.pop()
	}
}

func (q *queue) pop() int32 {
	v := q.ring[q.head]
	if q.head++; q.head == len(q.ring) {
		q.head = 0
	}
	q.count--
	q.queued[v] = false
	return v
}
