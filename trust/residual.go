package trust

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// leastResiduals is the smallest number of rows for which heavy tails or strong curvature can be distinguished from chance.
const leastResiduals = 100

// residuals are the residuals of the least-squares regression of each column on its parents, in a sample of rows. Row v of a matrix
// belongs to column v.
type residuals struct {
	// z has the standardized columns. r has the residuals of z, with mean 0 and sum of squares 1, or all 0 for a determined column.
	z, r  *matrix.Dense[float64]
	index []int // positions of the rows, as in dataset.Sample
	// skip marks, for each column, the rows with an intervention on it; nil if there are none. Row v of r is 0 there, and all 0 if
	// too few rows remain.
	skip [][]bool
}

// counted returns the number of rows without an intervention on column v.
func (s *residuals) counted(v int) int {
	n := s.r.Cols
	if s.skip != nil {
		for _, left := range s.skip[v] {
			if left {
				n--
			}
		}
	}
	return n
}

// own subtracts from x, a function over the rows, its mean over the rows without an intervention on column v, and sets it to 0 in
// the others.
func (s *residuals) own(v int, x []float64) {
	if s.skip == nil || s.skip[v] == nil {
		centre(x)
		return
	}
	mean, n := 0.0, 0.0
	for i, left := range s.skip[v] {
		if !left {
			mean += x[i]
			n++
		}
	}
	for i, left := range s.skip[v] {
		if x[i] -= mean / n; left {
			x[i] = 0
		}
	}
}

// leaveOut computes skip for the rows in keep.
func (s *residuals) leaveOut(e Evidence, keep []int) {
	if e.Environments == nil || e.Sample.Environments == nil {
		return
	}
	s.skip = make([][]bool, e.Moments.Dim())
	for k, i := range keep {
		for _, v := range e.Environments.Targets[e.Sample.Environments[i]] {
			if s.skip[v] == nil {
				s.skip[v] = make([]bool, len(keep))
			}
			s.skip[v][k] = true
		}
	}
}

// newResiduals returns nil and the reason if the rows do not allow residuals.
func newResiduals(e Evidence, model Model) (*residuals, string) {
	g := model.Graph
	if e.Sample == nil {
		return nil, "only moments were given, no rows"
	}
	keep := completeRows(e.Sample)
	if len(keep) < leastResiduals {
		return nil, fmt.Sprintf("%s without missing values; the check needs at least %d", rows(len(keep)), leastResiduals)
	}
	d, std := e.Moments.Dim(), e.Moments.Std()
	s := &residuals{z: matrix.New[float64](d, len(keep)), r: matrix.New[float64](d, len(keep)), index: make([]int, len(keep))}
	for k, i := range keep {
		s.index[k] = e.Sample.Index[i]
		for v, x := range e.Sample.Row(i) {
			s.z.Set(v, k, (x-e.Moments.Mean[v])/std[v])
		}
	}
	for v := range d {
		model.rescale(s.z.Row(v), v, e.Moments.Mean[v], std[v])
	}
	s.leaveOut(e, keep)
	if model.Effects != "" && model.Effects != score.LinearEffects {
		s.fit(model)
		return s, ""
	}
	pool, err := dataset.NewPool(e.Moments, e.Environments)
	if err != nil {
		return nil, fmt.Sprintf("the residuals cannot be computed: %v", err)
	}
	stds := pool.Stds()
	for v := range d {
		to := s.r.Row(v)
		copy(to, s.z.Row(v))
		parents, beta, left, err := regress(pool.Of(v), v, g.Parents(v))
		if err != nil {
			return nil, fmt.Sprintf("the residuals of %s cannot be computed: %v", e.Moments.Names[v], err)
		}
		here := stds[pool.Group[v]]
		for k, p := range parents {
			if here[p] > 0 { // in units of the whole table, like z
				vec.Axpy(to, -beta[k]*(here[v]/std[v])/(here[p]/std[p]), s.z.Row(p))
			}
		}
		s.own(v, to)
		if !(left > chol.Determined) || s.counted(v) < leastResiduals {
			clear(to)
		}
		normalize(to)
	}
	return s, ""
}

// refitted returns the residuals of the effects that are fitted to the graph of a flexible model (internal/mechanism): unlike those of
// the choice of the graph they have curves at columns with few values, and products of parents.
func (s *residuals) refitted(model Model) *residuals {
	own := *s
	own.r = matrix.New[float64](s.r.Rows, s.r.Cols)
	model.Straight, model.products = nil, true
	own.fit(model)
	return &own
}

// fit replaces each column by its residual on the functions of its parents in the sample.
func (s *residuals) fit(model Model) {
	for v := range s.z.Rows {
		to := s.r.Row(v)
		copy(to, s.z.Row(v))
		s.own(v, to)
		whole := vec.Dot(to, to)
		functions := model.family(s.z, model.Graph.Parents(v))
		for i, f := range functions {
			functions[i] = slices.Clone(f)
			s.own(v, functions[i])
		}
		project(to, functions)
		if !(vec.Dot(to, to) > chol.Determined*whole) || s.counted(v) < leastResiduals {
			clear(to)
		}
		normalize(to)
	}
}

// completeRows lists the rows of a sample without missing values.
func completeRows(s *dataset.Sample) []int {
	var keep []int
	for i := range s.Rows() {
		if !slices.ContainsFunc(s.Row(i), func(x float64) bool { return x != x }) {
			keep = append(keep, i)
		}
	}
	return keep
}

// regress is score.RegressOn without the parents that others determine. This does not change the residual.
func regress(r score.Correlations, v int, of []int) (parents []int, beta []float64, left float64, err error) {
	parents = slices.Clone(of)
	for {
		reg, err := score.RegressOn(r, v, parents)
		if err == nil {
			return parents, reg.Beta, reg.Residual, nil
		}
		var c *score.CollinearError
		if !errors.As(err, &c) || !slices.Contains(parents, c.Parent) {
			return nil, nil, 0, err
		}
		parents = slices.DeleteFunc(parents, func(p int) bool { return p == c.Parent })
	}
}

// unit subtracts the mean of x and scales it to a sum of squares of 1, or to 0 if x is constant.
func unit(x []float64) {
	centre(x)
	normalize(x)
}

// normalize scales x to a sum of squares of 1, or to 0 if x is constant.
func normalize(x []float64) {
	if norm := math.Sqrt(vec.Dot(x, x)); norm > 1e-9 && !math.IsInf(norm, 0) {
		for i := range x {
			x[i] /= norm
		}
		return
	}
	clear(x)
}

// without subtracts from x its projection on y, which has a sum of squares of 1 or 0.
func without(x, y []float64) { vec.Axpy(x, -vec.Dot(x, y), y) }
