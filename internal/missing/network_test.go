package missing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// curved returns rows of a category a, a number b = (category-1)·2 + noise, and c = b² + noise, with a share of missing values.
func curved(n int, share float64) []float64 {
	random := rand.New(rand.NewPCG(4, 8))
	var rows []float64
	for range n {
		a := float64(random.IntN(3))
		b := 2*(a-1) + 0.5*random.NormFloat64()
		rows = append(rows, a, b, b*b+0.3*random.NormFloat64())
	}
	for i := range rows {
		if random.Float64() < share {
			rows[i] = math.NaN()
		}
	}
	return rows
}

// Draws keep the relations: the mean of b in each category, also where b is known from its parent and a curved child only.
func TestNetworkFill(t *testing.T) {
	rows := curved(3000, 0.2)
	for _, parents := range [][][]int{nil, {nil, {0}, {1}}} {
		g := must.Get(FitNetwork(t.Context(), rows, 3, NetworkSettings{Threads: 2, Discrete: []bool{true, false, false}, Parents: parents}))
		f, random := g.Filler(), rand.New(rand.NewPCG(1, 1))
		var n, sum [3]float64
		wrong := 0.0
		for at := 0; at < len(rows); at += 3 {
			row := slices.Clone(rows[at : at+3])
			lacked := row[1] != row[1]
			f.Fill(row, random)
			if row[0] != 0 && row[0] != 1 && row[0] != 2 || slices.ContainsFunc(row, math.IsNaN) {
				t.Fatalf("filled row %v", row)
			}
			if lacked {
				n[int(row[0])]++
				sum[int(row[0])] += row[1]
				if parents != nil {
					wrong += math.Abs(row[2] - row[1]*row[1])
				}
			}
		}
		for k := range n {
			if mean := sum[k] / n[k]; !(math.Abs(mean-2*float64(k-1)) <= 0.25) {
				t.Errorf("with parents %v the mean in category %d is %v", parents, k, mean)
			}
		}
		if wrong /= n[0] + n[1] + n[2]; wrong > 1.2 {
			t.Errorf("draws of b are %v from their curve", wrong)
		}
	}
}

func TestTreeParents(t *testing.T) {
	rows := curved(1000, 0.1)
	columns := newNetColumns(rows, 3, []bool{true, false, false})
	coded := make([]float64, len(rows))
	for i, v := range rows {
		coded[i] = columns[i%3].code(v)
	}
	if got := treeParents(coded, 3, columns); len(got[0]) != 0 || !slices.Equal(got[1], []int{0}) || len(got[2]) != 1 {
		t.Errorf("parents %v", got)
	}
}
