package sample

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/search"
)

// A node has the weights of the permitted sets of parents of one variable: all subsets of its candidates, each alone and with one
// further parent from outside (Kuipers, Suter and Moffa 2022). What a set of predecessors U allows is summed up in advance:
//
//	A(U) = Σ_{Q ⊆ C ∩ U} [w(Q) + Σ_{x in U \ C} w(Q + x)],
//
// so that it takes one number for each x instead of one for each set. With k candidates and o others a node holds 2^(k+1)·(o + 1) numbers.
type node struct {
	v          int
	candidates []int
	others     []int
	slot       []int32 // of each variable among the candidates, or -1
	place      []int32 // of each variable among the others, or -1

	logw  []float64 // of each Q
	logx  []float64 // [Q·o + x] of Q with one other
	scale []float64 // the largest of the sums over Q ⊆ mask, as a logarithm
	base  []float64 // Σ w(Q) over Q ⊆ mask, relative to scale
	sum   []float64 // [mask·o + x]: Σ w(Q + x) over Q ⊆ mask, relative to scale
}

// A set is a set of parents in terms of a node: candidates by bits, and one of the others or -1.
type set struct {
	mask  uint32
	other int32
}

func newNode(s search.Score, r *rules, v int, candidates []int) *node {
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
	n.weigh(s.Evaluator(), d, must)
	n.sumUp()
	return n
}

// weigh evaluates the sets: a call of Score and one of Additions for each Q.
func (n *node) weigh(eval search.Evaluator, d, must int) {
	o := len(n.others)
	n.logw, n.logx = filled(1<<len(n.candidates), math.Inf(-1)), filled(o<<len(n.candidates), math.Inf(-1))
	parents, with := make([]int, 0, d), make([]float64, d)
	for q := range n.logw {
		if q&must != must {
			continue
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
}

// sumUp adds over subsets, one candidate after the other.
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
	n.scale = make([]float64, len(base))
	for q := range base {
		row := sum[q*o : (q+1)*o]
		top := base[q]
		for _, s := range row {
			top = max(top, s)
		}
		n.scale[q] = top
		base[q] = expDiff(base[q], top)
		for i := range row {
			row[i] = expDiff(row[i], top)
		}
	}
	n.base, n.sum = base, sum
}

// Below this the sum that is relative to scale may have lost all its terms.
const lost = 1e-200

// value returns ln A for candidates mask and the sum over the others that precede.
func (n *node) value(mask uint32, sum float64, pos []int32, before int32) float64 {
	if math.IsInf(n.scale[mask], -1) {
		return n.scale[mask]
	}
	if total := n.base[mask] + sum; total > lost {
		return n.scale[mask] + math.Log(total)
	}
	return n.slowly(mask, pos, before)
}

// slowly is value by its definition, for sums that underflow.
func (n *node) slowly(mask uint32, pos []int32, before int32) float64 {
	o, total := len(n.others), math.Inf(-1)
	for q := mask; ; q = (q - 1) & mask {
		total = logAdd(total, n.logw[q])
		for i, x := range n.others {
			if pos[x] < before {
				total = logAdd(total, n.logx[int(q)*o+i])
			}
		}
		if q == 0 {
			return total
		}
	}
}

// mask returns the candidates that stand before a position.
func (n *node) mask(pos []int32, before int32) (mask uint32) {
	for i, x := range n.candidates {
		if pos[x] < before {
			mask |= 1 << i
		}
	}
	return mask
}

// rest adds up over the others that stand before a position.
func (n *node) rest(mask uint32, pos []int32, before int32) (sum float64) {
	row := n.sum[int(mask)*len(n.others):]
	for i, x := range n.others {
		if pos[x] < before {
			sum += row[i]
		}
	}
	return sum
}

// draw returns a set of parents among the predecessors, with probability proportional to its weight. total is ln A.
func (n *node) draw(rng *rand.Rand, pos []int32, before int32, total float64) set {
	mask := n.mask(pos, before)
	o := len(n.others)
	if expDiff(total, n.scale[mask]) < lost {
		return n.drawSlowly(rng, mask, pos, before, total)
	}
	// First whether there is one of the others and which, by the sums; then the candidates.
	other := -1
	if left := rng.Float64() * expDiff(total, n.scale[mask]); left > n.base[mask] {
		left -= n.base[mask]
		row := n.sum[int(mask)*o:]
		for i, x := range n.others {
			if pos[x] < before && row[i] > 0 {
				other = i
				if left -= row[i]; left < 0 {
					break
				}
			}
		}
	}
	weights, step, at := n.logw, 1, 0
	sum := n.base[mask]
	if other >= 0 {
		weights, step, at = n.logx, o, other
		sum = n.sum[int(mask)*o+other]
	}
	left := rng.Float64() * sum
	chosen := set{other: int32(other)}
	for q := mask; ; q = (q - 1) & mask {
		if w := expDiff(weights[int(q)*step+at], n.scale[mask]); w > 0 {
			chosen.mask = q
			if left -= w; left < 0 {
				break
			}
		}
		if q == 0 {
			break
		}
	}
	return chosen
}

// drawSlowly is draw by its definition, for sums that underflow.
func (n *node) drawSlowly(rng *rand.Rand, mask uint32, pos []int32, before int32, total float64) set {
	left := rng.Float64()
	chosen := set{other: -1}
	take := func(logw float64, s set) bool {
		if w := expDiff(logw, total); w > 0 {
			chosen = s
			left -= w
		}
		return left < 0
	}
	for q := mask; ; q = (q - 1) & mask {
		if take(n.logw[q], set{q, -1}) {
			return chosen
		}
		for i, x := range n.others {
			if pos[x] < before && take(n.logx[int(q)*len(n.others)+i], set{q, int32(i)}) {
				return chosen
			}
		}
		if q == 0 {
			return chosen
		}
	}
}

// weight returns the logarithm of the weight of a set.
func (n *node) weight(s set) float64 {
	if s.other >= 0 {
		return n.logx[int(s.mask)*len(n.others)+int(s.other)]
	}
	return n.logw[s.mask]
}

// parents calls f for each parent.
func (n *node) parents(s set, f func(x int)) {
	for rest := s.mask; rest != 0; rest &= rest - 1 {
		f(n.candidates[bits.TrailingZeros32(rest)])
	}
	if s.other >= 0 {
		f(n.others[s.other])
	}
}
