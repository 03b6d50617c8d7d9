package missing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/independence"
)

// TestResidualsHaveUnitCovariance checks that the residuals of a column with four levels, of which each is less than its probability given a
// parent, have mean squares of 1 and products of 0 after scaling.
func TestResidualsHaveUnitCovariance(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 1))
	var rows []float64
	const n = 800
	for range n {
		a := random.IntN(2)
		b := random.IntN(2 + 2*a)
		rows = append(rows, float64(a), float64(b))
	}
	g := fitted(t, rows, 2, true, [][]int{nil, {0}})
	v := slices.Index(g.order, 1)
	state := g.codeRows(rows, n)
	x := &extension{g: g, v: v, state: state, node: g.nodes[v], gibbs: newGibbs(g)}
	for i := range n {
		x.there = append(x.there, int32(i))
	}
	x.residuals()
	if x.width != 3 {
		t.Fatalf("%d residuals of each row, want 3", x.width)
	}
	for a := range 3 {
		for b := range 3 {
			sum, want := 0.0, 0.0
			for i := range n {
				sum += x.left[i*3+a] * x.left[i*3+b] / n
			}
			if a == b {
				want = 1
			}
			near(t, "mean product of residuals", sum, want, 1e-4)
		}
	}
}

// TestLevelOfExtend checks that a parent of a category is added if the p-value of the χ² test is below 0.01 divided by the number of
// pairs: with three columns, 1/300. Of 400 rows, 100 + k of each 200 agree.
func TestLevelOfExtend(t *testing.T) {
	for k, want := range map[int]int{14: 0, 15: 1} {
		chance := independence.ChiSquared(0.04*float64(k*k), 1)
		if (chance < 1./300) != (want == 1) || chance > 0.01 {
			t.Fatalf("%d: p = %v", k, chance)
		}
		var rows []float64
		for i := range 400 {
			a, b := float64(i%2), float64(i%2)
			if i/2 >= 100+k {
				b = 1 - a
			}
			rows = append(rows, a, b, float64(i/2%2))
		}
		got := 0
		for _, n := range parentsOf(fitted(t, rows, 3, true, nil)) {
			got += n
		}
		if got != want {
			t.Errorf("p = %v: %d parents, want %d", chance, got, want)
		}
	}
}

// TestHeldColumnHasTheMostLevels checks that the column with the most levels keeps its value if a table is too large, wherever it is.
func TestHeldColumnHasTheMostLevels(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 8))
	for most := range 3 {
		levels := []int{10, 10, 10, 2}
		levels[most] = 14
		g := tables(levels, [][]int{nil, nil, nil, {0, 1, 2}}, random)
		s := newGibbs(g)
		s.random = random
		if alone := s.block.draw(s, []float64{0, 0, 0, 1}, []int32{0, 1, 2}); len(alone) != 1 || alone[0] != int32(most) {
			t.Errorf("columns %v are drawn by themselves, want column %d with 14 levels", alone, most)
		}
	}
}

// TestParentsOfGraphs checks which graphs complete rows: a DAG, and an equivalence class by one of its members.
func TestParentsOfGraphs(t *testing.T) {
	dag := graph.FromParents([][]int{nil, {0}, {0, 1}})
	got := Parents(graph.KindDAG, dag.Mixed(), dag)
	for v, want := range [][]int{nil, {0}, {0, 1}} {
		if !slices.Equal(got[v], want) {
			t.Errorf("parents of column %d: %v, want %v", v, got[v], want)
		}
	}
	if Parents(graph.KindDAG, dag.Mixed(), nil) != nil || Parents(graph.KindPAG, dag.Mixed(), dag) != nil {
		t.Error("a graph without directed edges, or of another kind, has parents")
	}
	cycle := graph.New(2)
	cycle.AddEdge(0, 1)
	cycle.AddEdge(1, 0)
	if got := Parents(graph.KindDAG, dag.Mixed(), cycle); got != nil {
		t.Errorf("a cycle has the parents %v", got)
	}
	class := Parents(graph.KindCPDAG, graph.FromParents([][]int{nil, nil, {0, 1}}).Mixed(), nil)
	if len(class) != 3 || !slices.Equal(class[2], []int{0, 1}) || class[0] != nil {
		t.Errorf("a collider has the parents %v", class)
	}
}

// TestEffectiveRows checks the formula of Kish, the smallest number of rows, and the numbers of rows of pairs and of triples.
func TestEffectiveRows(t *testing.T) {
	r := Rows{N: 4, Weights: []float64{1, 1, 1, 3}}
	near(t, "rows with weights", r.Independent(), 3, 1e-12) // 6²/12
	near(t, "rows without weights", (&Rows{N: 7}).Independent(), 7, 0)
	for information, want := range map[float64]int{0.4: 3, 3.4: 3, 3.6: 4} {
		if got := (&Completion{Information: information}).Effective(); got != want {
			t.Errorf("information %v: %d rows, want %d", information, got, want)
		}
	}
	// Ten rows with as much information as six complete ones count 0.6 each.
	near(t, "weight of a row", (&Completion{Rows: Rows{N: 10, Copies: 5}, Information: 6}).RowWeight(), 0.6, 1e-12)
	var rows []float64
	for i := range 12 {
		a, b, c := 1.0, 1.0, 1.0
		if i < 4 {
			a = math.NaN()
		}
		if i >= 10 {
			b = math.NaN()
		}
		rows = append(rows, a, b, c)
	}
	pairs := CountPairs(rows, 3) // 6 rows have a and b, 8 have a and c, and 10 have b and c
	effective := 3 / (1./6 + 1./8 + 1./10)
	near(t, "rows of pairs", pairs.Effective(), effective, 1e-12)
	near(t, "rows of triples", pairs.Conditional(), 12*math.Pow(effective/12, 1.5), 1e-12)
	near(t, "share of a pair", pairs.Share()(0, 1), 6/effective, 1e-12)
	near(t, "largest share of missing values", pairs.MostMissing(), 1./3, 1e-12)
	for i := range rows {
		if i%3 != 2 {
			rows[i] = math.NaN()
		}
	}
	apart := CountPairs(rows, 3)
	near(t, "rows of pairs without common rows", apart.Effective(), 1, 1e-12)
	near(t, "rows of one column", CountPairs([]float64{1, math.NaN()}, 1).Effective(), 2, 0)
}

// TestSystematicCopies checks that a row with three quarters of the mean weight is in three of four copies, and that each copy has all rows.
func TestSystematicCopies(t *testing.T) {
	r := Rows{N: 4, Weights: []float64{0.75, 2.25, 0.25, 0.75}}
	total := make([]int, 4)
	for c := range 4 {
		times, all := r.Systematic(c, 4), 0
		for i := range 4 {
			n := times(i)
			if want := r.Weights[i]; float64(n) < math.Floor(want) || float64(n) > math.Ceil(want) {
				t.Errorf("copy %d has row %d %d times, and its weight is %v", c, i, n, want)
			}
			total[i] += n
			all += n
		}
		if all != 4 {
			t.Errorf("copy %d has %d rows, want 4", c, all)
		}
	}
	if !slices.Equal(total, []int{3, 9, 1, 3}) {
		t.Errorf("the rows are in all copies %v times, want 3, 9, 1 and 3", total)
	}
}
