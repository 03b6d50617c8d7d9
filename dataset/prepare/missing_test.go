package prepare

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

// holes returns correlated rows in which about share of the values is missing.
func holes(seed uint64, n, d int, share float64) *matrix.Dense[float64] {
	x := tabletest.Uneven(seed, n, d)
	rng := rand.New(rand.NewPCG(seed, 9))
	for i := range x.Data {
		if rng.Float64() < share {
			x.Data[i] = math.NaN()
		}
	}
	return x
}

func TestGatherMissingIsAnError(t *testing.T) {
	x := holes(1, 400, 14, 0)
	for j := range 12 {
		for k := range j + 1 {
			x.Set(20+7*k, j, math.NaN())
		}
	}
	x.Set(399, 12, math.NaN())
	_, err := gather(t, memNumbers(x), nil)
	var e *MissingError
	if !errors.Is(err, dataset.ErrMissing) || !errors.As(err, &e) || len(e.Columns) != 13 || e.Rows != 400 || e.Columns[3] != (MissingColumn{"v3", 4, 21}) {
		t.Fatalf("%v", err)
	}
	want := "data.csv: missing values in 13 columns: v11 12 (3%, first in row 21), v10 11 (2.8%, first in row 21), "
	if text := err.Error(); !strings.HasPrefix(text, want) || !strings.Contains(text, "v2 3 (0.8%, first in row 21) and 3 more; choose missing=auto, drop or pairwise, or leave such columns out (drop=v11)") {
		t.Errorf("the error says %q", text)
	}
	// Text after a missing value is still text.
	table := memOf("a b", []any{nil, 2}, []any{2, "x"})
	if _, err := gather(t, table, nil); !errors.Is(err, dataset.ErrNotNumber) {
		t.Error(err)
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		part, whole int
		want        string
	}{{0, 10, "0%"}, {1, 10_000, "under 0.1%"}, {10, 10_000, "0.1%"}, {1, 3, "33.3%"}, {9999, 10_000, "over 99.9%"}, {5, 5, "100%"}} {
		if got := percent(c.part, c.whole); got != c.want {
			t.Errorf("%d of %d: %s, want %s", c.part, c.whole, got, c.want)
		}
	}
}

func TestGatherDropsRows(t *testing.T) {
	x := holes(2, 3000, 6, 0.1)
	var kept []float64
	for i := range x.Rows {
		if row := x.Row(i); !anyMissing(row) {
			kept = append(kept, row...)
		}
	}
	want := must.Get(dataset.MomentsOf(tabletest.Letters(6), matrix.Of(len(kept)/6, 6, kept), 1))
	g, err := gather(t, memNumbers(x), func(o *Settings) { o.Missing = "drop" })
	if err != nil || fmt.Sprint(*g.Moments) != fmt.Sprint(*want) || g.Profile.RowsRead != 3000 || g.Profile.RowsUsed != want.N {
		t.Fatalf("%+v, %v", g, err)
	}
	if note := g.Profile.Notes[0]; !strings.Contains(note, fmt.Sprintf("%d rows of 3000", 3000-want.N)) {
		t.Error(note)
	}
	// Two rows left will do, one will not.
	rows := [][]any{{1, nil, 2}, {2, nil, 3}, {3, 1, 5}, {4, nil, 1}, {nil, 3, 7}, {5, 5, 5}}
	if _, err := gather(t, memOf("a b c", rows...), func(o *Settings) { o.Missing = "drop" }); err != nil {
		t.Error(err)
	}
	_, err = gather(t, memOf("a b c", rows[:5]...), func(o *Settings) { o.Missing = "drop" })
	want1 := "data.csv: 1 of 5 rows have no missing value, and at least 2 are needed; most are missing in b 3 (60%, first in row 1), a 1 (20%, first in row 5); use missing=auto, which excludes the columns that are missing most, or leave such columns out (drop=b)"
	if !errors.Is(err, dataset.ErrMissing) || err.Error() != want1 {
		t.Errorf("got %v", err)
	}
}

// filled is the slow twin of Missing = mean: the means are put in, then the rows are summed.
func filled(x *matrix.Dense[float64]) *matrix.Dense[float64] {
	y := x.Clone()
	for j := range x.Cols {
		var there []float64
		for i := range x.Rows {
			if v := x.At(i, j); v == v {
				there = append(there, v)
			}
		}
		mean := tabletest.Sum(there) / float64(len(there))
		for i := range x.Rows {
			if y.At(i, j) != y.At(i, j) {
				y.Set(i, j, mean)
			}
		}
	}
	return y
}

