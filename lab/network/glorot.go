package network

import (
	"math"
	"math/rand/v2"
)

// Glorot draws weights as Glorot and Bengio (2010) for leaky rectifiers: uniform with variance 2·gain²/(inputs + outputs).
func Glorot[T float32 | float64](w []T, inputs, outputs int, leak float64, rng *rand.Rand) {
	bound := math.Sqrt(2/(1+leak*leak)) * math.Sqrt(6/float64(inputs+outputs))
	for i := range w {
		w[i] = T(bound * (2*rng.Float64() - 1))
	}
}
