package effect

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

// Regressed is a column whose coefficient differs from 0 in the regression of an outcome on all columns, at a false discovery rate of 0.05.
// If the outcome affects none of them and no common cause is hidden, the coefficient is the direct effect, whatever the graph between them.
type Regressed struct {
	Name     string   `json:"name"`
	Contrast Contrast `json:"contrast"`
	Effect   Quantity `json:"effect"` // with its interval (HC3)
	P        float64  `json:"p"`
}

// mostRegressed limits the cost of a regression: rows times squared terms, about a second.
const mostRegressed = 4e8

// byRegression regresses the outcome on all columns that it is not stated to affect. The ranking shows it if a related column has no stated
// effect: adjacency in a graph needs more evidence than a coefficient does, and a direction may be open.
func (r *ranking) byRegression(ctx context.Context) error {
	if r.table == nil || r.table.Incomplete() || r.res.Kind == graph.KindPAG || len(r.joint.asks) == 0 {
		return nil
	}
	data, err := mechanism.Read(ctx, r.table, score.MixedEffects, nil)
	if err != nil {
		return err
	}
	b, rows := r.joint.asks[0].study.b, data.Untouched()
	if n := len(data.Levels[b]); n > 2 {
		return nil // no single figure
	}
	after := r.stated.Descendants([]int{b})
	terms := [][]float64{slices.Repeat([]float64{1}, len(rows))}
	column := func(v int, of func(x float64) float64) []float64 {
		out := make([]float64, len(rows))
		for k, i := range rows {
			out[k] = of(data.Columns[v][i])
		}
		return out
	}
	place := map[*asked]int{} // of the term of the contrast
	for _, k := range r.joint.asks {
		a, x0, x1 := k.study.a, k.study.x0, k.study.x1
		if after[a] || x0 == x1 {
			continue
		}
		if levels := data.Levels[a]; levels != nil {
			for _, level := range levels {
				if level == x1 {
					place[k] = len(terms)
				}
				if level != x0 {
					terms = append(terms, column(a, func(x float64) float64 { return indicator(x == level) }))
				}
			}
			continue
		}
		place[k] = len(terms)
		terms = append(terms, column(a, func(x float64) float64 { return (x - (x0+x1)/2) / (x1 - x0) }))
	}
	if size := float64(len(terms)); len(rows) < max(leastGroupRows, rowsPerGroupTerm*len(terms)) || float64(len(rows))*size*size > mostRegressed {
		return nil
	}
	y := column(b, func(x float64) float64 { return x })
	if levels := data.Levels[b]; levels != nil {
		y = column(b, func(x float64) float64 { return indicator(x == levels[1]) })
	}
	beta, variance, ok := coefficients(terms, y)
	if !ok {
		return nil
	}
	var all []Regressed
	for _, k := range r.joint.asks {
		t, is := place[k]
		if !is {
			continue
		}
		spread := variance[t] * float64(r.table.Rows()) / float64(max(1, r.table.EffectiveRows()))
		e, wide := Regressed{Name: k.Of, Contrast: k.answer.Contrast, Effect: Quantity{Value: beta[t]}}, normalQuantile((1+r.Level)/2)*math.Sqrt(spread)
		put(&e.Effect, beta[t]-wide, beta[t]+wide)
		e.P = independence.ChiSquared(beta[t]*beta[t]/spread, 1)
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(x, y Regressed) int { return cmp.Compare(x.P, y.P) })
	count := 0
	for i, e := range all {
		if e.P <= differAt*float64(i+1)/float64(len(all)) { // Benjamini and Hochberg 1995
			count = i + 1
		}
	}
	r.out.Regression = all[:count]
	r.out.leaf, _ = end(r.joint.asks[0].knowledge(), b)
	return nil
}

