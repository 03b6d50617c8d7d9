package sample

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// maxExact is the largest number of variables for Exact, which needs 4^d steps and d·3^d numbers.
const maxExact = 12

// Exact is the exact posterior over DAGs of at most 12 variables.
//
// Every DAG has a unique sequence of layers. The first has the variables without parents, and a variable in
// layer k has a parent in layer k - 1 and all its parents in earlier layers. So the sum over all DAGs is a sum
// over sequences of layers, and with F(U, L) the weight of all DAGs on the set U whose last layer is L,
//
//	F(U ∪ M, M) = Σ_L F(U, L) · Π_{v in M} H_v(U, L),   H_v(U, L) = Σ of the weights of the sets P ⊆ U with P ∩ L ≠ ∅.
//
// All terms are positive, unlike those of inclusion and exclusion, so nothing cancels. Each graph counts once:
// the prior is over graphs, not over orders of the variables, which would favour graphs with many orders
// (Koivisto and Sood 2004 against Tian and He 2009). The recursion is that of Kuipers and Moffa (2017) and of
// Talvitie, Vuoksenmaa and Koivisto (2019), in O(4^d).
//
// Weights are relative to the best DAG on U, whose logarithm is best(U). Terms that underflow have less than
// 1e-300 of the total weight, for any number of rows, because a DAG on U can be replaced by the best one
// without changing the rest.
type Exact struct {
	d    int
	tern []int       // Σ 3^i over the members of a set; (U, L) has the index tern[U] + tern[L]
	logw [][]float64 // by variable and parent set
	top  [][]float64 // by variable and set: the largest logw among subsets
	best []float64   // by set: the log weight of the best DAG
	hit  [][]float64 // H_v(U, L) relative to top
	in   [][]float64 // [v·d + x][U]: the sum over the sets P ⊆ U that contain x, relative to top
	f    []float64   // F(U, L) relative to best(U)
	z    float64     // the sum of F(V, L)
}

