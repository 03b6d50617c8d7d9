package chance

import (
	"math"
	"testing"

	"github.com/polydag/polydag/independence"
)

// R 4.2.2: with 10 marked rows of 40 and 12 drawn, phyper(2, 10, 30, 12) is the chance of at most 2 and phyper(1, 10, 30, 12, lower =
// FALSE) that of at least 2. fisher is twice the smaller.
func TestFisherAgainstR(t *testing.T) {
	const atMost, atLeast = 0.355261133499424, 0.886740143219221
	if got, want := fisher(2, 10, 12, 40), min(1, 2*min(atMost, atLeast)); !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%v, want %v", got, want)
	}
}

// R 4.2.2: e <- outer(rowSums(m), colSums(m)) / sum(m); 2 * sum(m * log(m / e))
func TestGSquaredAgainstR(t *testing.T) {
	if got := gSquared([][]float64{{10, 20, 30}, {5, 15, 40}}); !(math.Abs(got-3.84919629844343) <= 1e-9) {
		t.Errorf("%v", got)
	}
}

// A table is sparse where a cell expects fewer than five rows (Cochran 1954): 10·20/40 is five.
func TestSparseTables(t *testing.T) {
	if p := sparseP([][]float64{{7, 3}, {13, 17}}, 1); p != 0 {
		t.Errorf("the smallest cell expects 5 rows, and the table counts as sparse: %v", p)
	}
	if p := sparseP([][]float64{{6, 3}, {14, 17}}, 1); p == 0 {
		t.Error("the smallest cell expects 4.5 rows, and the table does not count as sparse")
	}
}

// Of 100 rows a value needs √(5·100) = 22.4 to stand alone; rarer ones are added up.
func TestMergeRareValues(t *testing.T) {
	for count, want := range map[float64]int{23: 3, 22: 2} {
		got := merge([][]float64{{77 - count, 0}, {0, 23}, {count, 0}})
		if len(got) != want {
			t.Errorf("%v rows: %v", count, got)
		}
	}
}

// TestSparsePByParts compares sparseP with twice the smaller of its two p-values: G² of the merged table, and the smallest of Fisher's
// tests times the number of cells whose margins are not 0.
func TestSparsePByParts(t *testing.T) {
	for _, c := range []struct {
		name   string
		table  [][]float64
		weight float64
		merged [][]float64 // nil if one row or column is left
		cells  float64
	}{
		{"a rare row", [][]float64{{40, 10}, {10, 38}, {1, 1}}, 1, [][]float64{{40, 10}, {11, 39}}, 6},
		{"a rare row with weights", [][]float64{{40, 10}, {10, 38}, {1, 1}}, 0.5, [][]float64{{40, 10}, {11, 39}}, 6},
		{"a rare column", [][]float64{{40, 10, 1}, {10, 38, 1}}, 1, [][]float64{{40, 11}, {10, 39}}, 6},
		{"three rows are left", [][]float64{{30, 5, 6}, {5, 32, 5}, {5, 5, 28}, {1, 2, 0}}, 1, [][]float64{{30, 5, 6}, {5, 32, 5}, {6, 7, 28}}, 12},
		{"too few rows", [][]float64{{4, 0}, {0, 4}}, 1, nil, 4},
		{"one column is left", [][]float64{{0, 50}, {4, 46}}, 1, nil, 4},
		{"one row is left", [][]float64{{0, 4}, {50, 46}}, 1, nil, 4},
		{"an empty row", [][]float64{{91, 3}, {0, 0}, {3, 3}}, 1, nil, 4},
		{"an empty column", [][]float64{{91, 0, 3}, {3, 0, 3}}, 1, nil, 4},
	} {
		rows, columns, n := margins(c.table)
		exact, g2 := 1.0, 1.0
		for i, r := range rows {
			for j, s := range columns {
				if r*s > 0 {
					exact = min(exact, fisher(c.table[i][j]*c.weight, r*c.weight, s*c.weight, n*c.weight))
				}
			}
		}
		if c.merged != nil {
			df := float64(len(c.merged)-1) * float64(len(c.merged[0])-1)
			if g2 = independence.ChiSquared(c.weight*gSquared(c.merged), df); g2 > c.cells*exact {
				t.Errorf("%s: the exact test has the smaller p-value, so that the other one is not seen", c.name)
			}
		}
		if got, want := sparseP(c.table, c.weight), min(1, 2*min(g2, c.cells*exact)); !(math.Abs(got-want) <= 1e-9*want) {
			t.Errorf("%s: p = %v, want %v", c.name, got, want)
		}
	}
	if p := sparseP([][]float64{{96, 4}, {0, 0}}, 1); p != 1 {
		t.Errorf("p = %v for a constant, want 1", p)
	}
}
