package missing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// absenceByLevel and absenceByMean return the p-value of column k as a predictor of missing values in column j.
func absenceByLevel(rows []float64, d, j, k int) float64 {
	return newPredictor(rows, d, k, true).chance(CountPairs(rows, d).absent(j))
}

func absenceByMean(rows []float64, d, j, k int) float64 {
	return newPredictor(rows, d, k, false).chance(CountPairs(rows, d).absent(j))
}

// R 4.2.2, example of ?chisq.test (Agresti 2007, p. 39): the table below has X-squared = 30.07, df = 2, p-value = 2.954e-07.
func TestAbsenceByLevelAgainstR(t *testing.T) {
	var rows []float64
	for level, counts := range [][2]int{{762, 484}, {327, 239}, {468, 477}} {
		for range counts[0] {
			rows = append(rows, 1, float64(level))
		}
		for range counts[1] {
			rows = append(rows, math.NaN(), float64(level))
		}
	}
	if p := absenceByLevel(rows, 2, 0, 1); !(math.Abs(p/2.954e-07-1) <= 1e-3) {
		t.Errorf("p = %v", p)
	}
	// One level alone tells nothing.
	if p := absenceByLevel(rows[:2*1246], 2, 0, 1); p == p {
		t.Errorf("one level has p = %v", p)
	}
}

// R 4.2.2: t.test(extra ~ group, data = sleep) has t = -1.8608 for these two groups. The p-value is that of a normal distribution.
func TestAbsenceByMeanAgainstR(t *testing.T) {
	sleep := [2][]float64{
		{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0},
		{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4},
	}
	var rows []float64
	for i := range 10 {
		rows = append(rows, 1, sleep[0][i], math.NaN(), sleep[1][i])
	}
	near(t, "p", absenceByMean(rows, 2, 0, 1), math.Erfc(1.860813/math.Sqrt2), 1e-6)
}

