package trust_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/trust"
)

// A table of columns that a test writes down, with its profile by the definitions.
type table struct {
	names   []string
	columns [][]float64
	before  []dataset.ColumnProfile // text columns and others that were left out
	edit    func(p *dataset.Profile)
}

func (t *table) with(name string, values []float64) *table {
	t.names, t.columns = append(t.names, name), append(t.columns, values)
	return t
}

// gauss returns n draws with mean 0 and variance 1; the same seed gives the same.
func gauss(n int, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 77))
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// of applies f to each row of some columns.
func of(f func(v []float64) float64, columns ...[]float64) []float64 {
	out := make([]float64, len(columns[0]))
	v := make([]float64, len(columns))
	for i := range out {
		for k, c := range columns {
			v[k] = c[i]
		}
		out[i] = f(v)
	}
	return out
}

// counter returns f of 0, 1, ..., n-1.
func counter(n int, f func(i int) float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

// plainTable has two columns that nothing is to be said of, but that they are standardized nearly.
func plainTable(n int) *table {
	return new(table).with("u", gauss(n, 1)).with("v", of(func(v []float64) float64 { return 1.5 * v[0] }, gauss(n, 2)))
}

func (t *table) moments(tb testing.TB) *dataset.Moments {
	tb.Helper()
	n := 0
	if len(t.columns) > 0 {
		n = len(t.columns[0])
	}
	x := matrix.New[float64](n, len(t.names))
	for j, c := range t.columns {
		for i, v := range c {
			x.Set(i, j, v)
		}
	}
	m := must.Get(dataset.MomentsOf(t.names, x, 1))
	return m
}

func (t *table) profile(m *dataset.Moments) *dataset.Profile {
	p := &dataset.Profile{File: "t.csv", RowsRead: m.N, RowsUsed: m.N, RepeatedOf: m.N, Columns: slices.Clone(t.before)}
	for j, x := range t.columns {
		p.Columns = append(p.Columns, profileOf(t.names[j], x))
	}
	if t.edit != nil {
		t.edit(p)
	}
	return p
}

func profileOf(name string, x []float64) dataset.ColumnProfile {
	n := float64(len(x))
	c := dataset.ColumnProfile{Name: name, Kind: "integer", Min: slices.Min(x), Max: slices.Max(x)}
	count := map[float64]int{}
	up, down := true, true
	for i, v := range x {
		c.Mean += v / n
		count[v]++
		if v != math.Trunc(v) {
			c.Kind = "number"
		}
		if i > 0 {
			up, down = up && v > x[i-1], down && v < x[i-1]
		}
	}
	c.Monotone, c.Distinct = up || down, len(count)
	back := slices.Clone(x)
	slices.Reverse(back)
	c.Sorted = len(count) > 1 && (slices.IsSorted(x) || slices.IsSorted(back))
	var m2, m3, m4 float64
	for _, v := range x {
		e := v - c.Mean
		m2, m3, m4 = m2+e*e/n, m3+e*e*e/n, m4+e*e*e*e/n
	}
	c.Std = math.Sqrt(m2)
	if m2 > 0 {
		c.Skewness, c.Kurtosis = m3/math.Pow(m2, 1.5), m4/(m2*m2)-3
	}
	for v, k := range count {
		if share := float64(k) / n; share > 0.5 {
			c.Top, c.TopShare = v, share
		}
	}
	return c
}

func (t *table) examine(tb testing.TB, refuse trust.Refusals) *trust.DataChecks {
	tb.Helper()
	m := t.moments(tb)
	return trust.ExamineRefusing(m, t.profile(m), refuse)
}

// find returns the first finding with a code.
func find(p *trust.DataChecks, code string) (trust.Finding, bool) {
	for _, f := range p.Findings {
		if f.Code == code {
			return f, true
		}
	}
	return trust.Finding{}, false
}
