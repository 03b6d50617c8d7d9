package sim

import (
	"math/rand/v2"

	"github.com/polydag/polydag/internal/splitmix"
)

// A Purpose identifies one stream of random numbers.
type Purpose uint64

// Purposes are part of every stream: never reuse or reorder their numbers.
const (
	streamGraph   Purpose = 1
	streamWeights Purpose = 2
	streamScales  Purpose = 3 // standard deviations of the noise
	StreamNoise   Purpose = 4
	streamDesign  Purpose = 5

	streamKinds      Purpose = 6  // the categorical nodes and their numbers of levels
	streamMechanism  Purpose = 7  // functions, tables and effects of levels
	streamPilot      Purpose = 8  // rows that say how large numbers are
	streamSettings   Purpose = 9  // targets and what changes in an environment
	streamAssignment Purpose = 10 // the setting of each row
	StreamScenes     Purpose = 11 // images of rows
)

// Stream returns the random numbers of a seed for one purpose.
func Stream(seed uint64, p Purpose) *rand.Rand { return splitmix.Stream(seed, uint64(p)) }

// sub derives a seed for a part.
func sub(seed uint64, part ...uint64) uint64 {
	for _, p := range part {
		seed = splitmix.Mix(splitmix.Mix(seed) + p)
	}
	return seed
}
