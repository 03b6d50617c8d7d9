package dcdi

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/lab/network"
)

const (
	leak = 0.01 // slope of the leaky rectifier below 0, as in the authors' program
	// leastLogSD is a lower bound of the logarithm of a noise standard deviation, in standard deviations of the column. A column that is a
	// function of others would have none.
	leastLogSD = -8
)

// column has the conditional distributions of one column given the others: one network for the rows without an intervention on the column,
// and further ones for the environments that change the column. With the parents selected by a mask m a network computes
//
//	x_own ~ N(w₃·leaky(W₂ leaky(W₁(m∘x) + b₁) + b₂) + b₃, e^(2s)).
//
// Rows, masks and gradients are those of one batch. Column j of the matrix of the edges belongs to column j of the table, so columns can be
// evaluated at the same time.
type column struct {
	x         *rows
	own       int
	hidden    int
	part      []int     // network of each environment, 0 for the one without an intervention; -1 if its rows do not count
	size      int       // parameters of a network
	w, g, v   []float32 // parameters of all networks, their gradient and the mean of its square
	edge      []float64 // logits of the edges into the column
	edgeSlope []float64 // gradient of the loss by the logits
	target    []float64 // logits of the environments to change the column, if targets are unknown
	slope     []float64 // gradient of the loss by these logits
	odds      []float32 // e^-logit of each edge
	least     []float32 // probability that the edge is not selected
	pcg       *rand.PCG

	in, soft, back, none    []float32 // rows × columns: masked inputs, their derivatives by the logits, their gradient, and zeros
	first, second           []float32 // rows × hidden: values of the hidden units
	firstSlope, secondSlope []float32
	y, off, weight          []float32 // values of the column, gradient of the mean, and weight of each row
	loss, other             []float32 // negative log-likelihood of each row without and with an intervention
	gate                    []float32 // m̃ of the intervention on the column
	changed                 []bool    // whether the row has an intervention on the column
}

// newColumn returns a column with random networks. most is the number of rows of a batch.
func newColumn(x *rows, own, hidden, most int, rng *rand.Rand) *column {
	d := x.d
	c := &column{x: x, own: own, hidden: hidden, size: (d+hidden+3)*hidden + 2, part: x.parts(own), pcg: rand.NewPCG(0, 0)}
	networks := slices.Max(c.part) + 1
	c.w, c.g, c.v = make([]float32, networks*c.size), make([]float32, networks*c.size), make([]float32, networks*c.size)
	for k := range networks {
		l := c.layers(c.w, k)
		network.Glorot(l.first, d, hidden, leak, rng)
		network.Glorot(l.second, hidden, hidden, leak, rng)
		network.Glorot(l.out, hidden, 1, leak, rng)
	}
	c.edge, c.edgeSlope, c.odds = make([]float64, d), make([]float64, d), make([]float32, d)
	if x.unknown {
		c.target, c.slope = make([]float64, len(x.targets)), make([]float64, len(x.targets))
	}
	c.least, c.changed = make([]float32, d), make([]bool, most)
	for _, part := range []*[]float32{&c.in, &c.soft, &c.back, &c.none} {
		*part = make([]float32, most*d)
	}
	for _, part := range []*[]float32{&c.first, &c.second, &c.firstSlope, &c.secondSlope} {
		*part = make([]float32, most*hidden)
	}
	for _, part := range []*[]float32{&c.y, &c.off, &c.weight, &c.loss, &c.other, &c.gate} {
		*part = make([]float32, most)
	}
	return c
}

// layers are the parameters of one network, or their gradient.
type layers struct{ first, firstBias, second, secondBias, out, last []float32 }

// layers returns network k of w. last has the bias of the output and the logarithm of the standard deviation.
func (c *column) layers(w []float32, k int) (l layers) {
	w = w[k*c.size : (k+1)*c.size]
	d, m := c.x.d, c.hidden
	l.first, w = w[:d*m], w[d*m:]
	l.firstBias, w = w[:m], w[m:]
	l.second, w = w[:m*m], w[m*m:]
	l.secondBias, w = w[:m], w[m:]
	l.out, l.last = w[:m], w[m:]
	return l
}