func TestGatherFillsMeans(t *testing.T) {
	for _, c := range []struct {
		n, d  int
		share float64
		first int // row with the first hole
	}{{3000, 6, 0.2, 0}, {9000, 9, 0.01, 5000}, {40, 40, 0.5, 0}, {300, 70, 0.01, 299}} {
		x := holes(3, c.n, c.d, c.share)
		clean := tabletest.Uneven(3, c.n, c.d)
		copy(x.Data[:c.first*c.d], clean.Data)
		x.Set(c.first, 1, math.NaN())
		for i := range x.Rows {
			x.Row(i)[5] += 1e7 // a mean far off
		}
		g := must.Get(gather(t, memNumbers(x), func(o *Settings) { o.Missing = "auto" }))
		want := tabletest.Naive(tabletest.Letters(c.d), filled(x))
		tabletest.Close(t, g.Moments, want, 1e-10) // the twin rounds what it fills in
		if len(g.Profile.Notes) != 1 || !strings.Contains(g.Profile.Notes[0], "missing at random") || g.Profile.RowsUsed != c.n {
			t.Errorf("%q", g.Profile.Notes)
		}
	}
}

// pairwiseTwin returns covariances with the correlation of every pair from its complete rows and the variance of each column from all
// its values, in two loops, and the least number of rows.
func pairwiseTwin(x *matrix.Dense[float64]) (*matrix.Dense[float64], int) {
	d := x.Cols
	c := matrix.New[float64](d, d)
	least := x.Rows
	for i := range d {
		for j := i; j < d; j++ {
			var a, b []float64
			for r := range x.Rows {
				if u, v := x.At(r, i), x.At(r, j); u == u && v == v {
					a, b = append(a, u), append(b, v)
				}
			}
			n := float64(len(a))
			least = min(least, len(a))
			ma, mb := tabletest.Sum(a)/n, tabletest.Sum(b)/n
			var aa, bb, ab []float64
			for k := range a {
				aa, bb, ab = append(aa, (a[k]-ma)*(a[k]-ma)), append(bb, (b[k]-mb)*(b[k]-mb)), append(ab, (a[k]-ma)*(b[k]-mb))
			}
			c.Set(i, j, tabletest.Sum(ab)/math.Sqrt(tabletest.Sum(aa)*tabletest.Sum(bb)))
			if i == j {
				c.Set(i, i, tabletest.Sum(aa)/n)
			}
		}
	}
	for i := range d {
		for j := i + 1; j < d; j++ {
			c.Set(i, j, c.At(i, j)*math.Sqrt(c.At(i, i)*c.At(j, j)))
			c.Set(j, i, c.At(i, j))
		}
	}
	return c, least
}

func TestGatherPairwise(t *testing.T) {
	for _, c := range []struct {
		n, d  int
		share float64
	}{{2000, 6, 0.2}, {5000, 5, 0.001}, {600, 70, 0.05}} {
		x := holes(4, c.n, c.d, c.share)
		for i := range x.Rows {
			x.Row(i)[2] += 1e7
		}
		g := must.Get(gather(t, memNumbers(x), func(o *Settings) { o.Missing = "pairwise" }))
		m := g.Moments
		want, least := pairwiseTwin(x)
		if m.N != least || g.Profile.RowsUsed != c.n || len(g.Profile.Notes) != 2 || !strings.Contains(g.Profile.Notes[1], fmt.Sprintf("sample size is set to %d of %d rows", least, c.n)) {
			t.Fatalf("n = %d, want %d; %q", m.N, least, g.Profile.Notes)
		}
		means := tabletest.Naive(tabletest.Letters(c.d), filled(x)).Mean
		for i := range c.d {
			if mean := means[i]; !(math.Abs(m.Mean[i]-mean) <= 1e-12*math.Abs(mean)) {
				t.Errorf("mean %d = %v, want %v", i, m.Mean[i], mean)
			}
			for j := range c.d {
				size := math.Sqrt(want.At(i, i) * want.At(j, j))
				if got := m.Covariance().At(i, j); !(math.Abs(got-want.At(i, j)) <= 1e-10*size) {
					t.Errorf("%v: covariance %d, %d is %v, want %v", c, i, j, got, want.At(i, j))
				}
			}
		}
	}
}

