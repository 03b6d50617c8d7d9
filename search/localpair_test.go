package search

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/chol"
)

// pairScore is a score of correlations: the nodes of the engine with a penalty.
type pairScore struct {
	p     Problem
	price float64
}

func (s pairScore) Variables() int       { return s.p.R.Rows }
func (s pairScore) Price() float64       { return s.price }
func (s pairScore) Equivalent() bool     { return true }
func (s pairScore) Evaluator() Evaluator { return s }

func (s pairScore) Score(v int, parents []int) float64 {
	if len(parents) > (s.p.N-2)/2 {
		return math.Inf(1)
	}
	return float64(s.p.N)*(1+math.Log(max(chol.Determined, residualByRegression(s.p.R, v, parents)))) + s.price*float64(len(parents))
}

func (s pairScore) Additions(dst []float64, v int, parents []int) {
	for x := range dst {
		if at, known := slices.BinarySearch(parents, x); !known && x != v {
			dst[x] = s.Score(v, slices.Insert(slices.Clone(parents), at, x))
		}
	}
}

func localProblem(d int, seed uint64) Problem {
	p := Problem{Score: pairScore{randomSample(d, 2*d, 200, 0.7, seed).problem(), 8}}
	p.Knowledge = randomKnowledge(d, rand.New(rand.NewPCG(seed, 3)))
	return p
}