// unsettled lists the related columns without a stated effect.
func (d *Drivers) unsettled() (out []Regressed) {
	stated := d.stated()
	for _, e := range d.Regression {
		if !slices.Contains(stated, e.Name) {
			out = append(out, e)
		}
	}
	return out
}

// regression writes the coefficients if a related column has no stated effect.
func (p *page) regression(d *Drivers) {
	if len(d.unsettled()) == 0 {
		return
	}
	head, number, limits := "coefficient", number, limits
	if d.categorical() {
		head, number, limits = "coefficient, pp", points, limitsInPoints
	}
	q := &page{w: p.w, left: []string{"change", "interval"}}
	rows := [][]string{{"column", "change", head, "interval"}}
	if d.Interval != nil {
		rows[0][3] = fmt.Sprintf("%g %% interval", 100*d.Interval.Level)
		q.left = append(q.left, rows[0][3])
	}
	for _, e := range d.Regression {
		rows = append(rows, []string{e.Name, e.Contrast.change(), number(e.Effect.Value), limits(e.Effect)})
	}
	p.linef("")
	p.linef("Regression of %s on all other columns; a coefficient is the direct effect if %[1]s affects none of them and no common cause is hidden:", d.On)
	q.grid(rows)
	p.err = cmp.Or(p.err, q.err)
}

// coefficients regresses y on the terms by least squares and returns the coefficients and their variances HC3, times that of Student's
// distribution. ok is false if the terms are collinear or y has no residuals.
func coefficients(terms [][]float64, y []float64) (beta, variance []float64, ok bool) {
	k, n := len(terms), len(y)
	gram, right := matrix.New[float64](k, k), matrix.New[float64](k, 1)
	for p, x := range terms {
		for q, z := range terms[:p+1] {
			sum := 0.0
			for i := range x {
				sum += x[i] * z[i]
			}
			gram.Set(p, q, sum)
			gram.Set(q, p, sum)
		}
		for i := range x {
			right.Set(p, 0, right.At(p, 0)+x[i]*y[i])
		}
	}
	var lu matrix.LU[float64]
	if lu.Factor(gram) != nil {
		return nil, nil, false
	}
	inverse, all := matrix.New[float64](k, k), matrix.New[float64](k, 1)
	lu.Inverse(inverse)
	lu.Solve(all, right)
	beta, variance = make([]float64, k), make([]float64, k)
	of := make([]float64, k) // the weights of a row in the coefficients
	for i := range y {
		fit, leverage := 0.0, 0.0
		for p := range k {
			of[p] = 0
			for q, inv := range inverse.Row(p) {
				of[p] += inv * terms[q][i]
			}
			fit += all.At(p, 0) * terms[p][i]
			leverage += of[p] * terms[p][i]
		}
		e := (y[i] - fit) / max(1-leverage, 1e-3)
		for p, w := range of {
			variance[p] += e * e * w * w
		}
	}
	free := float64(n - k)
	ok = true
	for p := range beta {
		beta[p] = all.At(p, 0)
		variance[p] *= free / (free - 2)
		v := variance[p]
		ok = ok && v > 0 && v-v == 0 && beta[p]-beta[p] == 0
	}
	return beta, variance, ok
}

// LastCoefficient returns the coefficient of the last term and its variance.
func LastCoefficient(terms [][]float64, y []float64) (beta, variance float64, ok bool) {
	all, spread, ok := coefficients(terms, y)
	if !ok {
		return 0, 0, false
	}
	beta, variance = all[len(all)-1], spread[len(all)-1]
	return beta, variance, variance < 1e12*(1+beta*beta)
}

// end reports whether prior knowledge, or nil, gives a column no effects, or no causes.
func end(known *knowledge.Knowledge, v int) (leaf, root bool) {
	if known == nil {
		return false, false
	}
	leaf, root = true, true
	for u := range known.N() {
		leaf, root = leaf && (u == v || known.Forbidden(v, u)), root && (u == v || known.Forbidden(u, v))
	}
	return leaf, root
}
