package sim

import (
	"math"
	"math/rand/v2"
)

// A predictor computes a number or a category from parents of both kinds, by one sum for a number and one sum per category,
//
//	u_o = Σ effect(level of p, o) + Σ effect(p, o)·(p - mean)/sd,
//
// over the categorical and the numeric parents p. A number is u + sd·noise; categories have probabilities proportional to exp(u_o),
// a multinomial logit. Effects of categories are N(0, 1) on categories and uniform on ±[0.5, 2] on numbers. Effects of numbers, in
// standard deviations, are uniform on ±[0.5, 1.5].
type predictor struct {
	parents     []int
	levels      []int // categories of the parents, 0 for a number
	effects     [][]float64
	mean, scale []float64 // means and deviations of the numeric parents
	outs        int       // categories of the node, 0 for a number
	sd          float64
}

func (m *Model) drawPredictor(v int, rng *rand.Rand) *predictor {
	p := &predictor{parents: m.parents[v], outs: m.levels[v], sd: m.sd[v]}
	outs := max(1, p.outs)
	for _, q := range p.parents {
		effects := make([]float64, max(1, m.levels[q])*outs)
		for i := range effects {
			switch {
			case m.levels[q] > 0 && p.outs > 0:
				effects[i] = rng.NormFloat64()
			case m.levels[q] > 0:
				effects[i] = signed(0.5, 2, rng)
			default:
				effects[i] = signed(0.5, 1.5, rng)
			}
		}
		p.effects, p.levels = append(p.effects, effects), append(p.levels, m.levels[q])
		p.mean, p.scale = append(p.mean, m.mean[q]), append(p.scale, m.scale[q])
	}
	return p
}

func (p *predictor) sum(row []float64, o int) float64 {
	u, outs := 0.0, max(1, p.outs)
	for k, q := range p.parents {
		if p.levels[k] > 0 {
			u += p.effects[k][int(row[q])*outs+o]
		} else {
			u += p.effects[k][o] * (row[q] - p.mean[k]) * p.scale[k]
		}
	}
	return u
}

func (p *predictor) value(row []float64, noise float64) float64 {
	if p.outs == 0 {
		return p.sum(row, 0) + p.sd*noise
	}
	var u [mostLevels]float64
	most := math.Inf(-1)
	for o := range p.outs {
		u[o] = p.sum(row, o)
		most = max(most, u[o])
	}
	total := 0.0
	for o := range p.outs {
		total += math.Exp(u[o] - most)
		u[o] = total
	}
	return pick(u[:p.outs], noise*total)
}

// pilotRows is the number of rows that estimate the scale of a number, to about 2 %.
const pilotRows = 1000

// drawMixed draws the equations along the causal order. The mean and standard deviation of each node come from a pilot sample,
// which takes 8·pilotRows·d bytes during the call.
func (m *Model) drawMixed() {
	d := m.Dim()
	m.mean, m.scale = make([]float64, d), make([]float64, d)
	pilot, rng := make([]float64, pilotRows*d), Stream(m.cfg.Seed, streamPilot)
	for _, v := range m.order {
		m.equations[v] = m.equation(v, m.cfg.Seed)
		var mean, square float64
		for i := range pilotRows {
			row := pilot[i*d : (i+1)*d]
			row[v] = m.equations[v].value(row, m.noiseOf(v, rng))
			delta := row[v] - mean
			mean += delta / float64(i+1)
			square += delta * (row[v] - mean)
		}
		m.mean[v], m.scale[v] = mean, math.Sqrt(pilotRows/square)
	}
}