// A column that is a multiple of another has correlation 1, also where large values are missing.
func TestGatherPairwiseSameRows(t *testing.T) {
	table := memOf("x y")
	rng := rand.New(rand.NewPCG(8, 8))
	for range 500 {
		x := rng.NormFloat64()
		y := any(0.92 * x)
		if x > 0.5 {
			y = nil
		}
		table.rows = append(table.rows, []any{x, y})
	}
	g := must.Get(gather(t, table, func(o *Settings) { o.Missing = "pairwise" }))
	if r := g.Moments.Correlation().At(0, 1); r < 1-1e-6 {
		t.Errorf("the correlation is %v, want 1", r)
	}
}

// Three columns, each pair from other rows, with correlations near 1, 1 and -1: no rows have all three.
func TestGatherPairwiseMadeDefinite(t *testing.T) {
	table := memOf("a b c")
	rng := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		u, e := rng.NormFloat64(), 0.1*rng.NormFloat64()
		table.rows = append(table.rows, []any{u, u + e, nil}, []any{nil, u, u + e}, []any{u, nil, -u + e})
	}
	g := must.Get(gather(t, table, func(o *Settings) { o.Missing = "pairwise" }))
	r := g.Moments.Correlation()
	if values, _, err := matrix.EigenSym(r, false); err != nil || values[0] < 0.5*leastEigenvalue {
		t.Errorf("eigenvalues %v, %v", values, err)
	}
	for j := range 3 {
		if sd := g.Moments.Std()[j]; !(math.Abs(sd-1) <= 0.1) {
			t.Errorf("standard deviation %d became %v", j, sd)
		}
	}
	note := g.Profile.Notes[2]
	// 1, 1 and -1 have eigenvalues 2, 2 and -1, and the nearest with a unit diagonal are ±0.5.
	if !strings.Contains(note, "smallest eigenvalue -0.9") || !strings.Contains(note, "changed by more than 0.") || !(math.Abs(r.At(0, 1)-0.5) <= 0.05) || !(math.Abs(r.At(0, 2)+0.5) <= 0.05) {
		t.Errorf("%q, %v", note, r.Data)
	}
	if _, err := dataset.RestoreMoments(g.Moments.Names, g.Moments.N, g.Moments.Mean, g.Moments.MeanLow(), g.Moments.Scatter, g.Moments.Min, g.Moments.Max); err != nil {
		t.Error(err)
	}
}

func TestMakeDefinite(t *testing.T) {
	// Just definite: untouched. A column without variance stays out of it.
	s := []float64{4, 2 * (1 - 1e-6), 0, 2 * (1 - 1e-6), 1, 0, 0, 0, 0}
	before := slices.Clone(s)
	if fix, err := makeDefinite(s, 3); err != nil || fix != nil || !slices.Equal(s, before) {
		t.Errorf("%v, %v, %v", fix, err, s)
	}
	// Just not: a correlation of 1 and a little more.
	s = []float64{4, 2.02, 0, 2.02, 1, 0, 0, 0, 0}
	fix, err := makeDefinite(s, 3)
	if err != nil || fix == nil || !(math.Abs(fix.smallest+0.01) <= 1e-12) || !(math.Abs(fix.change-0.01) <= 1e-6) || s[0] != 4 || s[4] != 1 || s[8] != 0 || s[1] != s[3] || !(math.Abs(s[1]-2) <= 1e-6) || s[1] >= 2 {
		t.Errorf("%+v, %v, %v", fix, err, s)
	}
	if fix, err := makeDefinite(make([]float64, 4), 2); err != nil || fix != nil {
		t.Errorf("%v, %v", fix, err)
	}
}

