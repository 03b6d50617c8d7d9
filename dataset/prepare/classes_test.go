package prepare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// kept is a sink that keeps all rows.
type kept struct{ rows []float64 }

func (k *kept) add(rows []float64, _ bool) error { k.rows = append(k.rows, rows...); return nil }
func (k *kept) finish() (*dataset.Moments, []string, error) {
	return nil, nil, nil
}

// cutBy runs rows of d columns through classes.
func cutBy(t *testing.T, rows []float64, d, most int) []float64 {
	t.Helper()
	plan := &encodePlan{columns: make([]columnPlan, d)}
	for j := range d {
		plan.outputs = append(plan.outputs, output{name: fmt.Sprint("c", j), from: j})
	}
	to := &kept{}
	s := newClasses(plan, to, &options{Settings: Settings{Discretize: most}})
	for at := 0; at < len(rows); at += 7 * d {
		must.Succeed(t, s.add(rows[at:min(at+7*d, len(rows))], true))
	}
	if _, _, err := s.finish(); err != nil {
		t.Fatal(err)
	}
	return to.rows
}

// classTwin is the same by its definition: mutual information from the rows, of every two classes that could be joined.
func classTwin(rows []float64, d, most int) []float64 {
	n := len(rows) / d
	columns := make([][]int, d)
	levels := make([]int, d)
	for j := range d {
		var values []float64
		for i := range n {
			values = append(values, rows[i*d+j])
		}
		slices.Sort(values)
		var used []int
		for i := range n {
			lo, _ := slices.BinarySearch(values, rows[i*d+j])
			hi, _ := slices.BinarySearch(values, math.Nextafter(rows[i*d+j], math.Inf(1)))
			columns[j] = append(columns[j], (lo+hi-1)*fineClasses/(2*n))
			used = append(used, columns[j][i])
		}
		slices.Sort(used)
		used = slices.Compact(used)
		for i, k := range columns[j] {
			columns[j][i] = slices.Index(used, k)
		}
		levels[j] = len(used)
	}
	information := func(a, b []int) float64 {
		both, one, other := map[[2]int]float64{}, map[int]float64{}, map[int]float64{}
		for i := range a {
			both[[2]int{a[i], b[i]}]++
			one[a[i]]++
			other[b[i]]++
		}
		sum := 0.0
		for pair, c := range both {
			sum += c * math.Log(c*float64(n)/one[pair[0]]/other[pair[1]])
		}
		return sum
	}
	joined := func(c []int, k int) []int {
		out := slices.Clone(c)
		for i, x := range out {
			if x > k {
				out[i] = x - 1
			}
		}
		return out
	}
	for round := slices.Max(levels); round > most; round-- {
		next := slices.Clone(columns)
		for j := range d {
			if levels[j] < round {
				continue
			}
			best, at := math.Inf(-1), 0
			for k := range levels[j] - 1 {
				sum := 0.0
				for u := range d {
					if u != j {
						sum += information(joined(columns[j], k), columns[u])
					}
				}
				if sum > best+1e-4 {
					best, at = sum, k
				}
			}
			next[j] = joined(columns[j], at)
			levels[j]--
		}
		columns = next
	}
	out := make([]float64, 0, len(rows))
	for i := range n {
		for j := range d {
			out = append(out, float64(columns[j][i]))
		}
	}
	return out
}

func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, d = 300, 3
	var rows []float64
	for range n {
		a := rng.NormFloat64()
		b := rng.NormFloat64() / 2
		if a > 1 { // only a > 1 matters, which holds for at most a quarter of the rows
			b += 5
		}
		rows = append(rows, a, b, math.Round(4*rng.NormFloat64()))
	}
	got := cutBy(t, rows, d, 3)
	if want := classTwin(rows, d, 3); !slices.Equal(got, want) {
		t.Error("the classes are not those of the definition")
	}
	two := cutBy(t, rows, d, 2)
	wrong := 0
	for i := range n {
		if (rows[i*d] > 1) != (two[i*d] == 1) {
			wrong++
		}
	}
	if wrong > n/fineClasses {
		t.Errorf("the cut is not where the other column changes: %d rows on the wrong side", wrong)
	}
	// Columns in another order, in other units.
	var turned []float64
	for i := range n {
		turned = append(turned, math.Exp(rows[i*d+2]), 3*rows[i*d], rows[i*d+1]-7)
	}
	other := cutBy(t, turned, d, 3)
	for i := range n {
		if other[i*d] != got[i*d+2] || other[i*d+1] != got[i*d] || other[i*d+2] != got[i*d+1] {
			t.Fatalf("row %d: %v, and in other units %v", i+1, got[i*d:(i+1)*d], other[i*d:(i+1)*d])
		}
	}
	// Ten different values stay what they are.
	few := slices.Clone(rows)
	for i := range n {
		few[i*d] = float64(i % 10)
	}
	for i, x := range cutBy(t, few, d, 3) {
		if i%d == 0 && x != few[i] {
			t.Fatalf("row %d of a column of few values became %v", i/d+1, x)
		}
	}
}
