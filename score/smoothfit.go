package score

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/search"
)

// Evaluator returns an evaluator for one goroutine; several may be in use at the same time. Its Score and
// Additions agree to rounding.
//
// With K functions of the parents Score costs K³/3 multiplications for each prior, Additions K²·D/2 for
// the D functions of all variables (and those products with a parent in them).
func (s *Smooth) Evaluator() search.Evaluator { return &smoothFit{Smooth: s} }

// smoothFit has the buffers of one goroutine.
type smoothFit struct {
	*Smooth
	columns []int     // functions of the parents
	ridge   []float64 // diagonal term of each
	l       chol.Factor
	z       []float64   // L⁻¹ × covariances with the response
	need    []int       // functions of all candidates, grouped by candidate
	added   []float64   // diagonal terms of need
	at      []int       // first function of each variable in need
	w       []float64   // L⁻¹ × covariances with the functions of the candidates, K×len(need)
	t       []float64   // covariances of the response with the residual functions
	block   chol.Factor // factor of the residual functions of one candidate
	parent  []bool
	rest    []float64 // weights of the functions of one parent
	latest  latestFit
}

// A latestFit has what factor returned for the latest set of parents, by prior: a search asks for Additions, Score and RoundedRemovals of
// the same set.
type latestFit struct {
	v       int
	parents []int
	fits    []residualFit
}

type residualFit struct {
	known            bool
	residual, logdet float64
}

// of returns the place of the fit of v and its parents under a prior.
func (l *latestFit) of(prior, priors, v int, parents []int) *residualFit {
	if l.fits == nil || l.v != v || !slices.Equal(l.parents, parents) {
		l.v, l.parents, l.fits = v, append(l.parents[:0], parents...), chol.Grown(l.fits, priors)
		clear(l.fits)
	}
	return &l.fits[prior]
}

// Score returns the score of v with its parents, ascending. It is always finite.
func (f *smoothFit) Score(v int, parents []int) float64 {
	_, best := f.chosen(v, parents, anyPrior)
	return best + f.sets[len(parents)]
}

// skips reports whether a prior is skipped for this number of parents: one with products if there is no pair, or if there are more
// than maxFunctions functions with the products.
func (f *smoothFit) skips(p *prior, parents int) bool {
	return p.pairs != nil && !triesProducts(parents, p.size, len(p.pairs))
}

// triesProducts reports whether products of so many parents are tried, with size functions of each and a number of products of each pair.
func triesProducts(parents, size, products int) bool {
	return parents > 1 && parents*size+products*parents*(parents-1)/2 <= maxFunctions
}

// TriesProducts reports whether the score tries products of these parents, of which there may be too many.
func TriesProducts(b *Blocks, parents []int) bool {
	size := 1
	for v := range b.Variables() {
		if b.Curved(v) {
			size = max(size, b.Start[v+1]-b.Start[v])
		}
	}
	return triesProducts(len(parents), size, b.Crossed*b.Crossed)
}

// maxFunctions limits the time of one evaluation: with the default basis products are used with up to nine parents. Searches from a
// random order meet larger sets, which would cost a hundred times more.
const maxFunctions = 256

// value returns the score before the prior on graphs. The residual is a share of the variance; the prior keeps it above about
// 1/(n·g·functions), so the bound only covers rounding.
func (f *smoothFit) value(residual, logdet float64) float64 {
	return f.n*math.Log(max(residual, chol.Determined)) + logdet
}

// charge returns the bias of a bootstrap sample for these parents, and how many of them are curved.
func (f *smoothFit) charge(p *prior, parents []int) (bias float64, curved int) {
	for _, q := range parents {
		bias += f.chargeOf(p, q)
		if f.bent[q] {
			curved++
		}
	}
	return bias + float64(curved*(curved-1)/2)*p.pair, curved
}

// chargeOf returns the bias of a bootstrap sample for the functions of variable q, and log d for each indicator of a categorical one
// except the first: the prior on graphs charges it as one parameter, and Mixed charges each.
func (f *smoothFit) chargeOf(p *prior, q int) float64 {
	size := f.used[q]
	if f.bent[q] {
		return p.own[min(p.size, size)]
	}
	return float64(size)*p.straight + float64(max(0, size-1))*math.Log(float64(f.d))
}

// gather collects the functions of the parents and their diagonal terms.
func (f *smoothFit) gather(p *prior, parents []int) {
	f.columns, f.ridge = f.columns[:0], f.ridge[:0]
	for _, q := range parents {
		f.columns, f.ridge = f.own(f.columns, f.ridge, p, q)
	}
	if p.pairs == nil {
		return
	}
	for i, b := range parents {
		for _, a := range parents[:i] {
			f.columns, f.ridge = f.products(f.columns, f.ridge, p, a, b)
		}
	}
}

// own appends the functions of variable q.
func (f *smoothFit) own(columns []int, ridge []float64, p *prior, q int) ([]int, []float64) {
	if !f.bent[q] {
		for c := f.start[q]; c < f.start[q]+f.used[q]; c++ {
			columns, ridge = append(columns, c), append(ridge, p.line)
		}
		return columns, ridge
	}
	for k := range min(p.size, f.used[q]) {
		columns, ridge = append(columns, f.start[q]+k), append(ridge, p.ridge[k])
	}
	return columns, ridge
}

