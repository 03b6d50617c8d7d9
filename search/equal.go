package search

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// With equal variances the score of a graph is
//
//	n·d·ln σ² + penalty·edges,   σ² = (1/d)·Σ_v scale_v²·s_v,
//
// which is not a sum over variables. But ln is concave, so with σ0² from the present graph
//
//	n·d·ln σ² <= n·d·ln σ0² + n·d·(σ²/σ0² - 1),
//
// and the right side is a sum. Times σ0²/n it is Σ_v scale_v²·s_v + (penalty·σ0²/n)·edges up to a constant: the score that the
// engine minimizes with another penalty. Descending at that penalty and then renewing σ0² lowers the true score at every turn, and
// the best graph of all is a fixed point, since the bound is tight there. Prior costs are divided by n/σ0² like the penalty.

// settleTurns limits the iterations; a handful is usual.
const settleTurns = 50

// noise returns σ² of the present graph.
func (e *engine) noise() float64 {
	sum := -e.priorUnit * e.priorTotal()
	for _, id := range e.node {
		sum += e.cache.at(id).loss()
	}
	return sum / float64(e.d)
}

// objective returns the score of the present state that rounds compare.
func (r *run) objective() float64 {
	e := r.e
	if r.s.Variance == Equal {
		return e.model.n*float64(e.d)*math.Log(e.noise()) + r.penalty*float64(e.edges()) + e.priorTotal()
	}
	return e.total()
}

// renew updates the noise variance from the present graph for another descent. It returns false with unequal variances, and if the
// last descent gained nothing.
func (r *run) renew() bool {
	e := r.e
	if r.s.Variance != Equal {
		return false
	}
	now := r.objective()
	if r.ended || r.at.turn == settleTurns || r.at.turn > 0 && now >= r.at.last-e.model.margin() {
		return false
	}
	r.at.turn, r.at.last = r.at.turn+1, now
	r.assumeNoise(e.noise())
	e.load(e.order)
	e.queueAll()
	return true
}

// assumeNoise sets the penalty for a noise variance.
func (r *run) assumeNoise(sigma2 float64) {
	e := r.e
	penalty := r.penalty * sigma2 / e.model.n
	prior := e.rules.prior != nil
	if prior {
		e.priorUnit = sigma2 / e.model.n
	}
	if penalty < e.basePenalty || e.basePenalty == 0 || prior { // the prior in the nodes depends on sigma2
		e.setBase(penalty * loose)
	}
	e.setPenalty(penalty)
}

// topDown starts from the order in which the variable with the smallest residual variance comes next. It selects parents by the
// unequal model: under the equal one a variable placed before its parents would take hundreds of substitutes. For the same reason
// it reduces the limit of parents to a multiple of what a correct order needs.
func (r *run) topDown(ctx context.Context) {
	e := r.e
	u := newEngine(r.p, r.s, newModel(r.p, Unequal), e.rules)
	defer u.pool.stop()
	u.halt = e.halt
	u.setBase(r.penalty)
	u.setPenalty(r.penalty)
	r.place(ctx, u, e.model.scale2)
	most := 0
	for _, id := range u.node {
		most = max(most, u.cache.at(id).degree())
	}
	e.limit = min(e.limit, max(maxExact, 2*most+8))
	// No variable has less variance than the noise, and a source has exactly that.
	r.assumeNoise(1)
	e.place(u.order)
	e.fitAll(u.order, func(w *worker, v int32) nodeID { return w.nodeOf(v, u.cache.at(u.node[v]).parents()) })
}

// reshuffle replaces the order by a random topological order of the same graph.
func (e *engine) reshuffle(rng *rand.Rand) {
	c := e.class()
	c.adopt(randomRank(e.d, rng))
	e.load(e.order)
	e.queueAll()
}

// jumble alternates between a random order of the same graph and permutations of ln d short segments of the order. Larger changes
// are useless: a variable placed before its parents takes as many substitutes as the limit allows.
func (e *engine) jumble(round int, rng *rand.Rand) {
	if round%2 == 1 {
		e.reshuffle(rng)
		return
	}
	const stretch = 8
	order := slices.Clone(e.order)
	for range max(1, int(math.Log(float64(e.d)))) {
		width := min(stretch, e.d)
		part := order[rng.IntN(e.d-width+1):][:width]
		rng.Shuffle(width, func(i, j int) { part[i], part[j] = part[j], part[i] })
	}
	e.reorder(e.rules.repair(order))
}

// TopDown returns the graph that equal noise variances suggest without a search: the order in which the variable with the smallest
// residual variance comes next (Chen, Drton and Wang 2019), and the parents that BIC chooses along it. If the assumption is true
// this is usually the result already; if not, Result.Scores shows that in one pass, and the search under Equal can be skipped.
func TopDown(ctx context.Context, p Problem, s Settings) (*Result, error) {
	s.Variance = Equal
	if err := validate(p, s); err != nil {
		return nil, err
	}
	s.Variance = Unequal
	r := newRun("top-down", p, s, nil)
	defer r.e.pool.stop()
	defer r.watch(ctx)()
	if err := r.resume(); err != nil {
		return nil, err
	}
	r.e.setBase(r.penalty)
	r.e.setPenalty(r.penalty)
	r.place(ctx, r.e, newModel(p, Equal).scale2)
	return r.result(ctx), nil
}
