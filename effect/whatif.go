package effect

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/mechanism"
	"github.com/polydag/polydag/matrix"
)

// whatIf answers for one row: the value of b if a had been set.
func (k *asked) whatIf(ctx context.Context) error {
	if k.Row == 0 && len(k.Given) == 0 {
		return nil
	}
	known, err := k.row(ctx)
	if err != nil {
		return err
	}
	given := []Value{}
	for v, name := range k.res.Names {
		if x, ok := known[v]; ok {
			given = append(given, Value{name, kind.Label(k.words[v], x)})
		}
	}
	m, err := k.source.fit(k.class[0].dag)
	if err != nil {
		return err
	}
	for i, x := range k.study.do {
		var d *dist
		kept := true
		switch m := m.(type) {
		case *linear:
			d, err = m.counterfactual(k.study.a, k.study.b, x, known)
		case *discrete:
			d, err = m.rowsLike(k.study.a, k.study.b, x, known)
			kept = false
		case *additive:
			d, kept, err = m.counterfactual(k.study.a, k.study.b, x, known, k.res.Names)
		}
		if err != nil {
			return err
		}
		out := WhatIf{Given: given, Counterfactual: kept, Distribution: k.show(d, k.Do[i])}
		if x, ok := known[k.study.b]; ok {
			out.Observed = kind.Label(k.words[k.study.b], x)
		}
		k.answer.WhatIf = append(k.answer.WhatIf, out)
		if !kept && i == 0 {
			k.note(fmt.Sprintf("the noise of a categorical column cannot be recovered from its value, so the counterfactual of this row is not identified; the distribution is that of rows with the same values in the columns that %s does not affect", k.Of))
		}
	}
	return nil
}

// row returns the known values of the row, by column.
func (k *asked) row(ctx context.Context) (map[int]float64, error) {
	known := map[int]float64{}
	if k.Row == 0 {
		for _, g := range k.Given {
			v := slices.Index(k.res.Names, g.Name)
			x, err := k.value(v, g.Value)
			if err != nil {
				return nil, err
			}
			known[v] = x
		}
		return known, nil
	}
	t := k.table
	if t == nil {
		return nil, fault.New(ErrNeedsTable, "a row number needs the table", "give it with %s, or the values with %s", fault.Use("data"), fault.Use("given"))
	}
	if k.Row > t.Rows() {
		return nil, askf("row %d is not in the table; give a row from 1 to %d", k.Row, t.Rows())
	}
	left, d := k.Row-1, t.Moments.Dim()
	err := t.EachRow(ctx, func(b dataset.RowBatch) error {
		n := len(b.Values) / d
		if left >= 0 && left < n {
			for v := range d {
				known[v] = b.Values[left*d+v]
			}
		}
		left -= n
		return ctx.Err()
	})
	return known, err
}

// counterfactual is the distribution of b in a partly known row if a had been set to x: infer the noise from the known values
// (abduction), set a (action), and compute b (prediction; Pearl 2009, section 7.1). With e the noise of all columns and T the
// effects, the known values are mean + T·e, b is mean_b + t_a·(x - mean_a) + Σ_{v≠a} t_v·e_v with the effects t that do not pass a,
// and all of it is jointly Gaussian. If all columns are known so is b.
func (l *linear) counterfactual(a, b int, x float64, known map[int]float64) (*dist, error) {
	plain, err := l.distribution(a, b, x)
	if err != nil || len(known) == 0 {
		return plain, err
	}
	var seen []int
	for v := range l.g.N() {
		if _, ok := known[v]; ok {
			seen = append(seen, v)
		}
	}
	on := make([][]float64, len(seen)) // effect of each noise term on each known column
	for i, v := range seen {
		on[i] = l.onto(v, -1)
	}
	t := l.onto(b, a)
	t[a] = 0
	// Columns are standardized, so units do not affect the solution.
	n := len(seen)
	s, c := matrix.New[float64](n, n), matrix.New[float64](n, 1)
	scale := make([]float64, n)
	for i := range n {
		for v, noise := range l.noise {
			scale[i] += on[i][v] * on[i][v] * noise
		}
		if scale[i] = math.Sqrt(scale[i]); scale[i] == 0 {
			scale[i] = 1
		}
	}
	for i := range n {
		for j := range n {
			sum := 0.0
			for v, noise := range l.noise {
				sum += on[i][v] * on[j][v] * noise
			}
			s.Set(i, j, sum/(scale[i]*scale[j]))
		}
		s.Set(i, i, s.At(i, i)+1e-12) // allow collinear columns
		sum := 0.0
		for v, noise := range l.noise {
			sum += on[i][v] * t[v] * noise
		}
		c.Set(i, 0, sum/scale[i])
	}
	var lu matrix.LU[float64]
	if err := lu.Factor(s); err != nil {
		return nil, fmt.Errorf("the known columns determine each other: %w; give fewer of them", err)
	}
	w := matrix.New[float64](n, 1)
	lu.Solve(w, c)
	mean, variance := plain.mean, plain.std*plain.std
	for i, v := range seen {
		mean += w.At(i, 0) * (known[v] - l.mean[v]) / scale[i]
		variance -= w.At(i, 0) * c.At(i, 0)
	}
	if variance < 1e-9*plain.std*plain.std { // rounding
		variance = 0
	}
	return gaussian(mean, math.Sqrt(variance)), nil
}