// products appends the products of a and b, none if one of them is not curved.
func (f *smoothFit) products(columns []int, ridge []float64, p *prior, a, b int) ([]int, []float64) {
	if !f.bent[a] || !f.bent[b] {
		return columns, ridge
	}
	at := f.pair(a, b)
	for k := range p.pairs {
		columns = append(columns, at+k)
	}
	return columns, append(ridge, p.pairs...)
}

// factor returns the residual share of v's variance and Σ log(pivot/ridge), and leaves L and z.
func (f *smoothFit) factor(p *prior, v int, parents []int) (residual, logdet float64) {
	f.gather(p, parents)
	f.l.Reset(len(f.columns))
	for i, c := range f.columns {
		row := f.l.Next()
		chol.Gather(row, f.gram.Row(c), f.columns[:i+1])
		row[i] += f.ridge[i]
		f.l.Append(max(f.l.Reduce(), f.ridge[i]))
	}
	f.z = chol.Grown(f.z, len(f.columns))
	chol.Gather(f.z, f.gram.Row(f.start[v]), f.columns)
	return f.l.Forward(f.z, 1), f.l.LogDet(0) - chol.LogProduct(f.ridge)
}

// Additions writes the score of v with its parents and x to dst[x] for every x that is neither v nor a
// parent.
func (f *smoothFit) Additions(dst []float64, v int, parents []int) {
	if len(parents)+1 >= f.d {
		return
	}
	f.parent = marked(f.parent, f.d, v, parents)
	for x, taken := range f.parent {
		if !taken {
			dst[x] = math.Inf(1)
		}
	}
	for i := range f.priors {
		if f.skips(&f.priors[i], len(parents)+1) {
			continue
		}
		f.screen(dst, i, v, parents)
	}
	for x, taken := range f.parent {
		if !taken {
			dst[x] += f.sets[len(parents)+1]
		}
	}
}

// screen lowers dst[x] to the score under one prior if that is smaller.
func (f *smoothFit) screen(dst []float64, prior, v int, parents []int) {
	p := &f.priors[prior]
	residual, logdet := f.factor(p, v, parents)
	*f.latest.of(prior, len(f.priors), v, parents) = residualFit{true, residual, logdet}
	f.need, f.added, f.at = f.need[:0], f.added[:0], f.at[:0]
	for x, taken := range f.parent {
		f.at = append(f.at, len(f.need))
		if taken {
			continue
		}
		f.need, f.added = f.own(f.need, f.added, p, x)
		if p.pairs != nil {
			for _, q := range parents {
				f.need, f.added = f.products(f.need, f.added, p, q, x)
			}
		}
	}
	f.at = append(f.at, len(f.need))
	f.sweep(v)
	charged, curved := f.charge(p, parents)
	for x, taken := range f.parent {
		if taken {
			continue
		}
		r, l := f.add(f.at[x], f.at[x+1])
		value := f.value(residual-r, logdet+l) + charged + f.chargeOf(p, x)
		if f.bent[x] {
			value += float64(curved) * p.pair
		}
		dst[x] = min(dst[x], value)
	}
}

// sweep removes the parents from all candidate functions: w = L⁻¹·Gram, t = Gram·y - wᵀz.
func (f *smoothFit) sweep(v int) {
	k, m := len(f.columns), len(f.need)
	f.w, f.t = chol.Grown(f.w, k*m), chol.Grown(f.t, m)
	y := f.gram.Row(f.start[v])
	for j, c := range f.need {
		f.t[j] = y[c]
	}
	for i, c := range f.columns {
		row, gram := f.w[i*m:(i+1)*m], f.gram.Row(c)
		for j, q := range f.need {
			row[j] = gram[q]
		}
	}
	l := f.l.Matrix()
	for lo := 0; lo < k; lo += panel {
		hi := min(lo+panel, k)
		if lo > 0 {
			gemm.Gemm(false, false, hi-lo, m, lo, -1, l[lo*k:], k, f.w, m, 1, f.w[lo*m:], m, 1)
		}
		for i := lo; i < hi; i++ {
			row := f.w[i*m : (i+1)*m]
			for h, a := range l[i*k+lo : i*k+i] {
				vec.Axpy(row, -a, f.w[(lo+h)*m:(lo+h+1)*m])
			}
			vec.Scale(row, 1/l[i*k+i], row)
			vec.Axpy(f.t, -f.z[i], row)
		}
	}
}

// panel is the number of rows between two products in sweep.
const panel = 16

// add factors the residuals of candidate functions lo … hi-1. It returns the share of the response's variance that they explain and
// Σ log(pivot/ridge).
func (f *smoothFit) add(lo, hi int) (explained, logdet float64) {
	k, m, b := len(f.columns), len(f.need), hi-lo
	f.block.Reset(b)
	block := f.block.Matrix()
	for i, c := range f.need[lo:hi] {
		chol.Gather(block[i*b:], f.gram.Row(c), f.need[lo:hi])
	}
	if k > 0 && b > 0 {
		w := f.w[lo : (k-1)*m+hi]
		gemm.Gemm(true, false, b, b, k, -1, w, m, w, m, 1, block, b, 1)
	}
	ridge := f.added[lo:hi]
	for i, least := range ridge {
		block[i*b+i] += least
		f.block.Append(max(f.block.Reduce(), least))
	}
	return -f.block.Forward(f.t[lo:hi], 0), f.block.LogDet(0) - chol.LogProduct(ridge)
}
