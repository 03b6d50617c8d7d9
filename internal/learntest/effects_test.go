package learntest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
)

func edgesInto(res *polydag.Result, child string) (list []polydag.Edge) {
	for _, e := range res.Edges {
		if e.To == child {
			list = append(list, e)
		}
	}
	return list
}

// column returns the cells of a named column.
func (s *sheet) column(name string) []string { return s.cells[slices.Index(s.names, name)] }

// counted is the table of an effect by the definition: for each configuration of the other parents that occurs with the level
// of the parent, the share of each level of the child, weighed by how often the configuration occurs at all.
func counted(s *sheet, from, to string, others []string, fromLevels, toLevels []string) (p [][]float64, counts [][]int) {
	x, y := s.column(from), s.column(to)
	stratum := make([]string, len(x))
	for i := range stratum {
		for _, o := range others {
			stratum[i] += s.column(o)[i] + "|"
		}
	}
	strata := slices.Compact(slices.Sorted(slices.Values(stratum)))
	rows := func(keep func(i int) bool) (n float64) {
		for i := range x {
			if keep(i) {
				n++
			}
		}
		return n
	}
	for _, a := range fromLevels {
		row, weight := make([]float64, len(toLevels)), 0.0
		count := make([]int, len(toLevels))
		for j, c := range toLevels {
			count[j] = int(rows(func(i int) bool { return x[i] == a && y[i] == c }))
		}
		for _, z := range strata {
			all, with := rows(func(i int) bool { return stratum[i] == z }), rows(func(i int) bool { return stratum[i] == z && x[i] == a })
			if with == 0 {
				continue
			}
			weight += all
			for j, c := range toLevels {
				row[j] += all * rows(func(i int) bool { return stratum[i] == z && x[i] == a && y[i] == c }) / with
			}
		}
		for j := range row {
			row[j] /= weight
		}
		p, counts = append(p, row), append(counts, count)
	}
	return p, counts
}

// TestEffectTables compares the table of an edge with explicit counting, with the texts of the categories.
func TestEffectTables(t *testing.T) {
	words := func(column, level int) string {
		return [][]string{{"dry", "autumn", "wet"}, {"yes", "no"}, {"north", "east", "south", "west"}, {"poor", "fair", "rich"}}[column][level]
	}
	s := weather(rand.New(rand.NewPCG(3, 1)), 700, words)
	res := learnedFrom(t, prepared(t, s.plain()), nil)
	several := false
	for _, e := range res.Edges {
		if e.Effect == nil || e.Effect.Form != method.EffectTable {
			t.Fatalf("%s → %s: %+v", e.From, e.To, e.Effect)
		}
		var others []string
		for _, o := range edgesInto(res, e.To) {
			if o.From != e.From {
				others = append(others, o.From)
			}
		}
		several = several || len(others) > 0
		for _, side := range []struct {
			name   string
			levels []string
		}{{e.From, e.Effect.FromLevels}, {e.To, e.Effect.ToLevels}} {
			if want := slices.Compact(slices.Sorted(slices.Values(s.column(side.name)))); !slices.Equal(side.levels, want) {
				t.Errorf("%s has the levels %q, want %q", side.name, side.levels, want)
			}
		}
		p, counts := counted(s, e.From, e.To, others, e.Effect.FromLevels, e.Effect.ToLevels)
		if !reflect.DeepEqual(e.Effect.Counts, counts) {
			t.Errorf("%s → %s: counts %v, want %v", e.From, e.To, e.Effect.Counts, counts)
		}
		for i := range p {
			sum := 0
			for j := range p[i] {
				sum += counts[i][j]
				if !(math.Abs(p[i][j]-e.Effect.P[i][j]) <= 1e-5) {
					t.Errorf("%s → %s: P = %v, want %v", e.From, e.To, e.Effect.P, p)
				}
			}
			if e.Effect.Rows[i] != sum {
				t.Errorf("%s → %s: rows %v, want %d at %d", e.From, e.To, e.Effect.Rows, sum, i)
			}
		}
	}
	if !several {
		t.Error("no column has two parents, and nothing was averaged over")
	}
}