// rowsLike is the distribution of b under do(a = x) in rows with the known values in all columns that a does not affect.
// Descendants of a are ignored, because their values belong to the world without the intervention.
func (m *discrete) rowsLike(a, b int, x float64, known map[int]float64) (*dist, error) {
	evidence := map[int]int{}
	for v, value := range known {
		if v != b {
			evidence[v] = m.data.Code(v, value)
		}
	}
	return m.knowing(a, b, x, evidence) // ignores a and its descendants
}

// counterfactual evaluates the mechanisms between a and b for a row with known values. A number keeps its noise if its value and
// causes are known; otherwise it has the noise of all rows. kept reports whether all kept their noise. Columns that a does not
// affect and that a mechanism needs must be known.
func (m *additive) counterfactual(a, b int, x float64, known map[int]float64, names []string) (d *dist, kept bool, err error) {
	own := *m
	own.left = slices.Clone(m.left)
	w, after := own.world(a, x)
	before := own.g.Ancestors([]int{b})
	before[b] = true
	kept = true
	missing := map[int]bool{}
	for _, v := range own.order {
		if !before[v] || !after[v] || v == a {
			continue
		}
		told := true
		parents := own.g.Parents(v)
		for _, p := range parents {
			if _, ok := known[p]; !ok {
				told = false
				if !after[p] {
					missing[p] = true
				}
			}
		}
		value, ok := known[v]
		f, err := own.mechanism(v)
		if err != nil {
			return nil, false, err
		}
		if own.data.Levels[v] != nil || !ok || !told {
			kept = false
			continue
		}
		at := make([]float64, len(parents))
		for j, p := range parents {
			at[j] = known[p]
		}
		noise := slices.Repeat([]float64{value - f.At(at)[0]}, len(own.rows))
		own.left[v] = func() []float64 { return noise }
	}
	if len(missing) > 0 {
		return nil, false, needs(missing, names)
	}
	if !after[b] {
		if y, ok := known[b]; ok {
			return constant(own.data, b, y), true, nil
		}
		return nil, false, needs(map[int]bool{b: true}, names)
	}
	for v := range own.g.N() {
		if y, ok := known[v]; ok && !after[v] {
			w[v] = slices.Repeat([]float64{y}, len(own.rows))
		}
	}
	if own.data.Levels[b] != nil {
		p, err := own.outcome(w, after, b)
		return &dist{levels: p, by: byRows}, false, err
	}
	y, err := own.values(w, after, b)
	if err != nil {
		return nil, false, err
	}
	return empirical(slices.Clone(y)), kept, nil
}

// constant returns the distribution of a column that keeps its value.
func constant(d *mechanism.Rows, b int, y float64) *dist {
	if d.Levels[b] == nil {
		return empirical([]float64{y})
	}
	p := make([]float64, len(d.Levels[b]))
	p[d.Code(b, y)] = 1
	return &dist{levels: p, by: byRows}
}

func needs(missing map[int]bool, names []string) error {
	var list []string
	for v, name := range names {
		if missing[v] {
			list = append(list, name)
		}
	}
	return fault.New(ErrQuestion, fmt.Sprintf("the answer for this row depends on %s, which are not given", strings.Join(list, ", ")), "give their values as well, or a row of the table")
}
