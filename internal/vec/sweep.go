package vec

import "fmt"

// SweepWidth is the length of a row of Sweep, and the largest number of rows.
const SweepWidth = 32

// Sweep overwrites a small nonnegative matrix Y with (sI - Y)⁻¹ if sI - Y is an M-matrix, that is, if every
// pivot is positive. Each of the n rows has SweepWidth numbers, zero from the n-th on; n is the length of
// taken.
//
// With pivot s - y_kk = 1/x, row k becomes r = x y_k with r_k = x, and each other row i becomes y_i + y_ik r
// with y_ik x in column k. The latter equals y_ik + y_ik (x - 1), and x - 1 = x (y_kk + 1 - s). So one pass
// does all columns, adds only nonnegative numbers if s ≤ 1, and keeps zeros.
//
// taken[k] is the amount that earlier pivots subtracted from pivot k, y_kk at that time. Sweep returns the
// number of positive pivots: n, or the index of the first other one, where it stops and leaves Y incomplete.
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
