package continuous

import (
	"math"
	"math/bits"
	"slices"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

// A fit is the regression of one column on a set of others, with what the objective says of every entry of that column of W: what
// each nonzero is worth, and which zeros would pay.
type fit struct {
	parents []int     // ascending
	loss    float64   // this column's part of the objective, the price of its parents included
	left    float64   // share of the column's variance that is left
	drop    []float64 // for each parent, by how much the objective rises without it
	gains   []gain    // the columns that would lower the objective as a further parent, by number
}

// A gain is by how much the objective falls with a further parent.
type gain struct {
	from int
	by   float64
}

// of returns what x as a further parent gains, 0 where nothing.
func (f *fit) of(x int) float64 {
	i, ok := slices.BinarySearchFunc(f.gains, x, func(g gain, x int) int { return g.from - x })
	if !ok {
		return 0
	}
	return f.gains[i].by
}

// least is the share of a column's variance below which it counts as a linear function of others.
const least = 1e-9

// mostKept bounds the numbers that are kept, 8 bytes each. What was dropped is computed again, with the same bits.
func mostKept(columns int) int { return 2<<20 + columns<<13 }

// fits computes regressions from the correlation matrix and keeps them. The objective is a sum over the columns,
//
//	unequal variances   n·ln s_v + price·|parents|
//	equal variances     n·scale_v²·s_v/σ² + price·|parents|,
//
// s_v being the share of variance that is left. The second is the tangent of n·d·ln(Σ scale²·s/d) at σ², above which it lies.
type fits struct {
	r         *matrix.Dense[float64]
	n, price  float64
	scale2    []float64 // squared standard deviations over σ²; nil for unequal variances
	forbidden []bool    // entry i·d + j: i → j is not allowed; nil allows all
	required  [][]int   // the parents that each column must have, ascending
	most      int       // bound of the number of parents

	kept  []map[uint64]*fit // for each column, by the hash of the parents
	words []uint64          // one random word a column; a set's hash is the xor of its members'
	size  int               // numbers held by kept
	bound int               // of size

	chol, inv, proj, coef, a, b []float64
	rows                        []*float64
	mask                        []uint32
	c, q, scratch               []float64
}

func newFits(r *matrix.Dense[float64], n int, price float64) *fits {
	d := r.Rows
	f := &fits{
		r: r, n: float64(n), price: price, required: make([][]int, d), most: max(1, min(d-1, (n-2)/2)),
		bound: mostKept(d), kept: make([]map[uint64]*fit, d), words: make([]uint64, d),
		mask: make([]uint32, (d+31)/32), c: make([]float64, d), q: make([]float64, d),
	}
	state := uint64(1)
	for v := range d { // splitmix64
		f.kept[v] = map[uint64]*fit{}
		state += 0x9e3779b97f4a7c15
		x := state
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		f.words[v] = x ^ x>>31
	}
	return f
}

// forget drops every fit, for another price or another noise variance.
func (f *fits) forget() {
	f.size = 0
	for v := range f.kept {
		clear(f.kept[v])
	}
}

// cost is the part of the objective that a share s of left variance makes up.
func (f *fits) cost(v int, s float64) float64 {
	s = max(s, least)
	if f.scale2 != nil {
		return f.n * f.scale2[v] * s
	}
	return f.n * math.Log(s)
}

// on returns the fit of v on parents, ascending.
func (f *fits) on(v int, parents []int) *fit {
	hash := uint64(0)
	for _, p := range parents {
		hash ^= f.words[p]
	}
	if got := f.kept[v][hash]; got != nil && slices.Equal(got.parents, parents) {
		return got
	}
	if f.size > f.bound {
		f.forget()
	}
	got := f.compute(v, parents)
	f.size += 2*len(got.parents) + 2*len(got.gains) + 16
	f.kept[v][hash] = got
	return got
}

// compute factors R[P,P] = LLᵀ. With Z = L⁻¹R[P,:] and l = L⁻¹R[P,v] the partial variance of x is 1 - Σ Z², its partial
// covariance with v is R[v,x] - l·Z, and a further parent takes the square of the second over the first off what is left.
// Dropping parent j adds β_j²/(R[P,P]⁻¹)_jj. Cost: k²/2 + 2k multiplications for each of the d columns.
func (f *fits) compute(v int, parents []int) *fit {
	k := len(parents)
	out := &fit{parents: slices.Clone(parents), drop: make([]float64, k)}
	out.left = f.factor(v, parents)
	out.loss = f.cost(v, out.left) + f.price*float64(k)
	for j := range k {
		out.drop[j] = f.cost(v, out.left+f.coef[j]) - f.cost(v, out.left) - f.price
		if slices.Contains(f.required[v], parents[j]) {
			out.drop[j] = math.Inf(1)
		}
	}
	if k >= f.most || out.left <= 2*least {
		return out
	}
	// What pays: cost(s) - cost(s - x) > price, that is x > s - cost⁻¹(cost(s) - price).
	enough := out.left * -math.Expm1(-f.price/f.n)
	if f.scale2 != nil {
		enough = f.price / (f.n * f.scale2[v])
	}
	vec.Partial(f.mask, f.c, f.q, enough, f.r.Row(v), f.rows, f.a, f.b, f.scratch)
	f.mask[v>>5] &^= 1 << (v & 31)
	for _, p := range parents {
		f.mask[p>>5] &^= 1 << (p & 31)
	}
	d := f.r.Rows
	for i, m := range f.mask {
		for ; m != 0; m &= m - 1 {
			x := 32*i + bits.TrailingZeros32(m)
			c, q := f.c[x], f.q[x]
			if q < least || f.forbidden != nil && f.forbidden[x*d+v] {
				continue
			}
			if by := f.cost(v, out.left) - f.cost(v, out.left-c*c/q) - f.price; by > 0 {
				out.gains = append(out.gains, gain{x, by})
			}
		}
	}
	return out
}

// factor leaves the rows and coefficients for vec.Partial, and in coef what each parent takes off. It returns the share of the
// variance of v that is left. A parent that is a linear function of those before it takes nothing off.
func (f *fits) factor(v int, parents []int) float64 {
	k := len(parents)
	if len(f.chol) < k*k {
		f.chol = make([]float64, 2*k*k)
	}
	if len(f.inv) < k {
		f.inv, f.proj, f.coef = make([]float64, 2*k), make([]float64, 2*k), make([]float64, 2*k)
		f.scratch = make([]float64, 2*k*vec.PartialScratch)
	}
	f.rows, f.a, f.b = f.rows[:0], f.a[:0], f.b[:0]
	left, rv := 1.0, f.r.Row(v)
	for i, p := range parents {
		rp, li := f.r.Row(p), f.chol[i*k:i*k+i+1]
		diag, proj := 1.0, rv[p]
		for j := range i {
			sum := rp[parents[j]] - dot(li[:j], f.chol[j*k:])
			li[j] = sum * f.inv[j]
			diag -= li[j] * li[j]
			proj -= li[j] * f.proj[j]
		}
		f.inv[i], f.proj[i] = 0, 0
		if diag > least {
			f.inv[i] = 1 / math.Sqrt(diag)
			f.proj[i] = proj * f.inv[i]
		}
		left -= f.proj[i] * f.proj[i]
		f.rows = append(f.rows, &rp[0])
		f.a = append(f.a, f.inv[i])
		for _, l := range li[:i] {
			f.a = append(f.a, -f.inv[i]*l)
		}
		f.b = append(f.b, -f.proj[i])
	}
	// Column j of L⁻¹ has the length whose square is (R[P,P]⁻¹)_jj, and its product with l is β_j.
	col := f.scratch[:k]
	for j := range k {
		col[j] = f.inv[j]
		beta, length := col[j]*f.proj[j], col[j]*col[j]
		for i := j + 1; i < k; i++ {
			col[i] = -dot(col[j:i], f.chol[i*k+j:]) * f.inv[i]
			beta += col[i] * f.proj[i]
			length += col[i] * col[i]
		}
		f.coef[j] = 0
		if length > 0 {
			f.coef[j] = beta * beta / length
		}
	}
	return max(left, 0)
}

// dot is the product of x with as many entries of y.
func dot(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}

// choose grows and shrinks the parents of v from start, all of which may be parents: the addition that gains most while one
// gains, then the removal that gains most, until neither does. Each step lowers the objective, so it ends.
func (f *fits) choose(v int, start *fit, may func(x int) bool) *fit {
	for {
		best, x := 0.0, -1
		for _, g := range start.gains {
			if g.by > best && may(g.from) {
				best, x = g.by, g.from
			}
		}
		next := start
		if x >= 0 {
			at, _ := slices.BinarySearch(start.parents, x)
			next = f.on(v, slices.Insert(slices.Clone(start.parents), at, x))
		}
		if next.loss >= start.loss {
			best, at := 0.0, -1
			for j, rise := range start.drop {
				if rise < best {
					best, at = rise, j
				}
			}
			if at < 0 {
				return start
			}
			next = f.without(v, start, start.parents[at])
		}
		if next.loss >= start.loss {
			return start
		}
		start = next
	}
}

// without returns the fit of v without parent x.
func (f *fits) without(v int, from *fit, x int) *fit {
	at, ok := slices.BinarySearch(from.parents, x)
	if !ok {
		return from
	}
	return f.on(v, slices.Delete(slices.Clone(from.parents), at, at+1))
}

// among returns the fit of v on those of its parents that may be.
func (f *fits) among(v int, from *fit, may func(x int) bool) *fit {
	var kept []int
	for _, p := range from.parents {
		if may(p) {
			kept = append(kept, p)
		}
	}
	if len(kept) == len(from.parents) {
		return from
	}
	return f.on(v, kept)
}