// NewExact computes the posterior of a problem. It returns the error of a cancelled context.
func NewExact(ctx context.Context, p Problem, threads int) (*Exact, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	if d := p.Score.Variables(); d > maxExact {
		return nil, fmt.Errorf("%d variables, and the exact posterior goes up to %d; sample it with Run", d, maxExact)
	}
	e := &Exact{d: p.Score.Variables()}
	e.tern = make([]int, 1<<e.d)
	for u := 1; u < len(e.tern); u++ {
		power := 1
		for range bits.TrailingZeros(uint(u)) {
			power *= 3
		}
		e.tern[u] = e.tern[u&(u-1)] + power
	}
	e.logw, e.top, e.hit, e.in = make([][]float64, e.d), make([][]float64, e.d), make([][]float64, e.d), make([][]float64, e.d*e.d)
	r := newRules(p.Knowledge, e.d)
	parallel.For(e.d, threads, func(v int) {
		e.weigh(ctx, p.Score, r, v)
		if ctx.Err() == nil {
			e.hits(v)
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.bests()
	return e, e.forward(ctx)
}

// weigh evaluates every parent set of v.
func (e *Exact) weigh(ctx context.Context, s search.Score, r *rules, v int) {
	eval := s.Evaluator()
	w := slices.Repeat([]float64{math.Inf(-1)}, 1<<e.d)
	must := 0
	for _, x := range r.required[v] {
		must |= 1 << x
	}
	parents := make([]int, 0, e.d)
	for set := range w {
		if set>>v&1 == 1 || set&must != must {
			continue
		}
		parents = parents[:0]
		for rest := set; rest != 0; rest &= rest - 1 {
			if x := bits.TrailingZeros(uint(rest)); r.may(x, v) {
				parents = append(parents, x)
			}
		}
		if len(parents) < bits.OnesCount(uint(set)) {
			continue
		}
		if ctx.Err() != nil {
			return
		}
		w[set] = -eval.Score(v, parents) / 2
	}
	e.logw[v] = w
	top := append([]float64(nil), w...)
	for b := range e.d {
		for set := range top {
			if set>>b&1 == 1 {
				top[set] = max(top[set], top[set^1<<b])
			}
		}
	}
	e.top[v] = top
}

// hits computes in and hit of v.
func (e *Exact) hits(v int) {
	for x := range e.d {
		if x == v {
			continue
		}
		sum := slices.Repeat([]float64{math.Inf(-1)}, 1<<e.d)
		for set, w := range e.logw[v] {
			if set>>x&1 == 1 {
				sum[set] = w
			}
		}
		for b := range e.d {
			for set := range sum {
				if set>>b&1 == 1 && b != v {
					sum[set] = logAdd(sum[set], sum[set^1<<b])
				}
			}
		}
		for set := range sum {
			sum[set] = expDiff(sum[set], e.top[v][set])
		}
		e.in[v*e.d+x] = sum
	}
	hit := make([]float64, 3*e.tern[1<<(e.d-1)])
	hit[0] = expDiff(e.logw[v][0], e.top[v][0])
	for u := 1; u < 1<<e.d; u++ {
		if u>>v&1 == 1 {
			continue
		}
		for l := u; l != 0; l = (l - 1) & u {
			x := bits.TrailingZeros(uint(l))
			less := u &^ (1 << x)
			h := e.in[v*e.d+x][u]
			if l &= l - 1; l != 0 {
				h += hit[e.tern[less]+e.tern[l]] * expDiff(e.top[v][less], e.top[v][u])
			}
			l |= 1 << x
			hit[e.tern[u]+e.tern[l]] = h
		}
	}
	e.hit[v] = hit
}

// bests finds the best DAG on each set (Silander and Myllymäki 2006).
func (e *Exact) bests() {
	e.best = slices.Repeat([]float64{math.Inf(-1)}, 1<<e.d)
	e.best[0] = 0
	for u := 1; u < len(e.best); u++ {
		for rest := u; rest != 0; rest &= rest - 1 {
			v := bits.TrailingZeros(uint(rest))
			less := u &^ (1 << v)
			e.best[u] = max(e.best[u], e.best[less]+e.top[v][less])
		}
	}
}

// next is the state of the extensions of a set U: the sets M outside it, by index.
type next struct {
	rest []int     // the variables outside U
	tern []int     // tern of each M
	set  []int     // each M as a set of variables
	gain []float64 // best(U) + Σ top_v(U) - best(U ∪ M) as a factor
	p    []float64 // Π H_v(U, L) over M
}

func (e *Exact) outside(n *next, u int) {
	n.rest = n.rest[:0]
	for v := range e.d {
		if u>>v&1 == 0 {
			n.rest = append(n.rest, v)
		}
	}
	size := 1 << len(n.rest)
	if cap(n.p) < size {
		n.tern, n.set, n.gain, n.p = make([]int, size), make([]int, size), make([]float64, size), make([]float64, size)
	}
	n.tern, n.set, n.gain, n.p = n.tern[:size], n.set[:size], n.gain[:size], n.p[:size]
	n.tern[0], n.set[0], n.gain[0] = 0, 0, e.best[u]
	for m := 1; m < size; m++ {
		v := n.rest[bits.TrailingZeros(uint(m))]
		n.set[m] = n.set[m&(m-1)] | 1<<v
		n.tern[m] = e.tern[n.set[m]]
		n.gain[m] = n.gain[m&(m-1)] + e.top[v][u]
	}
	for m := 1; m < size; m++ {
		n.gain[m] = expDiff(n.gain[m], e.best[u|n.set[m]])
	}
	n.gain[0] = 0
}

// products computes p for the last layer with index at.
func (e *Exact) products(n *next, at int) {
	n.p[0] = 1
	for m := 1; m < len(n.p); m++ {
		n.p[m] = n.p[m&(m-1)] * e.hit[n.rest[bits.TrailingZeros(uint(m))]][at]
	}
}

// each calls f for every set U and every possible last layer L.
func (e *Exact) each(ctx context.Context, backwards bool, f func(n *next, u, l, at int)) error {
	var n next
	for i := range 1<<e.d - 1 {
		u := i
		if backwards {
			u = 1<<e.d - 2 - i
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if math.IsInf(e.best[u], -1) {
			continue
		}
		e.outside(&n, u)
		if u == 0 {
			e.products(&n, 0)
			f(&n, 0, 0, 0)
			continue
		}
		for l := u; l != 0; l = (l - 1) & u {
			if at := e.tern[u] + e.tern[l]; e.f[at] > 0 {
				e.products(&n, at)
				f(&n, u, l, at)
			}
		}
	}
	return nil
}

// forward computes F and its sum.
func (e *Exact) forward(ctx context.Context) error {
	e.f = make([]float64, 3*e.tern[1<<(e.d-1)])
	e.f[0] = 1
	err := e.each(ctx, false, func(n *next, u, _, at int) {
		for m := 1; m < len(n.p); m++ {
			e.f[e.tern[u]+2*n.tern[m]] += e.f[at] * n.p[m] * n.gain[m]
		}
	})
	all := 1<<e.d - 1
	for l := all; l != 0; l = (l - 1) & all {
		e.z += e.f[e.tern[all]+e.tern[l]]
	}
	return err
}

// Edges returns the probability of each edge i → j. It returns the error of a cancelled context.
func (e *Exact) Edges(ctx context.Context) (*matrix.Dense[float64], error) {
	p := matrix.New[float64](e.d, e.d)
	b := make([]float64, len(e.f)) // the weight of everything that can follow (U, L), relative to best(V) - best(U)
	all := 1<<e.d - 1
	for l := all; l != 0; l = (l - 1) & all {
		b[e.tern[all]+e.tern[l]] = 1
	}
	flow := make([]float64, e.d)
	err := e.each(ctx, true, func(n *next, u, l, at int) {
		clear(flow)
		sum := 0.0
		for m := 1; m < len(n.p); m++ {
			x := n.p[m] * n.gain[m] * b[e.tern[u]+2*n.tern[m]]
			sum += x
			for rest := n.set[m]; rest != 0; rest &= rest - 1 {
				flow[bits.TrailingZeros(uint(rest))] += x
			}
		}
		b[at] = sum
		for _, v := range n.rest {
			if share := flow[v] * e.f[at] / e.z; share > 0 && u != 0 {
				e.addParents(p, v, u, l, share/e.hit[v][at])
			}
		}
	})
	return p, err
}

// addParents adds to row x of column v the weight of the parent sets of v that contain x, within U and
// intersecting L.
func (e *Exact) addParents(p *matrix.Dense[float64], v, u, l int, share float64) {
	less := u &^ l
	scale := expDiff(e.top[v][less], e.top[v][u])
	for rest := u; rest != 0; rest &= rest - 1 {
		x := bits.TrailingZeros(uint(rest))
		sum := e.in[v*e.d+x][u]
		if l>>x&1 == 0 {
			sum = max(0, sum-e.in[v*e.d+x][less]*scale)
		}
		p.Data[x*e.d+v] += share * sum
	}
}

// Draw returns the parents of each variable in a graph sampled from the posterior.
func (e *Exact) Draw(rng *rand.Rand) [][]int {
	parents := make([][]int, e.d)
	all := 1<<e.d - 1
	last := pick(rng, all, func(l int) float64 { return e.f[e.tern[all]+e.tern[l]] })
	for u := all &^ last; ; {
		if u == 0 { // the first layer has no parents
			return parents
		}
		before := pick(rng, u, func(l int) float64 {
			at := e.tern[u] + e.tern[l]
			w := e.f[at]
			for rest := last; rest != 0 && w > 0; rest &= rest - 1 {
				w *= e.hit[bits.TrailingZeros(uint(rest))][at]
			}
			return w
		})
		for rest := last; rest != 0; rest &= rest - 1 {
			v := bits.TrailingZeros(uint(rest))
			set := pick(rng, u, func(s int) float64 {
				if s&before == 0 {
					return 0
				}
				return expDiff(e.logw[v][s], e.top[v][u])
			})
			for ; set != 0; set &= set - 1 {
				parents[v] = append(parents[v], bits.TrailingZeros(uint(set)))
			}
		}
		last = before
		u &^= before
	}
}

// pick draws a nonempty subset of u with probabilities proportional to the weights.
func pick(rng *rand.Rand, u int, weight func(int) float64) int {
	sum := 0.0
	for s := u; s != 0; s = (s - 1) & u {
		sum += weight(s)
	}
	left, found := rng.Float64()*sum, 0
	for s := u; s != 0; s = (s - 1) & u {
		if w := weight(s); w > 0 {
			found = s
			if left -= w; left < 0 {
				break
			}
		}
	}
	return found
}