// TestEffectOfManyLevels checks that the rarest of many categories are merged, so that the table stays small.
func TestEffectOfManyLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	s := &sheet{}
	const n = 2000
	x := make([]int, n)
	for i := range x {
		x[i] = int(math.Abs(rng.NormFloat64()) * 6)
	}
	s.add("from", n, func(i int) string { return fmt.Sprintf("l%02d", x[i]) })
	s.add("to", n, func(i int) string { return strconv.Itoa((x[i]%12 + rng.IntN(2)) % 12 / 4) })
	m := order.New()
	m.Model = order.Discrete
	for _, e := range learnedFrom(t, prepared(t, s.plain()), m).Edges {
		f := e.Effect
		if f == nil || len(f.FromLevels) > method.MostEffectLevels || len(f.ToLevels) > method.MostEffectLevels {
			t.Fatalf("%+v", f)
		}
		levels, rows := f.FromLevels, 0
		if e.To == "from" {
			levels = f.ToLevels
		}
		if len(levels) != method.MostEffectLevels || levels[7] != method.OtherLevels || levels[0] != "l00" {
			t.Errorf("levels %q", levels)
		}
		for _, r := range f.Counts {
			for _, c := range r {
				rows += c
			}
		}
		if rows != n {
			t.Errorf("%d rows, want %d", rows, n)
		}
	}
}

// TestEffectCurves compares a curve with a penalized least squares fit on the functions of the parents,
// computed by hand with elimination.
func TestEffectCurves(t *testing.T) {
	const n = 800
	rng := rand.New(rand.NewPCG(7, 1))
	x, z, y := make([]float64, n), make([]float64, n), make([]float64, n)
	s := &sheet{}
	for i := range n {
		x[i], z[i] = rng.NormFloat64(), 10+3*rng.Float64()
		y[i] = 50 + 8*math.Cos(2*x[i]) + 4*math.Sin(3*z[i]) + 2*rng.NormFloat64()
	}
	for k, c := range [][]float64{x, z, y} {
		s.add([]string{"x", "z", "y"}[k], n, func(i int) string { return strconv.FormatFloat(c[i], 'g', -1, 64) })
	}
	m := order.New()
	m.Model = order.Smooth
	res := learnedFrom(t, prepared(t, s.plain()), m)
	into := edgesInto(res, "y")
	if len(into) != 2 {
		t.Fatalf("%+v", res.Edges)
	}
	parents := map[string][]float64{"x": x, "z": z}
	for _, e := range into {
		f := e.Effect
		if f == nil || f.Form != method.EffectCurve || len(f.X) > method.MostEffectPoints || len(f.X) < 20 {
			t.Fatalf("%s: %+v", e.From, f)
		}
		sorted := slices.Sorted(slices.Values(parents[e.From]))
		if f.X[0] != sorted[0] || f.X[len(f.X)-1] != sorted[n-1] || !(math.Abs(rank(sorted, *f.Low)-0.05) <= 0.002) || !(math.Abs(rank(sorted, *f.High)-0.95) <= 0.002) {
			t.Errorf("%s: from %v to %v, marks %v %v", e.From, f.X[0], f.X[len(f.X)-1], *f.Low, *f.High)
		}
		near := math.Inf(1)
		for _, g := range []float64{0.01, 0.1, 1, 10} {
			for _, crossed := range []bool{false, true} {
				near = min(near, distance(f, byHand(e.From, parents, y, g, crossed)))
			}
		}
		if !(near < 1e-3) { // for heights of 8 and 4
			t.Errorf("%s: the curve is %v away from every fit by hand", e.From, near)
		}
		for k, v := range f.X { // and it is the truth, where there are rows
			truth := mean(y) + 8*math.Cos(2*v) - meanOf(x, func(v float64) float64 { return 8 * math.Cos(2*v) })
			if e.From == "x" && math.Abs(v) < 1.2 && !(math.Abs(f.Y[k]-truth) <= 1.2) {
				t.Errorf("x = %.3f: %.3f, in truth %.3f", v, f.Y[k], truth)
			}
		}
	}
}

func mean(v []float64) float64 { return meanOf(v, func(x float64) float64 { return x }) }

