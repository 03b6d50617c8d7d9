package attribution

import (
	"math/rand/v2"
	"slices"
)

// Sizes of the computation of Shapley values.
const (
	mostExact    = 6  // players whose subsets are all evaluated
	permutations = 40 // random orders of more players, each with its reverse
)

// shapley returns the Shapley values of a game: the mean increase of the value when a player joins those before it, over all orders
// of the players. Of many players it samples orders. value must not keep its argument.
func shapley(players int, seed uint64, value func(in []bool) (float64, error)) ([]float64, error) {
	out := make([]float64, players)
	in := make([]bool, players)
	if players <= mostExact {
		values := make([]float64, 1<<players)
		for set := range values {
			for p := range in {
				in[p] = set>>p&1 == 1
			}
			var err error
			if values[set], err = value(in); err != nil {
				return nil, err
			}
		}
		for set := range values {
			size := 0
			for p := range players {
				size += set >> p & 1
			}
			// weight = size!·(players-size-1)!/players!
			weight := 1 / float64(players)
			for k := 1; k <= size; k++ {
				weight *= float64(k) / float64(players-size-1+k)
			}
			for p := range players {
				if set>>p&1 == 0 {
					out[p] += weight * (values[set|1<<p] - values[set])
				}
			}
		}
		return out, nil
	}
	rng := rand.New(rand.NewPCG(seed, 0x73686170))
	for range permutations {
		order := rng.Perm(players)
		for range 2 {
			clear(in)
			last, err := value(in)
			if err != nil {
				return nil, err
			}
			for _, p := range order {
				in[p] = true
				next, err := value(in)
				if err != nil {
					return nil, err
				}
				out[p] += (next - last) / (2 * permutations)
				last = next
			}
			slices.Reverse(order)
		}
	}
	return out, nil
}