// The listed p-values are those of all tests with Holm's correction: the k-th smallest of m is multiplied by m - k + 1.
func TestPredictorsAreCorrected(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	names := []string{"a", "b", "c", "d"}
	discrete := []bool{false, false, true, false}
	const d = 4
	seen := 0
	for range 20 {
		var rows []float64
		for range 200 {
			row := []float64{random.NormFloat64(), random.NormFloat64(), float64(random.IntN(3)), random.NormFloat64()}
			if random.Float64() < 0.2+0.1*math.Tanh(row[0]) {
				row[1] = math.NaN()
			}
			if random.Float64() < 0.1+0.1*row[2] {
				row[3] = math.NaN()
			}
			rows = append(rows, row...)
		}
		var want []dataset.MissingPredictor
		for _, j := range []int{1, 3} {
			for k := range d {
				if k == j {
					continue
				}
				p := 0.0
				if discrete[k] {
					p = absenceByLevel(rows, d, j, k)
				} else {
					p = absenceByMean(rows, d, j, k)
				}
				want = append(want, dataset.MissingPredictor{Column: names[j], By: names[k], P: p})
			}
		}
		slices.SortFunc(want, func(a, b dataset.MissingPredictor) int { return int(math.Copysign(1, a.P-b.P)) })
		most := 0.0
		got := Describe(rows, names, discrete).Predicted
		for i := range want {
			most = max(most, min(1, want[i].P*float64(6-i)))
			if listed := i < len(got); listed != (most < 0.05) {
				t.Fatalf("test %d with the corrected p-value %v is listed: %v", i, most, listed)
			}
			if i < len(got) {
				seen++
				if got[i].Column != want[i].Column || got[i].By != want[i].By || !(math.Abs(got[i].P-most) <= 1e-12) {
					t.Errorf("predictor %d is %+v, want %+v with %v", i, got[i], want[i], most)
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d predictors: the test looks at too little", seen)
	}
}

// Columns are missing together if the correlation of their absence is at least 0.9.
func TestColumnsMissingTogether(t *testing.T) {
	for apart, want := range map[int]int{8: 1, 11: 0} { // 100 of 1000 values are missing; of so many the other one is not
		var rows []float64
		for i := range 1000 {
			row := []float64{1, 1}
			if i < 100 {
				row[0] = math.NaN()
			}
			if i >= apart && i < 100+apart {
				row[1] = math.NaN()
			}
			rows = append(rows, row...)
		}
		phi := ((100-float64(apart))/1000 - 0.01) / 0.09
		if phi >= 0.9 != (want == 1) {
			t.Fatalf("the correlation is %v", phi)
		}
		if got := Describe(rows, []string{"a", "b"}, []bool{false, false}); len(got.Together) != want || got.CompleteRows != 900-apart {
			t.Errorf("correlation %v: together %v, %d complete rows", phi, got.Together, got.CompleteRows)
		}
	}
}

// Columns that are never there together are listed if both have values, each pair by name, and at most 20 of them.
func TestColumnsApart(t *testing.T) {
	gap := math.NaN()
	var rows []float64
	for i := range 10 {
		row := []float64{1, gap, gap, 1}
		if i >= 5 {
			row = []float64{gap, 1, gap, 1}
		}
		rows = append(rows, row...)
	}
	got := Describe(rows, []string{"b", "a", "empty", "full"}, make([]bool, 4)).Apart
	if len(got) != 1 || got[0] != [2]string{"a", "b"} {
		t.Errorf("apart: %v, want a and b", got)
	}
	const d = 8 // 28 pairs, of which 20 are listed
	rows = nil
	names := make([]string, d)
	for j := range d {
		names[j] = string(rune('a' + j))
		for range 5 {
			row := slices.Repeat([]float64{gap}, d)
			row[j] = 1
			rows = append(rows, row...)
		}
	}
	if got := Describe(rows, names, make([]bool, d)).Apart; len(got) != 20 {
		t.Errorf("%d pairs are listed, want 20", len(got))
	}
}

// Tests and groups need ten rows with and ten without a value.
func TestLeastRowsOfAbsence(t *testing.T) {
	for _, c := range []struct{ absent, there int }{{9, 30}, {10, 30}, {30, 9}, {30, 10}} {
		var rows []float64
		for i := range c.absent + c.there {
			row := []float64{float64(i), float64(i), 100 + float64(i%7)}
			if i < c.absent {
				row = []float64{math.NaN(), math.NaN(), float64(i % 7)}
			}
			rows = append(rows, row...)
		}
		out := Describe(rows, []string{"a", "b", "x"}, make([]bool, 3))
		if got, want := len(out.Predicted) > 0, min(c.absent, c.there) >= 10; got != want {
			t.Errorf("%+v: predicted by %v", c, out.Predicted)
		}
		if got, want := len(out.Together) > 0, c.absent >= 10; got != want {
			t.Errorf("%+v: together %v", c, out.Together)
		}
	}
}

// A category that expects less than one row without the value, or with it, is left out of the test: the p-value is that of the other two.
func TestRareLevelsOfAbsence(t *testing.T) {
	for _, absent := range [][3]int{{20, 10, 1}, {30, 40, 1}} { // the last of the levels expects 2·31/102 = 0.6 rows of one kind
		var rows []float64
		for level, n := range []int{50, 50, 2} {
			for i := range n {
				v := 1.0
				if i < absent[level] {
					v = math.NaN()
				}
				rows = append(rows, v, float64(level))
			}
		}
		n, all := 102., float64(absent[0]+absent[1]+absent[2])
		x := 0.0
		for _, k := range absent[:2] {
			e := 50 * all / n
			x += (float64(k) - e) * (float64(k) - e) * (1/e + 1/(50-e))
		}
		near(t, "p-value", absenceByLevel(rows, 2, 0, 1), math.Erfc(math.Sqrt(x/2)), 1e-12)
	}
}

// b is missing where a is large, c and d together and at random.
func TestDescribe(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 2))
	var rows []float64
	for range 600 {
		row := []float64{random.NormFloat64(), random.NormFloat64(), float64(random.IntN(3)), random.NormFloat64(), random.NormFloat64()}
		if row[0] > 0.8 {
			row[1] = math.NaN()
		}
		if random.Float64() < 0.2 {
			row[2], row[3] = math.NaN(), math.NaN()
		}
		rows = append(rows, row...)
	}
	m := Describe(rows, []string{"a", "b", "c", "d", "e"}, []bool{false, false, true, false, false})
	if len(m.Predicted) != 1 || m.Predicted[0].Column != "b" || m.Predicted[0].By != "a" || m.Predicted[0].P > 1e-6 || m.Predicted[0].Missing != 0 {
		t.Errorf("predicted: %+v", m.Predicted)
	}
	if len(m.Together) != 1 || !slices.Equal(m.Together[0], []string{"c", "d"}) {
		t.Errorf("together: %v", m.Together)
	}
	if m.Rows != 600 || m.CompleteRows < 300 || m.CompleteRows > 450 {
		t.Errorf("%d of %d rows are complete", m.CompleteRows, m.Rows)
	}
}

// TestMostPredictors checks that 20 of 23 columns that are missing where a is large are listed.
func TestMostPredictors(t *testing.T) {
	names := []string{"a"}
	for k := range 23 {
		names = append(names, string(rune('b'+k)))
	}
	var rows []float64
	for i := range 200 {
		rows = append(rows, float64(i))
		for k := range 23 {
			v := float64((i*7 + k) % 10)
			if i >= 150 {
				v = math.NaN()
			}
			rows = append(rows, v)
		}
	}
	m := Describe(rows, names, make([]bool, len(names)))
	if len(m.Predicted) != 20 || m.Predicted[0].By != "a" || m.Predicted[19].By != "a" {
		t.Errorf("%d predictors are listed, want 20: %+v", len(m.Predicted), m.Predicted)
	}
}
