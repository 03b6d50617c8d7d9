package scores

import (
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// moments describes the effects of the parents of v under a mixed or a flexible model, from the moments of the functions alone.
// Columns with levels are text columns and columns with two values. With the weights β of the functions of all parents (see
// fitted),
//
//	mean(v) + Σ_k β_pk·(φ_k(x) - mean φ_k)
//
// is the expectation of v, or of the indicator of each of its levels, if parent p has the value x and all else is as in the table.
// Shares of levels are limited to 0 to 1. The expectation of a column on another scale is computed on that scale and transformed
// back.
func (t *ScoredTable) moments(v int, parents []int) map[int]*method.Effect {
	out := make(map[int]*method.Effect, len(parents))
	b := t.ownBlocks(v)
	if b == nil {
		return out
	}
	child := t.view(b, v)
	fit := t.fitted(b, v, parents)
	for _, p := range parents {
		parent := t.view(b, p)
		expect := func(x float64) []float64 { return fit.at(p, x) }
		var e described
		switch {
		case child.levels:
			e = described{t.shares(b, parent, child, expect)}
		case parent.levels:
			e = described{&method.Effect{Form: method.EffectMeans, FromLevels: parent.labels, Rows: parent.rows, Y: parent.joined(expect, 1)[0]}}
		default:
			e = t.curve(t.Order[p])
			if !fit.bent(p) {
				e.X = slices.Compact([]float64{e.X[0], *e.Low, *e.High, e.X[len(e.X)-1]}) // a straight line
			}
			for _, x := range e.X {
				e.Y = append(e.Y, method.RoundEffect(expect(x)[0]))
			}
		}
		e.Median = !child.levels && t.Functions.Scale(t.Order[v]) != dataset.RawScale
		out[p] = e.orNil()
	}
	return out
}

// A view is the display of a column in an effect.
type view struct {
	v      int
	levels bool
	scale
	number bool      // a column with two values, whose only function is the value and not an indicator
	codes  []float64 // value of each level in the functions; the first has no indicator
	rows   []int     // rows of each label
	count  []int     // rows of each code
}

// view returns the display of column v. The counts of levels follow from the moments.
func (t *ScoredTable) view(b *score.Blocks, v int) view {
	column := t.Order[v]
	n := float64(t.rowsBehind(b))
	out := view{v: v}
	var values []float64
	switch {
	case b.Levels[v]:
		base, others := t.Functions.Levels(column)
		out.codes = append([]float64{base}, others...)
		left := t.rowsBehind(b)
		out.count = []int{0}
		for f := b.Start[v]; f < b.Start[v+1]; f++ {
			c := int(math.Round(b.Mean[f] * n))
			out.count = append(out.count, c)
			left -= c
		}
		out.count[0] = left
		for _, code := range out.codes {
			values = append(values, t.values[column][int(code)])
		}
	case t.kind(v) == kind.Binary:
		low, high := t.Functions.Quantile(column, 0), t.Functions.Quantile(column, 1)
		out.number, out.codes = true, []float64{low, high}
		above := 0
		if high > low {
			above = int(math.Round(n * (b.Mean[b.Start[v]] - low) / (high - low)))
		}
		out.count = []int{t.rowsBehind(b) - above, above}
		values = out.codes
	default:
		return out
	}
	out.levels = true
	out.scale = t.scale(v, values, out.count)
	out.rows = make([]int, len(out.labels))
	for k, c := range out.count {
		out.rows[out.place[k]] += c
	}
	return out
}

// joined returns, for each function, the expectation at each label: the mean over the levels of the label, weighted by their rows.
func (w view) joined(expect func(float64) []float64, functions int) [][]float64 {
	out := grid[float64](functions, len(w.labels))
	for k, code := range w.codes {
		at := w.place[k]
		if w.rows[at] == 0 {
			continue
		}
		for j, y := range expect(code)[:functions] {
			out[j][at] += y * float64(w.count[k]) / float64(w.rows[at])
		}
	}
	return rounded(out)
}

// shares describes a child with levels, at the levels of its parent or at three values of a numeric parent.
func (t *ScoredTable) shares(b *score.Blocks, parent, child view, expect func(float64) []float64) *method.Effect {
	e := &method.Effect{Form: method.EffectTable, ToLevels: child.labels}
	if parent.levels {
		e.FromLevels, e.Rows = parent.labels, parent.rows
		e.P = grid[float64](len(parent.labels), len(child.labels))
		for k, code := range parent.codes {
			row := e.P[parent.place[k]]
			for j, p := range child.shares(expect(code)) {
				row[j] += p * float64(parent.count[k]) / float64(max(parent.rows[parent.place[k]], 1))
			}
		}
		e.Counts = t.joint(b, parent, child)
	} else {
		column := t.Order[parent.v]
		for _, u := range []float64{0.05, 0.5, 0.95} {
			x := t.Functions.Quantile(column, u)
			if len(e.X) > 0 && e.X[len(e.X)-1] == x {
				continue
			}
			e.X = append(e.X, x)
			e.FromLevels = append(e.FromLevels, t.label(parent.v, x))
			e.P = append(e.P, child.shares(expect(x)))
		}
	}
	rounded(e.P)
	return e
}

// shares converts the expectations of the functions of a column with levels to probabilities of its labels.
func (w view) shares(means []float64) []float64 {
	share := make([]float64, len(w.codes))
	share[0] = 1
	for k, m := range means {
		if w.number {
			m = (m - w.codes[0]) * w.slope()
		}
		share[k+1] = m
		share[0] -= m
	}
	total := 0.0
	for k := range share {
		share[k] = min(max(share[k], 0), 1)
		total += share[k]
	}
	out := make([]float64, len(w.labels))
	for k, s := range share {
		if total > 0 {
			out[w.place[k]] += s / total
		}
	}
	for j := range out {
		out[j] = min(out[j], 1)
	}
	return out
}

// slope returns the change of an indicator per unit of its function.
func (w view) slope() float64 {
	if w.number {
		return 1 / (w.codes[1] - w.codes[0])
	}
	return 1
}

// joint counts the rows of each pair of labels from the covariance of the indicators a and b: n·cov(a, b) + n(a)·n(b)/n. The counts
// of the levels without an indicator are the remainder.
func (t *ScoredTable) joint(b *score.Blocks, parent, child view) [][]int {
	n := float64(t.rowsBehind(b))
	cells := grid[int](len(parent.codes), len(child.codes))
	for k := 1; k < len(parent.codes); k++ {
		for j := 1; j < len(child.codes); j++ {
			cov := b.Gram.At(b.Start[parent.v]+k-1, b.Start[child.v]+j-1) * parent.slope() * child.slope()
			cells[k][j] = int(math.Round(n*cov + float64(parent.count[k])*float64(child.count[j])/n))
		}
	}
	for k := 1; k < len(parent.codes); k++ {
		cells[k][0] = parent.count[k] - sumOf(cells[k])
	}
	for j := range child.codes {
		cells[0][j] = child.count[j]
		for k := 1; k < len(parent.codes); k++ {
			cells[0][j] -= cells[k][j]
		}
	}
	out := grid[int](len(parent.labels), len(child.labels))
	for k, row := range cells {
		for j, c := range row {
			out[parent.place[k]][child.place[j]] += c
		}
	}
	return out
}

func sumOf(list []int) (sum int) {
	for _, x := range list {
		sum += x
	}
	return sum
}
