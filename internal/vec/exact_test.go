package vec

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestTwoSumIsExact checks that the two parts are the sum exactly, for any sizes and signs.
func TestTwoSumIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	exact := func(v float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(v) }
	for range 10_000 {
		a, b := rng.NormFloat64()*float64(int64(1)<<rng.IntN(60)), rng.NormFloat64()/float64(int64(1)<<rng.IntN(60))
		sum, lost := TwoSum(a, b)
		if sum != a+b || new(big.Float).Add(exact(sum), exact(lost)).Cmp(new(big.Float).Add(exact(a), exact(b))) != 0 {
			t.Fatalf("%v + %v is %v + %v", a, b, sum, lost)
		}
	}
}
