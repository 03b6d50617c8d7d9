package search

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/polydag/polydag/matrix"
)

// maxVariables keeps the largest possible node, 8 bytes per variable, inside one chunk of the node cache.
const maxVariables = 80000

// Problem is the data to search on.
type Problem struct {
	// R is the correlation matrix, d×d and symmetric with ones on the diagonal. Search neither changes nor
	// retains it.
	R *matrix.Dense[float64]
	// Gram replaces R for many columns: correlations that are computed from the rows on demand. The result is the same.
	Gram *matrix.Gram
	// N is the number of rows behind the correlations.
	N int
	// Score replaces R, Gram, N and Scale: the search minimizes the sum of its values. The settings Variance, Factor, Gamma and Adapt are
	// then not used, because the score has its own penalty.
	Score Score
	// Scale has the d standard deviations. Only the equal-variance model needs them; nil otherwise. With it, Result.Scores can
	// compare the two models.
	Scale []float64
	// Knowledge is enforced prior knowledge. Its zero value is empty.
	Knowledge Knowledge
	// Names are the variable names in warnings; nil for numbers.
	Names []string
}

// Len returns the number of variables.
func (p Problem) Len() int {
	if p.Score != nil {
		return p.Score.Variables()
	}
	if p.Gram != nil {
		return p.Gram.Len()
	}
	return p.R.Rows
}

// CorrelationOf returns the correlations between the variables of these indices, a new matrix.
func (p Problem) CorrelationOf(index []int) *matrix.Dense[float64] {
	if p.Gram != nil {
		return p.Gram.Of(index)
	}
	r := matrix.New[float64](len(index), len(index))
	for a, i := range index {
		for b, j := range index {
			r.Set(a, b, p.R.At(i, j))
		}
	}
	return r
}

func (p Problem) name(v int) string {
	if v < len(p.Names) {
		return p.Names[v]
	}
	return fmt.Sprintf("variable %d", v)
}

// named lists variables for a warning.
func (p Problem) named(vs []int) string {
	names := make([]string, len(vs))
	for i, v := range vs {
		names[i] = p.name(v)
	}
	return strings.Join(names, ", ")
}

// Variance is the model of the noise.
type Variance int

const (
	// Unequal gives every variable its own noise variance. The score does not depend on units.
	Unequal Variance = iota
	// Equal gives all variables the same noise variance. It needs Problem.Scale, and if the assumption is true it identifies the
	// whole graph.
	Equal
)

// String returns "unequal" or "equal".
func (v Variance) String() string { return valueName("Variance", int(v), "unequal", "equal") }

// valueName returns the name of a value of a type, or the type with the number if it has none.
func valueName(kind string, value int, names ...string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, value)
	}
	return names[value]
}

// Auto is the value of Settings.Restarts for rounds that continue while they improve the score.
const Auto = -1

