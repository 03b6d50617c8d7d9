package scores

import (
	"math"
	"slices"

	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// moments describes the parents of v under a mixed or a flexible model, from the moments of the functions alone. The columns with levels
// are those of text and those of two values. With the weights β of the functions of all parents (see fitted),
//
//	mean(v) + Σ_k β_pk·(φ_k(x) - mean φ_k)
//
// is expected of v, or of the indicator of each of its levels, where parent p has the value x and all else is as in the table. A share of a
// level is kept between 0 and 1. A column on another scale than its own is expected on that scale and shown on its own.
func (t *Table) moments(v int, parents []int) map[int]*method.Effect {
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
		out[p] = e.orNil()
	}
	return out
}

// A view is a column as an effect shows it.
type view struct {
	v      int
	levels bool
	scale
	number bool      // of two values: the one function is the value itself, not an indicator
	codes  []float64 // the value that stands for each level in the functions; the first has no indicator
	rows   []int     // at each label
	count  []int     // at each code
}

// view tells how column v is shown. How often levels occur are moments, too.
func (t *Table) view(b *score.Blocks, v int) view {
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

// joined returns, for each of the functions, what is expected at each label: the mean over the levels that it stands for, by
// their rows.
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
	for _, ys := range out {
		for i := range ys {
			ys[i] = method.RoundEffect(ys[i])
		}
	}
	return out
}

// shares describes a child of levels: at the levels of its parent, or at three values of a parent that is a number.
func (t *Table) shares(b *score.Blocks, parent, child view, expect func(float64) []float64) *method.Effect {
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
	for _, p := range e.P {
		for j := range p {
			p[j] = method.RoundEffect(p[j])
		}
	}
	return e
}

// shares turns what is expected of the functions of a column with levels into probabilities of its labels.
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

// slope is by how much an indicator changes with its function.
func (w view) slope() float64 {
	if w.number {
		return 1 / (w.codes[1] - w.codes[0])
	}
	return 1
}

// joint counts the rows with each two labels, by the covariances of the indicators a and b: n·cov(a, b) + n(a)·n(b)/n. Those of
// the levels without an indicator are what is left.
func (t *Table) joint(b *score.Blocks, parent, child view) [][]int {
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
