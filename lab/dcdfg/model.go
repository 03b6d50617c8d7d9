package dcdfg

import (
	"math"
	"math/rand/v2"

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

// shape has the sizes of a model with d columns, m factors and the given number of hidden units per factor. With masks U and V of the edges
// into and out of the factors it is
//
//	f_k = Σ_h a_kh φ(Σ_i U_ik w_ikh x_i + b_kh),   x_j ~ N(Σ_k V_kj l_kj f_k + c_j, e^(2s_j)),
//
// where φ is the leaky rectifier, or the identity if effects are linear.
type shape struct {
	d, m, hidden int
	linear       bool
}

// size is the number of parameters.
func (s shape) size() int { return s.d*s.m*s.hidden + 2*s.m*s.hidden + s.m*s.d + 2*s.d }

// parts are the parameters of a model by their names in the formula, or their gradient.
type parts struct{ w, b, a, l, c, s []float32 }

func (s shape) parts(all []float32) (p parts) {
	units := s.m * s.hidden
	p.w, all = all[:s.d*units], all[s.d*units:]
	p.b, all = all[:units], all[units:]
	p.a, all = all[:units], all[units:]
	p.l, all = all[:s.m*s.d], all[s.m*s.d:]
	p.c, p.s = all[:s.d], all[s.d:]
	return p
}

// start returns random parameters.
func (s shape) start(rng *rand.Rand) []float32 {
	all := make([]float32, s.size())
	p := s.parts(all)
	network.Glorot(p.w, s.d, s.hidden, leak, rng)
	network.Glorot(p.a, s.hidden, 1, leak, rng)
	network.Glorot(p.l, s.m, 1, leak, rng)
	if s.linear {
		for k := range p.a {
			p.a[k] = 1
		}
	}
	return all
}

// group evaluates rows that share a mask.
type group struct {
	shape
	mask       mask
	draws      *rand.PCG
	rows       []int32
	w, g       []float32 // masked weights of the inputs, and the gradient of all parameters
	l          []float32 // masked weights of the outputs
	x, e       []float32 // rows × columns: values, and residuals and then the gradients of the means
	unit, back []float32 // rows × units: values and gradients
	f, fBack   []float32 // rows × factors
	loss       float64
	inSlope    []float32 // columns × factors: gradients by the masks, and then by the logits
	outSlope   []float32
	precision  []float32
}

// newGroup returns a group for at most the given number of rows.
func newGroup(s shape, most int) *group {
	g := &group{shape: s, mask: newMask(s.d * s.m), draws: rand.NewPCG(0, 0), rows: make([]int32, 0, most)}
	for part, size := range map[*[]float32]int{
		&g.w: s.d * s.m * s.hidden, &g.g: s.size(), &g.l: s.m * s.d, &g.x: most * s.d, &g.e: most * s.d,
		&g.unit: most * s.m * s.hidden, &g.back: most * s.m * s.hidden, &g.f: most * s.m, &g.fBack: most * s.m,
		&g.inSlope: s.d * s.m, &g.outSlope: s.d * s.m, &g.precision: s.d,
	} {
		*part = make([]float32, size)
	}
	return g
}

// forward sets the loss to the sum of the negative log-likelihoods of all values of the rows that no intervention set, under the masks of
// the group.
func (g *group) forward(x *rows, p parts) {
	n, d, m, h := len(g.rows), g.d, g.m, g.hidden
	for at, in := range g.mask.in {
		dst := g.w[at*h : (at+1)*h]
		if in {
			copy(dst, p.w[at*h:])
		} else {
			clear(dst)
		}
	}
	for i := range d {
		for k := range m {
			if at := k*d + i; g.mask.out[i*m+k] {
				g.l[at] = p.l[at]
			} else {
				g.l[at] = 0
			}
		}
	}
	for i, row := range g.rows {
		copy(g.x[i*d:], x.row(row))
	}
	gemm.Gemm(false, false, n, m*h, d, 1, g.x, d, g.w, m*h, 0, g.unit, m*h, 1)
	for i := range n {
		row := g.unit[i*m*h : (i+1)*m*h]
		for u, b := range p.b {
			row[u] += b
			if !g.linear {
				row[u] = max(row[u], leak*row[u])
			}
		}
		for k := range m {
			sum := float32(0)
			for u := k * h; u < (k+1)*h; u++ {
				sum += p.a[u] * row[u]
			}
			g.f[i*m+k] = sum
		}
	}
	gemm.Gemm(false, false, n, d, m, 1, g.f, m, g.l, d, 0, g.e, d, 1)
	constant := float32(0)
	for j, s := range p.s {
		g.precision[j] = float32(math.Exp(-2 * float64(s)))
		constant += s + float32(math.Log(2*math.Pi)/2)
	}
	g.loss = 0
	for i, row := range g.rows {
		e, values, sum := g.e[i*d:(i+1)*d], g.x[i*d:(i+1)*d], constant
		for j, v := range values {
			e[j] = v - e[j] - p.c[j]
			sum += e[j] * e[j] * g.precision[j] / 2
		}
		for _, j := range x.targets[x.environment[row]] {
			sum -= e[j]*e[j]*g.precision[j]/2 + p.s[j] + float32(math.Log(2*math.Pi)/2)
		}
		g.loss += float64(sum)
	}
}

// backward sets the gradients of scale times the loss after forward.
func (g *group) backward(x *rows, p parts, scale float32) {
	n, d, m, h := len(g.rows), g.d, g.m, g.hidden
	clear(g.g)
	to := g.parts(g.g)
	for i, row := range g.rows {
		e := g.e[i*d : (i+1)*d]
		for _, j := range x.targets[x.environment[row]] {
			e[j] = 0
			to.s[j] -= scale
		}
		for j, v := range e {
			slope := -scale * v * g.precision[j]
			to.s[j] += scale + v*slope
			to.c[j] += slope
			e[j] = slope
		}
	}
	gemm.Gemm(true, false, m, d, n, 1, g.f, m, g.e, d, 0, to.l, d, 1)
	gemm.Gemm(false, true, n, m, d, 1, g.e, d, g.l, d, 0, g.fBack, m, 1)
	for i := range n {
		unit, back := g.unit[i*m*h:(i+1)*m*h], g.back[i*m*h:(i+1)*m*h]
		for k := range m {
			slope := g.fBack[i*m+k]
			for u := k * h; u < (k+1)*h; u++ {
				if !g.linear {
					to.a[u] += slope * unit[u]
				}
				if back[u] = slope * p.a[u]; !g.linear && unit[u] < 0 {
					back[u] *= leak
				}
			}
		}
		vec.Axpy(to.b, 1, back)
	}
	gemm.Gemm(true, false, d, m*h, n, 1, g.x, d, g.back, m*h, 0, to.w, m*h, 1)
	// The products are the gradients by the masked weights.
	for at, in := range g.mask.in {
		w, slope := to.w[at*h:(at+1)*h], float32(0)
		for u, v := range w {
			slope += v * p.w[at*h+u]
		}
		if g.inSlope[at] = slope; !in {
			clear(w)
		}
	}
	for i := range d {
		for k := range m {
			at := k*d + i
			if g.outSlope[i*m+k] = to.l[at] * p.l[at]; !g.mask.out[i*m+k] {
				to.l[at] = 0
			}
		}
	}
	g.mask.chain(g.inSlope, g.outSlope)
}
