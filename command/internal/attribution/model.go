package attribution

import (
	"math/rand/v2"

	"github.com/polydag/polydag/internal/mechanism"
)

// uniforms draws numbers on [0, 1) for each needed column, one in each of the draws equal parts (Latin hypercube), so that averages
// vary less.
func (d *data) uniforms(draws int, seed uint64) [][]float64 {
	out := make([][]float64, d.g.N())
	for _, v := range d.needed {
		rng := rand.New(rand.NewPCG(seed, uint64(v)+1))
		out[v] = make([]float64, draws)
		for i, k := range rng.Perm(draws) {
			out[v][i] = (float64(k) + rng.Float64()) / float64(draws)
		}
	}
	return out
}

// figure returns the mean of the target, or the probability of a category of it, if each column v has the mechanism of pick(v). An
// affine model propagates means; others propagate draws, the same for every pick.
func (d *data) figure(category int, u [][]float64, pick func(v int) *mechanism.Network) float64 {
	draws := 1
	if u != nil {
		draws = len(u[d.target])
	}
	values := make([][]float64, d.g.N())
	var parents []float64
	for _, v := range d.needed {
		f := pick(v)
		own := f.F[v].Clone()
		values[v] = make([]float64, draws)
		parents = append(parents[:0], make([]float64, len(d.g.Parents(v)))...)
		sum := 0.0
		for i := range draws {
			for j, p := range d.g.Parents(v) {
				parents[j] = values[p][i]
			}
			y := own.At(parents)
			switch levels := d.rows.Levels[v]; {
			case v == d.target && levels != nil:
				sum += y[category]
			case v == d.target:
				sum += y[0] + f.Mean[v]
			case levels != nil:
				values[v][i] = levels[mechanism.Pick(y, u[v][i])]
			case u == nil:
				values[v][i] = y[0] + f.Mean[v]
			default:
				values[v][i] = y[0] + f.Quantile(v, u[v][i])
			}
		}
		if v == d.target {
			return sum / float64(draws)
		}
	}
	return 0
}
