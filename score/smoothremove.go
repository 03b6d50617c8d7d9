package score

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/vec"
)

// RoundedRemovals writes the score of v without parents[j] to dst[j], up to rounding. With S the covariances of all functions of the
// parents with their diagonal terms, b = S⁻¹·S_v the weights, and B the functions of one parent, its removal
//
//	raises the residual by b_Bᵀ·((S⁻¹)_BB)⁻¹·b_B, and multiplies det S by det (S⁻¹)_BB.
//
// With K functions it costs K³/3 multiplications for each prior, where Score of every subset costs that for each parent.
func (f *smoothFit) RoundedRemovals(dst []float64, v int, parents []int) {
	for j := range dst[:len(parents)] {
		dst[j] = math.Inf(1)
	}
	rest := make([]int, 0, len(parents))
	for i := range f.priors {
		p := &f.priors[i]
		if f.skips(p, len(parents)-1) {
			continue
		}
		whole := !f.skips(p, len(parents)) // a set may have too many products, and its subsets not
		var residual, logdet float64
		if whole {
			residual, logdet = f.factor(p, v, parents)
			f.invert()
		}
		for j, q := range parents {
			rest = append(append(rest[:0], parents[:j]...), parents[j+1:]...)
			r, l := residual, logdet
			if whole {
				raised, lost := f.without(f.functionsOf(p, q, parents))
				r, l = r+raised, l+lost
			} else {
				r, l = f.factor(p, v, rest)
			}
			bias, _ := f.charge(p, rest)
			dst[j] = min(dst[j], f.value(r, l)+bias)
		}
	}
	for j := range parents {
		dst[j] += f.sets[len(parents)-1]
	}
}

// functionsOf returns the places in f.columns of the functions of parent q, with its products.
func (f *smoothFit) functionsOf(p *prior, q int, parents []int) []int {
	f.need = f.need[:0]
	at := 0
	take := func(n int, mine bool) {
		for range n {
			if mine {
				f.need = append(f.need, at)
			}
			at++
		}
	}
	for _, a := range parents {
		n := f.used[a]
		if f.bent[a] {
			n = min(p.size, n)
		}
		take(n, a == q)
	}
	if p.pairs != nil {
		for i, b := range parents {
			for _, a := range parents[:i] {
				if f.bent[a] && f.bent[b] {
					take(len(p.pairs), a == q || b == q)
				}
			}
		}
	}
	return f.need
}

// invert writes the columns of L⁻¹ to the rows of f.w, and the weights to f.t, after factor.
func (f *smoothFit) invert() {
	k := len(f.columns)
	f.w, f.t = chol.Grown(f.w, k*k), chol.Grown(f.t, k)
	clear(f.w)
	copy(f.t, f.z)
	f.l.Back(f.t)
	for c := range k {
		f.w[c*k+c] = 1
		f.l.ForwardFrom(f.w[c*k:(c+1)*k], c)
	}
}

// without returns the changes of the residual and of Σ log(pivot/ridge) without some functions, after invert.
func (f *smoothFit) without(list []int) (raised, logdet float64) {
	k := len(f.columns)
	f.block.Reset(len(list))
	f.added = f.added[:0]
	weights := chol.Grown(f.rest, len(list))
	f.rest = weights
	for i, c := range list {
		row := f.block.Next()
		for h, b := range list[:i+1] {
			row[h] = vec.Dot(f.w[b*k+c:(b+1)*k], f.w[c*k+c:(c+1)*k]) // list is ascending
		}
		whole := row[i]
		f.block.Append(max(f.block.Reduce(), chol.Determined*whole))
		weights[i] = f.t[c]
		f.added = append(f.added, f.ridge[c])
	}
	return -f.block.Forward(weights, 0), f.block.LogDet(0) + chol.LogProduct(f.added)
}
