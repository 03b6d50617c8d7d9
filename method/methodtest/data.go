package methodtest

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method"
)

// methodData is a table in memory that the checks of a method learn from.
type methodData struct {
	names []string
	rows  [][]float64
}

// named gives the columns names whose order is not that of the causes.
func (c *methodCheck) named(rows [][]float64) methodData {
	names := make([]string, len(rows[0]))
	for j, k := range c.rng.Perm(len(names)) {
		names[j] = fmt.Sprintf("c%02d", k)
	}
	return methodData{names, rows}
}

// chain draws rows in which each column causes the next one and the third one after it. The noise variances differ.
func (c *methodCheck) chain(rows, columns int) methodData {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
		for j := range out[i] {
			v := (0.5 + 0.25*float64(j%3)) * c.rng.NormFloat64()
			if j > 0 {
				v += 0.9 * out[i][j-1]
			}
			if j > 2 {
				v -= 0.6 * out[i][j-3]
			}
			out[i][j] = v
		}
	}
	return c.named(out)
}

// oneEffect returns rows in which the first column causes the second one, with equal noise variances and a correlation of 0.83, and the
// others are noise. The noise terms are orthogonal, so that no sample correlation is a coincidence.
func (c *methodCheck) oneEffect(rows int) methodData {
	const columns = 4
	noise := make([][]float64, columns+1) // by column; the first one is constant
	for j := range noise {
		noise[j] = make([]float64, rows)
		for i := range noise[j] {
			if noise[j][i] = 1; j > 0 {
				noise[j][i] = c.rng.NormFloat64()
			}
		}
		for _, before := range noise[:j] {
			f := dot(noise[j], before) / dot(before, before)
			for i := range noise[j] {
				noise[j][i] -= f * before[i]
			}
		}
	}
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, columns)
		for j := range columns {
			e := noise[j+1]
			out[i][j] = e[i] * math.Sqrt(float64(rows)/dot(e, e))
		}
		out[i][1] += 1.5 * out[i][0]
	}
	return c.named(out)
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// changed returns a copy in which column j is column order[j] times scale[j] with another name. Each argument may be nil.
func (d methodData) changed(order []int, scale []float64, name func(string) string) methodData {
	out := methodData{names: slices.Clone(d.names), rows: make([][]float64, len(d.rows))}
	for i := range d.rows {
		out.rows[i] = slices.Clone(d.rows[i])
	}
	for j := range d.names {
		from, factor := j, 1.0
		if order != nil {
			from = order[j]
		}
		if scale != nil {
			factor = scale[j]
		}
		if out.names[j] = d.names[from]; name != nil {
			out.names[j] = name(d.names[from])
		}
		for i, row := range d.rows {
			out.rows[i][j] = factor * row[from]
		}
	}
	return out
}

// table prepares the rows for a method that needs them, and their moments for any other.
func (d methodData) table(needs method.Needs) (*polydag.Table, error) {
	columns, err := polydag.RowColumns(d.names, d.rows)
	if err != nil {
		return nil, err
	}
	p := polydag.DefaultPreparation()
	p.Exclude, p.Missing = false, dataset.MissingError
	t, err := polydag.Prepare(context.Background(), columns, p)
	if err == nil && needs != method.Rows {
		t = polydag.FromMoments(t.Moments)
	}
	return t, err
}

// input returns what a method gets of the rows, and a function that names the part of it that was changed.
func (d methodData) input(needs method.Needs) (in *method.Input, changed func() string, err error) {
	t, err := d.table(needs)
	if err != nil {
		return nil, nil, err
	}
	again, err := d.table(needs)
	if err != nil {
		return nil, nil, err
	}
	in = &method.Input{Moments: t.Moments, Seed: 1, Threads: 1}
	rows := slices.Concat(d.rows...)
	if needs == method.Rows {
		in.Rows = dataset.RowBatch{Values: rows}.Rows(t.Moments.Dim())
	}
	return in, func() string {
		switch {
		case !reflect.DeepEqual(in.Moments, again.Moments):
			return "moments"
		case !slices.Equal(rows, slices.Concat(d.rows...)):
			return "rows"
		}
		return ""
	}, nil
}
