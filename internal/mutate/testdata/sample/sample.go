// Package sample has one function that its test holds, and one that it does not.
package sample

// Larger is held by the test.
func Larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

// Twice is not: the test calls it with 0 alone.
func Twice(a int) int {
	return a + a
}
