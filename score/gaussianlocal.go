package score

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// GaussianLocal is the linear Gaussian model with a noise variance for each variable, as a local score: with s the residual
// variance of v given its parents, in units of its own variance,
//
//	Score = n·(1 + ln 2π) + n·ln s + price·|parents|,
//
// twice the negative log-likelihood of standardized columns plus the penalty of the edges. It is +Inf beyond (n-2)/2 parents.
// Graphs of one Markov equivalence class have the same total.
//
// With k parents Score costs k³/6 multiplications and Additions k²/2 for each further column. With fewer than three rows no parents
// are allowed. For a single environment search.Problem.R gives the same graphs faster.
type GaussianLocal struct {
	pairs
	n, price float64
}

var _ search.Score = (*GaussianLocal)(nil)

// NewGaussianLocal returns the score of a d×d correlation matrix of n rows, which it keeps, with a penalty per edge; ln n gives
// BIC.
func NewGaussianLocal(r *matrix.Dense[float64], n int, price float64) (*GaussianLocal, error) {
	return GaussianLocalOf(search.Problem{R: r, N: n}, price)
}

// GaussianLocalOf is NewGaussianLocal with the correlations and rows of a problem, whose other fields it ignores.
func GaussianLocalOf(p search.Problem, price float64) (*GaussianLocal, error) {
	if p.N >= 3 {
		if err := (search.Problem{R: p.R, Gram: p.Gram, N: p.N}).Validate(); err != nil {
			return nil, err
		}
	}
	if !(price > 0) || math.IsInf(price, 0) {
		return nil, fmt.Errorf("an edge at %v, want a finite price > 0", price)
	}
	return &GaussianLocal{pairsOf(p), float64(p.N), price}, nil
}

// GaussianLocalBy is NewGaussianLocal with correlations that are computed by rows when they are needed. memory limits the rows that are
// kept; several scores may share it.
func GaussianLocalBy(c CorrelationRows, n int, price float64, memory *RowMemory) (*GaussianLocal, error) {
	if !(price > 0) || math.IsInf(price, 0) {
		return nil, fmt.Errorf("an edge at %v, want a finite price > 0", price)
	}
	return &GaussianLocal{pairs{rows: newKeptRows(c, memory), d: c.Dim()}, float64(n), price}, nil
}

// Price returns the penalty per edge.
func (g *GaussianLocal) Price() float64 { return g.price }

func (g *GaussianLocal) Equivalent() bool { return true }

func (g *GaussianLocal) Evaluator() search.Evaluator { return g.Fit() }

// Fit is Evaluator with its type.
func (g *GaussianLocal) Fit() *GaussianFit { return &GaussianFit{GaussianLocal: g} }

// A GaussianFit evaluates a GaussianLocal for one goroutine.
type GaussianFit struct {
	*GaussianLocal
	regression chol.Regression
	fast       chol.Scan // for Additions and RoundedRemovals, whose last bits may differ from those of Score
	few        excerpt
	taken      []bool
}

// Score returns the local score of v with its parents, ascending.
func (f *GaussianFit) Score(v int, parents []int) float64 {
	switch {
	case f.supports(len(parents)):
		f.regress(&f.regression, &f.few, v, parents)
		return f.value(f.regression.Left, len(parents))
	case len(parents) > 0:
		return math.Inf(1)
	}
	return f.value(1, 0)
}

// supports reports whether there are enough rows for this number of parents.
func (f *GaussianFit) supports(parents int) bool { return float64(parents) <= (f.n-2)/2 }

func (f *GaussianFit) value(s float64, parents int) float64 {
	return f.n*(1+math.Log(2*math.Pi)) + f.n*math.Log(max(s, chol.Determined)) + f.price*float64(parents)
}

// Additions writes the score of v with its parents and x to dst[x] for every x that is neither v nor a parent.
func (f *GaussianFit) Additions(dst []float64, v int, parents []int) {
	k := len(parents)
	supported := f.supports(k + 1)
	without := math.Inf(1)
	if supported && f.g == nil {
		without = f.value(f.scan(&f.fast, &f.few, v, parents), k+1)
	}
	f.taken = marked(f.taken, f.d, v, parents)
	for x, taken := range f.taken {
		switch {
		case taken:
		case supported && f.g != nil:
			dst[x] = f.Score(v, append(parents[:k:k], x))
		default:
			dst[x] = without
		}
	}
	if !supported || f.g != nil {
		return
	}
	left := f.fast.Left
	for _, h := range f.reductions(&f.fast, &f.few, v, parents) {
		dst[h.X] = f.value(left-h.Takes, k+1)
	}
}

// RoundedRemovals writes the score of v without parents[j] to dst[j]. It costs k³/3 multiplications for all.
func (f *GaussianFit) RoundedRemovals(dst []float64, v int, parents []int) {
	k := len(parents)
	exact := f.supports(k) && f.g == nil
	if exact {
		f.scan(&f.fast, &f.few, v, parents)
		exact = f.fast.Inflation() < mostInflation
	}
	if !exact { // too many parents, or one that the others determine
		left := make([]int, 0, k)
		for j := range parents {
			left = append(append(left[:0], parents[:j]...), parents[j+1:]...)
			dst[j] = f.Score(v, left)
		}
		return
	}
	for j, rise := range f.fast.Rise {
		dst[j] = f.value(f.fast.Left+rise, k-1)
	}
}

// mostInflation is the variance inflation factor beyond which the coefficients of a regression are too inexact to remove a parent.
const mostInflation = 1e6

// marked returns d flags, reusing flags if it is large enough. v and its parents are marked, because they cannot become parents.
func marked(flags []bool, d, v int, parents []int) []bool {
	flags = chol.Grown(flags, d)
	clear(flags)
	flags[v] = true
	for _, p := range parents {
		flags[p] = true
	}
	return flags
}
