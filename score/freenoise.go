package score

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// FreeNoise is the linear model with noise of any smooth shape, as a local score: with s the residual variance of v given its
// parents by least squares, in units of its own variance, u the residuals of m rows of a sample scaled to mean 0 and variance 1,
// and p the density that is fitted to them,
//
//	Score = n·(1 + ln 2π) + n·ln s - 2·weight·Σ_i ln(p(u_i)/φ(u_i)) + price·|parents|,
//
// twice the negative log-likelihood of standardized columns, where rows outside the sample count as Gaussian. If the noise is
// Gaussian, the third term is near 0 and the score is that of GaussianLocal. Otherwise graphs of one Markov equivalence class have
// different totals, and the true directions have the smallest: Shimizu, Hoyer, Hyvärinen and Kerminen (2006), "A linear
// non-Gaussian acyclic model for causal discovery"; as a likelihood Hyvärinen and Smith (2013), "Pairwise likelihood ratios for
// estimation of non-Gaussian structural equation models".
//
// It needs m·d numbers. A set of k parents costs k³/6 + m·k multiplications and the fit of a density.
type FreeNoise struct {
	pairs
	z        *matrix.Dense[float64] // row v is standardized column v of the sample
	n, price float64
	weight   float64 // weight of a row of the sample
}

var _ search.Score = (*FreeNoise)(nil)

// LeastNoiseRows is the smallest sample for estimating the shape of the noise.
const LeastNoiseRows = 100

// ErrNoiseRows is matched if the sample has fewer than LeastNoiseRows rows.
var ErrNoiseRows = errors.New("too few rows to see the shape of the noise")

// NewFreeNoise returns the score of a d×d correlation matrix of n rows, which it keeps, with a penalty per edge. sample has whole
// rows of the d columns, in any units, one after the other. weight is the weight of a row, 1 for independent rows.
func NewFreeNoise(r *matrix.Dense[float64], n int, price float64, sample []float64, weight float64) (*FreeNoise, error) {
	return FreeNoiseOf(search.Problem{R: r, N: n}, price, sample, weight)
}

// FreeNoiseOf is NewFreeNoise with the correlations and rows of a problem, whose other fields it ignores.
func FreeNoiseOf(p search.Problem, price float64, sample []float64, weight float64) (*FreeNoise, error) {
	if err := (search.Problem{R: p.R, Gram: p.Gram, N: p.N}).Validate(); err != nil {
		return nil, err
	}
	if !(price > 0) || math.IsInf(price, 0) {
		return nil, fmt.Errorf("an edge at %v, want a finite price > 0", price)
	}
	if !(weight > 0 && weight <= 1) {
		return nil, fmt.Errorf("a row counts %v, want more than 0 and at most 1", weight)
	}
	d := p.Len()
	m := len(sample) / d
	if len(sample)%d != 0 {
		return nil, fmt.Errorf("%d values are not whole rows of %d columns", len(sample), d)
	}
	if m < LeastNoiseRows {
		return nil, fmt.Errorf("%w: %d, want at least %d", ErrNoiseRows, m, LeastNoiseRows)
	}
	f := &FreeNoise{pairs: pairsOf(p), z: matrix.New[float64](d, m), n: float64(p.N), price: price, weight: weight}
	for v := range d {
		row := f.z.Row(v)
		for i := range row {
			row[i] = sample[i*d+v]
		}
		if !standard(row) {
			return nil, fmt.Errorf("column %d does not vary in the sample, or a value is missing", v+1)
		}
	}
	return f, nil
}

// standard standardizes x, and reports whether it could.
func standard(x []float64) bool {
	n := float64(len(x))
	largest := 0.0
	for _, v := range x {
		largest = max(largest, math.Abs(v))
	}
	if !(largest > 0) {
		return false
	}
	mean := 0.0
	for i := range x {
		x[i] /= largest // so that no square overflows
		mean += x[i] / n
	}
	square := 0.0
	for i := range x {
		x[i] -= mean
		square += x[i] * x[i] / n
	}
	if !(square > 1e-24) {
		return false
	}
	vec.Scale(x, 1/math.Sqrt(square), x)
	return true
}

// Price returns the penalty per edge.
func (f *FreeNoise) Price() float64 { return f.price }

// Equivalent returns false: non-Gaussian noise distinguishes graphs of one class.
func (f *FreeNoise) Equivalent() bool { return false }

func (f *FreeNoise) Rows() int { return f.z.Cols }

// Gaussian returns the score under Gaussian noise.
func (f *FreeNoise) Gaussian() *GaussianLocal { return &GaussianLocal{f.pairs, f.n, f.price} }

// Weight returns the weight of a row of the sample.
func (f *FreeNoise) Weight() float64 { return f.weight }

func (f *FreeNoise) Evaluator() search.Evaluator { return f.Fit() }

// Fit is Evaluator with the additional methods of NoiseFit.
func (f *FreeNoise) Fit() *NoiseFit { return &NoiseFit{FreeNoise: f, u: make([]float64, f.z.Cols)} }

// A NoiseFit evaluates a FreeNoise for one goroutine.
type NoiseFit struct {
	*FreeNoise
	u          []float64
	t          tilt
	regression chol.Regression
	few        excerpt
}

// Score fits the parents by least squares and the density by maximum likelihood. It is +Inf beyond (n-2)/2 parents. A collinear
// parent adds nothing.
func (f *NoiseFit) Score(v int, parents []int) float64 {
	s, gain := f.fit(v, parents)
	if s == 0 {
		return math.Inf(1)
	}
	return f.n*(1+math.Log(2*math.Pi)) + f.n*math.Log(s) - 2*f.weight*gain + f.price*float64(len(parents))
}

// Additions calls Score for each candidate.
func (f *NoiseFit) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, f, v, parents)
}

// Gain returns the gain in log-likelihood of the residuals of v over Gaussian noise. Under Gaussian noise, twice the gain is about
// χ² with at most NoiseTerms degrees of freedom.
func (f *NoiseFit) Gain(v int, parents []int) float64 {
	_, gain := f.fit(v, parents)
	return f.weight * gain
}

// NoiseTerms is the number of parameters of a noise density besides mean and variance.
const NoiseTerms = tiltTerms

// AddRows adds sign times the log-likelihood of v given its parents to dst, per row of the sample, up to a constant that does not
// depend on the parents. It reports whether it is finite.
func (f *NoiseFit) AddRows(dst []float64, v int, parents []int, sign float64) bool {
	s, _ := f.fit(v, parents)
	if s == 0 {
		return false
	}
	half := math.Log(s) / 2
	for i, u := range f.u {
		dst[i] += sign * (f.t.log[class(u)] - half - u*u/2)
	}
	return true
}

// fit leaves the scaled residuals in f.u and their density in f.t. It returns the residual variance, 0 with too many parents, and
// the gain of the density. If only rounding error remains of v, there is no density.
func (f *NoiseFit) fit(v int, parents []int) (s, gain float64) {
	if float64(len(parents)) > (min(f.n, float64(len(f.u)))-2)/2 {
		return 0, 0
	}
	f.regress(&f.regression, &f.few, v, parents)
	beta, s := f.regression.Coefficients(), max(f.regression.Left, chol.Determined)
	copy(f.u, f.z.Row(v))
	for i, p := range parents {
		if beta[i] != 0 {
			vec.Axpy(f.u, -beta[i], f.z.Row(p))
		}
	}
	if s <= 10*chol.Determined || !standard(f.u) {
		clear(f.u)
		f.t = tilt{information: f.t.information}
		return s, 0
	}
	return s, f.t.fit(f.u)
}
