package sim

import (
	"math"
	"math/rand/v2"
)

// mostLevels is the largest number of categories: text with more is not read as one variable.
const mostLevels = 50

// drawKinds returns the number of categories of each node, 0 for a numeric node.
func drawKinds(cfg Settings, rng *rand.Rand) []int {
	levels := make([]int, cfg.Nodes)
	var with []int
	switch cfg.Mechanism {
	case Discrete, Logit, Ordinal:
		with = rng.Perm(cfg.Nodes)
	case Mixed:
		with = rng.Perm(cfg.Nodes)[:cfg.Nodes/2]
	}
	for _, v := range with {
		levels[v] = cfg.LevelsLow + rng.IntN(cfg.LevelsHigh-cfg.LevelsLow+1)
	}
	return levels
}

// A table has a distribution over the categories of a node for each configuration of its parents, drawn from its own seed
// (symmetric Dirichlet). A table of up to tableEntries numbers is kept in memory; a larger one is drawn again at each use, because
// most of its configurations never occur.
type table struct {
	parents []int
	counts  []int // categories of the parents
	levels  int
	alpha   float64
	seed    uint64
	kept    []float64 // cumulative, by configuration; nil if the table is too large
}

const tableEntries = 1 << 12

func newTable(parents, counts []int, levels int, alpha float64, seed uint64) *table {
	t := &table{parents: parents, levels: levels, alpha: alpha, seed: seed}
	combinations := 1
	for _, p := range parents {
		t.counts = append(t.counts, counts[p])
		combinations = min(combinations*counts[p], tableEntries+1)
	}
	if combinations*levels > tableEntries {
		return t
	}
	t.kept = make([]float64, combinations*levels)
	at := make([]int, len(parents))
	for c := range combinations {
		rest := c
		for k := len(at) - 1; k >= 0; k-- {
			at[k], rest = rest%t.counts[k], rest/t.counts[k]
		}
		seed := t.seed
		for _, l := range at {
			seed = sub(seed, uint64(l))
		}
		t.distribution(t.kept[c*levels:(c+1)*levels], seed)
	}
	return t
}

func (t *table) value(row []float64, noise float64) float64 {
	if t.kept != nil {
		c := 0
		for k, p := range t.parents {
			c = c*t.counts[k] + int(row[p])
		}
		return pick(t.kept[c*t.levels:(c+1)*t.levels], noise)
	}
	seed := t.seed
	for _, p := range t.parents {
		seed = sub(seed, uint64(row[p]))
	}
	var scratch [mostLevels]float64
	t.distribution(scratch[:t.levels], seed)
	return pick(scratch[:t.levels], noise)
}

// distribution writes the cumulative probabilities of one combination.
func (t *table) distribution(dst []float64, seed uint64) {
	rng := Stream(seed, streamMechanism)
	sum := 0.0
	for l := range dst {
		sum += gamma(t.alpha, rng)
		dst[l] = sum
	}
	if sum == 0 { // a very small parameter puts all mass on one category
		for l := rng.IntN(len(dst)); l < len(dst); l++ {
			dst[l] = 1
		}
		return
	}
	for l := range dst {
		dst[l] /= sum
	}
}

// pick returns the first category whose cumulative probability exceeds u < 1.
func pick(cumulative []float64, u float64) float64 {
	for l, c := range cumulative {
		if u < c {
			return float64(l)
		}
	}
	return float64(len(cumulative) - 1)
}

// gamma draws from the gamma distribution with scale 1 (Marsaglia and Tsang 2000).
func gamma(shape float64, rng *rand.Rand) float64 {
	if shape < 1 {
		return gamma(shape+1, rng) * math.Pow(1-rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
