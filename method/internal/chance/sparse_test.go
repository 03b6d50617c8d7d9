package chance

import (
	"math"
	"testing"
)

// R 4.2.2: with 10 marked rows of 40 and 12 drawn, phyper(2, 10, 30, 12) is the chance of at most 2 and phyper(1, 10, 30, 12, lower = FALSE) that of at
// least 2. fisher is twice the smaller.
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
