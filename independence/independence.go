// Package independence tests whether two columns are independent given others. It is the hinge on which methods
// that build a graph from independence tests turn: they take any Test, and the statistics behind it are none of
// their business.
//
//	test, err := independence.NewFisherZ(moments.Correlation(), moments.N)
//	r, err := test.Independent(x, y, []int{z})
//	if r.P > 0.01 { … no edge between x and y … }
//
// FisherZ is for numbers with linear effects, G2 and Chi2 for levels, Mixed for both, Blocks for curved
// effects; Oracle reads a known graph. Cache remembers the answers of any of them and counts the questions.
// What a Test must keep is written down as code in package kit.
//
// Experimental: the API of this package may change before 1.0.
package independence

import (
	"errors"
	"fmt"
	"slices"
)

// A Test decides whether x and y are independent given a set of other columns.
type Test interface {
	// Columns returns the number of columns; x, y and given are less.
	Columns() int
	// Independent tests x and y given the set. The answer does not depend on which of x and y comes first,
	// on the order of given, or on what was asked before; given is neither changed nor kept. A column that
	// stands twice among x, y and given is an error that matches ErrArguments. Several goroutines may ask
	// at the same time.
	Independent(x, y int, given []int) (Result, error)
}

// A Worker is a Test that gives the same answers faster to one goroutine, which keeps scratch memory for it.
type Worker interface {
	Test
	// Worker returns the test for one goroutine. Several may be in use at the same time.
	Worker() Test
}

// WorkerOf returns t for one goroutine.
func WorkerOf(t Test) Test {
	if w, ok := t.(Worker); ok {
		return w.Worker()
	}
	return t
}

// Result is the outcome of one test.
type Result struct {
	// Statistic is larger the more x and y depend on each other; what it is, is the test's own.
	Statistic float64
	// DF are the degrees of freedom, where the statistic has any.
	DF float64
	// P is the probability of a statistic at least as large if x and y are independent given the set: a small one speaks
	// against independence. It is in [0, 1].
	P float64
}

// What a test refuses.
var (
	ErrArguments = errors.New("a column is tested against itself or does not exist")
	ErrRows      = errors.New("too few rows for so many columns in the condition")
)

// arguments sorts x and y and a copy of given in the memory of *buf, and refuses what is no question.
func arguments(columns, x, y int, given []int, buf *[]int) (int, int, []int, error) {
	if x > y {
		x, y = y, x
	}
	set := append((*buf)[:0], given...)
	*buf = set
	slices.Sort(set)
	bad := x == y || x < 0 || y >= columns || len(set) > 0 && (set[0] < 0 || set[len(set)-1] >= columns)
	for i, v := range set {
		bad = bad || v == x || v == y || i > 0 && v == set[i-1]
	}
	if bad {
		return 0, 0, nil, fmt.Errorf("%w: columns %d and %d given %v of %d columns", ErrArguments, x, y, given, columns)
	}
	return x, y, set, nil
}

// chi returns the result of a statistic that is χ² with df degrees of freedom under independence. Without any, nothing is
// left that could depend on anything: P is 1.
func chi(statistic, df float64) Result {
	if !(df > 0) {
		return Result{P: 1}
	}
	statistic = max(0, statistic)
	return Result{Statistic: statistic, DF: df, P: ChiSquared(statistic, df)}
}