// evaluate returns the sum of the negative log-likelihoods of the column over the rows of a batch. The masks are drawn from the random
// numbers of the two seeds. If scale is not 0, it sets the gradients of scale times the sum.
func (c *column) evaluate(b *batch, seed1, seed2 uint64, scale float32) float64 {
	c.pcg.Seed(seed1, seed2)
	for i, a := range c.edge {
		c.odds[i], c.least[i] = float32(math.Exp(-a)), unselected(a)
	}
	if scale != 0 {
		clear(c.g)
		clear(c.edgeSlope)
		clear(c.slope)
	}
	if c.x.unknown {
		return c.gated(b, scale)
	}
	at := 0
	for part := range len(c.w) / c.size {
		n := 0
		for _, r := range b.runs {
			if c.part[r.environment] == part {
				c.draw(b.rows[r.lo:r.hi], at+n)
				n += r.hi - r.lo
			}
		}
		c.forward(part, at, n, false, c.loss)
		if scale != 0 {
			for i := range n {
				c.weight[at+i] = scale
			}
			c.backward(part, at, n, false)
		}
		at += n
	}
	return total(c.loss[:at])
}

// gated is evaluate with unknown targets. Whether a row has an intervention on the column is drawn for each row: the draw selects the
// network of the environment or the one without an intervention. The inputs of a perfect intervention are zero.
func (c *column) gated(b *batch, scale float32) float64 {
	n := len(b.rows)
	c.draw(b.rows, 0)
	for i := range n {
		c.weight[i] = scale
	}
	for _, r := range b.runs {
		if c.part[r.environment] == 0 {
			continue
		}
		odds, least := float32(math.Exp(-c.target[r.environment])), unselected(c.target[r.environment])
		for i := r.lo; i < r.hi; i++ {
			u := uniform(uint32(c.pcg.Uint64()))
			c.gate[i], c.changed[i] = u/(u+odds*(1-u)), u > least
			if c.changed[i] {
				c.weight[i] = 0
			}
		}
	}
	c.forward(0, 0, n, false, c.loss)
	if scale != 0 {
		c.backward(0, 0, n, false)
	}
	for _, r := range b.runs {
		part := c.part[r.environment]
		if part == 0 {
			continue
		}
		c.forward(part, r.lo, r.hi-r.lo, c.x.perfect, c.other)
		for i := r.lo; i < r.hi; i++ {
			soft := c.gate[i]
			if scale != 0 {
				c.slope[r.environment] += float64(scale * (c.other[i] - c.loss[i]) * soft * (1 - soft))
			}
			if c.weight[i] = 0; c.changed[i] {
				c.weight[i], c.loss[i] = scale, c.other[i]
			}
		}
		if scale != 0 {
			c.backward(part, r.lo, r.hi-r.lo, c.x.perfect)
		}
	}
	return total(c.loss[:n])
}

// compare appends, for each environment, how much larger the log-likelihood of each row is with an intervention on the column than without, given
// the probable parents.
func (c *column) compare(b *batch, gains [][]float64) {
	for i, a := range c.edge {
		if c.least[i] = 0; a <= 0 {
			c.least[i] = 1
		}
	}
	c.draw(b.rows, 0)
	c.forward(0, 0, len(b.rows), false, c.loss)
	for _, r := range b.runs {
		if part := c.part[r.environment]; part > 0 {
			c.forward(part, r.lo, r.hi-r.lo, c.x.perfect, c.other)
			for i := r.lo; i < r.hi; i++ {
				gains[r.environment] = append(gains[r.environment], float64(c.loss[i]-c.other[i]))
			}
		}
	}
}

func total(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v)
	}
	return sum
}

// uniform returns a number in (0, 1) from random bits. With one more bit it could be rounded to 1.
func uniform(bits uint32) float32 { return (float32(bits>>9) + 0.5) * (1.0 / (1 << 23)) }

// unselected returns the probability that a mask omits an edge with the given logit a: 1 - σ(a/(1 - (a/most)²)). It is 0 or 1 at the
// bounds of the logits. With σ(a) a network would always lose a parent now and then, and its noise variance would stay too large to find
// weak parents beside a strong one.
func unselected(a float64) float32 {
	if math.Abs(a) < mostLogit {
		a /= 1 - a*a/(mostLogit*mostLogit)
		return float32(1 / (1 + math.Exp(a)))
	}
	if a > 0 {
		return 0
	}
	return 1
}

// draw copies the given rows of the table to the inputs, from row at on. Each has its own mask: with u uniform and
//
//	m̃ = σ(logit + ln(u/(1-u))) = u/(u + e^-logit·(1-u)),
//
// the gradient is that of m̃ (straight-through; Maddison et al. 2017, Jang et al. 2017). In the paper a column is selected if m̃ > ½; here it
// is selected if u exceeds the least number of the edge.
func (c *column) draw(rows []int32, at int) {
	d, odds, least := c.x.d, c.odds, c.least
	for k, row := range rows {
		x := c.x.row(int(row))
		in, soft := c.in[(at+k)*d:(at+k+1)*d], c.soft[(at+k)*d:(at+k+1)*d]
		c.y[at+k] = x[c.own]
		var bits uint64
		for i, v := range x {
			if bits >>= 32; i%2 == 0 {
				bits = c.pcg.Uint64()
			}
			u := uniform(uint32(bits))
			m := u / (u + odds[i]*(1-u))
			hard := float32(0)
			if u > least[i] {
				hard = v
			}
			in[i], soft[i] = hard, v*m*(1-m)
		}
	}
}

