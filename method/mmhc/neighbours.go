package mmhc

import (
	"context"
	"errors"
	"slices"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/parallel"
)

// candidates finds the candidate neighbors of each column by max-min parents and children (Tsamardinos, Brown
// and Aliferis 2006). With their correction, x is a candidate of y only if y is one of x.
type candidates struct {
	test  independence.Test
	alpha float64
	most  int // largest size of a conditioning set
}

// all returns the candidates of every column, ascending, and false if the context ended first. Goroutines share
// the columns.
func (c *candidates) all(ctx context.Context, threads int) ([][]int, bool, error) {
	d := c.test.Columns()
	found, errs := make([][]int, d), make([]error, d)
	parallel.Each(ctx, d, threads, func(int) func(int) {
		test := independence.WorkerOf(c.test)
		return func(t int) { found[t], errs[t] = c.of(ctx, test, t) }
	})
	if err := errors.Join(errs...); err != nil {
		return nil, false, err
	}
	return symmetric(found), ctx.Err() == nil, nil
}

// symmetric keeps x as a candidate of y only if y is a candidate of x.
func symmetric(found [][]int) [][]int {
	out := make([][]int, len(found))
	for y, near := range found {
		for _, x := range near {
			if slices.Contains(found[x], y) {
				out[y] = append(out[y], x)
			}
		}
		slices.Sort(out[y])
	}
	return out
}

// of returns the candidates of t by its own tests. It repeatedly adds the column whose smallest association
// with t, over all conditioning sets of candidates, is largest. A column that is independent of t given some
// set is excluded for good. In the end each candidate is tested again given the others.
func (c *candidates) of(ctx context.Context, test independence.Test, t int) (in []int, err error) {
	weakest := map[int]independence.Result{} // smallest association of the columns not excluded
	ask := func(x int, given []int) (out bool) {
		r, e := test.Independent(t, x, given)
		switch {
		case errors.Is(e, independence.ErrRows): // too few rows for this conditioning set
			return false
		case e != nil:
			err = e
			return true
		}
		if w, ok := weakest[x]; !ok || weaker(r, w) {
			weakest[x] = r
		}
		return r.P > c.alpha
	}
	left := make([]int, 0, test.Columns())
	for x := range test.Columns() {
		if x != t && !ask(x, nil) {
			left = append(left, x)
		}
	}
	for len(left) > 0 && err == nil && ctx.Err() == nil {
		best := 0
		for i, x := range left {
			if weaker(weakest[left[best]], weakest[x]) {
				best = i
			}
		}
		next := left[best]
		left = slices.Delete(left, best, best+1)
		before := in
		in = append(slices.Clone(in), next)
		left = slices.DeleteFunc(left, func(x int) bool {
			return ctx.Err() == nil && subsets(before, c.most-1, func(set []int) bool { return ask(x, append(slices.Clone(set), next)) })
		})
	}
	for _, x := range slices.Clone(in) {
		others := slices.DeleteFunc(slices.Clone(in), func(v int) bool { return v == x })
		if ctx.Err() == nil && subsets(others, c.most, func(set []int) bool { return ask(x, set) }) {
			in = others
		}
	}
	return in, err
}

// weaker reports whether a is weaker evidence of dependence than b. If both p-values underflow, it compares the
// statistics minus their degrees of freedom.
func weaker(a, b independence.Result) bool {
	if a.P != b.P {
		return a.P > b.P
	}
	return a.Statistic-a.DF < b.Statistic-b.DF
}

// subsets calls f with the subsets of at most the given size, smaller ones first, until f returns true, and
// reports whether it did. f must not retain the set.
func subsets(of []int, most int, f func(set []int) bool) bool {
	var from func(set []int, at, size int) bool
	from = func(set []int, at, size int) bool {
		if size == 0 {
			return f(set)
		}
		for i := at; i <= len(of)-size; i++ {
			if from(append(set, of[i]), i+1, size-1) {
				return true
			}
		}
		return false
	}
	for size := 0; size <= min(most, len(of)); size++ {
		if from(make([]int, 0, size), 0, size) {
			return true
		}
	}
	return false
}
