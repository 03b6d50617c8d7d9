package search

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/crc64"

	"github.com/polydag/polydag/internal/wire"
)

// layout names the format of encode. It changes when the format or its interpretation changes.
const layout = "order/2"

// A search can be resumed from its order, the parent sets of the present and the best state, the penalties, the queue and the
// generator. The node cache is omitted: a node is a pure function of the problem, its variable, its parents, the base penalty and
// the limit, so only time is lost.

// half is the state of start: the variables placed so far and the parents of all.
type half struct {
	order   []int32
	parents [][]uint32
	work    int
}

// encode returns the state of the search.
func (r *run) encode() []byte {
	e := r.active
	w := wire.NewWriter(layout)
	w.Uint64(r.fingerprint())
	w.Int(int(r.at.kind))
	w.Int(r.at.task)
	w.Int(r.at.turn)
	w.Float(r.at.last)
	wire.Ints(w, e.order[:e.placed])
	e.encodeNodes(w, e.node)
	if r.at.kind == starting {
		w.Int(e.work())
		return w.Seal()
	}
	w.Float(r.penalty)
	w.Bool(r.priced)
	w.Int(e.allowance)
	w.Int(e.limit)
	w.Float(e.basePenalty)
	w.Float(e.penalty)
	w.Float(e.priorUnit)
	wire.Ints(w, e.queue.list())
	w.Bool(r.rank != nil)
	if r.rank != nil {
		wire.Ints(w, r.rank)
		wire.Ints(w, r.best.order)
		e.encodeNodes(w, r.best.node)
		w.Float(r.best.penalty)
		w.Float(r.best.score)
	}
	rng, _ := r.pcg.MarshalBinary() // never fails
	w.Raw(rng)
	nodes := 0
	for _, w := range e.workers {
		nodes += w.expansions
	}
	for _, n := range []int{r.stats.Rounds, r.stats.Improved, r.idle, e.scans, e.moves, e.flushes, nodes, e.work()} {
		w.Int(n)
	}
	return w.Seal()
}

func (e *engine) encodeNodes(w *wire.Writer, nodes []nodeID) {
	for _, id := range nodes {
		wire.Ints(w, e.cache.at(id).parents())
	}
}

// resume restores the state from Settings.Resume.
func (r *run) resume() error {
	if r.s.Resume == nil {
		return nil
	}
	rd := wire.NewReader(layout, r.s.Resume)
	if print := rd.Uint64(); rd.Err() == nil && print != r.fingerprint() {
		return fmt.Errorf("setting Resume is the state of another search: problem or settings differ; take the ones it was made with, or start from the beginning")
	}
	r.decode(rd)
	if err := rd.Close(); err != nil {
		return fmt.Errorf("setting Resume: %w; start from the beginning", err)
	}
	return nil
}

func (r *run) decode(rd *wire.Reader) {
	e := r.e
	r.at.kind = stepKind(rd.Int())
	r.at.task, r.at.turn, r.at.last = rd.Int(), rd.Int(), rd.Float()
	order := wire.ReadInts[int32](rd, 0, e.d)
	parents := e.decodeParents(rd)
	if r.at.kind == starting {
		r.half = &half{order: order, parents: parents, work: rd.Int()}
		return
	}
	r.penalty, r.priced, e.allowance = rd.Float(), rd.Bool(), rd.Int()
	e.limit = rd.Int()
	base, penalty, unit := rd.Float(), rd.Float(), rd.Float()
	queued := wire.ReadInts[int32](rd, 0, e.d)
	var best [][]uint32
	if rd.Bool() {
		r.rank = wire.ReadInts[int32](rd, 0, e.d)
		r.best.order = wire.ReadInts[int32](rd, 0, e.d)
		best = e.decodeParents(rd)
		r.best.penalty, r.best.score = rd.Float(), rd.Float()
	}
	if err := r.pcg.UnmarshalBinary(rd.Raw()); err != nil {
		rd.Fail("its generator: %v", err)
	}
	nodes, work := 0, 0
	for _, n := range []*int{&r.stats.Rounds, &r.stats.Improved, &r.idle, &e.scans, &e.moves, &e.flushes, &nodes, &work} {
		*n = rd.Int()
	}
	if rd.Err() != nil {
		return
	}
	e.priorUnit = unit
	e.setBase(base)
	e.setPenalty(penalty)
	e.place(order)
	e.fitAll(e.order, func(w *worker, v int32) nodeID { return w.nodeOf(v, parents[v]) })
	for v, set := range best {
		r.best.node = append(r.best.node, e.workers[0].nodeOf(int32(v), set))
	}
	for _, v := range queued {
		e.queue.push(v)
	}
	for _, w := range e.workers {
		w.expansions = 0
	}
	e.workers[0].expansions = nodes
	e.setWork(work)
}

func (e *engine) decodeParents(rd *wire.Reader) [][]uint32 {
	parents := make([][]uint32, e.d)
	for v := range parents {
		parents[v] = wire.ReadInts[uint32](rd, 0, e.d)
	}
	return parents
}

// list returns the queued variables in order.
func (q *queue) list() []int32 {
	out := make([]int32, 0, q.count)
	for i := range q.count {
		out = append(out, q.ring[(q.head+i)%len(q.ring)])
	}
	return out
}

// fingerprint identifies the problem and the settings. It takes one pass over R, or the scores of all sets of at most one parent,
// which distinguish tables but not two scores that differ only for larger sets.
func (r *run) fingerprint() uint64 {
	if r.print != 0 {
		return r.print
	}
	h := crc64.New(crc64.MakeTable(crc64.ECMA))
	s := r.s
	fmt.Fprintln(h, r.name, r.e.d, r.p.N, s.Variance, s.Factor, s.Gamma, s.Charge, s.Adapt, s.Path, s.Restarts, s.Exact, s.MaxParents, s.Seed, s.First, s.Starts, r.e.rules.required, r.e.rules.first)
	for _, word := range r.e.rules.forbid.words {
		fmt.Fprintln(h, word)
	}
	for v, costs := range r.e.rules.prior {
		for _, c := range costs {
			fmt.Fprintln(h, v, c.x, c.cost)
		}
	}
	if r.p.Score != nil {
		r.hashScore(h)
	} else {
		hashFloats(h, r.p.Scale)
		for i := range r.e.d {
			if r.p.Gram != nil {
				hashFloats(h, r.p.Gram.Vector(i))
			} else {
				hashFloats(h, r.p.R.Row(i))
			}
		}
	}
	r.print = max(1, h.Sum64())
	return r.print
}

func (r *run) hashScore(h hash.Hash) {
	fmt.Fprintln(h, "score", r.p.Score.Equivalent(), r.e.model.price)
	hashFloats(h, r.e.model.bare)
	eval := r.p.Score.Evaluator()
	with := make([]float64, r.e.d)
	for v := range with {
		clear(with)
		eval.Additions(with, v, nil)
		hashFloats(h, with)
	}
}

func hashFloats(h hash.Hash, xs []float64) {
	b, _ := binary.Append(nil, binary.LittleEndian, xs) // cannot fail on floats
	h.Write(b)
}
