package sample

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/search"
)

// A node has the weights of the permitted parent sets of one variable: all subsets of its candidates, each
// alone and with one other parent (Kuipers, Suter and Moffa 2022). The sum for a set of predecessors U is
// precomputed:
//
//	A(U) = Σ_{Q ⊆ C ∩ U} [w(Q) + Σ_{x in U \ C} w(Q + x)],
//
// so that it needs one number for each x instead of one for each set. With k candidates and o others a node has
// 2^(k+1)·(o + 1) numbers.
type node struct {
	v          int
	candidates []int
	others     []int
	slot       []int32 // index of each variable among the candidates, or -1
	place      []int32 // index of each variable among the others, or -1

	logw   []float64 // by Q
	logx   []float64 // [Q·o + x]: Q with one other
	base   []float64 // ln Σ w(Q) over Q ⊆ mask
	sum    []share   // [mask·o + x]: Σ w(Q + x) over Q ⊆ mask, divided by e^base
	sorted []uint32  // the permitted Q, largest weight first
}

// A set is a parent set relative to a node: candidates as bits, and one of the others or -1.
type set struct {
	mask  uint32
	other int32
}

// before describes the predecessors of a variable relative to its node: candidates as bits, and the sum over
// the other predecessors.
type before struct {
	mask uint32
	rest share
}

// newNode evaluates the parent sets of v. If ctx ends, it returns early with an invalid node.
func newNode(ctx context.Context, s search.Score, r *rules, v int, candidates []int) *node {
	d := s.Variables()
	n := &node{v: v, candidates: candidates, slot: make([]int32, d), place: make([]int32, d)}
	must := 0
	for x := range d {
		n.slot[x], n.place[x] = -1, -1
		if at, is := slices.BinarySearch(candidates, x); is {
			n.slot[x] = int32(at)
			if _, req := slices.BinarySearch(r.required[v], x); req {
				must |= 1 << at
			}
		} else if x != v && r.may(x, v) {
			n.place[x] = int32(len(n.others))
			n.others = append(n.others, x)
		}
	}
	if n.weigh(ctx, s.Evaluator(), d, must) {
		n.sumUp()
	}
	return n
}

// weigh evaluates the sets, with one call of Score and one of Additions for each Q. It returns false if ctx
// ended.
func (n *node) weigh(ctx context.Context, eval search.Evaluator, d, must int) bool {
	o := len(n.others)
	n.logw, n.logx = slices.Repeat([]float64{math.Inf(-1)}, 1<<len(n.candidates)), slices.Repeat([]float64{math.Inf(-1)}, o<<len(n.candidates))
	parents, with := make([]int, 0, d), make([]float64, d)
	for q := range n.logw {
		if q&must != must {
			continue
		}
		if ctx.Err() != nil {
			return false
		}
		parents = parents[:0]
		for rest := q; rest != 0; rest &= rest - 1 {
			parents = append(parents, n.candidates[bits.TrailingZeros(uint(rest))])
		}
		n.logw[q] = -eval.Score(n.v, parents) / 2
		if o == 0 {
			continue
		}
		eval.Additions(with, n.v, parents)
		for i, x := range n.others {
			n.logx[q*o+i] = -with[x] / 2
		}
	}
	return true
}

// sumUp sums over subsets, one candidate after the other.
func (n *node) sumUp() {
	o := len(n.others)
	base, sum := slices.Clone(n.logw), slices.Clone(n.logx)
	for b := range n.candidates {
		for q := range base {
			if q>>b&1 == 0 {
				continue
			}
			less := q ^ 1<<b
			base[q] = logAdd(base[q], base[less])
			for i := range o {
				sum[q*o+i] = logAdd(sum[q*o+i], sum[less*o+i])
			}
		}
	}
	n.base, n.sum = base, make([]share, len(sum))
	for q := range base {
		for i, s := range sum[q*o : (q+1)*o] {
			n.sum[q*o+i] = newShare(s, base[q])
		}
		if !math.IsInf(n.logw[q], -1) {
			n.sorted = append(n.sorted, uint32(q))
		}
	}
	slices.SortStableFunc(n.sorted, func(a, b uint32) int { return cmp.Compare(n.logw[b], n.logw[a]) })
}

