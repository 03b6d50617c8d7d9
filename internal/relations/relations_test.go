package relations

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

func moments(t *testing.T, names []string, n int, row func(*rand.Rand) []float64) *dataset.Moments {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	a := dataset.NewAccumulator(names, 1)
	for range n {
		must.Succeed(t, a.Add(row(rng)))
	}
	m := must.Get(a.Moments())
	return m
}

func all(m *dataset.Moments) (columns []int) {
	for j := range m.Dim() {
		columns = append(columns, j)
	}
	return columns
}

// TestFindTotal checks that of a total and its parts the total is returned, with the parts as formula.
func TestFindTotal(t *testing.T) {
	m := moments(t, []string{"total", "a", "b", "c", "other"}, 100, func(r *rand.Rand) []float64 {
		a, b, c := r.NormFloat64(), 2*r.NormFloat64(), r.NormFloat64()
		return []float64{a + b - c, a, b, c, r.NormFloat64()}
	})
	got := Find(m, all(m), nil)
	if len(got) != 1 || got[0] != (Relation{"total", "total = b + a - c + constant"}) {
		t.Errorf("got %q", got)
	}
}

// TestFindNothing checks that strong effects with noise, and relations caused by too few rows, are not
// reported.
func TestFindNothing(t *testing.T) {
	noisy := moments(t, []string{"x", "y"}, 100, func(r *rand.Rand) []float64 {
		x := r.NormFloat64()
		return []float64{x, 1000*x + r.NormFloat64()}
	})
	few := moments(t, []string{"x", "y", "z"}, 3, func(r *rand.Rand) []float64 {
		return []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
	})
	for _, m := range []*dataset.Moments{noisy, few} {
		if got := Find(m, all(m), nil); len(got) > 0 {
			t.Errorf("%v: got %q", m.Names, got)
		}
	}
}

// TestFindRounded checks that a relation between rounded columns is found, and a strong effect with noise above
// the rounding is not.
func TestFindRounded(t *testing.T) {
	round := func(x float64) float64 { return math.Round(x*1000) / 1000 }
	for _, c := range []struct {
		noise float64
		want  int
	}{{0, 1}, {0.003, 0}} {
		var values []float64
		m := moments(t, []string{"a", "b", "sum"}, 200, func(r *rand.Rand) []float64 {
			a, b := r.NormFloat64(), r.NormFloat64()
			row := []float64{round(a), round(b), round(a + b + c.noise*r.NormFloat64())}
			values = append(values, row...)
			return row
		})
		var unit []float64
		for j := range 3 {
			unit = append(unit, Unit(values, 3, j))
		}
		if got := Find(m, all(m), unit); len(got) != c.want {
			t.Errorf("noise %v, units %v: got %q, want %d relations", c.noise, unit, got, c.want)
		}
	}
}

// TestRoundingLimit checks that a remainder of twice the variance of the rounding errors, u²/12 for each of two columns, is taken for rounding.
func TestRoundingLimit(t *testing.T) {
	const n, share = 1_000_000, 1e-6
	m := pair(t, n, share)
	for factor, want := range map[float64]int{0.99: 0, 1.01: 1} {
		unit := factor * math.Sqrt(share/2*12/2)
		if got := Find(m, all(m), []float64{unit, unit}); len(got) != want {
			t.Errorf("unit %v: got %q, want %d relations", unit, got, want)
		}
	}
}

// TestRecords checks that columns that repeat records are found by ties in the same rows, and rounded columns
// are not.
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
