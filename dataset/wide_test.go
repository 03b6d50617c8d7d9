package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// onDemand returns the moments of rows, computed on demand from few columns on.
func onDemand(t *testing.T, names []string, rows []float64) (*Moments, error) {
	t.Helper()
	a := NewAccumulator(names, 2)
	a.wideFrom = 4
	a.OnDemand()
	for d := len(names); len(rows) > 0; rows = rows[d:] {
		must.Succeed(t, a.Add(rows[:d]))
	}
	return a.Moments()
}

func stored(t *testing.T, names []string, rows []float64) (*Moments, error) {
	t.Helper()
	a := NewAccumulator(names, 2)
	must.Succeed(t, a.Add(rows))
	return a.Moments()
}

// TestOnDemandAgreesWithStored compares every quantity of both forms of moments.
func TestOnDemandAgreesWithStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	const d, n = 90, 20
	names, rows := make([]string, d), make([]float64, d*n)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
		for i := range n {
			rows[i*d+j] = 1e6*float64(j%3) + rng.NormFloat64()*math.Pow(10, float64(j%5))
			if j%8 == 7 {
				rows[i*d+j] += rows[i*d+j-1]
			}
		}
	}
	wide, err := onDemand(t, names, rows)
	must.Succeed(t, err)
	if wide.Gram() == nil || wide.Scatter != nil {
		t.Fatal("the moments are stored")
	}
	dense, err := stored(t, names, rows)
	must.Succeed(t, err)
	order := rng.Perm(d)
	differ := func(a, b float64) bool { return math.Abs(a-b) > 1e-12*(1+math.Abs(b)) }
	for what, pair := range map[string][2]*Moments{
		"moments": {wide, dense}, "arranged": {wide.Arranged(order), dense.Arranged(order)}, "counted": {wide.CountedAs(7), dense.CountedAs(7)},
		"standardized": {wide.Standardized(), dense.Standardized()}, "stored": {wide.Stored(), dense},
		"arranged and standardized": {wide.Arranged(order).Standardized(), dense.Arranged(order).Standardized()},
	} {
		a, b := pair[0], pair[1]
		sa, sb, ca, cb := a.Std(), b.Std(), a.Correlation(), b.Covariance()
		all := a.Covariance()
		for i := range d {
			if a.Names[i] != b.Names[i] || a.N != b.N || differ(a.Min[i], b.Min[i]) || differ(a.Max[i], b.Max[i]) || differ(a.Mean[i], b.Mean[i]) || !(math.Abs(sa[i]-sb[i]) <= 1e-12*sb[i]) {
				t.Fatalf("%s: column %d differs", what, i)
			}
			for j := range d {
				tol := 1e-12 * sb[i] * sb[j]
				if !(math.Abs(a.At(i, j)-b.At(i, j)) <= tol*float64(b.N)) || !(math.Abs(all.At(i, j)-cb.At(i, j)) <= tol) || !(math.Abs(ca.At(i, j)-cb.At(i, j)/sb[i]/sb[j]) <= 1e-12) {
					t.Fatalf("%s: entry %d, %d is %v, want %v", what, i, j, a.At(i, j), b.At(i, j))
				}
			}
		}
	}
}

// TestOnDemandEnds checks that further rows give the stored moments with the same bytes as without OnDemand.
func TestOnDemandEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	const d = 12
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprint(j)
	}
	rows := make([]float64, (wideRows(d)+1)*d)
	for i := range rows {
		rows[i] = rng.NormFloat64()
	}
	got, err := onDemand(t, names, rows)
	must.Succeed(t, err)
	want, _ := stored(t, names, rows)
	if got.Gram() != nil {
		t.Fatal("the moments of many rows are computed on demand")
	}
	for i := range want.Scatter {
		if got.Scatter[i] != want.Scatter[i] {
			t.Fatalf("entry %d is %v, want %v", i, got.Scatter[i], want.Scatter[i])
		}
	}
	if few, _ := onDemand(t, names, rows[:2*d]); few.Gram() == nil {
		t.Error("the moments of few rows are stored")
	}
}

// TestOnDemandFaults checks that values that are not finite, sums that overflow and constant columns are reported as by
// the stored form.
func TestOnDemandFaults(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	table := func(value float64) []float64 {
		rows := make([]float64, 3*len(names))
		for i := range rows {
			rows[i] = float64(i*i%7) + 0.5*float64(i%5)
		}
		rows[len(names)+4] = value
		return rows
	}
	for value, want := range map[float64]error{math.Inf(1): ErrNotFinite, 1e300: ErrOverflow} {
		_, err := onDemand(t, names, table(value))
		var e *ParseError
		if !errors.As(err, &e) || !errors.Is(err, want) || e.Name != "e" {
			t.Errorf("value %v: %v", value, err)
		}
	}
	rows := table(1)
	for i := range 3 {
		rows[i*len(names)+2] = 0.1
	}
	m, err := onDemand(t, names, rows)
	must.Succeed(t, err)
	if err := m.Validate(); !errors.Is(err, ErrConstant) {
		t.Errorf("a constant column: %v", err)
	}
	if r := m.Correlation(); r.At(2, 2) != 1 || r.At(2, 3) != 0 {
		t.Errorf("correlations of a constant column: %v", r.Row(2))
	}
}
