package relations

import (
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
)

func moments(t *testing.T, names []string, n int, row func(*rand.Rand) []float64) *dataset.Moments {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	a := dataset.NewAccumulator(names, 1)
	for range n {
		if err := a.Add(row(rng)); err != nil {
			t.Fatal(err)
		}
	}
	m, err := a.Moments()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func all(m *dataset.Moments) (columns []int) {
	for j := range m.Dim() {
		columns = append(columns, j)
	}
	return columns
}

// Of a total and its parts the total is found, and the formula has the parts.
func TestFindTotal(t *testing.T) {
	m := moments(t, []string{"total", "a", "b", "c", "other"}, 100, func(r *rand.Rand) []float64 {
		a, b, c := r.NormFloat64(), 2*r.NormFloat64(), r.NormFloat64()
		return []float64{a + b - c, a, b, c, r.NormFloat64()}
	})
	got := Find(m, all(m))
	if len(got) != 1 || got[0] != (Relation{"total", "total = b + a - c + constant"}) {
		t.Errorf("got %q", got)
	}
}

// Strong effects with noise are no relation, and neither are the relations that too few rows make.
func TestFindNothing(t *testing.T) {
	noisy := moments(t, []string{"x", "y"}, 100, func(r *rand.Rand) []float64 {
		x := r.NormFloat64()
		return []float64{x, 1000*x + r.NormFloat64()}
	})
	few := moments(t, []string{"x", "y", "z"}, 3, func(r *rand.Rand) []float64 {
		return []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	})
	for _, m := range []*dataset.Moments{noisy, few} {
		if got := Find(m, all(m)); len(got) > 0 {
			t.Errorf("%v: got %q", m.Names, got)
		}
	}
}

// Columns that repeat records have ties in the same rows; rounded columns have not.
func TestRecords(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	price, wage := make([]float64, 20), make([]float64, 20)
	for k := range price {
		price[k], wage[k] = rng.NormFloat64(), rng.NormFloat64()
	}
	var values []float64
	for i := range 100 {
		values = append(values, price[i%20], float64(rng.IntN(20)), wage[i%20], float64(rng.IntN(20)))
	}
	group, records := Records(values, 4, []int{0, 1, 2, 3})
	if len(group) != 2 || group[0] != 0 || group[1] != 2 || records != 20 {
		t.Errorf("group %v of %d records", group, records)
	}
}
