// Package splitmix has the output function of the generator SplitMix64, for seeds and hashes:
//
//	rng := rand.New(rand.NewPCG(splitmix.Mix(seed), splitmix.Mix(seed+1)))
package splitmix

// Step is what SplitMix64 adds to its state before each number, 2⁶⁴ divided by the golden ratio.
const Step = 0x9e3779b97f4a7c15

// Mix returns the number of SplitMix64 in state z (Steele, Lea and Flood 2014), a bijection.
func Mix(z uint64) uint64 {
	z += Step
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
