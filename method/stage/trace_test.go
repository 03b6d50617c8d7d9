package stage

import (
	"math"
	"slices"
	"testing"
)

// TestRecorderThins compares with every point, thinned at the end.
func TestRecorderThins(t *testing.T) {
	for _, n := range []int{1, 2, 3, 299, 300, 301, 302, 600, 601, 602, 1500, 12001} {
		r := &recorder{}
		for i := range n {
			r.add("s", Progress{Kind: Solve, Step: i, Score: float64(-i), H: 1, Rho: 2})
		}
		got := r.traces()[0]
		stride := 1
		for (n+stride-1)/stride > tracePoints {
			stride *= 2
		}
		var want []int
		for i := 0; i < n; i += stride {
			want = append(want, i)
		}
		if want[len(want)-1] != n-1 {
			want = append(want, n-1)
		}
		if !slices.Equal(got.Step, want) {
			t.Errorf("%d points: %d kept, %v…, want %d", n, len(got.Step), got.Step[:min(3, len(got.Step))], len(want))
		}
		if len(got.H) != len(want) || len(got.Rho) != len(want) || got.Edges != nil || got.Score[len(want)-1] != float64(1-n) {
			t.Errorf("%d points: the lists do not belong together", n)
		}
	}
}

func TestRecorderOfASearch(t *testing.T) {
	r := &recorder{}
	r.add("first", Progress{Kind: Solve, Step: 0})
	r.add("order", Progress{Step: 0, Score: 5, Edges: 3})
	r.add("order", Progress{Step: 0, Score: 4, Edges: 2}) // from another start
	r.add("order", Progress{Step: 1, Score: math.NaN()})
	r.add("order", Progress{Step: 1, Score: math.Inf(-1)})
	r.add("order", Progress{Step: 2, Score: 3, Edges: 4})
	got := r.traces()
	if len(got) != 2 || !slices.Equal(got[1].Step, []int{0, 2}) || !slices.Equal(got[1].Score, []float64{4, 3}) ||
		!slices.Equal(got[1].Edges, []int{2, 4}) || got[1].H != nil || got[1].Rho != nil {
		t.Errorf("%+v", got)
	}
	var none *recorder
	none.add("x", Progress{}) // a run that is not recorded
}
