package dataset_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

// TestAccumulatorAnyCut checks that any split of the rows and any number of threads give the same bytes, with
// enough rows for every lane.
func TestAccumulatorAnyCut(t *testing.T) {
	const d = 40
	n := 3*int(dataset.AccumulatorBytes(d)/(8*d*d))*dataset.BlockRows(d)/2 + 17
	x := tabletest.Uneven(31, n, d)
	want, err := dataset.MomentsOf(tabletest.Letters(d), x, 1)
	must.Succeed(t, err)
	tabletest.Close(t, want, tabletest.Naive(tabletest.Letters(d), x), 1e-13)
	rng := rand.New(rand.NewPCG(1, 2))
	numbers := []int{1, 2, 3, 5, 16, 40}
	if testing.Short() { // under the race detector
		numbers = []int{3, 16}
	}
	for _, threads := range numbers {
		for _, most := range []int{1 + dataset.BlockRows(d)/3, 2 * dataset.BlockRows(d), n} {
			a := dataset.NewAccumulator(tabletest.Letters(d), threads)
			for at := 0; at < n; {
				k := min(n-at, 1+rng.IntN(most))
				must.Succeed(t, a.Add(x.Data[at*d:(at+k)*d]))
				at += k
			}
			got, err := a.Moments()
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%d threads, up to %d rows at a time: other moments, or %v", threads, most, err)
			}
		}
	}
}

// TestAccumulatorDrift has a column whose blocks are far apart, and one that is constant except for the last
// row.
func TestAccumulatorDrift(t *testing.T) {
	const d = 3
	n := 5*dataset.BlockRows(d) + 3
	x := tabletest.Normals(41, n, d)
	for i := range n {
		x.Set(i, 0, x.At(i, 0)+1e6*float64(i/dataset.BlockRows(d)))
		x.Set(i, 1, 1e15+0.5)
	}
	x.Set(n-1, 1, 1e15)
	m, err := dataset.MomentsOf(tabletest.Letters(d), x, 2)
	must.Succeed(t, err)
	others := matrix.New[float64](n, 2)
	for i := range n {
		others.Set(i, 0, x.At(i, 0))
		others.Set(i, 1, x.At(i, 2))
	}
	want := tabletest.Naive(tabletest.Letters(2), others)
	for k, at := range []int{0, 2, 2*d + 0, 2*d + 2} {
		if size := math.Sqrt(want.Scatter[0] * want.Scatter[3]); !(math.Abs(m.Scatter[at]-want.Scatter[k]) <= 1e-12*max(size, want.Scatter[k])) {
			t.Errorf("scatter[%d] = %v, want %v", at, m.Scatter[at], want.Scatter[k])
		}
	}
	// The mean of the reference is not accurate enough here: n-1 values of 1e15 + 0.5 and one of 1e15.
	f := 1 / float64(n)
	if got, want := m.Scatter[d+1], 0.25*(1-f); !(math.Abs(got-want) <= 1e-9*want) {
		t.Errorf("scatter of the second column %v, want %v", got, want)
	}
}
