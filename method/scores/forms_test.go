package scores

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// Categories are text columns and codes without an order. Columns without curves are straight, and the order of the score starts with the column
// that the others explain best.
func TestFormsOfColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	const n = 600
	x := matrix.New[float64](n, 4)
	for i := range n {
		code := rng.IntN(4)
		a := rng.NormFloat64()
		for j, v := range []float64{float64(code), []float64{0, 5, -5, 3}[code] + rng.NormFloat64(), a, 2*a + 2*rng.NormFloat64()} {
			x.Set(i, j, v)
		}
	}
	in := table(t, x, []kind.Kind{kind.Ordinal, kind.Continuous, kind.Continuous, kind.Continuous}, nil)
	levels := categories(in)
	if !slices.Equal(levels, []bool{true, false, false, false}) {
		t.Errorf("categories %v, want the first column", levels)
	}
	found, err := forms(t.Context(), in, nil, levels)
	must.Succeed(t, err)
	for j, f := range found {
		if !f.Straight {
			t.Errorf("column %d has curves, and all effects are linear", j)
		}
	}
	bare := table(t, x, []kind.Kind{kind.Ordinal, kind.Continuous, kind.Continuous, kind.Continuous}, nil)
	bare.Sample = nil
	if found, err := forms(t.Context(), bare, nil, levels); err != nil || found[1].Straight || len(found) != 4 {
		t.Errorf("forms without rows: %v, %v, want raw ones", found, err)
	}
	if found, err := forms(t.Context(), bare, &Reader{Kept: x.Data}, levels); err != nil || !found[1].Straight {
		t.Errorf("forms of kept rows: %v, %v, want straight ones", found, err)
	}
	s := Default()
	tab := must.Get(s.Of(t.Context(), in, Mixed))
	if last := tab.Order[:2]; slices.Contains(last, 2) || slices.Contains(last, 3) {
		t.Errorf("order %v, want the category and its effect first", tab.Order)
	}
	if got := tab.CurveEvidence(tab.Score.Evaluator(), 0, 1, nil); got != 1 {
		t.Errorf("evidence of curves in a mixed table: %v, want 1", got)
	}
	if got := tab.Uneven([][]int{nil, {0}, nil, nil}); got != nil || tab.CurvedEffects(3, []int{2}) {
		t.Errorf("a mixed table has uneven columns %v or curves", got)
	}
	// Edges from or to categories have no slope.
	place := tab.Place()
	g := graph.New(4)
	g.AddEdge(place[1], place[0])
	g.AddEdge(place[2], place[3])
	edges := method.EdgeRecords(g)
	tab.slopes(edges, g)
	for _, e := range edges {
		want := 0.0
		if e.From == place[2] {
			want = 2
		}
		near(t, "slope", *e.Weight, want, 0.2)
	}
}

// The slope of a column on the logarithmic scale is the mean change between its quantiles at 0.05 and 0.95, with the effect of least squares on
// that scale.
func TestSlopesOnScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	const n = 1500
	x, columns := matrix.New[float64](n, 4), make([][]float64, 4)
	for i := range n {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		for j, v := range []float64{a, 2*a + rng.NormFloat64(), b, 0.8*b + rng.NormFloat64()} {
			columns[j] = append(columns[j], v)
			if x.Set(i, j, v); j == 0 || j == 3 {
				x.Set(i, j, math.Exp(v))
			}
		}
	}
	s := Default()
	tab := must.Get(s.Of(t.Context(), table(t, x, slices.Repeat([]kind.Kind{kind.Continuous}, 4), nil), Flexible))
	if tab.Scales[0] != dataset.LogScale || tab.Scales[3] != dataset.LogScale || tab.Scales[1] != dataset.RawScale || tab.Scales[2] != dataset.RawScale {
		t.Fatalf("scales %q", tab.Scales)
	}
	place := tab.Place()
	for _, from := range []int{0, 2} {
		a, b := columns[from], columns[from+1]
		var ma, mb, aa, ab float64
		for i := range n {
			ma, mb = ma+a[i]/n, mb+b[i]/n
		}
		for i := range n {
			aa, ab = aa+(a[i]-ma)*(a[i]-ma), ab+(a[i]-ma)*(b[i]-mb)
		}
		sorted := slices.Sorted(slices.Values(a))
		low, high := sorted[n/20], sorted[n*19/20]
		y0, y1 := mb+ab/aa*(low-ma), mb+ab/aa*(high-ma)
		if from == 0 {
			low, high = math.Exp(low), math.Exp(high)
		} else {
			y0, y1 = math.Exp(y0), math.Exp(y1)
		}
		want := (y1 - y0) / (high - low)
		got := tab.fitted(tab.Blocks[0], place[from+1], []int{place[from]}).slope(place[from])
		near(t, fmt.Sprintf("slope of %d on %d", from+1, from), got, want, 1e-6*want)
	}
}
