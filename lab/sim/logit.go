package sim

import (
	"math"
	"math/rand/v2"
)

// A logit computes a category from categorical parents without interactions: the probabilities are proportional to
//
//	exp(b_o + Σ effect(category of p, o)).
//
// The intercepts b are N(0, 1/4). The effects of a parent are N(0, 1), centered over both its categories and those of the node, and
// scaled: with r and s categories their mean square is u²·(r-1)·(s-1)/(r·s), u uniform on [0.5, 1]. For two binary columns the
// log odds ratio is between ±1 and ±2.
type logit struct {
	parents   []int
	outs      int
	intercept []float64
	effects   [][]float64 // the effects of each parent, at category·outs + o
}

func (m *Model) drawLogit(v int, rng *rand.Rand) *logit {
	l := &logit{parents: m.parents[v], outs: m.levels[v]}
	for range l.outs {
		l.intercept = append(l.intercept, rng.NormFloat64()/2)
	}
	for _, p := range l.parents {
		r, s := l.outs, m.levels[p]
		effects := make([]float64, r*s)
		for i := range effects {
			effects[i] = rng.NormFloat64()
		}
		center(effects, s, r)
		size := 0.0
		for _, e := range effects {
			size += e * e
		}
		scale := (0.5 + 0.5*rng.Float64()) * math.Sqrt(float64((r-1)*(s-1))/size)
		for i := range effects {
			effects[i] *= scale
		}
		l.effects = append(l.effects, effects)
	}
	return l
}

// center subtracts the means of rows and columns from a matrix.
func center(a []float64, rows, columns int) {
	for i := range rows {
		mean := 0.0
		for j := range columns {
			mean += a[i*columns+j] / float64(columns)
		}
		for j := range columns {
			a[i*columns+j] -= mean
		}
	}
	for j := range columns {
		mean := 0.0
		for i := range rows {
			mean += a[i*columns+j] / float64(rows)
		}
		for i := range rows {
			a[i*columns+j] -= mean
		}
	}
}

func (l *logit) value(row []float64, noise float64) float64 {
	var u [mostLevels]float64
	total := 0.0
	for o := range l.outs {
		sum := l.intercept[o]
		for k, p := range l.parents {
			sum += l.effects[k][int(row[p])*l.outs+o]
		}
		total += math.Exp(sum)
		u[o] = total
	}
	return pick(u[:l.outs], noise*total)
}

// A cumulative computes an ordered category 0, 1, …: the number of thresholds below Σ weight·(p - mean)/sd + noise, where the noise
// is logistic with variance 1. Weights are uniform on ±[0.4, 1]. The thresholds give categories of about equal frequency, up to a
// random shift.
type cumulative struct {
	parents     []int
	weights     []float64
	mean, scale []float64
	thresholds  []float64
}

func (m *Model) drawCumulative(v int, rng *rand.Rand) *cumulative {
	c := &cumulative{parents: m.parents[v]}
	variance := 1.0
	for _, p := range c.parents {
		w := signed(0.4, 1, rng)
		variance += w * w
		c.weights, c.mean, c.scale = append(c.weights, w), append(c.mean, m.mean[p]), append(c.scale, m.scale[p])
	}
	shift := 0.4 * rng.NormFloat64()
	for k := 1; k < m.levels[v]; k++ {
		share := float64(k) / float64(m.levels[v])
		c.thresholds = append(c.thresholds, math.Sqrt(variance)*(shift+logistic(share)))
	}
	return c
}

// logistic returns the quantile of the logistic distribution with variance 1.
func logistic(u float64) float64 { return math.Log(u/(1-u)) * math.Sqrt(3) / math.Pi }

func (c *cumulative) value(row []float64, noise float64) float64 {
	u := logistic(min(max(noise, 1e-12), 1-1e-12))
	for k, p := range c.parents {
		u += c.weights[k] * (row[p] - c.mean[k]) * c.scale[k]
	}
	for k, t := range c.thresholds {
		if u < t {
			return float64(k)
		}
	}
	return float64(len(c.thresholds))
}
