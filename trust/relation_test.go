package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// A relation of equal coefficients is written as a sum, and any other is solved for its left column. Beyond 24 terms only some are written.
func TestFormulasOfRelations(t *testing.T) {
	name := func(j int) string { return fmt.Sprint("x", j) }
	relationOf := func(constant float64, left int, coef ...float64) relation {
		r := relation{coef: coef, constant: constant, left: left}
		for j := range coef {
			r.columns = append(r.columns, j)
		}
		return r
	}
	many := func(n int, first, others float64) []float64 {
		out := []float64{first}
		for len(out) < n {
			out = append(out, others)
		}
		return out
	}
	for _, c := range []struct {
		r    relation
		want string
	}{
		{relationOf(100, 0, 1, 1, 1), "x0 + x1 + x2 = 100"},
		{relationOf(200, 0, 2, 2, 2), "x0 + x1 + x2 = 100"},
		{relationOf(1, 0, 1, 1), "x0 = -x1 + 1"},
		{relationOf(0, 0, 1, -1, -1), "x0 = x1 + x2"},
		{relationOf(-3, 1, -2, 1, 0.5), "x1 = 2·x0 - 0.5·x2 - 3"},
	} {
		if got := c.r.formula(name); got != c.want {
			t.Errorf("%v: %q, want %q", c.r.coef, got, c.want)
		}
	}
	for n, words := range map[int]string{10: " + x9 = 7", 11: "the sum of the 11 columns x0 + x1 + x2, …, x10 = 7"} {
		if got := relationOf(7, 0, many(n, 1, 1)...); !strings.HasSuffix(got.formula(name), words) {
			t.Errorf("%d equal terms: %q, want %q", n, got.formula(name), words)
		}
	}
	for n, words := range map[int]string{6: "x5 + 7", 7: "x5 + … (1 more)"} {
		if got := relationOf(7, 0, many(n, 1, -1)...); !strings.HasSuffix(got.formula(name), words) {
			t.Errorf("%d terms: %q, want %q", n, got.formula(name), words)
		}
	}
}

// A relation of three or more whole coefficients is solved for the only column with its sign, with a positive coefficient.
func TestLeftColumnOfARelation(t *testing.T) {
	for _, c := range []struct {
		coef  []float64
		whole bool
		left  int
		want  int
		first float64
	}{
		{[]float64{1, -1, -1}, true, 1, 0, 1}, {[]float64{-1, 1, 1}, true, 1, 0, 1}, {[]float64{1, 1, -1}, true, 0, 2, -1},
		{[]float64{1, 1, -1}, false, 0, 0, 1}, {[]float64{-1, 1}, true, 0, 0, 1}, {[]float64{-2, -2, 1, 1}, true, 0, 0, 2},
	} {
		r := relation{coef: append([]float64(nil), c.coef...), whole: c.whole, left: c.left}
		r.solveForOddOneOut()
		if r.left != c.want || r.coef[r.left] <= 0 || r.coef[0] != c.first {
			t.Errorf("%v, whole %v: solved for %d with %v, want %d", c.coef, c.whole, r.left, r.coef, c.want)
		}
	}
}

// Coefficients become whole numbers up to 100 if these fit as well.
func TestWholeCoefficients(t *testing.T) {
	for _, c := range []struct {
		factor float64 // b = factor·a exactly
		whole  bool
	}{{2, true}, {100, true}, {101, false}, {0.5, true}, {1.5, false}, {0.01, true}} {
		m := tabulated(t, []string{"a", "b"}, 20, func(i int) []float64 {
			v := float64(i * i % 11)
			return []float64{v, c.factor * v}
		})
		e := newExamination(m, nil, Refusals{})
		r := e.newRelation([]int{0, 1}, []float64{1, -1})
		if ratio := -r.coef[0] / r.coef[1]; r.whole != c.whole || !(math.Abs(ratio/c.factor-1) <= 1e-9) || r.share > 1e-12 || !(math.Abs(r.constant) <= 1e-9) {
			t.Errorf("b = %v·a: coefficients %v, whole %v, want whole: %v", c.factor, r.coef, r.whole, c.whole)
		}
	}
}

// TestForwardSelection checks that the column that explains most comes first, that copies of a chosen column and columns without any
// correlation are skipped, and that there is a largest number.
func TestForwardSelection(t *testing.T) {
	// Column 4 is (6·a + 3·b + 2·c)/7 of the uncorrelated columns a, b and c, which are 1, 2 and 3; 0 is a copy of a and 5 is uncorrelated.
	r := matrix.New[float64](6, 6)
	for i := range 6 {
		r.Set(i, i, 1)
	}
	set := func(i, j int, v float64) { r.Set(i, j, v); r.Set(j, i, v) }
	set(0, 1, 1)
	for i, v := range map[int]float64{0: 6. / 7, 1: 6. / 7, 2: 3. / 7, 3: 2. / 7} {
		set(i, 4, v)
	}
	for _, c := range []struct {
		on    []int
		limit float64
		most  int
		want  []int
	}{
		{[]int{1, 2, 3, 5}, 0.3, 9, []int{1}}, // 1 - 36/49 = 0.27
		{[]int{5, 3, 2, 1}, 0.3, 9, []int{1}},
		{[]int{1, 2, 3, 5}, 0.1, 9, []int{1, 2}}, // 4/49 = 0.08
		{[]int{1, 2, 3, 5}, 0.01, 9, []int{1, 2, 3}},
		{[]int{0, 1, 2, 3}, 0.01, 9, []int{0, 2, 3}},
		{[]int{1, 2, 3}, 0.01, 3, []int{1, 2, 3}},
		{[]int{1, 2, 3}, 0.01, 2, nil},
		{[]int{1, 2, 5}, 0.01, 9, nil},
		{[]int{5}, 0.5, 9, nil},
		{nil, 0.5, 9, nil},
	} {
		if got := forward(r, 4, c.on, c.limit, c.most); !slices.Equal(got, c.want) {
			t.Errorf("columns %v, limit %v, at most %d: %v, want %v", c.on, c.limit, c.most, got, c.want)
		}
	}
}
