package enco

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
)

const (
	leak = 0.1 // slope of the leaky rectifier below 0
	// rowsAtOnce is the number of rows for which the hidden units under all graphs are computed by one product.
	rowsAtOnce = 16
)

// network is the conditional distribution of one column given any set of the others. With the parents selected by m the hidden units are
//
//	h = leaky(b + Σ_i m_i e_i(x_i)),   e_i(x) = E_i[x] for a category, x·E_i for a number,
//
// and the outputs, a linear function of h, are the logits of the levels or the mean of a number, whose variance is constant.
type network struct {
	x             *rows
	own           int
	hidden, out   int
	first         []int     // index of the first row of E for each column
	w, g, m, v    []float32 // weights E, b, output weights, output constants and log variance; their gradient, and the moments of Adam
	h, top, dh    []float32 // one row: hidden units, outputs and gradient of the hidden units
	e             *matrix.Dense[float32]
	under, logits *matrix.Dense[float32]
}

func newNetwork(x *rows, own, hidden int, rng *rand.Rand) *network {
	n := &network{x: x, own: own, hidden: hidden, out: max(1, x.levels[own]), first: make([]int, x.d)}
	inputs := 0
	for j, levels := range x.levels {
		n.first[j] = inputs
		inputs += max(1, levels)
	}
	size := (inputs+1+n.out)*hidden + n.out + 1
	n.w, n.g, n.m, n.v = make([]float32, size), make([]float32, size), make([]float32, size), make([]float32, size)
	n.h, n.dh, n.top = make([]float32, hidden), make([]float32, hidden), make([]float32, n.out)
	for i := range n.w[:inputs*hidden] { // as if a quarter of the columns were parents, as at the start
		n.w[i] = float32(rng.NormFloat64() / math.Sqrt(max(1, float64(x.d)/4)))
	}
	for i := range n.weights(n.w).Data {
		n.weights(n.w).Data[i] = float32(rng.NormFloat64() / math.Sqrt(float64(hidden)))
	}
	return n
}

// constants are the constants of the hidden units in w, or their gradient in g.
func (n *network) constants(w []float32) []float32 {
	at := len(w) - 1 - n.out - (n.out+1)*n.hidden
	return w[at : at+n.hidden]
}

// weights are the weights of the outputs, one row each.
func (n *network) weights(w []float32) *matrix.Dense[float32] {
	at := len(w) - 1 - n.out - n.out*n.hidden
	return matrix.Of(n.out, n.hidden, w[at:at+n.out*n.hidden])
}

// tops are the constants of the outputs. The last element of w is the logarithm of the variance of a number.
func (n *network) tops(w []float32) []float32 { return w[len(w)-1-n.out : len(w)-1] }

// input returns the row of E in w for value x of column j, and its factor.
func (n *network) input(w []float32, j int, x float32) ([]float32, float32) {
	at, factor := n.first[j], x
	if n.x.levels[j] > 0 {
		at, factor = at+int(x), 1
	}
	return w[at*n.hidden : (at+1)*n.hidden], factor
}

// lost returns the negative log-likelihood of y under the outputs top. If back, it replaces them by their gradient and returns that of the
// log variance.
func (n *network) lost(y float32, top []float32, back bool) (loss, variance float64) {
	if n.x.levels[n.own] == 0 {
		log := float64(n.w[len(n.w)-1])
		off, precision := float64(top[0])-float64(y), math.Exp(-log)
		if back {
			top[0] = float32(off * precision)
		}
		return (math.Log(2*math.Pi) + log + off*off*precision) / 2, (1 - off*off*precision) / 2
	}
	sum, most := exponentials(top)
	loss = math.Log(sum) - float64(top[int(y)]-most)
	if back {
		for k, v := range top {
			top[k] = float32(math.Exp(float64(v-most)) / sum)
		}
		top[int(y)]--
	}
	return loss, 0
}

// exponentials returns the sum of exp(v - most) over logits v, the largest of which is most.
func exponentials(logits []float32) (sum float64, most float32) {
	most = logits[0]
	for _, v := range logits[1:] {
		if v > most {
			most = v
		}
	}
	for _, v := range logits {
		sum += math.Exp(float64(v - most))
	}
	return sum, most
}

