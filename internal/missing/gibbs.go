package missing

import (
	"math"
	"math/rand/v2"
	"slices"
)

// candidates is the number of values that compete for a missing numeric value, besides the present one.
const candidates = 10

// gibbs draws missing values of coded rows from their distribution given the rest of the row: categories together, then the other values
// one after the other.
type gibbs struct {
	g      *Network
	block  *block
	pcg    *rand.PCG
	random *rand.Rand
	p      []float64 // probabilities of levels
	out    []float64 // predictions of a child
	base   []float64
	x, w   []float64 // candidates and the logarithms of their weights
}

func newGibbs(g *Network) *gibbs {
	pcg := rand.NewPCG(0, 0)
	return &gibbs{g: g, block: newBlock(g), pcg: pcg, random: rand.New(pcg), p: make([]float64, mostLevels), out: make([]float64, mostLevels), base: make([]float64, mostLevels),
		x: make([]float64, candidates+1), w: make([]float64, max(mostLevels, candidates+1))}
}

// forward draws the missing values from their parents, in causal order.
func (s *gibbs) forward(row []float64, lacks []int32) {
	for _, v := range s.g.causal {
		if _, missing := slices.BinarySearch(lacks, int32(v)); missing {
			if s.g.columns[v].levels != nil {
				row[v] = float64(s.pick(s.own(row, v, &s.g.nodes[v])))
			} else {
				row[v] = s.normal(v, row, s.g.nodes[v].model)
			}
		}
	}
}

// sweep draws each missing value once. It reports whether the draw is exact and does not depend on the values before.
func (s *gibbs) sweep(row []float64, lacks []int32) bool {
	alone := s.block.draw(s, row, lacks)
	for _, v := range alone {
		if s.g.columns[v].levels != nil {
			s.drawLevel(row, int(v))
		} else {
			s.drawNumber(row, int(v))
		}
	}
	return len(alone) == 0
}

// own returns the probabilities of the levels of v given its parents under the model x.
func (s *gibbs) own(row []float64, v int, x *node) []float64 {
	p := s.p[:len(s.g.columns[v].levels)]
	if x.table != nil {
		copy(p, x.table.p[x.table.base(row, -1):])
		return p
	}
	x.model.predict(p, row, s.g.columns, -1)
	share(p)
	return p
}

// pick draws a place with probabilities proportional to p.
func (s *gibbs) pick(p []float64) int {
	sum := 0.0
	for _, q := range p {
		sum += q
	}
	u := s.random.Float64() * sum
	for k, q := range p {
		if u -= q; u < 0 {
			return k
		}
	}
	return len(p) - 1
}

// normal draws from a numeric model, within the range of the column.
func (s *gibbs) normal(v int, row []float64, m *additive) float64 {
	m.predict(s.out, row, s.g.columns, -1)
	return s.near(v, s.out[0], m.sigma)
}

// near draws a normal number within the range of column v.
func (s *gibbs) near(v int, mean, sigma float64) float64 {
	c := &s.g.columns[v]
	return max(c.low, min(c.high, mean+sigma*s.random.NormFloat64()))
}

// drawLevel draws a level from its probability given the parents times that of the children.
func (s *gibbs) drawLevel(row []float64, v int) {
	p := s.own(row, v, &s.g.nodes[v])
	w := s.w[:len(p)]
	for k, q := range p {
		w[k] = math.Log(q)
	}
	for _, c := range s.g.nodes[v].children {
		if t := s.g.nodes[c].table; t != nil {
			at, stride := t.base(row, v)+int(row[c]), t.stride[slices.Index(t.parents, v)]
			for k := range w {
				w[k] += math.Log(t.p[at+k*stride])
			}
			continue
		}
		s.child(c, v, row)
		for k := range w {
			w[k] += s.childLog(c, v, row, float64(k))
		}
	}
	row[v] = float64(s.pick(exponents(w)))
}

// child prepares childLog: the prediction of child c without v.
func (s *gibbs) child(c, v int, row []float64) {
	s.g.nodes[c].model.predict(s.base, row, s.g.columns, v)
}

// childLog returns the logarithm of the probability or density of child c if v has the given code, up to a constant.
func (s *gibbs) childLog(c, v int, row []float64, code float64) float64 {
	m := s.g.nodes[c].model
	out := s.out[:m.outputs]
	copy(out, s.base)
	m.add(out, slices.Index(m.on, v), code, &s.g.columns[v])
	if s.g.columns[c].levels == nil {
		return logKernel(row[c], out[0], m.sigma)
	}
	share(out)
	return math.Log(out[int(row[c])])
}

// drawNumber draws a number by importance resampling that keeps the present value as a candidate, so that the distribution given the
// rest of the row stays the same (Andrieu, Doucet and Holenstein 2010, iterated conditional importance resampling). Half of the
// candidates come from the parents and half from a regression on the Markov blanket.
func (s *gibbs) drawNumber(row []float64, v int) {
	x := &s.g.nodes[v]
	x.model.predict(s.out, row, s.g.columns, -1)
	mean, sigma := s.out[0], x.model.sigma
	if len(x.children) == 0 {
		row[v] = s.near(v, mean, sigma)
		return
	}
	mean2, sigma2 := mean, sigma
	if x.around != nil {
		x.around.predict(s.out, row, s.g.columns, -1)
		mean2, sigma2 = s.out[0], x.around.sigma
	}
	s.x[0] = row[v]
	for k := 1; k <= candidates; k++ {
		if k%2 == 0 {
			s.x[k] = s.near(v, mean, sigma)
		} else {
			s.x[k] = s.near(v, mean2, sigma2)
		}
	}
	w := s.w[:candidates+1]
	s.weigh(w, mean, sigma, mean2, sigma2)
	for _, c := range x.children {
		s.child(c, v, row)
		for k, code := range s.x {
			w[k] += s.childLog(c, v, row, code)
		}
	}
	row[v] = s.x[s.pick(exponents(w))]
}

// weigh writes the logarithms of f/(f + g) at the candidates, where f and g are the normal densities that they were drawn from.
func (s *gibbs) weigh(w []float64, mean, sigma, mean2, sigma2 float64) {
	ratio := math.Log(sigma / sigma2)
	for k, c := range s.x {
		if odds := logKernel(c, mean2, sigma2) - logKernel(c, mean, sigma) + ratio; odds < 30 {
			w[k] = -math.Log1p(math.Exp(odds))
		} else {
			w[k] = -odds
		}
	}
}

// exponents turns logarithms of weights into weights, the largest of which is 1, in place.
func exponents(w []float64) []float64 {
	top := slices.Max(w)
	for k := range w {
		w[k] = math.Exp(w[k] - top)
	}
	return w
}
