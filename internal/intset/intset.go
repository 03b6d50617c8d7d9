// Package intset has sets of small integers as ascending slices. No function changes its arguments.
package intset

import "slices"

// With returns a set with x.
func With(set []int, x int) []int {
	at, found := slices.BinarySearch(set, x)
	if found {
		return set
	}
	return slices.Insert(slices.Clone(set), at, x)
}

// Without returns a copy of a set without x.
func Without(set []int, x int) []int {
	return slices.DeleteFunc(slices.Clone(set), func(v int) bool { return v == x })
}

// Union returns the elements of a or b.
func Union(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// Range returns the integers from first to end - 1.
func Range(first, end int) []int {
	out := make([]int, max(0, end-first))
	for i := range out {
		out[i] = first + i
	}
	return out
}
