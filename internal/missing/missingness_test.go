package missing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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