// add adds the gradient of the negative log-likelihood of a row to g, times scale, and returns the likelihood itself. parents are the
// columns that are selected.
func (n *network) add(row []float32, parents []int, scale float32) float64 {
	copy(n.h, n.constants(n.w))
	for _, j := range parents {
		e, factor := n.input(n.w, j, row[j])
		vec.Axpy(n.h, factor, e)
	}
	for k, v := range n.h {
		n.h[k] = leaky(v)
	}
	weights, gradient := n.weights(n.w), n.weights(n.g)
	for k, b := range n.tops(n.w) {
		n.top[k] = b + float32(vec.Dot(weights.Row(k), n.h))
	}
	loss, variance := n.lost(row[n.own], n.top, true)
	clear(n.dh)
	tops := n.tops(n.g)
	for k, t := range n.top {
		t *= scale
		tops[k] += t
		vec.Axpy(gradient.Row(k), t, n.h)
		vec.Axpy(n.dh, t, weights.Row(k))
	}
	for k, v := range n.h {
		if v < 0 {
			n.dh[k] *= leak
		}
	}
	vec.Axpy(n.constants(n.g), 1, n.dh)
	for _, j := range parents {
		e, factor := n.input(n.g, j, row[j])
		vec.Axpy(e, factor, n.dh)
	}
	n.g[len(n.g)-1] += scale * float32(variance)
	return loss
}

// train makes steps of Adam, of which done were made before, on batches of rows. Each row has its own random parents: column j with
// probability p[j].
func (n *network) train(ctx context.Context, m *Method, rng *rand.Rand, p []float64, done int) {
	from := n.x.fit[n.own]
	parents := make([]int, 0, n.x.d)
	for step := range m.FitSteps {
		if ctx.Err() != nil || len(from) == 0 {
			return
		}
		clear(n.g)
		for range m.Batch {
			parents = parents[:0]
			for j, q := range p {
				if q > 0 && rng.Float64() < q {
					parents = append(parents, j)
				}
			}
			n.add(n.x.row(from[rng.IntN(len(from))]), parents, 1/float32(m.Batch))
		}
		t := float64(done + step + 1)
		vec.Adam(n.w, n.g, n.m, n.v, vec.AdamParams{Rate: m.Rate, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Corr1: 1 - math.Pow(0.9, t), Corr2: 1 - math.Pow(0.999, t)})
	}
}

// leaky is v, or leak·v below 0, without a branch.
func leaky(v float32) float32 {
	size := math.Float32frombits(math.Float32bits(v) &^ (1 << 31))
	return (1+leak)/2*v + (1-leak)/2*size
}

// losses adds to each element of dst the negative log-likelihood of the rows under one graph. Row k of masks marks the parents of the
// column in graph k with 1, and has a 1 at the end.
func (n *network) losses(dst []float64, masks *matrix.Dense[float32], batch []int) {
	d, graphs := n.x.d, masks.Rows
	if n.e == nil {
		n.e, n.under, n.logits = matrix.New[float32](d+1, rowsAtOnce*n.hidden), matrix.New[float32](graphs, rowsAtOnce*n.hidden), matrix.New[float32](graphs*rowsAtOnce, n.out)
	}
	tops := n.tops(n.w)
	for r := range rowsAtOnce { // the constants are an input that all graphs have
		copy(n.e.Row(d)[r*n.hidden:(r+1)*n.hidden], n.constants(n.w))
	}
	for at := 0; at < len(batch); at += rowsAtOnce {
		part := batch[at:min(at+rowsAtOnce, len(batch))]
		for r, i := range part {
			for j, x := range n.x.row(i) {
				e, factor := n.input(n.w, j, x)
				vec.Scale(n.e.Row(j)[r*n.hidden:(r+1)*n.hidden], factor, e)
			}
		}
		matrix.Mul(n.under, masks, n.e, 1)
		for k, v := range n.under.Data {
			n.under.Data[k] = leaky(v)
		}
		matrix.MulTB(n.logits, matrix.Of(graphs*rowsAtOnce, n.hidden, n.under.Data), n.weights(n.w), 1)
		for k := range graphs {
			sums := 1.0 // at most mostLevels^rowsAtOnce
			for r, i := range part {
				top, y := n.logits.Row(k*rowsAtOnce+r), n.x.row(i)[n.own]
				for o, b := range tops {
					top[o] += b
				}
				if n.x.levels[n.own] == 0 {
					loss, _ := n.lost(y, top, false)
					dst[k] += loss
					continue
				}
				sum, most := exponentials(top)
				sums *= sum
				dst[k] -= float64(top[int(y)] - most)
			}
			dst[k] += math.Log(sums)
		}
	}
}