// Settings are the settings of the search. Start from DefaultSettings: zero means zero.
type Settings struct {
	// Variance selects the model, Unequal or Equal.
	Variance Variance
	// Factor and Gamma set the penalty per edge on the scale of twice the log-likelihood,
	//
	//	penalty = Factor·ln n + 4·Gamma·ln d,
	//
	// BIC for (1, 0) and the extended BIC of Foygel and Drton (2010) for (1, Gamma).
	Factor, Gamma float64
	// Charge is an additional penalty per edge, 0 or more for a sparser graph. The minimized score, Result.Score, Scores and
	// Penalty include it.
	Charge float64
	// Path multiplies the penalty in a first, sparser search whose order the real one starts from; 1 omits it.
	Path float64
	// Adapt lowers the penalty if the first descent shows weak effects, under Unequal only; see price.go. Result.Penalty is the
	// penalty used.
	Adapt bool
	// Restarts is the number of rounds that try to leave the local optimum. 0 is one descent; with Auto they continue while they
	// improve the score, within a work limit.
	Restarts int
	// Exact is the largest number of variables for an exhaustive search by dynamic programming, which does not use Restarts. 12
	// variables take about 50 ms; at most 16.
	Exact int
	// ExactMargin, if not 0, lets the exhaustive search skip sets of three or more parents that are unlikely to be best: those
	// whose subsets with one parent less are all worse than their own best subset by more than the margin. The result is then not
	// called Optimal.
	ExactMargin float64
	// MaxParents limits the parents of a variable. With correlations the limit is also (N-2)/2.
	MaxParents int
	// CacheBytes limits the memory of the node cache. When it is full it is emptied, which only makes the search slower.
	CacheBytes int64
	// Seed seeds the rounds.
	Seed uint64
	// Threads is the number of goroutines, at least 1. The result does not depend on it.
	Threads int
	// Starts are additional orders to descend from. Each is a permutation of 0..d-1 that Knowledge allows.
	Starts [][]int
	// First, if not nil, replaces the initial order that Search makes, for example with the result on nearly the same data. It is a
	// permutation like those of Starts. Equal variances do not use it.
	First []int
	// Pause, if not nil, is called at every point where the search can be resumed: between two batches of a descent, two variables
	// of the start, or two rounds. state encodes the search in O(d + edges) bytes; call it if a save is due, before Pause returns.
	// When the context ends Pause is called once more. It does not affect the search.
	Pause func(state func() []byte)
	// Resume is a state of an earlier search with the same problem and settings, or nil. The search continues from there on any
	// number of threads to exactly the same result, except for the parts of Stats that depend on threads. A state of another search
	// is an error.
	Resume []byte

	singly bool // no waves, for tests
}

// DefaultSettings returns the settings that doc.go explains, on one thread.
func DefaultSettings() Settings {
	return Settings{
		Factor:     1,
		Gamma:      0.5,
		Path:       4,
		Adapt:      true,
		Restarts:   Auto,
		Exact:      12,
		MaxParents: 1 << 20,
		CacheBytes: 1 << 30,
		Threads:    1,
	}
}

// EdgePenalty returns the penalty per edge with n rows of d variables.
func (s Settings) EdgePenalty(n, d int) float64 {
	return s.Factor*math.Log(float64(n)) + 4*s.Gamma*math.Log(float64(d)) + s.Charge
}

// Validate reports every error in the settings that can be detected without data.
func (s Settings) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if s.Variance != Unequal && s.Variance != Equal {
		fault("Variance = %v, want Unequal or Equal", s.Variance)
	}
	finite := func(name string, value, least float64) {
		if !(value >= least) || math.IsInf(value, 0) {
			fault("%s = %v, want a finite number >= %v", name, value, least)
		}
	}
	finite("Factor", s.Factor, 0)
	finite("Gamma", s.Gamma, 0)
	if s.Factor == 0 && s.Gamma == 0 {
		fault("Factor and Gamma are both 0: edges would be free; take DefaultSettings")
	}
	finite("Charge", s.Charge, 0)
	finite("Path", s.Path, 1)
	if s.Restarts < Auto {
		fault("Restarts = %d, want >= 0, or %d for as many as pay", s.Restarts, Auto)
	}
	if s.Exact < 0 || s.Exact > maxExact {
		fault("Exact = %d, want 0 to %d", s.Exact, maxExact)
	}
	if !(s.ExactMargin >= 0) {
		fault("ExactMargin = %v, want a number >= 0", s.ExactMargin)
	}
	if s.MaxParents < 0 {
		fault("MaxParents = %d, want >= 0", s.MaxParents)
	}
	if s.CacheBytes < 1<<20 {
		fault("CacheBytes = %d, want at least 1 MiB (%d)", s.CacheBytes, 1<<20)
	}
	if s.Threads < 1 {
		fault("Threads = %d, want >= 1", s.Threads)
	}
	return errors.Join(errs...)
}

