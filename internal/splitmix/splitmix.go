// Package splitmix has the output function of the generator SplitMix64, for seeds and hashes:
//
//	rng := rand.New(rand.NewPCG(splitmix.Mix(seed), splitmix.Mix(seed+1)))
package splitmix

import "math/rand/v2"

// Step is what SplitMix64 adds to its state before each number, 2⁶⁴ divided by the golden ratio.
const Step = 0x9e3779b97f4a7c15

// Mix returns the number of SplitMix64 in state z (Steele, Lea and Flood 2014), a bijection.
func Mix(z uint64) uint64 {
	z += Step
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Stream returns the random numbers of a seed for one purpose. Streams of different seeds or purposes are independent for all
// practical purposes: both words of a PCG's state are hashed from seed and purpose, because states that share a word give related
// numbers.
func Stream(seed, purpose uint64) *rand.Rand {
	return rand.New(rand.NewPCG(Mix(Mix(seed)+2*purpose), Mix(Mix(seed)+2*purpose+1)))
}
