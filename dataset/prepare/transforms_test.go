package prepare

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

func TestGatherLog(t *testing.T) {
	x := tabletest.Normals(51, 3000, 6)
	for i, v := range x.Data {
		x.Data[i] = math.Exp(v)
	}
	for _, c := range []struct {
		log  []string
		take func(j int) bool
		note string
	}{
		{[]string{"v1", "v4"}, func(j int) bool { return j == 1 || j == 4 }, "Columns v1, v4 were log-transformed (natural logarithm)."},
		{[]string{"*"}, func(int) bool { return true }, "Columns v0, v1, v2, v3, v4, v5 were log-transformed (natural logarithm)."},
		{[]string{"*3"}, func(j int) bool { return j == 3 }, "Column v3 was log-transformed (natural logarithm)."},
	} {
		y := x.Clone()
		for i, v := range x.Data {
			if c.take(i % 6) {
				y.Data[i] = math.Log(v)
			}
		}
		want := must.Get(dataset.MomentsOf(tabletest.Letters(6), y, 1))
		g, err := gather(t, memNumbers(x), func(o *Settings) { o.Log = c.log })
		if err != nil || !reflect.DeepEqual(g.Moments, want) || len(g.Profile.Notes) != 1 || g.Profile.Notes[0] != c.note {
			t.Errorf("%v: %+v, %v", c.log, g, err)
		}
		// The profile is of the values as they came.
		if g.Profile.Columns[3].Min <= 0 {
			t.Errorf("%v: profile of logarithms: %+v", c.log, g.Profile.Columns[3])
		}
	}
	// The first value without a logarithm, in the order of the rows; the smallest double has one.
	x.Set(2999, 2, -1)
	x.Set(1500, 3, 0)
	_, err := gather(t, memNumbers(x), func(o *Settings) { o.Log, o.Drop = []string{"*"}, []string{"v0"} })
	tabletest.Fault(t, "zero", err, ErrNotPositive, dataset.ParseError{Row: 1501, Column: 4, Name: "v3", Value: "0"},
		`"0" has no logarithm; shift the column so that all values are above 0, or leave it out of the setting log`)
	if _, err := gather(t, memNumbers(x), func(o *Settings) { o.Log = []string{"v0", "v1"} }); err != nil {
		t.Error(err)
	}
	x.Set(1500, 3, 5e-324)
	if _, err := gather(t, memNumbers(x), func(o *Settings) { o.Log = []string{"v3"} }); err != nil {
		t.Error(err)
	}
	_, err = gather(t, memNumbers(x), func(o *Settings) { o.Log, o.Drop = []string{"v0"}, []string{"v0"} })
	if !errors.Is(err, ErrUnknownColumn) || !strings.Contains(err.Error(), `the setting log: no such column "v0"`) {
		t.Errorf("got %v", err)
	}
	// Missing values have no logarithm and need none.
	x.Set(0, 3, math.NaN())
	if g, err := gather(t, memNumbers(x), func(o *Settings) { o.Log, o.Missing = []string{"v3"}, "drop" }); err != nil || g.Moments.N != 2999 {
		t.Errorf("%v, %v", g, err)
	}
}

// scoresTwin ranks by counting: O(n²) a column. Columns with at most ten distinct values stay unchanged, if there are more than 20 rows.
func scoresTwin(x *matrix.Dense[float64]) *matrix.Dense[float64] {
	y := x.Clone()
	for j := range x.Cols {
		n, values := 0, map[float64]bool{}
		for i := range x.Rows {
			if v := x.At(i, j); v == v {
				n++
				values[v] = true
			}
		}
		if len(values) <= 10 && x.Rows > 20 {
			continue
		}
		for i := range x.Rows {
			v := x.At(i, j)
			if v != v {
				continue
			}
			less, same := 0, 0
			for k := range x.Rows {
				switch u := x.At(k, j); {
				case u < v:
					less++
				case u == v:
					same++
				}
			}
			rank := float64(less) + float64(same+1)/2
			y.Set(i, j, math.Sqrt2*math.Erfinv(2*rank/float64(n+1)-1))
		}
	}
	return y
}