// Validate reports every error in the problem. It costs a pass over R, or two evaluations of the score per variable.
func (p Problem) Validate() error {
	var errs []error
	fault := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if p.Score != nil {
		return errors.Join(p.scoreFaults()...)
	}
	if p.N < 3 {
		fault("N = %d, want at least 3 observations", p.N)
	}
	switch {
	case p.R == nil && p.Gram == nil:
		fault("R is nil; pass the correlation matrix")
		return errors.Join(errs...)
	case p.R != nil && p.Gram != nil:
		fault("Gram stands beside R; pass one of them")
		return errors.Join(errs...)
	case p.R != nil:
		if d := p.R.Rows; p.R.Cols != d || d == 0 || p.R.Stride < d || len(p.R.Data) < (d-1)*p.R.Stride+d {
			fault("R is %d×%d with stride %d and %d values, want a square matrix", p.R.Rows, p.R.Cols, p.R.Stride, len(p.R.Data))
			return errors.Join(errs...)
		}
		errs = append(errs, checkCorrelation(p.R)...)
	}
	d := p.Len()
	if d > maxVariables {
		fault("%d variables, want at most %d", d, maxVariables)
	}
	if p.Scale != nil && len(p.Scale) != d {
		fault("Scale has %d values for %d variables", len(p.Scale), d)
	}
	for i, s := range p.Scale {
		if !(s > 0) || math.IsInf(s, 0) {
			fault("Scale[%d] = %v, want a positive number; drop constant columns", i, s)
			break
		}
	}
	errs = append(errs, p.Knowledge.faults(d)...)
	return errors.Join(errs...)
}

// checkCorrelation reports the first entry that violates each property of a correlation matrix. It works in tiles, because the
// symmetry check reads R along rows and columns at once.
func checkCorrelation(r *matrix.Dense[float64]) []error {
	const tol = 1e-6 // allows rounding to float32
	d := r.Rows
	for i := range d {
		if v := r.At(i, i); !(math.Abs(v-1) <= tol) {
			return []error{fmt.Errorf("entry R[%d][%d] = %v, want 1: R must be a correlation matrix; drop constant columns and divide by the standard deviations", i, i, v)}
		}
	}
	const tile = 64
	for i0 := 0; i0 < d; i0 += tile {
		for j0 := 0; j0 <= i0; j0 += tile {
			for i := i0; i < min(i0+tile, d); i++ {
				for j := j0; j < min(j0+tile, i); j++ {
					a, b := r.At(i, j), r.At(j, i)
					if !(math.Abs(a) <= 1+tol) {
						return []error{fmt.Errorf("entry R[%d][%d] = %v, want a correlation in [-1, 1]", i, j, a)}
					}
					if !(math.Abs(a-b) <= tol) {
						return []error{fmt.Errorf("entry R[%d][%d] = %v but R[%d][%d] = %v: R is not symmetric", i, j, a, j, i, b)}
					}
				}
			}
		}
	}
	return nil
}

// validate joins the errors of both and those of their combination.
func validate(p Problem, s Settings) error {
	errs := []error{p.Validate(), s.Validate()}
	if p.Score == nil && s.Variance == Equal && p.Scale == nil {
		errs = append(errs, errors.New("Variance = Equal needs Problem.Scale, the standard deviations; equal variances mean nothing without units"))
	}
	if p.Score != nil && s.Variance != Unequal {
		errs = append(errs, fmt.Errorf("Variance = %v is for correlations; a Score has its own model", s.Variance))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	d := p.Len()
	limit := p.parentLimit(s.MaxParents)
	for v, req := range p.Knowledge.requiredParents(d) {
		if len(req) > limit {
			rows := fmt.Sprintf(", N = %d", p.N)
			if p.Score != nil {
				rows = ""
			}
			errs = append(errs, fmt.Errorf("variable %d has %d required parents, but at most %d fit (MaxParents = %d%s)", v, len(req), limit, s.MaxParents, rows))
		}
	}
	if s.First != nil {
		if err := p.Knowledge.checkOrder(s.First, d); err != nil {
			errs = append(errs, fmt.Errorf("setting First: %w", err))
		}
	}
	for i, start := range s.Starts {
		if err := p.Knowledge.checkOrder(start, d); err != nil {
			errs = append(errs, fmt.Errorf("setting Starts[%d]: %w", i, err))
		}
	}
	return errors.Join(errs...)
}

// parentLimit is the largest number of parents that is searched: beyond half the residual degrees of freedom a likelihood is not
// meaningful. A Score sets its own limit.
func (p Problem) parentLimit(maxParents int) int {
	limit := max(0, min(maxParents, p.Len()-1))
	if p.Score != nil {
		return limit
	}
	return min(limit, (p.N-2)/2)
}
