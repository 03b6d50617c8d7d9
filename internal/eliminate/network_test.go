package eliminate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/mechanism"
)

// binaryRows draws n rows of d binary columns.
func binaryRows(seed uint64, d, n int) *mechanism.Rows {
	rng := rand.New(rand.NewPCG(seed, 4))
	columns, levels := make([][]float64, d), make([][]float64, d)
	for v := range d {
		levels[v] = []float64{0, 1}
		for range n {
			columns[v] = append(columns[v], float64(rng.IntN(2)))
		}
	}
	return mechanism.New(columns, levels)
}

// A network of 150 columns, each with the two before it as parents, has the distribution that follows column by column from the joint one of
// the last two.
func TestManyColumns(t *testing.T) {
	const d = 150
	g := graph.New(d)
	for v := 1; v < d; v++ {
		g.AddEdge(v-1, v)
		if v > 1 {
			g.AddEdge(v-2, v)
		}
	}
	m := NewModel(g, binaryRows(1, d, 60), 1)
	table := func(v int, codes ...int) []float64 { // codes of v-1 and v-2
		f, err := m.Table(v)
		if err != nil {
			t.Fatal(err)
		}
		at := make([]int, len(codes))
		for j, p := range g.Parents(v) {
			at[j] = codes[v-1-p]
		}
		return f.At(at)
	}
	for _, x := range []int{0, 1} { // do(column 0 = x)
		var joint [2][2]float64 // the joint distribution of a column and the one before it
		for y, p := range table(1, x) {
			joint[y][x] = p
		}
		for v := 2; v < d; v++ {
			var next [2][2]float64
			for a := range 2 {
				for b := range 2 {
					for y, p := range table(v, a, b) {
						next[y][a] += p * joint[a][b]
					}
				}
			}
			joint = next
		}
		n, target := m.Given(0, d-1, x, nil)
		got, exact, _, err := n.Query(target)
		if err != nil || !exact {
			t.Fatalf("exact %v, %v", exact, err)
		}
		for y, p := range got {
			if want := joint[y][0] + joint[y][1]; !(math.Abs(p-want) <= 1e-12) {
				t.Errorf("do(%d): probability %v of %d, want %v", x, p, y, want)
			}
		}
	}
}

// A product has at most 2^20 cells. A column with 20 binary parents, one of them known, has as many, and with 21 the answer is sampled with the
// standard error of a share.
func TestCellsOfAProduct(t *testing.T) {
	for parents, want := range map[int]bool{20: true, 21: false} {
		g := graph.New(parents + 1)
		for p := range parents {
			g.AddEdge(p, parents)
		}
		m := NewModel(g, binaryRows(2, parents+1, 40), 1)
		n, target := m.Given(0, parents, 1, nil)
		p, exact, standard, err := n.Query(target)
		if err != nil || exact != want {
			t.Errorf("%d parents: exact %v, %v, want %v", parents, exact, err, want)
		}
		if se := math.Sqrt(p[0] * p[1] / Draws); exact && standard != 0 || !exact && !(math.Abs(standard-se) <= 1e-9) {
			t.Errorf("%d parents: standard error %v, want %v if sampled", parents, standard, se)
		}
	}
}