func TestGatherNormalScores(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	x := tabletest.Normals(61, 700, 5)
	for i := range x.Rows {
		row := x.Row(i)
		row[1] = math.Exp(row[1])                 // monotone: the same scores
		row[2] = math.Round(2 * row[2])           // ties
		row[3] = float64(rng.IntN(2))             // two values
		row[4] = math.Pow(row[0], 3) + 0.1*row[4] // nearly the ranks of v0
	}
	g := must.Get(gather(t, memNumbers(x), func(o *Settings) { o.NormalScores = true }))
	checkNearly(t, g.Moments, tabletest.Naive(tabletest.Letters(5), scoresTwin(x)), 1e-9)
	if !strings.Contains(g.Profile.Notes[0], "normal scores") || g.Profile.Columns[1].Min <= 0 {
		t.Errorf("%q, %+v", g.Profile.Notes, g.Profile.Columns[1])
	}
	// A monotone transform changes nothing, and log comes first.
	log, err := gather(t, memNumbers(x), func(o *Settings) { o.NormalScores, o.Log = true, []string{"v1"} })
	if err != nil || !reflect.DeepEqual(log.Moments, g.Moments) || len(log.Profile.Notes) != 2 {
		t.Errorf("%+v, %v", log, err)
	}
	for i := range x.Data {
		if rng.IntN(50) == 0 {
			x.Data[i] = math.NaN()
		}
	}
	// Ranks are among what is there; with drop, among the rows that are left.
	g = must.Get(gather(t, memNumbers(x), func(o *Settings) { o.NormalScores, o.Missing = true, "auto" }))
	checkNearly(t, g.Moments, tabletest.Naive(tabletest.Letters(5), filled(scoresTwin(x))), 1e-9)
	g = must.Get(gather(t, memNumbers(x), func(o *Settings) { o.NormalScores, o.Missing = true, "pairwise" }))
	cov, least := pairwiseTwin(scoresTwin(x))
	if c := g.Moments.Covariance(); g.Moments.N != least || !(math.Abs(c.At(0, 4)-cov.At(0, 4)) <= 1e-9) {
		t.Errorf("%v, %v, want %v, %v", g.Moments.N, c.At(0, 4), least, cov.At(0, 4))
	}
	var kept []float64
	for i := range x.Rows {
		if row := x.Row(i); !anyMissing(row) {
			kept = append(kept, row...)
		}
	}
	g = must.Get(gather(t, memNumbers(x), func(o *Settings) { o.NormalScores, o.Missing = true, "drop" }))
	checkNearly(t, g.Moments, tabletest.Naive(tabletest.Letters(5), scoresTwin(matrix.Of(len(kept)/5, 5, kept))), 1e-9)
}

// Normal scores leave text and the columns that models take as categories unchanged: up to ten distinct values in more than 20 rows.
func TestNormalScoresOfCategories(t *testing.T) {
	for _, c := range []struct {
		rows, values int
		scored       bool
		left         string
	}{{40, 10, false, "2 columns with few values or text stayed unchanged."}, {40, 11, true, "1 column with few values or text stayed unchanged."}, {20, 10, true, "1 column"}, {21, 10, false, "2 columns"}} {
		table := memOf("x code word")
		for i := range c.rows {
			table.rows = append(table.rows, []any{float64(i * i), float64(5 + i%c.values), []string{"a", "b", "c"}[i%3]})
		}
		g := must.Get(gather(t, table, func(o *Settings) { o.Encode, o.NormalScores = "levels", true }))
		for name, scored := range map[string]bool{"x": true, "code": c.scored, "word": false} {
			if j := slices.Index(g.Moments.Names, name); (g.Moments.Min[j] < 0) != scored {
				t.Errorf("%d rows: the smallest %s is %v, replaced: want %v", c.rows, name, g.Moments.Min[j], scored)
			}
		}
		must.Contain(t, strings.Join(g.Profile.Notes, "\n"), c.left)
	}
}