func meanOf(v []float64, f func(float64) float64) (sum float64) {
	for _, x := range v {
		sum += f(x)
	}
	return sum / float64(len(v))
}

func distance(f *polydag.Effect, at func(float64) float64) (far float64) {
	for k, x := range f.X {
		far = max(far, math.Abs(f.Y[k]-at(x)))
	}
	return far
}

// rank is the share of the rows below x and half of those at x, and straight between two rows; sorted values without ties.
func rank(sorted []float64, x float64) float64 {
	i := sort.SearchFloat64s(sorted, x)
	at := float64(i) + 0.5
	if i > 0 && sorted[i] != x {
		at -= (sorted[i] - x) / (sorted[i] - sorted[i-1])
	}
	return at / float64(len(sorted))
}

// byHand fits y on x, z, seven curves of the ranks of each and, where crossed, the products of the first two curves of x and of z.
func byHand(from string, parents map[string][]float64, y []float64, g float64, crossed bool) func(float64) float64 {
	n := len(y)
	names := []string{"x", "z"}
	sorted := map[string][]float64{}
	for _, name := range names {
		sorted[name] = slices.Sorted(slices.Values(parents[name]))
	}
	expand := func(name string, v float64) []float64 {
		out := []float64{v}
		u := rank(sorted[name], v)
		z := math.Sqrt2 * math.Erfinv(2*u-1)
		for k := 1; k <= 5; k++ {
			out = append(out, math.Sqrt2*math.Cos(math.Pi*float64(k)*u))
		}
		return slices.Insert(out, 3, (z*z-1)/math.Sqrt2, (z*z*z-3*z)/math.Sqrt(6))
	}
	row := func(a, b []float64) []float64 {
		out := slices.Concat(a, b)
		for k := 1; k <= 2 && crossed; k++ {
			for l := 1; l <= 2; l++ {
				out = append(out, a[k]*b[l])
			}
		}
		return out
	}
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = row(expand("x", parents["x"][i]), expand("z", parents["z"][i]))
	}
	k := len(rows[0])
	means, scale := make([]float64, k), make([]float64, k)
	for j := range k {
		scale[j] = 1
		for i := range n {
			means[j] += rows[i][j] / float64(n)
		}
	}
	spread := func(v []float64, m float64) float64 {
		return math.Sqrt(meanOf(v, func(x float64) float64 { return (x - m) * (x - m) }))
	}
	scale[0], scale[8] = spread(parents["x"], means[0]), spread(parents["z"], means[8])
	a := make([][]float64, k)
	for j := range k {
		a[j] = make([]float64, k+1)
		for l := range k {
			for i := range n {
				a[j][l] += (rows[i][j] - means[j]) * (rows[i][l] - means[l]) / scale[j] / scale[l] / float64(n)
			}
		}
		for i := range n {
			a[j][k] += (rows[i][j] - means[j]) / scale[j] * (y[i] - mean(y)) / float64(n)
		}
		switch order := j % 8; {
		case j >= 16:
			p, q := (j-16)/2+1, (j-16)%2+1
			a[j][j] += float64(p*p*q*q) / (float64(n) * g * 0.3)
		default:
			a[j][j] += float64(max(1, order*order)) / (float64(n) * g)
		}
	}
	w := eliminated(a)
	return func(v float64) float64 { // the mean over all rows with the parent set to v
		sum := 0.0
		at := expand(from, v)
		for i := range n {
			var r []float64
			if from == "x" {
				r = row(at, rows[i][8:16])
			} else {
				r = row(rows[i][:8], at)
			}
			for j := range r {
				sum += w[j] * (r[j] - means[j]) / scale[j]
			}
		}
		return mean(y) + sum/float64(n)
	}
}

// eliminated solves the equations of an augmented matrix, which it changes.
func eliminated(a [][]float64) []float64 {
	k := len(a)
	for j := range k {
		for i := j + 1; i < k; i++ {
			f := a[i][j] / a[j][j]
			for l := j; l <= k; l++ {
				a[i][l] -= f * a[j][l]
			}
		}
	}
	w := make([]float64, k)
	for j := k - 1; j >= 0; j-- {
		w[j] = a[j][k]
		for l := j + 1; l < k; l++ {
			w[j] -= a[j][l] * w[l]
		}
		w[j] /= a[j][j]
	}
	return w
}