// forward sets dst to the negative log-likelihoods of the n rows from row at on under a network. With cut, all inputs are zero.
func (c *column) forward(part, at, n int, cut bool, dst []float32) {
	if n == 0 {
		return
	}
	in := c.in
	if cut {
		in = c.none
	}
	d, m, l := c.x.d, c.hidden, c.layers(c.w, part)
	first, second := c.first[at*m:(at+n)*m], c.second[at*m:(at+n)*m]
	gemm.Gemm(false, false, n, m, d, 1, in[at*d:], d, l.first, m, 0, first, m, 1)
	rectify(first, l.firstBias)
	gemm.Gemm(false, false, n, m, m, 1, first, m, l.second, m, 0, second, m, 1)
	rectify(second, l.secondBias)
	bias, s := l.last[0], l.last[1]
	precision, constant := float32(math.Exp(-2*float64(s))), s+float32(math.Log(2*math.Pi)/2)
	for i := range n {
		mean := bias
		for k, v := range second[i*m : (i+1)*m] {
			mean += v * l.out[k]
		}
		e := c.y[at+i] - mean
		c.off[at+i] = e
		dst[at+i] = e*e*precision/2 + constant
	}
}

// backward adds the gradients of the rows that forward computed, each times its weight.
func (c *column) backward(part, at, n int, cut bool) {
	if n == 0 {
		return
	}
	d, m, l, g := c.x.d, c.hidden, c.layers(c.w, part), c.layers(c.g, part)
	first, second := c.first[at*m:(at+n)*m], c.second[at*m:(at+n)*m]
	firstSlope, secondSlope := c.firstSlope[:n*m], c.secondSlope[:n*m]
	precision := float32(math.Exp(-2 * float64(l.last[1])))
	for i := range n {
		e, weight := c.off[at+i], c.weight[at+i]
		slope := -weight * e * precision
		g.last[0] += slope
		g.last[1] += weight * (1 - e*e*precision)
		vec.Axpy(g.out, slope, second[i*m:(i+1)*m])
		vec.Scale(secondSlope[i*m:(i+1)*m], slope, l.out)
	}
	slopes(secondSlope, second, g.secondBias)
	gemm.Gemm(true, false, m, m, n, 1, first, m, secondSlope, m, 1, g.second, m, 1)
	gemm.Gemm(false, true, n, m, m, 1, secondSlope, m, l.second, m, 0, firstSlope, m, 1)
	slopes(firstSlope, first, g.firstBias)
	if cut {
		return
	}
	gemm.Gemm(true, false, d, m, n, 1, c.in[at*d:], d, firstSlope, m, 1, g.first, m, 1)
	gemm.Gemm(false, true, n, d, m, 1, firstSlope, m, l.first, m, 0, c.back, d, 1)
	for i := range n {
		soft := c.soft[(at+i)*d : (at+i+1)*d]
		for k, v := range c.back[i*d : (i+1)*d] {
			c.edgeSlope[k] += float64(v * soft[k])
		}
	}
}

// rectify adds the bias to each row and applies the leaky rectifier, without a branch.
func rectify(x, bias []float32) {
	for len(x) > 0 {
		row := x[:len(bias)]
		for k, b := range bias {
			v := row[k] + b
			row[k] = (1+leak)/2*v + (1-leak)/2*math.Float32frombits(math.Float32bits(v)&^(1<<31))
		}
		x = x[len(bias):]
	}
}

// slopes multiplies the gradient of each unit by the slope of the rectifier, which follows from the sign of its value, and adds it to that of
// the bias.
func slopes(g, value, bias []float32) {
	factors := [2]float32{1, leak}
	for at := 0; at < len(g); at += len(bias) {
		row, of := g[at:at+len(bias)], value[at:at+len(bias)]
		for k, v := range of {
			row[k] *= factors[math.Float32bits(v)>>31]
			bias[k] += row[k]
		}
	}
}

// move makes one step of RMSprop on the networks.
func (c *column) move(rate float64) {
	vec.Adam(c.w, c.g, c.g, c.v, network.RMSpropStep(rate))
	for at := c.size - 1; at < len(c.w); at += c.size {
		c.w[at] = max(c.w[at], leastLogSD)
	}
}