// checkNearly is checkClose with some room for the extrema: two ways to Φ⁻¹ differ in the last digits.
func checkNearly(t *testing.T, got, want *dataset.Moments, tol float64) {
	t.Helper()
	for j := range want.Min {
		if !(math.Abs(got.Min[j]-want.Min[j]) <= tol) || !(math.Abs(got.Max[j]-want.Max[j]) <= tol) || !(math.Abs(got.Mean[j]-want.Mean[j]) <= tol) {
			t.Errorf("column %d: %v, %v, %v, want %v, %v, %v", j, got.Min[j], got.Mean[j], got.Max[j], want.Min[j], want.Mean[j], want.Max[j])
		}
	}
	if got.N != want.N {
		t.Errorf("n = %d, want %d", got.N, want.N)
	}
	for k := range want.Scatter {
		if !(math.Abs(got.Scatter[k]-want.Scatter[k]) <= tol*float64(want.N)) {
			t.Errorf("scatter[%d] = %v, want %v", k, got.Scatter[k], want.Scatter[k])
		}
	}
}

// The scores of a column without ties are Φ⁻¹ of an even grid: Φ brings the grid back, and they are antisymmetric.
func TestNormalScore(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 1001, 1_000_000} {
		for _, rank := range []float64{1, 1.5, 2, math.Floor(float64(n) / 3), float64(n+1) / 2, float64(n) - 0.5, float64(n)} {
			if rank < 1 || rank > float64(n) {
				continue
			}
			p := rank / float64(n+1)
			z := normalScore(rank, n)
			if got := 0.5 * math.Erfc(-z/math.Sqrt2); !(math.Abs(got-p) <= 1e-12*p) {
				t.Errorf("rank %v of %d: Φ(%v) = %v, want %v", rank, n, z, got, p)
			}
			if back := normalScore(float64(n+1)-rank, n); back != -z {
				t.Errorf("rank %v of %d: %v one way and %v the other", rank, n, z, back)
			}
		}
	}
}

func TestGatherNormalScoresMemory(t *testing.T) {
	x := tabletest.Normals(1, 100, 5)
	_, err := gather(t, memNumbers(x), func(o *Settings) { o.NormalScores, o.MaxMemory, o.FirstRow = true, 3999, 1 })
	if err == nil || !errors.Is(err, memory.ErrLimit) || !strings.Contains(err.Error(), "100 rows × 5 columns need 4000 bytes, and 3999 are allowed; use fewer rows") {
		t.Errorf("got %v", err)
	}
	for _, limit := range []int64{0, 4000} {
		if _, err := gather(t, memNumbers(x), func(o *Settings) { o.NormalScores, o.MaxMemory = true, limit }); err != nil {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	// Without normal scores it is the moments that have to fit: 16 lanes of 5×5.
	for limit, fits := range map[int64]bool{3199: false, 3200: true} {
		_, err := gather(t, memNumbers(x), func(o *Settings) { o.MaxMemory = limit })
		if fits != (err == nil) || !fits && !errors.Is(err, memory.ErrLimit) {
			t.Errorf("moments in %d bytes: %v", limit, err)
		}
	}
}

// The twin of lowerQuantile halves an interval until Φ is p at both of its ends, by erfc alone.
func TestLowerQuantile(t *testing.T) {
	for _, p := range []float64{1e-14, 1e-12, 1e-9, 3e-7, 1e-5, 1e-3, 0.01, 0.1, 0.2, 0.3, 0.4, 0.49, 0.4999, 0.5 - 1e-9} {
		lo, hi := -10.0, 0.0
		for range 200 {
			if mid := (lo + hi) / 2; math.Erfc(-mid/math.Sqrt2)/2 < p {
				lo = mid
			} else {
				hi = mid
			}
		}
		if got := lowerQuantile(p); !(math.Abs(got-hi) <= 4e-16*math.Max(1, math.Abs(hi))) {
			t.Errorf("the quantile of %g is %v, by halving %v", p, got, hi)
		}
	}
}
