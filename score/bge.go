package score

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// BGeSettings are the prior parameters of BGe. Start from DefaultBGe: zero means zero.
type BGeSettings struct {
	// AlphaMu is the weight of the prior mean in rows, > 0.
	AlphaMu float64
	// AlphaW is the degrees of freedom of the covariance prior beyond the number of columns, > -1.
	AlphaW float64
	// T is the scale of the prior: its matrix is T times the identity, for standardized columns.
	T float64
	// Gamma charges 4·Gamma·ln d for every parent, where d is the number of columns: a prior under which each edge has odds of
	// d^(-2·Gamma). With 1/2 a variable is expected to have about one parent; 0 is a uniform prior over graphs.
	Gamma float64
}

// DefaultBGe returns AlphaMu = 1 and AlphaW = 2, the least whole number for which the predicted covariance exists, and the T that
// makes that covariance the identity, which standardized columns have: T = AlphaMu·(AlphaW - 1)/(AlphaMu + 1) = 1/2. Gamma is that
// of the search and of DefaultDiscrete; docs/explanation/confidence.md shows the calibration of the probabilities.
func DefaultBGe() BGeSettings { return BGeSettings{AlphaMu: 1, AlphaW: 2, T: 0.5, Gamma: 0.5} }

// Validate reports every invalid setting.
func (s BGeSettings) Validate() error {
	var errs []error
	positive := func(name string, v, above float64) {
		if !(v > above) || math.IsInf(v, 0) {
			errs = append(errs, fmt.Errorf("setting %s = %v, want a finite number > %v", name, v, above))
		}
	}
	positive("AlphaMu", s.AlphaMu, 0)
	positive("AlphaW", s.AlphaW, -1)
	positive("T", s.T, 0)
	if !(s.Gamma >= 0) || math.IsInf(s.Gamma, 0) {
		errs = append(errs, fmt.Errorf("setting Gamma = %v, want a finite number >= 0", s.Gamma))
	}
	return errors.Join(errs...)
}

// BGe is minus twice the logarithm of the marginal likelihood of a linear Gaussian model under a normal-Wishart prior, as a local
// score (Geiger and Heckerman 2002, in the form that Kuipers, Moffa and Heckerman 2014 corrected), plus the penalty of the edges.
// With n rows, p parents P, b = AlphaW, t = T, and R = t·I + n·C where C is the correlation matrix,
//
//	ln likelihood = ½ ln(αμ/(n + αμ)) - n/2 ln π + lnΓ((n + b + p + 1)/2) - lnΓ((b + p + 1)/2)
//	                + (b + 2p + 1)/2 · ln t - (n + b + p + 1)/2 · ln r - ½ ln|R_PP|,
//
// where r = |R_Qv,Qv| / |R_PP| is the residual of v given P in R. The prior mean is the mean of the columns, which are
// standardized, so the score does not depend on units. Graphs of one Markov equivalence class have the same total. Every set of
// parents has a finite score, whatever the number of rows.
//
// With k parents Score costs k³/6 multiplications and Additions k²/2 for each column more.
type BGe struct {
	pairs
	n     float64
	s     BGeSettings
	edge  float64
	bare  []float64 // terms that do not depend on R, by number of parents
	ridge float64   // t/n, added to the diagonal of C
}

var _ search.Score = (*BGe)(nil)

// NewBGe returns the score of a d×d correlation matrix of n rows, which it keeps.
func NewBGe(r *matrix.Dense[float64], n int, s BGeSettings) (*BGe, error) {
	if err := errors.Join(s.Validate(), (search.Problem{R: r, N: n}).Validate()); err != nil {
		return nil, err
	}
	return newBGe(pairs{r: r, d: r.Rows}, n, s), nil
}

// BGeBy is NewBGe with correlations that are computed by rows when they are needed. memory limits the rows that are kept; several scores
// may share it.
func BGeBy(c CorrelationRows, n int, s BGeSettings, memory *RowMemory) (*BGe, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return newBGe(pairs{rows: newKeptRows(c, memory), d: c.Dim()}, n, s), nil
}

func newBGe(c pairs, n int, s BGeSettings) *BGe {
	d := c.d
	g := &BGe{pairs: c, n: float64(n), s: s, edge: 4 * s.Gamma * math.Log(float64(d)), bare: make([]float64, d), ridge: s.T / float64(n)}
	for p := range g.bare {
		k := s.AlphaW + float64(p) + 1
		prior, _ := math.Lgamma(k / 2)
		after, _ := math.Lgamma((g.n + k) / 2)
		ln := math.Log(s.AlphaMu/(g.n+s.AlphaMu))/2 - g.n/2*math.Log(math.Pi) + after - prior +
			(s.AlphaW+2*float64(p)+1)/2*math.Log(s.T) -
			(g.n+k+float64(p))/2*math.Log(g.n) // R is n·(C + ridge)
		g.bare[p] = -2*ln + g.edge*float64(p)
	}
	return g
}

// Price returns the penalty per edge: ln n, its value for large n, plus the charge of Gamma.
func (g *BGe) Price() float64 { return math.Log(g.n) + g.edge }

func (g *BGe) Equivalent() bool { return true }

func (g *BGe) Evaluator() search.Evaluator {
	return &bgeFit{BGe: g, regression: chol.Regression{Ridge: g.ridge}}
}

type bgeFit struct {
	*BGe
	regression chol.Regression
	few        excerpt
	taken      []bool
}

// Score returns the local score of v with its parents, ascending.
func (f *bgeFit) Score(v int, parents []int) float64 {
	f.regress(&f.regression, &f.few, v, parents)
	return f.value(f.regression.Left, f.regression.LogDet(0), len(parents))
}

// value is the score for the residual variance left and ln|C_PP + ridge|.
func (f *bgeFit) value(left, logdet float64, p int) float64 {
	return f.bare[p] + (f.n+f.s.AlphaW+float64(p)+1)*math.Log(max(left, f.ridge)) + logdet
}

// Additions writes the score of v with its parents and x to dst[x] for every x that is neither v nor a parent.
func (f *bgeFit) Additions(dst []float64, v int, parents []int) {
	f.regress(&f.regression, &f.few, v, parents)
	left, logdet := f.regression.Left, f.regression.LogDet(0)
	f.taken = marked(f.taken, f.d, v, parents)
	for x, taken := range f.taken {
		if !taken {
			pivot, takes := f.candidate(&f.regression, &f.few, v, x, parents)
			dst[x] = f.value(left-takes, logdet+math.Log(pivot), len(parents)+1)
		}
	}
}

// FitBGe returns s with the T that maximizes the marginal likelihood of a graph, among the powers of √10 from 0.001 to 31.6.
// parents lists the parents of each column. An effect has the prior N(0, σ²/T), in standard deviations of its cause, where σ is the
// noise of its target. So T is the assumed strength of effects, and it is better estimated from the table:
// docs/explanation/confidence.md compares the calibration.
func FitBGe(r *matrix.Dense[float64], n int, parents [][]int, s BGeSettings) (BGeSettings, error) {
	best, least := s, math.Inf(1)
	for k := -6; k <= 3; k++ {
		s.T = math.Pow(10, float64(k)/2)
		g, err := NewBGe(r, n, s)
		if err != nil {
			return best, err
		}
		eval, sum := g.Evaluator(), 0.0
		for v, set := range parents {
			sum += eval.Score(v, set)
		}
		if sum < least {
			best, least = s, sum
		}
	}
	return best, nil
}
