// Package independence tests whether two columns are independent given others. Constraint-based methods such as PC and FCI accept
// any Test.
//
//	test, err := independence.NewFisherZ(moments.Correlation(), moments.N)
//	r, err := test.Independent(x, y, []int{z})
//	if r.P > 0.01 { … no edge between x and y … }
//
// FisherZ is for numeric columns with linear effects, G2 and Chi2 for categorical columns, Mixed for both, and Blocks for nonlinear
// effects. Oracle uses a known graph. Cache caches the results of any Test and counts the calls. Package kit checks that a Test
// fulfils its contract.
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
	// Columns returns the number of columns; x, y and given must be less.
	Columns() int
	// Independent tests x and y given the set. The result does not depend on the order of x and y or of given, or on previous
	// calls. It neither changes nor keeps given. A column that is repeated among x, y and given is an error that matches
	// ErrArguments. Several goroutines may call it at the same time.
	Independent(x, y int, given []int) (Result, error)
}

// A Worker is a Test that gives the same results faster to one goroutine, with its own buffers.
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
	// Statistic increases with the dependence of x and y; its scale depends on the test.
	Statistic float64
	// DF is the degrees of freedom, if the statistic has any.
	DF float64
	// P is the p-value under independence of x and y given the set, in [0, 1].
	P float64
}

// Errors of tests.
var (
	ErrArguments = errors.New("a column is tested against itself or does not exist")
	ErrRows      = errors.New("too few rows for so many columns in the condition")
)

// arguments sorts x and y and a copy of given in *buf, and rejects invalid arguments.
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

// chi returns the result of a statistic that is χ² with df degrees of freedom under independence. Without degrees of freedom P is
// 1.
func chi(statistic, df float64) Result {
	if !(df > 0) {
		return Result{P: 1}
	}
	statistic = max(0, statistic)
	return Result{Statistic: statistic, DF: df, P: ChiSquared(statistic, df)}
}

// Arranged returns t for columns in another order: column v is column place[v] of t.
func Arranged(t Test, place []int) Test { return &arranged{test: t, place: place} }

type arranged struct {
	test  Test
	place []int
	set   []int
	own   bool // the test belongs to one goroutine
}

func (a *arranged) Columns() int { return len(a.place) }

func (a *arranged) Worker() Test { return &arranged{test: WorkerOf(a.test), place: a.place, own: true} }

func (a *arranged) Independent(x, y int, given []int) (Result, error) {
	if !a.own {
		return a.Worker().Independent(x, y, given)
	}
	x, y, set, err := arguments(a.Columns(), x, y, given, &a.set)
	if err != nil {
		return Result{}, err
	}
	for i, v := range set {
		set[i] = a.place[v]
	}
	return a.test.Independent(a.place[x], a.place[y], set)
}