// TestEffectsOfMixedTables checks that under a mixed model effects are least squares on numbers and indicators,
// and probabilities come from counts.
func TestEffectsOfMixedTables(t *testing.T) {
	const n = 900
	rng := rand.New(rand.NewPCG(9, 1))
	s := &sheet{}
	city, flag := make([]string, n), make([]int, n)
	age, pay := make([]float64, n), make([]float64, n)
	for i := range n {
		k := rng.IntN(3)
		city[i] = []string{"Wien", "Graz", "Linz"}[k]
		age[i] = 20 + 40*rng.Float64()
		pay[i] = 5*float64(k*k) + 0.4*age[i] + 2*rng.NormFloat64()
		if pay[i]+8*rng.NormFloat64() > 24 {
			flag[i] = 1
		}
	}
	s.add("city", n, func(i int) string { return city[i] })
	s.add("age", n, func(i int) string { return strconv.FormatFloat(age[i], 'g', -1, 64) })
	s.add("pay", n, func(i int) string { return strconv.FormatFloat(pay[i], 'g', -1, 64) })
	s.add("flag", n, func(i int) string { return []string{"no", "yes"}[flag[i]] })
	res := learnedFrom(t, prepared(t, s.plain()), nil)
	if res.Model != "mixed" || len(res.Edges) < 3 {
		t.Fatalf("model %s, %d edges", res.Model, len(res.Edges))
	}
	indicators := map[string][][]float64{} // by column: the column itself, or an indicator of each level but the first
	levels := map[string][]string{"city": {"Graz", "Linz", "Wien"}, "flag": {"no", "yes"}}
	for _, name := range s.names {
		if levels[name] == nil {
			indicators[name] = [][]float64{map[string][]float64{"age": age, "pay": pay}[name]}
			continue
		}
		for _, l := range levels[name][1:] {
			indicators[name] = append(indicators[name], of(s.column(name), l))
		}
	}
	forms := map[method.EffectForm]bool{}
	for _, e := range res.Edges {
		var regressors [][]float64
		first := 0
		for _, o := range edgesInto(res, e.To) {
			if o.From == e.From {
				first = len(regressors)
			}
			regressors = append(regressors, indicators[o.From]...)
		}
		// expected is the mean of a column where the parent's own regressors have these values.
		expected := func(y []float64, at []float64) float64 {
			w := regressed(regressors, y)
			out := mean(y)
			for k, v := range at {
				out += w[first+k] * (v - mean(regressors[first+k]))
			}
			return out
		}
		at := func(label string) []float64 {
			if levels[e.From] == nil {
				v, _ := strconv.ParseFloat(label, 64)
				return []float64{v}
			}
			var out []float64
			for _, l := range levels[e.From][1:] {
				out = append(out, of([]string{label}, l)[0])
			}
			return out
		}
		f := e.Effect
		if f == nil {
			t.Fatalf("%s → %s is not described", e.From, e.To)
		}
		forms[f.Form] = true
		if levels[e.From] != nil && !slices.Equal(f.FromLevels, levels[e.From]) || levels[e.To] != nil && !slices.Equal(f.ToLevels, levels[e.To]) {
			t.Errorf("%s → %s: levels %q, %q", e.From, e.To, f.FromLevels, f.ToLevels)
		}
		switch f.Form {
		case method.EffectCurve:
			for k, x := range f.X {
				if want := expected(indicators[e.To][0], []float64{x}); !(math.Abs(f.Y[k]-want) <= 1e-4*math.Abs(want)) {
					t.Errorf("%s → %s at %v: %v, want %v", e.From, e.To, x, f.Y[k], want)
				}
			}
		case method.EffectMeans:
			for k, label := range f.FromLevels {
				if want := expected(indicators[e.To][0], at(label)); !(math.Abs(f.Y[k]-want) <= 1e-4*math.Abs(want)) || f.Rows[k] != int(sumOver(of(s.column(e.From), label))) {
					t.Errorf("%s → %s at %s: %v in %d rows, want %v", e.From, e.To, label, f.Y[k], f.Rows[k], want)
				}
			}
		case method.EffectTable:
			for k, label := range f.FromLevels {
				values := at(label)
				if f.X != nil {
					values = []float64{f.X[k]}
				}
				for j, l := range f.ToLevels {
					want := min(max(expected(of(s.column(e.To), l), values), 0), 1)
					if !(math.Abs(f.P[k][j]-want) <= 1e-4) {
						t.Errorf("%s → %s: P(%s | %s) = %v, want %v", e.From, e.To, l, label, f.P[k][j], want)
					}
					if f.Counts != nil {
						both := 0
						for i := range n {
							if s.column(e.From)[i] == label && s.column(e.To)[i] == l {
								both++
							}
						}
						if f.Counts[k][j] != both {
							t.Errorf("%s → %s: %d rows with %s and %s, want %d", e.From, e.To, f.Counts[k][j], label, l, both)
						}
					}
				}
			}
		}
	}
	if len(forms) != 3 {
		t.Errorf("forms %v, want all three", forms)
	}
}

