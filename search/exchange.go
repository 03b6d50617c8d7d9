package search

// Growing and shrinking can end in a parent set that is not the best one among the predecessors of a variable: a variable that stands for
// several others is added first, and none of these improves the score beside it. If parents are strongly correlated this happens even
// along the true order: see TestStudyExchange. Moving blocks of two to five variables instead improved none of four optima (hetero, 50
// columns with 16 neighbours, n = 20,000, after 12 rounds).
//
// exchangeRows is the number of rows per column from which exchanges are made. With fewer rows they do harm: the rounds end sooner, because
// fewer of them improve the score. (d = 100 with 8 neighbours, n = 1000, three tables hetero: 0.7 times the work, and one score better and
// two worse, by 722 points in all.)
const exchangeRows = 80

// exchanges reports whether exchanges are made.
func (r *run) exchanges() bool {
	return r.p.Score == nil && r.s.Variance == Unequal && r.p.N >= exchangeRows*r.e.d
}

// exchange exchanges parents of all variables after a descent to a local optimum, except for the sets of the best state, which have been
// tried. It queues the affected variables and reports whether there are any. The sets of different variables do not depend on each other.
func (r *run) exchange() bool {
	e := r.e
	if !r.exchanges() || r.ended || e.halt.Load() {
		return false
	}
	var tried []int32
	for _, v := range e.order {
		if len(r.best.node) == 0 || e.node[v] != r.best.node[v] {
			tried = append(tried, v)
		}
	}
	before := append([]nodeID(nil), e.node...)
	e.fitAll(tried, func(w *worker, v int32) nodeID { return w.exchange(e.node[v], e.pos[v]) })
	changed := false
	for _, v := range tried {
		if e.node[v] != before[v] {
			e.queueAround(before[v])
			e.queueAround(e.node[v])
			changed = true
		}
	}
	return changed
}

// exchange removes one parent, fits without it, then fits with it as a candidate again. It keeps the best result over all parents while
// that improves the score.
func (w *worker) exchange(id nodeID, limit int32) nodeID {
	e := w.e
	for !e.halt.Load() {
		nd := e.cache.at(id)
		best, least := id, e.score(nd)-e.step
		for j, x := range nd.parents() {
			if e.rules.isRequired(int32(x), nd.variable()) {
				continue
			}
			next := w.fit(w.remove(nd, j), window{limit: limit, moved: int32(x)})
			next = w.fit(next, window{limit: limit, moved: -1})
			if s := e.score(e.cache.at(next)); s < least {
				best, least = next, s
			}
		}
		if best == id {
			break
		}
		id = best
	}
	return id
}
