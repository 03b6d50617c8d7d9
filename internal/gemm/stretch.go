package gemm

// Stretch is the number of entries in a block of a pass over several matrices. Six blocks of float32 fill the
// L1 cache, so that the next operation of a pass finds its data there. Sums are added block by block in order,
// so their bytes depend only on the length. It is a multiple of every vector.
const Stretch = 2048

// leastPass is the smallest number of entries for which Stretches shares a pass. With fewer, the next product,
// which reads data from both threads, loses what the pass gains.
const leastPass = 32768

// Shared reports whether several threads should share a pass over n entries.
func Shared(threads, n int) bool { return threads > 1 && n >= leastPass }

// Stretches calls pass for every block i of n entries, from lo to hi, on at most the given number of threads.
func Stretches(threads, n int, pass func(i, lo, hi int)) {
	count := ceilDiv(n, Stretch)
	parts := min(count, 8*max(threads, 1))
	Share(threads, parts, func(part int) {
		for i := share(part, count, parts); i < share(part+1, count, parts); i++ {
			pass(i, i*Stretch, min((i+1)*Stretch, n))
		}
	})
}

// Sum is Stretches for passes with a value and returns the sum of the values in order.
func Sum(threads, n int, pass func(lo, hi int) float64) float64 {
	values := make([]float64, ceilDiv(n, Stretch))
	Stretches(threads, n, func(i, lo, hi int) { values[i] = pass(lo, hi) })
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum
}
