package search

import (
	"context"
	"fmt"
	"slices"
)

func ExampleScore() {
	// Any numbers will do: here the best parent of each variable is the previous one.
	s := chain(4)
	res, err := Search(context.Background(), Problem{Score: s}, DefaultSettings(), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Parents, res.Score, res.Status)
	// Output: [[] [0] [1] [2]] 10 optimal
}

// chain is a score of n variables.
type chain int

func (c chain) Variables() int       { return int(c) }
func (c chain) Price() float64       { return 2 }
func (c chain) Equivalent() bool     { return false }
func (c chain) Evaluator() Evaluator { return c }

func (c chain) Score(v int, parents []int) float64 {
	s := 4 + 2*float64(len(parents)) // includes the penalty of the parents
	if slices.Contains(parents, v-1) {
		s -= 4
	}
	return s
}

func (c chain) Additions(dst []float64, v int, parents []int) {
	AdditionsByScore(dst, c, v, parents)
}
