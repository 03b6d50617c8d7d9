package trust

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

const (
	// leastResiduals is how many rows it takes to see even heavy tails or a strong curvature beyond chance.
	leastResiduals = 100
	// noResidual of the variance is left of a column that its parents determine: rounding, with no shape to speak of.
	noResidual = 1e-10
)

// residuals are what least squares on its parents leaves of each column in a sample of rows. Row v of a matrix belongs to column v.
type residuals struct {
	// z has the columns less their means, divided by their standard deviations; r what the parents leave of z, with mean 0 and
	// sum of squares 1, or all 0 where nothing is left.
	z, r  *matrix.Dense[float64]
	index []int // of the rows, as in dataset.Sample
}

// newResiduals returns nil and why where the rows do not allow it.
func newResiduals(e Evidence, model Model) (*residuals, string) {
	g := model.Graph
	if e.Sample == nil {
		return nil, "moments only: the rows were not looked at"
	}
	keep := completeRows(e.Sample)
	if len(keep) < leastResiduals {
		return nil, fmt.Sprintf("%s without missing values: too few to tell a departure from chance, which takes %d", rows(len(keep)), leastResiduals)
	}
	d, std := e.Moments.Dim(), e.Moments.Std()
	s := &residuals{z: matrix.New[float64](d, len(keep)), r: matrix.New[float64](d, len(keep)), index: make([]int, len(keep))}
	for k, i := range keep {
		s.index[k] = e.Sample.Index[i]
		for v, x := range e.Sample.Row(i) {
			s.z.Set(v, k, (x-e.Moments.Mean[v])/std[v])
		}
	}
	if model.Effects != "" && model.Effects != score.LinearEffects {
		s.fit(model)
		return s, ""
	}
	correlation := e.Moments.Correlation()
	for v := range d {
		to := s.r.Row(v)
		copy(to, s.z.Row(v))
		parents, beta, left, err := regress(correlation, v, g.Parents(v))
		if err != nil {
			return nil, fmt.Sprintf("the residuals of %s cannot be computed: %v", e.Moments.Names[v], err)
		}
		for k, p := range parents {
			vec.Axpy(to, -beta[k], s.z.Row(p))
		}
		if !(left > noResidual) {
			clear(to)
		}
		unit(to)
	}
	return s, ""
}

// fit takes from each column what the functions of its parents explain in the sample.
func (s *residuals) fit(model Model) {
	for v := range s.z.Rows {
		to := s.r.Row(v)
		copy(to, s.z.Row(v))
		centre(to)
		whole := vec.Dot(to, to)
		var functions [][]float64
		for _, p := range model.Graph.Parents(v) {
			for _, f := range model.design(s.z, p) {
				f = slices.Clone(f)
				centre(f)
				functions = append(functions, f)
			}
		}
		project(to, functions)
		if !(vec.Dot(to, to) > noResidual*whole) {
			clear(to)
		}
		unit(to)
	}
}

// completeRows lists the rows of a sample without a missing value.
func completeRows(s *dataset.Sample) []int {
	var keep []int
	for i := range s.Rows() {
		if !slices.ContainsFunc(s.Row(i), func(x float64) bool { return x != x }) {
			keep = append(keep, i)
		}
	}
	return keep
}

// regress is score.Regress without the parents that others determine, which changes nothing about what is left.
func regress(r *matrix.Dense[float64], v int, of []int) (parents []int, beta []float64, left float64, err error) {
	parents = slices.Clone(of)
	for {
		reg, err := score.Regress(r, v, parents)
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

// unit subtracts the mean of x and scales it to a sum of squares of 1; what does not vary becomes 0.
func unit(x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i := range x {
		x[i] -= mean
	}
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
