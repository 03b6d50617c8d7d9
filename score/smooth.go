package score

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/matrix"
)

// Smooth is a local score for nonlinear effects, from second moments alone. A variable is a sum of smooth functions of its parents
// and Gaussian noise,
//
//	x_v = Σ_p f_p(x_p) + Σ_{p<q} f_pq(x_p, x_q) + e,   f_p = Σ_k w_pk·φ_k(x_p),
//
// with φ_0 the parent itself, φ_1, φ_2, … nonlinear functions, and the products of the first of these for pairs of parents if the
// blocks have them. With σ² the variance of e the weights have the prior
//
//	w_p0 ~ N(0, σ²g),   w_pk ~ N(0, σ²g/k²),   w_pq,kl ~ N(0, σ²g·0.3/(k²l²)),
//
// so that less smooth functions are less likely. The score is twice the negative log-likelihood, integrated over the weights and
// maximized over σ²:
//
//	n·log σ̂² + Σ_k log(pivot_k·n·g·λ_k) + 2·log (d-1 choose |parents|),
//
// where pivots and σ̂² come from the Cholesky factorization of the functions' Gram matrix with 1/(n·g·λ_k) added to its diagonal.
// The last term is a prior on graphs: all numbers of parents are equally likely, and so are all sets of one size (Chen and Chen
// 2008). For each variable with its parents the score is the smallest over several priors: g = 0.01, 0.1, 1 or 10, with products (up to
// nine parents) or without, or the linear model, φ_0 alone with g = 1, whose penalty is log n per parent like BIC, or 10
// for strong effects.
//
// The response is the variable in its own units, one equation, so graphs of one Markov equivalence class have different totals:
// directions are identified if effects are nonlinear (Hoyer et al. 2009; Bühlmann, Peters and Ernest, CAM, 2014). The prior makes
// every factorization regular: equal columns, more functions than rows and constants need no special case. The score does not
// depend on units or the order of columns.
type Smooth struct {
	n       float64
	d       int
	start   []int
	levels  []bool
	crossed int
	numeric int    // products begin here
	curve   []int  // number of each curved variable among the curved ones; -1 for the others
	used    []int  // number of functions of each variable that are used
	bent    []bool // variables whose nonlinear functions are used
	gram    *matrix.Dense[float64]
	priors  []prior
	sets    []float64 // 2·log (d-1 choose k) for k = 0 … d-1
}

// SmoothSettings are the priors that Smooth chooses from.
type SmoothSettings struct {
	// Strengths are the values of g, the variance of a weight in units of the noise variance.
	Strengths []float64
	// Linear adds the linear model.
	Linear bool
	// PairStrength is the factor of g for products; 0 for no products.
	PairStrength float64
	// Categories allows categorical variables as parents: see Flexible. They have no score of their own.
	Categories bool
	// Drawn says that the rows are a bootstrap sample of another table. Weights then fit the chance variation of that table and of
	// the sampling, which is as large: n·log σ̂² decreases by one more per function of a parent, or by 1/(1 + ridge) under the
	// prior. The score of a bootstrap sample adds that back, treating functions as uncorrelated.
	Drawn bool
}

// lines returns the values of g of the linear model: 1, and larger ones if curves have them.
func (s SmoothSettings) lines() []float64 {
	out := []float64{1}
	for _, g := range s.Strengths {
		if g > 1 {
			out = append(out, g)
		}
	}
	return out
}

// ComparedSettings returns the settings of linear and of nonlinear effects that decide between the two. Strong effects have no priors of
// their own here: those would favour curves, whose additional functions are small.
func ComparedSettings() (lines, curves SmoothSettings) {
	return SmoothSettings{Linear: true}, SmoothSettings{Strengths: []float64{0.01, 0.1, 1}}
}

// DefaultSmoothSettings returns strengths 0.01, 0.1, 1 and 10, the linear model, and products at 0.3.
func DefaultSmoothSettings() SmoothSettings {
	return SmoothSettings{Strengths: []float64{0.01, 0.1, 1, 10}, Linear: true, PairStrength: 0.3}
}

// Validate reports every setting that is out of its range.
func (s SmoothSettings) Validate() error {
	var errs []error
	if len(s.Strengths) == 0 && !s.Linear {
		errs = append(errs, errors.New("no strength and no linear model; give Smooth at least one"))
	}
	for _, g := range s.Strengths {
		if !(g > 0) || math.IsInf(g, 1) {
			errs = append(errs, fmt.Errorf("setting Strengths has %v, want > 0 and finite", g))
		}
	}
	if !(s.PairStrength >= 0) || math.IsInf(s.PairStrength, 1) {
		errs = append(errs, fmt.Errorf("PairStrength = %v, want ≥ 0 and finite", s.PairStrength))
	}
	return errors.Join(errs...)
}

// ErrCategorical is matched if a numeric score is given a categorical variable.
var ErrCategorical = errors.New("a categorical variable")

