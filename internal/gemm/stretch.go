package gemm

// Stretch is the number of entries that a pass over several matrices takes at a time: six stretches of float32 fill the first cache,
// so that what one operation of a pass leaves the next one finds. Sums of a pass are added stretch by stretch, in order: their
// bytes depend on the length of the matrices alone. It is a multiple of every vector.
const Stretch = 2048

// leastPass is the least number of entries for which Stretches shares a pass. With less the next product, which reads what both threads
// wrote, loses what the pass gains.
const leastPass = 32768

// Shared reports whether a pass over n entries on so many threads is worth sharing.
func Shared(threads, n int) bool { return threads > 1 && n >= leastPass }

// Stretches calls pass for every stretch of n entries, number i from lo up to hi, on at most the given number of threads.
func Stretches(threads, n int, pass func(i, lo, hi int)) {
	count := ceilDiv(n, Stretch)
	parts := min(count, 8*max(threads, 1))
	Share(threads, parts, func(part int) {
		for i := share(part, count, parts); i < share(part+1, count, parts); i++ {
			pass(i, i*Stretch, min((i+1)*Stretch, n))
		}
	})
}

// Sum is Stretches for passes with a value, and returns the sum of the values in order.
func Sum(threads, n int, pass func(lo, hi int) float64) float64 {
	values := make([]float64, ceilDiv(n, Stretch))
	Stretches(threads, n, func(i, lo, hi int) { values[i] = pass(lo, hi) })
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}