// preceding returns the predecessors of a position.
func (n *node) preceding(pos []int32, at int32) (b before) {
	for i, x := range n.candidates {
		if pos[x] < at {
			b.mask |= 1 << i
		}
	}
	b.rest = n.further(b.mask, pos, at)
	return b
}

// further sums over the others before a position.
func (n *node) further(mask uint32, pos []int32, at int32) (sum share) {
	row := n.sum[int(mask)*len(n.others):]
	for i, x := range n.others {
		if pos[x] < at {
			sum = sum.plus(row[i])
		}
	}
	return sum
}

// with returns b with x as an additional predecessor; pos must have x before at.
func (n *node) with(b before, x int, pos []int32, at int32) before {
	if slot := n.slot[x]; slot >= 0 {
		b.mask |= 1 << slot
		b.rest = n.further(b.mask, pos, at)
	} else if place := n.place[x]; place >= 0 {
		b.rest = b.rest.plus(n.sum[int(b.mask)*len(n.others)+int(place)])
	}
	return b
}

// value returns ln A.
func (n *node) value(b before) float64 {
	if b.rest < 0 {
		return n.base[b.mask] + b.rest.log() // 1 is negligible
	}
	return n.base[b.mask] + math.Log1p(float64(b.rest))
}

// draw returns a parent set among the predecessors, with probability proportional to its weight.
func (n *node) draw(rng *rand.Rand, b before, pos []int32, at int32) set {
	// First draw whether there is an other parent and which, from the sums; then draw the candidates.
	left := rng.Float64()
	if b.rest >= 0 {
		if left *= 1 + float64(b.rest); left < 1 {
			return set{n.drawMask(b.mask, left), -1}
		}
		left = (left - 1) / float64(b.rest)
	}
	o, other := len(n.others), -1
	row := n.sum[int(b.mask)*o:]
	for i, x := range n.others {
		if pos[x] >= at {
			continue
		}
		if p := row[i].of(b.rest); p > 0 {
			other = i
			if left -= p; left < 0 {
				break
			}
		}
	}
	if other < 0 { // rounding
		return set{n.drawMask(b.mask, rng.Float64()), -1}
	}
	left = rng.Float64()
	chosen := set{other: int32(other)}
	all := n.base[b.mask] + row[other].log()
	// Candidates with a large weight alone usually also have one with another parent, so the largest terms come
	// early.
	for _, q := range n.sorted {
		if q&^b.mask != 0 {
			continue
		}
		if w := expDiff(n.logx[int(q)*o+other], all); w > 0 {
			chosen.mask = q
			if left -= w; left < 0 {
				break
			}
		}
	}
	return chosen
}

// drawMask returns the candidates at which the cumulative weight passes left, a share of the total. The largest
// come first, so that few exponentials are needed.
func (n *node) drawMask(mask uint32, left float64) (chosen uint32) {
	base := n.base[mask]
	for _, q := range n.sorted {
		if q&^mask != 0 {
			continue
		}
		w := math.Exp(n.logw[q] - base)
		if w == 0 {
			break
		}
		chosen = q
		if left -= w; left < 0 {
			break
		}
	}
	return chosen
}

// weight returns the log weight of a set.
func (n *node) weight(s set) float64 {
	if s.other >= 0 {
		return n.logx[int(s.mask)*len(n.others)+int(s.other)]
	}
	return n.logw[s.mask]
}

func (n *node) parents(s set, f func(x int)) {
	for rest := s.mask; rest != 0; rest &= rest - 1 {
		f(n.candidates[bits.TrailingZeros32(rest)])
	}
	if s.other >= 0 {
		f(n.others[s.other])
	}
}