func TestGatherPairwiseFaults(t *testing.T) {
	pairwise := func(o *Settings) { o.Missing = "pairwise" }
	rows := [][]any{{1, nil, 2}, {2, nil, 3}, {3, 1, nil}, {4, 2, nil}, {nil, 3, 7}, {5, 5, 5}}
	_, err := gather(t, memOf("a b c", rows[:5]...), pairwise)
	if !errors.Is(err, ErrTooFewCommon) || !strings.Contains(err.Error(), "data.csv: columns b and c have 1 rows in common, a covariance needs two; leave one out with drop=c, or") {
		t.Errorf("got %v", err)
	}
	if g, err := gather(t, memOf("a b c", rows...), pairwise); err != nil || g.Moments.N != 2 {
		t.Errorf("%v, %v", g, err)
	}
	for _, missing := range []dataset.Missing{"pairwise", "auto"} {
		_, err = gather(t, memOf("a b c", []any{1, nil, 2}, []any{2, nil, 4}, []any{3, nil, 1}), func(o *Settings) { o.Missing = missing })
		tabletest.Fault(t, string(missing), err, ErrAllMissing, dataset.ParseError{Column: 2, Name: "b"}, "has no values; leave it out with drop=b")
	}
	// A constant column is for Validate to name.
	g, err := gather(t, memOf("a b c", []any{1, 7, 2}, []any{2, nil, 4}, []any{3, 7, 1}, []any{nil, 7, 1}, []any{5, 7, nil}), pairwise)
	if err != nil || !errors.Is(g.Moments.Validate(), dataset.ErrConstant) || g.Moments.Scatter[4] != 0 || g.Moments.Scatter[1] != 0 {
		t.Errorf("%+v, %v", g, err)
	}
	// Squares that overflow only among incomplete rows.
	_, err = gather(t, memOf("z a b", []any{0, nil, 1}, []any{0, 1e200, 2}, []any{0, -1e200, 3}), func(o *Settings) { o.Missing, o.Drop = "auto", []string{"z"} })
	tabletest.Fault(t, "overflow", err, dataset.ErrOverflow, dataset.ParseError{Column: 2, Name: "a"}, "column 2 (a)")
}

// A lenient look counts infinities beside missing values, and describes a table without a column of numbers.
func TestGatherLenient(t *testing.T) {
	table := memOf("a b", []any{1, 2}, []any{2, math.Inf(1)}, []any{nil, 4}, []any{4, math.Inf(-1)}, []any{3, 3})
	lenient := func(o *Settings) { o.Lenient, o.Missing, o.Encode, o.Profile = true, "pairwise", "drop", true }
	g, err := gather(t, table, lenient)
	must.Succeed(t, err)
	if b := g.Profile.Columns[1]; b.Infinite != 2 || b.InfiniteRow != 2 || b.Place != 2 || b.Missing != 0 || b.Max != 4 || g.Profile.Columns[0].Missing != 1 {
		t.Errorf("%+v", g.Profile.Columns)
	}
	if _, err := gather(t, table, func(o *Settings) { o.Missing = "pairwise" }); !errors.Is(err, dataset.ErrNotFinite) {
		t.Errorf("not lenient: %v", err)
	}
	g, err = gather(t, table, func(o *Settings) { o.Missing, o.Profile = "auto", true })
	if err != nil || g.Profile.Columns[1].Missing != 2 || g.Profile.Columns[1].Infinite != 0 || !slices.Contains(g.Profile.Notes, "Infinite values count as missing: b (2 cells, first in row 2).") {
		t.Errorf("auto: %+v, %v", g, err)
	}
	g, err = gather(t, memOf("a b", []any{"x", "y"}, []any{"z", nil}, []any{"z", "u"}), lenient)
	if err != nil || g.Moments.Dim() != 0 || g.Moments.N != 3 || len(g.Profile.Columns) != 2 || g.Profile.Columns[1].Missing != 1 {
		t.Errorf("only text: %+v, %v", g, err)
	}
}

// A lenient pass says of a column of infinities what it is, and where the first one stands, unless infinities are missing values.
func TestAllInfinite(t *testing.T) {
	for _, missing := range []dataset.Missing{"pairwise", "drop"} {
		_, err := gather(t, memOf("a b c", []any{1, nil, 2}, []any{2, math.Inf(1), 5}, []any{3, math.Inf(-1), 1}), func(o *Settings) { o.Missing, o.Lenient = missing, true })
		tabletest.Fault(t, string(missing), err, ErrAllInfinite, dataset.ParseError{Row: 2, Column: 2, Name: "b"},
			"has no finite value (2 infinite); correct the cells, or leave it out with drop=b")
		var counted *InfiniteError
		if !errors.As(err, &counted) || counted.Infinite != 2 {
			t.Errorf("%s: %v", missing, err)
		}
	}
}
