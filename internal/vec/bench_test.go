package vec

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Run with -bench . and compare kernel=go with the others: the ratio within one run is the gain.

// kernels returns each kernel on n random numbers.
func kernels[T Float](n int) map[string]func(k isa) {
	rng := rand.New(rand.NewPCG(1, 1))
	w, x, y, z := random[T](rng, n), random[T](rng, n), random[T](rng, n), random[T](rng, n)
	p := newAdamStep[T](AdamParams{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Corr1: 1, Corr2: 1})
	return map[string]func(k isa){
		"Axpy":      func(k isa) { axpy(k, y, T(1e-9), x) },
		"Scale":     func(k isa) { scale(k, y, T(1.5), x) },
		"Lin3":      func(k isa) { lin3(k, w, T(1), x, T(2), y, T(3), z) },
		"Dot":       func(k isa) { dot(k, x, y) },
		"ChainRule": func(k isa) { chainRule(k, w, x, y) },
		"AddL1":     func(k isa) { addL1(k, w, T(1e-9), x) },
		"Adam":      func(k isa) { adam(k, w, 1, x, 0.5, x, y, z, p) },
	}
}

func BenchmarkKernels(b *testing.B) {
	for _, n := range []int{5, 20, 100, 10000} {
		for precision, kernels := range map[string]map[string]func(isa){"float32": kernels[float32](n), "float64": kernels[float64](n)} {
			for _, name := range slices.Sorted(maps.Keys(kernels)) {
				for _, k := range available() {
					b.Run(fmt.Sprintf("%s/%s/n=%d/kernel=%v", name, precision, n, k), func(b *testing.B) {
						for b.Loop() {
							kernels[name](k)
						}
					})
				}
			}
		}
	}
}
