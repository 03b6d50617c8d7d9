package search

import (
	"cmp"
	"slices"
)

// change is the new node of a variable if a move is made.
type change struct {
	v  int32
	id nodeID
}

// proposal is the best new place of a variable, or its old place with delta 0.
type proposal struct {
	v       int32
	place   int32   // new position of v
	delta   float64 // change of the total score; negative for an improvement
	changes []change
}

// event is a variable that is affected if v moves past its position.
type event struct {
	z  int32
	at int32
	// gain is the gain of z from v as another parent, when moving left.
	gain float64
}

// stop is a position to the left where the score changes.
type stop struct {
	at      int32
	id      nodeID  // node of v there
	takes   bool    // the variable there may take v as a parent
	loss    float64 // loss of v there
	promise float64 // smallest expected change of the total score here or further left
}

// hope is the assumed largest ratio of the gain of a refit to the gain of its first step. Over all refits it is 1 to 3.6 in three
// of four. Of 1, 2, 3, 4 and 8, a value of 1 missed moves and 8 took three times the nodes of 3 for the same scores.
const hope = 3

// scan has the buffers of reinsert.
type scan struct {
	members     []int32
	left, right []event
	stops       []stop
	changes     []change
}

// reinsert writes the best place of v to best while all others keep their order. It does not change the state.
//
// Few variables matter. If v moves left past z, z may take v as a parent (v is a candidate of z) and v must drop z if z is its
// parent. If v moves right past z, z must drop v if v is its parent and v may take z (z is a candidate of v). Each such event
// refits one variable, mostly by lookups; between two events the score is constant.
func (w *worker) reinsert(v int32, best *proposal) {
	e, s := w.e, &w.scan
	here := e.pos[v]
	best.v, best.place, best.delta, best.changes = v, here, 0, best.changes[:0]

	s.left, s.right = s.left[:0], s.right[:0]
	s.members = e.interest.appendRow(s.members[:0], int(v))
	for _, z := range s.members {
		if at := e.pos[z]; at < here {
			gain := e.gainOf(e.cache.at(e.node[z]), v)
			s.left = append(s.left, event{z, at, gain})
		} else {
			s.right = append(s.right, event{z: z, at: at})
		}
	}
	slices.SortFunc(s.left, func(a, b event) int { return cmp.Compare(b.at, a.at) })
	slices.SortFunc(s.right, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	lo, hi := e.rules.span(v, e.pos)
	w.scanLeft(v, lo, best)
	w.scanRight(v, hi, best)
}

// scanLeft tries every position before that of v, down to lo. The refits of the others are expensive, so it continues only while an
// improvement is expected.
func (w *worker) scanLeft(v, lo int32, best *proposal) {
	e, s := w.e, &w.scan
	w.planLeft(v, lo)
	s.changes = s.changes[:0]
	others, hoped := 0.0, 0.0
	left := s.left
	for _, st := range s.stops {
		if others+hoped+st.promise >= best.delta-e.step {
			return
		}
		if st.takes {
			z := left[0].z
			others += w.refit(z, e.node[z], window{limit: st.at, moved: v, allowed: true})
			hoped += hope * left[0].gain
			left = left[1:]
		}
		w.consider(best, others+st.loss, st.at, st.id)
	}
}

// planLeft lists the stops to the left with the losses of v, which need only the refits of v itself. It ends when v has lost more
// than the others could gain from it in first steps.
func (w *worker) planLeft(v, lo int32) {
	e, s := w.e, &w.scan
	ahead := 0.0
	for _, ev := range s.left {
		ahead += ev.gain
	}
	s.stops = s.stops[:0]
	id := e.node[v]
	nd := e.cache.at(id)
	base := e.score(nd)
	hoped := 0.0
	left := s.left
	for {
		at := int32(-1)
		if len(left) > 0 {
			at = left[0].at
		}
		for _, p := range nd.parents() {
			at = max(at, e.pos[p])
		}
		if at < lo {
			break
		}
		takes := len(left) > 0 && left[0].at == at
		if takes {
			hoped += hope * left[0].gain
			left = left[1:]
		}
		if j, ok := slices.BinarySearch(nd.parents(), uint32(e.order[at])); ok {
			id = w.fit(w.remove(nd, j), window{limit: at, moved: -1})
			nd = e.cache.at(id)
		}
		loss := e.score(nd) - base
		s.stops = append(s.stops, stop{at, id, takes, loss, loss - hoped})
		if loss >= ahead {
			break
		}
	}
	for i := len(s.stops) - 2; i >= 0; i-- {
		s.stops[i].promise = min(s.stops[i].promise, s.stops[i+1].promise)
	}
}

// scanRight tries every position after that of v, up to hi. It stops when the losses of the children of v exceed the gain of v and
// everything that single variables further right could add.
func (w *worker) scanRight(v, hi int32, best *proposal) {
	e, s := w.e, &w.scan
	id := e.node[v]
	nd := e.cache.at(id)
	base := e.score(nd)
	here := e.pos[v]
	right := s.right
	s.changes = s.changes[:0]
	lost := 0.0
	for {
		gainAt := e.nextCandidate(nd, here)
		if gainAt > hi {
			return
		}
		at := gainAt
		if len(right) > 0 {
			at = min(at, right[0].at)
		}
		if len(right) > 0 && right[0].at == at {
			z := right[0].z
			old := e.cache.at(e.node[z])
			if j, ok := slices.BinarySearch(old.parents(), uint32(v)); ok {
				lost += w.refit(z, w.remove(old, j), window{limit: at, moved: v})
			}
			right = right[1:]
		}
		if gainAt == at {
			id = w.fit(id, window{limit: at + 1, moved: -1})
			nd = e.cache.at(id)
		}
		here = at
		delta := lost + e.score(nd) - base
		w.consider(best, delta, at, id)
		if delta-e.gainsAfter(nd, here) >= best.delta {
			return
		}
	}
}

// refit records the node of z fitted from start inside win, and returns the change of its score.
func (w *worker) refit(z int32, start nodeID, win window) float64 {
	e := w.e
	old := e.node[z]
	id := w.fit(start, win)
	if id == old {
		return 0
	}
	w.scan.changes = append(w.scan.changes, change{z, id})
	return e.score(e.cache.at(id)) - e.score(e.cache.at(old))
}

// consider makes position at, with node id of v, the best one if delta is better. A move must gain more than rounding, so that the
// search terminates.
func (w *worker) consider(best *proposal, delta float64, at int32, id nodeID) {
	if delta < best.delta-w.e.step {
		best.delta, best.place = delta, at
		best.changes = append(best.changes[:0], w.scan.changes...)
		best.changes = append(best.changes, change{best.v, id})
	}
}

// gainOf returns the gain of x as another parent for the variable of nd, after the penalty; 0 if there is none.
func (e *engine) gainOf(nd node, x int32) float64 {
	xs, keys := nd.candidates()
	if i, ok := slices.BinarySearch(xs, uint32(x)); ok {
		return max(0, e.model.gain(float64(keyOf(keys[i])))-e.penalty)
	}
	return 0
}

// nextCandidate returns the first position after here of a candidate of nd, or d if none is left.
func (e *engine) nextCandidate(nd node, here int32) int32 {
	next := int32(e.d)
	xs, keys := nd.candidates()
	for i, x := range xs {
		if at := e.pos[x]; at > here && at < next && keys[i] > e.thresholdBits {
			next = at
		}
	}
	return next
}

// gainsAfter sums the gains of the candidates of nd after position here, each alone.
func (e *engine) gainsAfter(nd node, here int32) float64 {
	sum := 0.0
	xs, keys := nd.candidates()
	for i, x := range xs {
		if e.pos[x] > here && keys[i] > e.thresholdBits {
			sum += e.model.gain(float64(keyOf(keys[i]))) - e.penalty
		}
	}
	return sum
}

// apply makes a move and queues every affected variable.
func (e *engine) apply(p *proposal) {
	e.moves++
	here := e.pos[p.v]
	if p.place < here {
		copy(e.order[p.place+1:here+1], e.order[p.place:here])
	} else {
		copy(e.order[here:p.place], e.order[here+1:p.place+1])
	}
	e.order[p.place] = p.v
	for i := min(here, p.place); i <= max(here, p.place); i++ {
		e.pos[e.order[i]] = i
	}
	for _, c := range p.changes {
		e.queueAround(e.node[c.v])
		e.setNode(c.v, c.id)
		e.queueAround(c.id)
	}
}

// queueAround queues the variable of a node and all variables affected by the node.
func (e *engine) queueAround(id nodeID) {
	nd := e.cache.at(id)
	e.queue.push(nd.variable())
	e.each(nd, func(x uint32) { e.queue.push(int32(x)) })
}
