package score

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// GaussianLocal is the linear Gaussian model with a noise variance for each variable, as a local score: with s the residual
// variance of v given its parents, in units of its own variance,
//
//	Score = n·(1 + ln 2π) + n·ln s + price·|parents|,
//
// twice the negative log-likelihood of standardized columns and the price of the edges. It is +Inf beyond (n-2)/2
// parents. Graphs of one Markov equivalence class have the same total.
//
// It is the obvious twin of what search does with correlations: every set is factorized from scratch, k³/6 multiplications for
// k parents and that for each of d columns in Additions, where search takes k²/2 a column. Use it to put the
// model beside other scores; to learn from correlations alone, search.Problem.R is faster and finds the same graphs.
type GaussianLocal struct {
	r        *matrix.Dense[float64]
	n, price float64
}

var _ search.Score = (*GaussianLocal)(nil)

// NewGaussianLocal returns the score of a d×d correlation matrix of n rows, which it keeps, at a price for each edge; ln n is
// BIC.
func NewGaussianLocal(r *matrix.Dense[float64], n int, price float64) (*GaussianLocal, error) {
	if err := (search.Problem{R: r, N: n}).Validate(); err != nil {
		return nil, err
	}
	if !(price > 0) || math.IsInf(price, 0) {
		return nil, fmt.Errorf("an edge at %v, want a finite price > 0", price)
	}
	return &GaussianLocal{r, float64(n), price}, nil
}

// Variables returns d.
func (g *GaussianLocal) Variables() int { return g.r.Rows }

// Price returns the price of an edge.
func (g *GaussianLocal) Price() float64 { return g.price }

// Equivalent returns true.
func (g *GaussianLocal) Equivalent() bool { return true }

// Evaluator returns an evaluator for one goroutine.
func (g *GaussianLocal) Evaluator() search.Evaluator { return &gaussianFit{GaussianLocal: g} }

type gaussianFit struct {
	*GaussianLocal
	l   []float64 // the factor, row after row
	set []int
}

// Below these variances, of variables of unit variance, moments of float64 data hold nothing but rounding.
const (
	leastResidual = 1e-11 // where a residual variance stops to fall
	leastPartial  = 1e-11 // of a parent that the ones before it determine: it adds nothing to them
)

// Score factorizes R over the parents and v: the last pivot, squared, is the residual variance of v.
func (f *gaussianFit) Score(v int, parents []int) float64 {
	k := len(parents)
	if float64(k) > (f.n-2)/2 {
		return math.Inf(1)
	}
	f.set = append(append(f.set[:0], parents...), v)
	f.l = slices.Grow(f.l[:0], (k+1)*(k+1))[:(k+1)*(k+1)]
	s := 1.0
	for i, p := range f.set {
		row := f.l[i*(k+1):]
		s = 1
		for j, q := range f.set[:i] {
			before := f.l[j*(k+1):]
			sum := f.r.At(p, q)
			for t := range j {
				sum -= row[t] * before[t]
			}
			row[j] = 0
			if before[j] > 0 {
				row[j] = sum / before[j]
			}
			s -= row[j] * row[j]
		}
		row[i] = 0
		if s >= leastPartial {
			row[i] = math.Sqrt(s)
		}
	}
	return f.n*(1+math.Log(2*math.Pi)) + f.n*math.Log(max(s, leastResidual)) + f.price*float64(k)
}

// Additions asks Score for one set after the other.
func (f *gaussianFit) Additions(dst []float64, v int, parents []int) {
	for x := range f.r.Rows {
		if at, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] = f.Score(v, slices.Insert(slices.Clone(parents), at, x))
		}
	}
}
