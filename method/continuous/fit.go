package continuous

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/splitmix"
	"github.com/polydag/polydag/matrix"
)

// A fit is the regression of one column on a set of others, with the change of the objective for each parent
// that is dropped or added.
type fit struct {
	parents []int     // ascending
	loss    float64   // this column's part of the objective, including the penalty of its parents
	left    float64   // unexplained share of the column's variance
	drop    []float64 // by parent: increase of the objective without it
	gains   []gain    // columns that would lower the objective as a further parent, by index
}

// A gain is the decrease of the objective with a further parent.
type gain struct {
	from int
	by   float64
}

// of returns the gain of x as a further parent, or 0.
func (f *fit) of(x int) float64 {
	i, ok := slices.BinarySearchFunc(f.gains, x, func(g gain, x int) int { return g.from - x })
	if !ok {
		return 0
	}
	return f.gains[i].by
}

// mostKept limits the number of cached values, 8 bytes each. Dropped fits are computed again with the same
// bits.
func mostKept(columns int) int { return 2<<20 + columns<<13 }

// fits computes and caches regressions from the correlation matrix. The objective is a sum over the columns,
//
//	unequal variances   n·ln s_v + price·|parents|
//	equal variances     n·scale_v²·s_v/σ² + price·|parents|,
//
// where s_v is the unexplained share of variance. The second is the tangent of n·d·ln(Σ scale²·s/d) at σ², an
// upper bound.
type fits struct {
	r         *matrix.Dense[float64]
	n, price  float64
	scale2    []float64 // squared standard deviations over σ²; nil for unequal variances
	forbidden []bool    // entry i·d + j forbids i → j; nil allows all
	required  [][]int   // required parents of each column, ascending
	most      int       // largest number of parents

	kept  []map[uint64]*fit // by column and hash of the parents
	words []uint64          // one random word per column; the hash of a set is the xor of its words
	size  int               // number of cached values
	bound int               // limit of size

	scan chol.Scan
}

func newFits(r *matrix.Dense[float64], n int, price float64) *fits {
	d := r.Rows
	f := &fits{
		r: r, n: float64(n), price: price, required: make([][]int, d), most: max(1, min(d-1, (n-2)/2)),
		bound: mostKept(d), kept: make([]map[uint64]*fit, d), words: make([]uint64, d),
		scan: chol.Scan{R: r.Data, Columns: d, Stride: r.Stride},
	}
	for v := range d {
		f.kept[v] = map[uint64]*fit{}
		f.words[v] = splitmix.Mix(1 + uint64(v)*splitmix.Step)
	}
	return f
}

// forget drops every fit, for another penalty or noise variance.
func (f *fits) forget() {
	f.size = 0
	for v := range f.kept {
		clear(f.kept[v])
	}
}

// cost returns the part of the objective for a share s of unexplained variance.
func (f *fits) cost(v int, s float64) float64 {
	s = max(s, chol.Determined)
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

// compute computes the fit of v on parents. It costs k²/2 + 2k multiplications for each of the d columns.
func (f *fits) compute(v int, parents []int) *fit {
	k := len(parents)
	out := &fit{parents: slices.Clone(parents), drop: make([]float64, k)}
	out.left = max(chol.RegressUnit(&f.scan, v, parents), 0)
	out.loss = f.cost(v, out.left) + f.price*float64(k)
	for j := range k {
		out.drop[j] = f.cost(v, out.left+f.scan.Rise[j]) - f.cost(v, out.left) - f.price
		if slices.Contains(f.required[v], parents[j]) {
			out.drop[j] = math.Inf(1)
		}
	}
	if k >= f.most || out.left <= 2*chol.Determined {
		return out
	}
	// A parent pays if cost(s) - cost(s - x) > price, that is x > s - cost⁻¹(cost(s) - price).
	enough := out.left * -math.Expm1(-f.price/f.n)
	if f.scale2 != nil {
		enough = f.price / (f.n * f.scale2[v])
	}
	d := f.r.Rows
	for _, h := range chol.Screen(&f.scan, v, parents, enough) {
		x := int(h.X)
		if f.forbidden != nil && f.forbidden[x*d+v] {
			continue
		}
		if by := f.cost(v, out.left) - f.cost(v, out.left-h.Takes) - f.price; by > 0 {
			out.gains = append(out.gains, gain{x, by})
		}
	}
	return out
}

// choose adds and removes parents of v, starting from start. It makes the best addition while one gains, then
// the best removal, until neither does. Each step lowers the objective, so it terminates.
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

// among returns the fit of v on its parents that satisfy may.
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
