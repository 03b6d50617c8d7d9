package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

const (
	// curveShare is the smallest share of the residual variance of linear effects that a curve must explain.
	curveShare = 0.05
	// productShare is the smallest share for products of parents: more than the noise. With less, the directions of additive effects are right
	// although effects are not additive, in simulated tables.
	productShare = 0.5
	// curveWork limits the products of curvature, rows × columns². Above curveColumns columns only parents are tested.
	curveWork    = 1e9
	curveColumns = 2000
	// clip is the number of standard deviations at which the tails of a column are cut before squaring, so that a few outliers do
	// not count as a curve.
	clip = 3
)

// curve is a column whose square or cube explains part of the residual of another column.
type curve struct {
	from, to int // from is -1 for the linear prediction by the parents of to
	power    string
	share    float64
}

// effects tests for curves. Under the model the residual of a column is uncorrelated with every function of its parents. If all
// columns are jointly Gaussian, it is also uncorrelated with the nonlinear part of the square and the cube of any column. The share
// is the squared correlation. For Gaussian residuals, n times the share exceeds t by chance with a probability of about exp(-t/2).
// The square of the prediction by all parents is tested too, which detects products of parents (Ramsey 1969, "Tests for
// specification errors in classical linear least squares regression analysis").
//
// If the noise may have any distribution, a residual is uncorrelated only with functions of columns that are not descendants.
//
// Under smooth effects the residuals are those of curves. The test then finds curves of columns that are not parents, and
// interactions of parents.
func (j *judging) effects() Assumption {
	name, statement, by := LinearEffects, "effects are linear", "linear effects"
	switch j.model.Effects {
	case score.SmoothEffects:
		name, statement, by = SmoothEffects, "effects are smooth and additive", "smooth effects"
	case score.FlexibleEffects:
		name, statement, by = SmoothEffects, "effects are smooth and additive", "the effects in the choice of the graph"
	case score.MixedEffects:
		statement, by = "effects of numeric columns are linear and those of categories additive", "linear and category effects"
	}
	if j.res == nil {
		return newAssumption(name, statement, nil, j.why, "")
	}
	found, most := j.bends(j.res)
	if j.model.Effects == score.SmoothEffects {
		found = append(found, j.multiplied()...)
	}
	against := j.curves(found, by)
	otherwise := func(most float64, by string) string {
		return fmt.Sprintf("squares and cubes of columns explain at most %s of the residual variance under %s; %s", percent(most), by, j.looked())
	}
	if len(found) > 0 && j.model.Effects == score.FlexibleEffects {
		if left, most := j.bends(j.res.refitted(j.model)); len(left) == 0 {
			against[0].Severity, against[0].WayOut, against[0].Remedies = Note, "", nil
			a := newAssumption(name, statement, nil, "", otherwise(most, "the fitted effects")+"; the choice of the graph has fewer curves, so directions at "+list(against[0].Columns, 4)+" rest on rules about real tables")
			a.Evidence = against
			return a
		}
	}
	return newAssumption(name, statement, against, "", otherwise(most, by))
}

// bends returns the curves of the residuals, and the largest share.
func (j *judging) bends(res *residuals) (found []curve, most float64) {
	d, m := len(j.two), res.r.Cols
	if d <= curveColumns {
		m = min(m, max(leastResiduals, 512, int(curveWork/float64(d)/float64(d))))
	}
	// limit is the smallest share that chance exceeds in at most one of a thousand tables.
	limit := max(curveShare, (2*math.Log(float64(3*d*d))+14)/j.worth(m))
	r := matrix.New[float64](d, m)
	for v := range d {
		copy(r.Row(v), res.r.Row(v))
		unit(r.Row(v))
	}
	note := func(from, to int, power string, correlation float64) {
		if j.model.input(to) || j.model.levels(to) || from >= 0 && j.model.levels(from) {
			return
		}
		share := correlation * correlation
		most = max(most, share)
		if share > limit {
			found = append(found, curve{from, to, power, share})
		}
	}
	below := make([][]bool, d) // descendants of each column, computed when needed
	for v := range below {
		if j.model.FreeNoise && d <= curveColumns {
			below[v] = j.model.Graph.Descendants([]int{v})
		}
	}
	q := matrix.New[float64](d, m)
	for _, power := range []string{"square", "cube"} {
		for u := range d {
			bend(q.Row(u), res.z.Row(u)[:m], power)
		}
		if d <= curveColumns && j.model.straight() && j.Environments == nil { // residuals of a cause may have curved effects, and several environments together are not Gaussian
			c := matrix.New[float64](d, d)
			matrix.MulTB(c, q, r, 1)
			for u := range d {
				for v, correlation := range c.Row(u) {
					if u != v && !(j.model.FreeNoise && below[v][u]) {
						note(u, v, power, correlation)
					}
				}
			}
			continue
		}
		for v := range d {
			for _, u := range j.model.Graph.Parents(v) {
				note(u, v, power, vec.Dot(q.Row(u), r.Row(v)))
			}
		}
	}
	sum, bent := make([]float64, m), make([]float64, m)
	for v := range d {
		if len(j.model.Graph.Parents(v)) < 2 {
			continue
		}
		// The prediction by the parents is z minus its residual; r has only the direction of the residual.
		copy(sum, res.z.Row(v)[:m])
		unit(sum)
		without(sum, r.Row(v))
		unit(sum)
		vec.Scale(sum, math.Sqrt(float64(m)), sum)
		bend(bent, sum, "square")
		note(-1, v, "square", vec.Dot(bent, r.Row(v)))
	}
	return found, most
}

