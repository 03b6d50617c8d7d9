package bench

import (
	"math/rand/v2"

	"github.com/polydag/polydag/matrix"
)

// edges returns a W with 2d random edges of weights ±(0.3 … 0.8): of a DAG, or of any graph without self-loops, which then has about 0.6 d
// nodes in one strongly connected component.
func edges[T matrix.Float](rng *rand.Rand, d int, dag bool) *matrix.Dense[T] {
	w := matrix.New[T](d, d)
	order := rng.Perm(d)
	for range 2 * d {
		i, j := rng.IntN(d), rng.IntN(d)
		if i == j {
			continue
		}
		if dag && order[i] > order[j] {
			i, j = j, i
		}
		w.Set(i, j, T((0.3+0.5*rng.Float64())*float64(2*rng.IntN(2)-1)))
	}
	return w
}
