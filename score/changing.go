package score

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/search"
)

// Changing is the linear Gaussian model of d columns whose rows come from several environments with unknown intervention targets.
// Variables 0 … d-1 are the columns, and variable d+k stands for environment Contexts[k]: as a parent of v it means that the equation of
// v differs in that environment. With P the columns among the parents, C the environments, and the rest of the environments pooled,
//
//	Score = n_rest·ln s_rest + Σ_{c∈C} n_c·ln s_c + price·(|P| + |C|·(|P| + 2)),
//
// where s is the residual variance of v on P in the rows of those environments, with intercept and slopes of their own. So a changed
// intercept, noise variance or slope counts as a change, with a penalty per parameter. The score is +Inf if an environment has too few
// rows for its own equation. Environments have no parents: their own scores are 0, and the search forbids edges into them. One environment is
// not among Contexts and is always pooled. The score does not depend on units.
type Changing struct {
	environments *dataset.Environments
	contexts     []int
	price        float64
	d            int
	scale        []float64 // variance of each column in all rows
}

var _ search.Score = (*Changing)(nil)

// NewChanging returns the score of moments by environment, which it keeps, with a penalty per parameter. contexts are the environments in
// which equations may differ: all but one.
func NewChanging(all *dataset.Moments, r *dataset.Environments, contexts []int, price float64) (*Changing, error) {
	if err := r.Validate(all.Dim()); err != nil {
		return nil, err
	}
	if !(price > 0) || math.IsInf(price, 0) {
		return nil, fmt.Errorf("a parameter at %v, want a finite price > 0", price)
	}
	if len(contexts) >= len(r.Names) {
		return nil, fmt.Errorf("%d of %d environments may differ; one is what they differ from", len(contexts), len(r.Names))
	}
	c := &Changing{environments: r, contexts: slices.Clone(contexts), price: price, d: all.Dim()}
	for _, s := range all.Std() {
		c.scale = append(c.scale, max(s*s, math.SmallestNonzeroFloat64))
	}
	return c, nil
}

// Variables returns the number of columns and contexts.
func (c *Changing) Variables() int { return c.d + len(c.contexts) }

// Price returns the penalty per parameter.
func (c *Changing) Price() float64 { return c.price }

// Equivalent returns false: a change at only one end of an edge identifies its direction.
func (c *Changing) Equivalent() bool { return false }

func (c *Changing) Evaluator() search.Evaluator {
	return &changingFit{Changing: c, pooled: map[string]*covariances{}}
}

// covariances are those of some rows, with every column scaled by its standard deviation over all rows.
type covariances struct {
	n float64
	s *matrix.Dense[float64]
}

// changingFit has the buffers of one goroutine.
type changingFit struct {
	*Changing
	pooled     map[string]*covariances // by the excluded environments
	key        []byte
	regression chol.Regression
}

// mostPooled limits the sets of environments whose covariances an evaluator caches; when it is reached the cache is cleared.
const mostPooled = 256

// of returns the covariances of the given environments.
func (f *changingFit) of(environments []int) *covariances {
	f.key = f.key[:0]
	for _, k := range environments {
		f.key = binary.AppendUvarint(f.key, uint64(k))
	}
	if found := f.pooled[string(f.key)]; found != nil {
		return found
	}
	if len(f.pooled) >= mostPooled {
		clear(f.pooled)
	}
	m, err := f.environments.Pooled(environments)
	out := &covariances{s: matrix.New[float64](f.d, f.d)}
	if err == nil && m.N > 0 { // sums that overflow are unusable
		out.n = float64(m.N)
		for i := range f.d {
			for j := range f.d {
				out.s.Set(i, j, m.Scatter[i*f.d+j]/out.n/math.Sqrt(f.scale[i])/math.Sqrt(f.scale[j]))
			}
		}
	}
	f.pooled[string(f.key)] = out
	return out
}

// Score returns the local score of v with its parents, ascending.
func (f *changingFit) Score(v int, parents []int) float64 {
	if v >= f.d {
		if len(parents) > 0 {
			return math.Inf(1)
		}
		return 0
	}
	at, _ := slices.BinarySearch(parents, f.d)
	columns, changed := parents[:at], parents[at:]
	rest := make([]int, 0, len(f.environments.Names))
	for k := range f.environments.Names {
		i := slices.Index(f.contexts, k)
		if _, own := slices.BinarySearch(changed, f.d+i); !own {
			rest = append(rest, k)
		}
	}
	sum := f.fit(f.of(rest), v, columns, len(changed) > 0)
	for _, c := range changed {
		sum += f.fit(f.of([]int{f.contexts[c-f.d]}), v, columns, true)
	}
	return sum + f.price*float64(len(columns)+len(changed)*(len(columns)+2))
}

// fit returns n·ln of the residual variance of v on the columns. If there are several equations, each needs enough rows.
func (f *changingFit) fit(c *covariances, v int, columns []int, among bool) float64 {
	k := len(columns)
	if among {
		k += 2 // each equation has its own mean and variance
	}
	if k > 0 && float64(k) > (c.n-2)/2 {
		return math.Inf(1)
	}
	chol.Regress(&f.regression, c.s.Data, c.s.Stride, v, columns)
	return c.n * math.Log(max(f.regression.Left, chol.Determined))
}

// Additions calls Score for each candidate.
func (f *changingFit) Additions(dst []float64, v int, parents []int) {
	search.AdditionsByScore(dst, f, v, parents)
}