// multiplied returns the columns whose residuals under smooth effects products of functions of their parents explain. The square of the
// prediction misses a product of parents that are correlated, or of which one has a much larger effect.
func (j *judging) multiplied() (found []curve) {
	fitted := j.res.refitted(j.model)
	model := j.model
	model.products = true
	for v := range j.two {
		parents := j.model.Graph.Parents(v)
		if len(parents) < 2 || j.model.input(v) {
			continue
		}
		left := vec.Dot(j.res.r.Row(v), fitted.r.Row(v)) // of unit vectors, the ratio of the residual norms, since one model has the functions of the other
		m, few, more := float64(j.res.counted(v)), len(j.model.family(j.res.z, parents)), len(model.family(j.res.z, parents))
		if share := 1 - left*left*(m-float64(few))/(m-float64(more)); left > 0 && share > productShare {
			found = append(found, curve{-1, v, product, share})
		}
	}
	return found
}

// product is the power of a curve that is a product of functions of the parents.
const product = "product"

// bend writes the nonlinear part of the square or cube of z, with clipped tails, scaled to a sum of squares of 1. It writes 0 if
// there is no nonlinear part, as for a column with two values.
func bend(to, z []float64, power string) {
	line := make([]float64, len(z))
	for i, v := range z {
		v = min(max(v, -clip), clip)
		line[i] = v
		if to[i] = v * v; power == "cube" {
			to[i] *= v
		}
	}
	unit(line)
	unit(to)
	without(to, line)
	if vec.Dot(to, to) < 1e-6 {
		clear(to)
		return
	}
	unit(to)
}

// curves converts curves to findings, the strongest first. Only the stronger curve of a pair counts.
func (j *judging) curves(found []curve, by string) []Finding {
	if len(found) == 0 {
		return nil
	}
	slices.SortStableFunc(found, func(a, b curve) int { return cmp.Compare(b.share, a.share) })
	names := j.Moments.Names
	var said, columns []string
	seen := map[[2]int]bool{}
	for _, c := range found {
		if seen[[2]int{c.from, c.to}] {
			continue
		}
		seen[[2]int{c.from, c.to}] = true
		of := "the fitted values"
		for _, v := range []int{c.from, c.to} {
			if v >= 0 && !slices.Contains(columns, names[v]) {
				columns = append(columns, names[v])
			}
		}
		if c.from >= 0 {
			of = names[c.from]
		}
		if c.power == product {
			said = append(said, fmt.Sprintf("products of its causes explain %s of the residual variance of %s under %s", percent(c.share), names[c.to], by))
			continue
		}
		said = append(said, fmt.Sprintf("the %s of %s explains %s of the residual variance of %[5]s under %[4]s", c.power, of, percent(c.share), by, names[c.to]))
	}
	way := fault.Out("linearize with %s or %s, or model nonlinear effects with %s", fault.Use("log"), byRanks, fault.Set("model", "flexible"))
	switch {
	case j.model.straight() && j.model.NormalScores:
		way = fault.Out("%s models nonlinear effects", fault.Set("model", "smooth"))
	case j.model.straight():
		way = fault.Out("linearize with %s or %s; model a non-monotone effect with %s", fault.Use("log"), byRanks, fault.Set("model", "smooth"))
	case j.model.NormalScores || j.model.Effects == score.SmoothEffects || j.model.Effects == score.FlexibleEffects:
		way = unidentified()
	}
	return []Finding{newFinding(Curvature, Warning, columns, "unmodelled nonlinearity: "+list(said, 3), way)}
}
