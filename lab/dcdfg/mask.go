package dcdfg

import (
	"math"
	"math/rand/v2"
)

// mostLogit bounds the logits. Without a bound an edge that has long been sure takes too long to disappear.
const mostLogit = 5.0

// quantiles are those of 1/E, where E has the standard exponential distribution.
var quantiles = func() (q [1 << 12]float32) {
	for k := range q {
		q[k] = float32(-1 / math.Log((float64(k)+0.5)/float64(len(q))))
	}
	return q
}()

// mask is a random mask of the edges into and out of the factors. A column and a factor have at most one edge, as in the authors' program: no
// factor is in a cycle with a single column. Entry i·m + k is that of column i and factor k.
type mask struct {
	in, out         []bool
	softIn, softOut []float32
}

func newMask(n int) mask {
	return mask{make([]bool, n), make([]bool, n), make([]float32, n), make([]float32, n)}
}

// weights are the odds of the edges that masks are drawn with, against no edge.
type weights struct {
	in, out         []float32 // e^logit
	hardIn, hardOut []float32 // of the logits that select edges
}

func newWeights(n int) weights {
	return weights{make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)}
}

// set computes the weights from the logits.
func (w *weights) set(in, out []float64) {
	for k := range in {
		w.in[k], w.out[k] = float32(math.Exp(in[k])), float32(math.Exp(out[k]))
		w.hardIn[k], w.hardOut[k] = float32(math.Exp(stretched(in[k]))), float32(math.Exp(stretched(out[k])))
	}
}

// stretched returns a/(1 - (a/most)²), bounded: the logit by which an edge is selected. At the bounds it is certain. With the logit itself
// each of hundreds of columns without an effect would be an input now and then.
func stretched(a float64) float64 {
	const most = 30.0
	if rest := 1 - a*a/(mostLogit*mostLogit); rest > 0 {
		return max(-most, min(a/rest, most))
	}
	return math.Copysign(most, a)
}

// draw draws the mask by the Gumbel-softmax (Jang et al. 2017, Maddison et al. 2017) of three cases: with logits α and standard exponential E,
// the largest e^α/E is selected, and the gradient is that of e^α/E divided by the sum over the cases.
func (k *mask) draw(w *weights, rng *rand.PCG) {
	const last = len(quantiles) - 1
	for i := range k.in {
		bits := rng.Uint64()
		none, in, out := quantiles[bits&uint64(last)], quantiles[bits>>12&uint64(last)], quantiles[bits>>24&uint64(last)]
		hardIn, hardOut := w.hardIn[i]*in, w.hardOut[i]*out
		k.in[i], k.out[i] = hardIn > none && hardIn > hardOut, hardOut > none && hardOut >= hardIn
		in, out = in*w.in[i], out*w.out[i]
		sum := 1 / (none + in + out)
		k.softIn[i], k.softOut[i] = in*sum, out*sum
	}
}

// sure sets the mask to the edges that are more probable than not.
func (k *mask) decide(w *weights) {
	for i := range k.in {
		k.in[i], k.out[i] = w.in[i] > 1+w.out[i], w.out[i] > 1+w.in[i]
	}
}

// chain turns gradients by the masks into gradients by the logits.
func (k *mask) chain(in, out []float32) {
	for i, p := range k.softIn {
		q := k.softOut[i]
		mean := p*in[i] + q*out[i]
		in[i], out[i] = p*(in[i]-mean), q*(out[i]-mean)
	}
}
