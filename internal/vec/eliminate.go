package vec

import "fmt"

// EliminateWidth is the number of columns of the rows that Eliminate works on.
const EliminateWidth = 16

// Eliminate adds y_ik·x to each row i of y, for rows of EliminateWidth numbers that follow each other: one step of an
// elimination, whose pivot row is x and whose column is k.
func Eliminate[T Float](y []T, k int, x []T) {
	if len(y)%EliminateWidth != 0 || len(x) != EliminateWidth || k < 0 || k >= EliminateWidth {
		panic(fmt.Sprintf("vec: Eliminate of %d numbers by %d in column %d, want rows of %d", len(y), len(x), k, EliminateWidth))
	}
	if len(y) > 0 {
		eliminate(best, y, k, x)
	}
}

func eliminateGo[T Float](y []T, k int, x []T) {
	x = x[:EliminateWidth]
	for ; len(y) >= EliminateWidth; y = y[EliminateWidth:] {
		row := y[:EliminateWidth]
		f := row[k]
		for j, v := range x {
			row[j] += f * v
		}
	}
}
