// Package audit measures how much a predictor uses columns that it should not use, such as a sensitive attribute or the background of a
// picture, beyond what the label explains:
//
//	uses, err := audit.Measure(table, audit.Question{Prediction: "p", Label: "y", Columns: []string{"sex", "snow"}, Level: 0.9})
//
// Under the graph in which the label and the columns are the causes of the prediction, the direct effect of a column is the change of the
// prediction between its lowest and its highest value with the label and the other columns fixed.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/independence"
)

// ErrQuestion is matched by errors of a question that does not fit its table.
var ErrQuestion = errors.New("the question does not fit the table")

// A Question names a predictor and what it should not use.
type Question struct {
	Prediction string
	// Less is a second prediction that is subtracted from the first one, so that effects are differences of two predictors; "" for none.
	Less    string
	Label   string
	Columns []string
	Level   float64 // of the intervals
}

// A Use is the direct effect of one column.
type Use struct {
	Column string `json:"column"`
	// Effect is the mean over the values of the label, with its interval.
	Effect float64 `json:"effect"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
	// By has the effect for each value of the label. For a label of 0 and 1 and a decision these are the differences of the rates of
	// false and of true positives.
	By []ByLabel `json:"by_label"`
	// P is the p-value of the hypothesis that the effect is 0 for each value of the label, adjusted for the number of columns (Holm 1979).
	P float64 `json:"p"`
}

// ByLabel is an effect among the rows of one value of the label.
type ByLabel struct {
	Value  float64 `json:"value"`
	Rows   int     `json:"rows"` // of the table that was audited first
	Effect float64 `json:"effect"`

	variance float64
}

const (
	mostValues  = 10 // of the label
	rowsPerTerm = 10 // rows of a value of the label for each column
)

// Measure returns the direct effects of the columns, in their order.
//
// Among the rows of a value of the label, the effect is the coefficient in a regression of the prediction on the columns with standard errors
// that allow unequal spread. The mean weights the values of the label by their rows.
func Measure(ctx context.Context, t *polydag.Table, q Question) ([]Use, error) {
	names := append([]string{q.Prediction, q.Label}, q.Columns...)
	if q.Less != "" {
		names = append(names, q.Less)
	}
	at := make([]int, len(names))
	for k, name := range names {
		if at[k] = slices.Index(t.Moments.Names, name); at[k] < 0 {
			return nil, fmt.Errorf("%w: it has no column %q", ErrQuestion, name)
		}
		if slices.Contains(names[:k], name) {
			return nil, fmt.Errorf("%w: column %q is named twice", ErrQuestion, name)
		}
		if t.Kinds != nil && t.Kinds[at[k]].Kind == dataset.Categorical && name != q.Label {
			return nil, fmt.Errorf("%w: column %q is categorical; give a column of 0 and 1 for each", ErrQuestion, name)
		}
	}
	strata := map[float64]*stratum{}
	d := t.Moments.Dim()
	err := t.EachRow(ctx, func(b dataset.RowBatch) error {
		for rows := b.Values; len(rows) >= d; rows = rows[d:] {
			y := rows[at[1]]
			s := strata[y]
			if s == nil {
				if len(strata) == mostValues {
					return fmt.Errorf("%w: the label %q has more than %d values", ErrQuestion, q.Label, mostValues)
				}
				s = &stratum{value: y, x: make([][]float64, len(q.Columns))}
				strata[y] = s
			}
			p := rows[at[0]]
			if q.Less != "" {
				p -= rows[at[len(at)-1]]
			}
			s.prediction = append(s.prediction, p)
			for k := range q.Columns {
				v := at[2+k]
				s.x[k] = append(s.x[k], (rows[v]-t.Moments.Min[v])/(t.Moments.Max[v]-t.Moments.Min[v]))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var list []*stratum
	for _, s := range strata {
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *stratum) int { return cmp.Compare(a.value, b.value) })
	worth := float64(max(1, t.EffectiveRows())) / float64(max(1, t.Rows())) // rows of groups count less
	out := make([]Use, len(q.Columns))
	for k, name := range q.Columns {
		out[k] = use(list, k, worth, q.Level)
		if out[k].Column = name; out[k].By == nil {
			return nil, fmt.Errorf("%w: no value of the label %q has enough rows that differ in %q", ErrQuestion, q.Label, name)
		}
	}
	holm(out)
	return out, nil
}

// Less returns the effects in one table less those of the same columns in another one, whose rows are independent of it. Only values of the label
// that both have count.
func Less(first, second []Use, level float64) []Use {
	out := make([]Use, len(first))
	for k, a := range first {
		by := []ByLabel{}
		for _, x := range a.By {
			if at := slices.IndexFunc(second[k].By, func(y ByLabel) bool { return y.Value == x.Value }); at >= 0 {
				y := second[k].By[at]
				by = append(by, ByLabel{Value: x.Value, Rows: x.Rows, Effect: x.Effect - y.Effect, variance: x.variance + y.variance})
			}
		}
		out[k] = joined(by, level)
		out[k].Column = a.Column
	}
	holm(out)
	return out
}

// stratum has the rows of one value of the label.
type stratum struct {
	value      float64
	prediction []float64
	x          [][]float64 // columns from 0 to 1
}

// use returns the effect of column k.
func use(strata []*stratum, k int, worth, level float64) Use {
	var by []ByLabel
	for _, s := range strata {
		n := len(s.prediction)
		if n < rowsPerTerm*(len(s.x)+1) || slices.Min(s.x[k]) == slices.Max(s.x[k]) {
			continue
		}
		terms := [][]float64{slices.Repeat([]float64{1}, n)}
		for j, x := range s.x {
			if j != k && slices.Min(x) < slices.Max(x) {
				terms = append(terms, x)
			}
		}
		beta, v, ok := 0.0, 0.0, true
		if slices.Min(s.prediction) < slices.Max(s.prediction) {
			beta, v, ok = effect.LastCoefficient(append(terms, s.x[k]), s.prediction)
		}
		if !ok {
			continue
		}
		by = append(by, ByLabel{s.value, n, beta, v / worth})
	}
	return joined(by, level)
}

// joined returns the mean of the effects, weighted by rows.
func joined(by []ByLabel, level float64) Use {
	u := Use{By: by, P: 1}
	weight, variance, chi := 0.0, 0.0, 0.0
	for _, b := range by {
		n := float64(b.Rows)
		weight += n
		u.Effect += n * b.Effect
		variance += n * n * b.variance
		if b.variance > 0 {
			chi += b.Effect * b.Effect / b.variance
		}
	}
	if weight == 0 {
		return u
	}
	u.Effect /= weight
	half := math.Sqrt2 * math.Erfinv(level) * math.Sqrt(variance) / weight
	u.Low, u.High, u.P = u.Effect-half, u.Effect+half, independence.ChiSquared(chi, float64(len(by)))
	return u
}

// holm adjusts the p-values.
func holm(list []Use) {
	order := make([]int, len(list))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(list[a].P, list[b].P) })
	most := 0.0
	for i, k := range order {
		most = max(most, min(1, list[k].P*float64(len(list)-i)))
		list[k].P = most
	}
}
