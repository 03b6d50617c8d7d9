package search

// window defines which variables may be parents: those with a position below limit, except that moved is
// allowed or not separately. moved is -1 if no variable moves.
type window struct {
	limit   int32
	moved   int32
	allowed bool
}

// score returns a node's part of the total score.
func (e *engine) score(nd node) float64 { return nd.loss() + e.charge*float64(nd.degree()) }

// fit grows and shrinks the parent set of a node inside a window: the best addition while one improves the score, then the best
// removal, until neither does. Every step lowers the computed score, so it terminates. If the nodes are cached it is a few lookups.
// The initial parents must lie inside the window. After the context has ended it returns the present node.
func (w *worker) fit(id nodeID, win window) nodeID {
	e := w.e
	pos := e.pos
	nd := e.cache.at(id)
	score := e.score(nd)
	for !e.halt.Load() {
		xs, keys := nd.candidates()
		most, add := e.thresholdBits, -1
		for i, x := range xs {
			if keys[i] <= most {
				continue
			}
			if int32(x) == win.moved && !win.allowed || int32(x) != win.moved && pos[x] >= win.limit {
				continue
			}
			most, add = keys[i], i
		}
		if add >= 0 {
			next := w.add(nd, xs[add])
			to := e.cache.at(next)
			if s := e.score(to); s < score {
				id, nd, score = next, to, s
				continue
			}
		}
		least, at := e.dropThreshold, -1
		if w.eval != nil {
			at = w.cheapest(nd)
		} else {
			for j := range nd.degree() {
				if cost := nd.drop(j); cost < least {
					least, at = cost, j
				}
			}
		}
		if at < 0 {
			return id
		}
		next := w.remove(nd, at)
		to := e.cache.at(next)
		s := e.score(to)
		if s >= score {
			return id
		}
		id, nd, score = next, to, s
	}
	return id
}