// of is 1 where a cell is the level.
func of(cells []string, level string) []float64 {
	out := make([]float64, len(cells))
	for i, c := range cells {
		if c == level {
			out[i] = 1
		}
	}
	return out
}

func sumOver(v []float64) float64 { return mean(v) * float64(len(v)) }

// regressed is least squares of y on the columns and a constant.
func regressed(columns [][]float64, y []float64) []float64 {
	k := len(columns)
	a := make([][]float64, k)
	for j := range k {
		a[j] = make([]float64, k+1)
		for i := range y {
			for l := range k {
				a[j][l] += (columns[j][i] - mean(columns[j])) * (columns[l][i] - mean(columns[l]))
			}
			a[j][k] += (columns[j][i] - mean(columns[j])) * (y[i] - mean(y))
		}
	}
	return eliminated(a)
}

// TestEffectsAreReadBack checks that an effect survives JSON, and one that was changed is refused.
func TestEffectsAreReadBack(t *testing.T) {
	res := learnedFrom(t, prepared(t, weather(rand.New(rand.NewPCG(3, 1)), 400, plainWords).plain()), nil)
	text := must.Get(json.Marshal(res))
	back, err := polydag.ReadResult(bytes.NewReader(text))
	if err != nil || !reflect.DeepEqual(back.Edges, res.Edges) {
		t.Fatalf("%v\n%+v\n%+v", err, back, res.Edges)
	}
	for _, change := range [][2]string{{`"form":"table"`, `"form":"dream"`}, {`"p":[[0.`, `"p":[[-1.`}, {`"p":[[`, `"p":[[0],[`}, {`"from_levels":["`, `"from_levels":["x","`}} {
		broken := strings.Replace(string(text), change[0], change[1], 1)
		if broken == string(text) {
			t.Fatalf("there is no %s", change[0])
		}
		if _, err := polydag.ReadResult(strings.NewReader(broken)); !errors.Is(err, polydag.ErrResultEdges) {
			t.Errorf("%s: %v", change[1], err)
		}
	}
}

// TestEffectsOfScaledColumns checks that scaled columns change neither the weights, which are in the units of
// the data, nor the effects.
func TestEffectsOfScaledColumns(t *testing.T) {
	table := prepared(t, numbers(rand.New(rand.NewPCG(2, 1)), 400, func(v float64) float64 { return 1.5 * math.Cos(2*v) }).plain())
	m := order.New()
	m.Model = order.Smooth
	cfg := polydag.DefaultConfig()
	cfg.Method = m
	var got [2]*polydag.Result
	for k := range got {
		cfg.Standardize = k == 1
		got[k] = must.Get(table.Learn(t.Context(), cfg, polydag.Run{}))
	}
	if len(got[0].Edges) == 0 || !reflect.DeepEqual(got[0].Edges, got[1].Edges) {
		t.Errorf("raw:\n%+v\nscaled:\n%+v", got[0].Edges, got[1].Edges)
	}
}
