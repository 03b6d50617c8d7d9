package sim

import (
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/matrix"
)

// frequencies counts the categories of node v for each combination of the parents' categories.
func frequencies(m *Model, x *matrix.Dense[float64], v int) (count map[int][]float64) {
	count = map[int][]float64{}
	for i := range x.Rows {
		c := 0
		for _, p := range m.parents[v] {
			c = c*m.levels[p] + int(x.At(i, p))
		}
		if count[c] == nil {
			count[c] = make([]float64, m.levels[v])
		}
		count[c][int(x.At(i, v))]++
	}
	return count
}

// TestDiscreteFrequencies compares the frequencies of each node with its table, for every combination of the
// parents' categories.
func TestDiscreteFrequencies(t *testing.T) {
	cfg := Default()
	cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = Discrete, 8, 10, 3
	m := mustNew(t, cfg)
	x := m.Sample(Stream(1, StreamNoise), 40_000)
	seen := map[int]bool{}
	for v, levels := range m.Levels() {
		seen[levels] = true
		for c, count := range frequencies(m, x, v) {
			table := m.equations[v].(*table).kept[c*levels : (c+1)*levels]
			n, below := 0.0, 0.0
			for _, k := range count {
				n += k
			}
			for l, k := range count {
				p := table[l] - below
				below = table[l]
				if !(math.Abs(k-n*p) <= 4.5*math.Sqrt(n*p*(1-p))+1e-6) {
					t.Errorf("node %d, combination %d, level %d: %v of %v rows, want a share of %v", v, c, l, k, n, p)
				}
			}
		}
	}
	if len(seen) < 3 {
		t.Errorf("numbers of levels %v", seen)
	}
}

// TestTableThatIsNotKept checks that a table too large for memory gives the same distribution.
func TestTableThatIsNotKept(t *testing.T) {
	kept := newTable([]int{0, 1, 2}, []int{3, 4, 2}, 5, 0.7, 99)
	drawn := *kept
	drawn.kept = nil
	if kept.kept == nil {
		t.Fatal("a table of 120 numbers is not kept")
	}
	rng := Stream(5, StreamNoise)
	for range 2000 {
		row, u := []float64{float64(rng.IntN(3)), float64(rng.IntN(4)), float64(rng.IntN(2))}, rng.Float64()
		if a, b := kept.value(row, u), drawn.value(row, u); a != b {
			t.Fatalf("at %v, %v: level %v, and %v where nothing is kept", row, u, a, b)
		}
	}
	many, counts := make([]int, 40), make([]int, 40)
	for i := range many {
		many[i], counts[i] = i, 5
	}
	if newTable(many, counts, 5, 1, 1).kept != nil {
		t.Error("5⁴¹ numbers are kept")
	}
}

// TestConcentration checks that the probabilities are Dirichlet: with parameter α and L levels each has mean
// 1/L and variance (L-1)/(L²·(Lα+1)).
func TestConcentration(t *testing.T) {
	for _, alpha := range []float64{0.2, 1, 4} {
		const levels, draws = 4, 20_000
		tab := &table{levels: levels, alpha: alpha}
		sum, square := 0.0, 0.0
		dst := make([]float64, levels)
		for i := range uint64(draws) {
			tab.distribution(dst, i)
			if !slices.IsSorted(dst) || dst[levels-1] != 1 {
				t.Fatalf("cumulative probabilities %v", dst)
			}
			sum += dst[0] / draws
			square += (dst[0] - 0.25) * (dst[0] - 0.25) / draws
		}
		if want := 3 / (16 * (4*alpha + 1)); !(math.Abs(sum-0.25) <= 0.01) || !(math.Abs(square/want-1) <= 0.05) {
			t.Errorf("α = %v: mean %v, variance %v, want 0.25 and %v", alpha, sum, square, want)
		}
	}
	dst := make([]float64, 3)
	(&table{levels: 3, alpha: 1e-9}).distribution(dst, 1) // gamma variates that are all 0
	if dst[2] != 1 {
		t.Errorf("cumulative probabilities %v", dst)
	}
}

// TestMixed checks that half of the nodes are categorical, with the probabilities of a multinomial logit, that
// the residual of a numeric node is its noise, and that numeric effects are in units of about their standard
// deviation.
func TestMixed(t *testing.T) {
	cfg := Default()
	cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = Mixed, 11, 22, 4
	m := mustNew(t, cfg)
	const n = 30_000
	x := m.Sample(Stream(1, StreamNoise), n)
	with := 0
	for v, levels := range m.Levels() {
		p := m.equations[v].(*predictor)
		want, got := make([]float64, levels), make([]float64, levels)
		left, square, own, spread := 0.0, 0.0, 0.0, 0.0
		for i := range n {
			row := x.Row(i)
			if levels == 0 {
				e := row[v] - p.sum(row, 0)
				left += e / n
				square += e * e / n
				own += row[v] / n
				spread += (row[v] - m.mean[v]) * (row[v] - m.mean[v]) / n
				continue
			}
			u, total := make([]float64, levels), 0.0
			for o := range u {
				u[o] = math.Exp(p.sum(row, o))
				total += u[o]
			}
			for o := range u {
				want[o] += u[o] / total / n
			}
			got[int(row[v])] += 1.0 / n
		}
		if levels == 0 {
			if !(math.Abs(left) <= 0.03) || !(math.Abs(square-1) <= 0.05) || !(math.Abs(m.scale[v]*math.Sqrt(spread)-1) <= 0.1) {
				t.Errorf("node %d: noise of mean %v and variance %v; in its unit the standard deviation is %v", v, left, square, m.scale[v]*math.Sqrt(spread))
			}
			continue
		}
		with++
		for o := range want {
			if !(math.Abs(want[o]-got[o]) <= 0.015) {
				t.Errorf("node %d: levels %v, want %v", v, got, want)
				break
			}
		}
	}
	if with != 5 {
		t.Errorf("%d nodes of 11 have levels", with)
	}
	cfg.Standardize = true
	y := mustNew(t, cfg).Sample(Stream(1, StreamNoise), 50)
	for v, levels := range m.Levels() {
		for i := range 50 {
			if levels > 0 && y.At(i, v) != x.At(i, v) {
				t.Fatalf("a level was standardized: %v", y.At(i, v))
			}
		}
	}
}
