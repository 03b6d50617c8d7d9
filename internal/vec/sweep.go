package vec

import "fmt"

// SweepWidth is the number of numbers in a row of Sweep, and the most rows.
const SweepWidth = 32

// Sweep overwrites a small nonnegative matrix Y with (sI - Y)⁻¹, where that is an M-matrix: one whose every pivot is positive. The n rows
// follow each other, SweepWidth numbers each, of which those from the n-th on are zero; n is the length of taken.
//
// With pivot s - y_kk = 1/x, row k becomes r = x y_k with r_k = x, and each other row i becomes y_i + y_ik r with y_ik x in column k. The latter
// is what y_ik + y_ik (x - 1) comes to, and x - 1 = x (y_kk + 1 - s), so that one pass does all columns, adds nonnegative numbers only where s ≤ 1, and
// never makes a number of a zero.
//
// taken[k] is what the pivots before it took from pivot k, y_kk at that time. Sweep returns how many pivots were positive: n, or the number of the first
// that was not, where it stops and leaves Y half done.
func Sweep[T Float](y, taken []T, s T) int {
	if n := len(taken); n > SweepWidth || len(y) != n*SweepWidth {
		panic(fmt.Sprintf("vec: Sweep of %d numbers and %d pivots, want at most %[3]d rows of %[3]d", len(y), n, SweepWidth))
	}
	if len(taken) == 0 {
		return 0
	}
	return sweep(best, y, taken, s)
}

func sweepGo[T Float](y, taken []T, s T) int {
	for k := range taken {
		top := y[k*SweepWidth:][:SweepWidth]
		taken[k] = top[k]
		pivot := s - top[k]
		if !(pivot > 0) {
			return k
		}
		inverse := 1 / pivot
		top[k] += 1 - s
		for j := range top {
			top[j] *= inverse
		}
		for i := range taken {
			if i == k {
				continue
			}
			row := y[i*SweepWidth:][:SweepWidth]
			f := row[k]
			for j, v := range top {
				row[j] += f * v
			}
		}
		top[k]++
	}
	return len(taken)
}