// A prior is one choice of the variances of the weights, as the terms added to the diagonal of the Gram matrix.
type prior struct {
	size  int       // number of functions per parent, from the first
	ridge []float64 // 1/(n·g·λ_k) for each of them
	pairs []float64 // the same for the products of a pair; nil without
	// own and the following field are the bias of a bootstrap sample, by number of functions of one parent and for the products of
	// a pair.
	own      []float64
	pair     float64
	line     float64 // the diagonal term of a straight variable and of an indicator
	straight float64 // their bias
}

// NewSmooth returns the score of the given blocks, whose Gram matrix it copies. Categorical variables give ErrCategorical unless the
// settings allow them.
func NewSmooth(b *Blocks, set SmoothSettings) (*Smooth, error) {
	if err := errors.Join(b.Validate(), set.Validate()); err != nil {
		return nil, err
	}
	if v := slices.Index(b.Levels, true); v >= 0 && !set.Categories {
		return nil, fmt.Errorf("variable %d: Smooth of %w; take Flexible", v+1, ErrCategorical)
	}
	return newSmooth(b, set)
}

// newSmooth is NewSmooth without its checks. It accepts categorical variables as parents: their indicators, like straight variables,
// have g = 1 under every prior.
func newSmooth(b *Blocks, set SmoothSettings) (*Smooth, error) {
	d := b.Variables()
	s := &Smooth{n: float64(b.N), d: d, start: slices.Clone(b.Start), levels: slices.Clone(b.Levels), crossed: b.Crossed, numeric: b.Start[d], gram: b.unit()}
	size, curved := 1, 0
	for v := range d {
		s.curve, s.used, s.bent = append(s.curve, -1), append(s.used, b.Start[v+1]-b.Start[v]), append(s.bent, b.Curved(v))
		if b.Curved(v) {
			s.curve[v] = curved
			curved++
			size = max(size, b.Start[v+1]-b.Start[v])
		}
	}
	if set.Linear {
		for _, g := range set.lines() {
			s.priors = append(s.priors, prior{size: 1, ridge: []float64{1 / (s.n * g)}, line: 1 / s.n})
		}
	}
	if size > 1 {
		for _, g := range set.Strengths {
			s.priors = append(s.priors, s.additive(size, g))
		}
		if b.Crossed > 0 && set.PairStrength > 0 {
			for _, g := range set.Strengths {
				p := s.additive(size, g)
				for k := 1; k <= b.Crossed; k++ {
					for l := 1; l <= b.Crossed; l++ {
						p.pairs = append(p.pairs, float64(k*k*l*l)/(s.n*g*set.PairStrength))
					}
				}
				s.priors = append(s.priors, p)
			}
		}
	}
	for i := range s.priors {
		s.priors[i].charge(set.Drawn)
	}
	if len(s.priors) == 0 {
		return nil, fmt.Errorf("the blocks have no curved functions and the linear model is not wanted: %w", ErrBlocks)
	}
	s.sets = make([]float64, max(d, 1))
	for k := 1; k < d; k++ {
		s.sets[k] = s.sets[k-1] + 2*math.Log(float64(d-k)/float64(k))
	}
	return s, nil
}

// charge fills in the bias of a bootstrap sample, or nothing for other tables.
func (p *prior) charge(drawn bool) {
	p.own = make([]float64, p.size+1)
	if !drawn {
		return
	}
	p.straight = 1 / (1 + p.line)
	for k, r := range p.ridge[:p.size] {
		p.own[k+1] = p.own[k] + 1/(1+r)
	}
	for _, r := range p.pairs {
		p.pair += 1 / (1 + r)
	}
}

// additive returns the prior of strength g without products.
func (s *Smooth) additive(size int, g float64) prior {
	p := prior{size: size, ridge: make([]float64, size), line: 1 / s.n}
	for k := range p.ridge {
		p.ridge[k] = float64(max(1, k*k)) / (s.n * g)
	}
	return p
}

// Variables returns d.
func (s *Smooth) Variables() int { return s.d }

// Price returns the penalty of the first parent of a variable: the prior on graphs and one weight.
func (s *Smooth) Price() float64 {
	if s.d < 2 {
		return math.Log(s.n + 1)
	}
	return s.sets[1] + math.Log(s.n+1)
}

// PairPrice returns the penalty of the first parent, which is the same for all variables.
func (s *Smooth) PairPrice(_, _ int) float64 { return s.Price() }

// CurvePrior returns the part of the score of v with its parents that is a prior on graphs and no likelihood.
func (s *Smooth) CurvePrior(v int, parents []int) float64 { return s.sets[len(parents)] }

// Equivalent returns false: directions are identified.
func (s *Smooth) Equivalent() bool { return false }

// pair returns the index of the first product of a and b, which are curved.
func (s *Smooth) pair(a, b int) int {
	a, b = s.curve[min(a, b)], s.curve[max(a, b)]
	return s.numeric + s.crossed*s.crossed*(b*(b-1)/2+a)
}
