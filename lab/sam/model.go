package sam

import (
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/lab/tape"
	"github.com/polydag/polydag/matrix"
)

// leak is the slope of the critic's rectifiers below zero.
const leak = 0.2

// steepest bounds the exponential of the KL loss: beyond e^steepest it continues as a line, so that a single row does not dominate a step.
const steepest = 2.0

// model has a generator for each column j, and one critic T for all of them:
//
//	x̂_j = Σ_k m_jk·out_jk·tanh(Σ_i a_ij·w_ijk·x_i + v_jk·e_j + b_jk) + c_j
//
// with a random number e_j, gates a_ij of the edges and m_jk of the hidden units, each 0 or 1. Gates of edges are drawn for each row, those of
// units for each step. The critic has two hidden layers and compares rows x with rows in which one column was generated.
type model struct {
	d, hidden, critic, rows int
	loss                    Loss

	tape     *tape.Tape
	x, noise *tape.Node // rows and random numbers
	gated    *tape.Node // the rows once for each column, times its gates
	fixed    *tape.Node // the rows once for each column, with a zero in place of that column
	out      *tape.Node // loss of the critic
	aim      *tape.Node // loss of the generators
	fake     *tape.Node // values of the critic for generated rows, (row, column)
	open     []bool     // gates of the edges, (row, to, from)
}

func newModel(d, hidden, critic, rows int, loss Loss, threads int) *model {
	m := &model{d: d, hidden: hidden, critic: critic, rows: rows, loss: loss, tape: tape.New(threads)}
	t, units := m.tape, d*hidden
	neurons := t.Param(units, 1)
	w, v, b, out, c := t.Param(d*d, hidden), t.Param(d, hidden), t.Param(1, units), t.Param(units, 1), t.Param(1, d)
	m.x, m.noise, m.gated, m.fixed, m.open = t.Input(rows, d), t.Input(rows, d), t.Input(rows, d*d), t.Input(rows, d*d), make([]bool, rows*d*d)
	inner := t.Tanh(t.AddRow(t.Add(t.BlockProduct(m.gated, w, d), t.BlockProduct(m.noise, v, d)), b))
	made := t.AddRow(t.BlockProduct(inner, t.Mul(out, neurons), d), c)
	place := t.Input(d, d*d) // column j of x̂ in copy j of the row
	for j := range d {
		place.Value.Set(j, j*d+j, 1)
	}

	u1, b1, u2, b2, u3, b3 := t.Param(d, critic), t.Param(1, critic), t.Param(critic, critic), t.Param(1, critic), t.Param(critic, 1), t.Param(1, 1)
	judge := func(x *tape.Node) *tape.Node {
		h := t.LeakyReLU(t.AddRow(t.Product(x, u1), b1), leak)
		h = t.LeakyReLU(t.AddRow(t.Product(h, u2), b2), leak)
		return t.AddRow(t.Product(h, u3), b3)
	}
	m.fake = judge(t.Reshape(t.Add(m.fixed, t.Product(made, place)), rows*d, d))
	m.out, m.aim = t.Function(m.divergence, m.fake, judge(m.x)), t.Function(m.likeness, m.fake)
	return m
}

// generators returns the number of parameters of the generators, which follow the gates of the d·hidden units. The others are those of the
// critic.
func (m *model) generators() int { return m.d * (m.d*m.hidden + 3*m.hidden + 1) }

// divergence is the loss of the critic and its gradient by the critic's values of generated rows, of all columns, and of real rows. Its least
// value over all critics is minus the mean over columns of a divergence between the real rows and those with that column generated:
//
//	KL:  mean e^(T(fake) - 1) - mean T(real)                 (Nowozin, Cseke and Tomioka 2016)
//	JS:  mean ln(1 + e^T(fake)) + mean ln(1 + e^-T(real))    (Goodfellow et al. 2014)
func (m *model) divergence(grads, values []*matrix.Dense[float64]) (float64, error) {
	sum := 0.0
	for part, x := range values {
		n, dst := float64(len(x.Data)), grads[part].Data
		for i, v := range x.Data {
			var value, slope float64
			switch {
			case m.loss == JS && part == 0:
				value, slope = softplus(v)
			case m.loss == JS:
				value, slope = softplus(-v)
				slope = -slope
			case part == 1:
				value, slope = -v, -1
			default:
				slope = math.Exp(min(v-1, steepest))
				value = slope * (1 + max(0, v-1-steepest))
			}
			sum += value / n
			dst[i] = slope / n
		}
	}
	return sum, nil
}

// likeness is the loss of the generators and its gradient by the critic's values of generated rows: the sum over columns of
//
//	KL:  -mean T(fake)
//	JS:  mean ln(1 + e^-T(fake))
//
// The authors' program has minus the critic's loss here. Its slope vanishes for rows that the critic recognizes, most of all for columns with
// little noise, and these then seem to have no causes. Both papers of the losses recommend the forms above.
func (m *model) likeness(grads, values []*matrix.Dense[float64]) (float64, error) {
	sum, n := 0.0, float64(m.rows)
	for i, v := range values[0].Data {
		value, slope := m.unlike(v)
		sum += value / n
		grads[0].Data[i] = slope / n
	}
	return sum, nil
}

// unlike returns the loss of a generator for one row that has this value of the critic, and its slope.
func (m *model) unlike(v float64) (value, slope float64) {
	if m.loss == JS {
		value, slope = softplus(-v)
		return value, -slope
	}
	return -v, -1
}

// softplus is ln(1 + eˣ) with its slope.
func softplus(x float64) (value, slope float64) {
	return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))), sigmoid(x)
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// start draws the parameters after the gates as PyTorch does, uniform on ±1/√inputs.
func (m *model) start(theta []float64, rng *rand.Rand) {
	d, h, q := m.d, m.hidden, m.critic
	for _, part := range []struct{ n, inputs int }{
		{d * d * h, d + 1}, {d * h, d + 1}, {d * h, d + 1}, {d * h, h}, {d, h}, {d * q, d}, {q, d}, {q * q, q}, {q, q}, {q, q}, {1, q},
	} {
		for i := range part.n {
			theta[i] = (2*rng.Float64() - 1) / math.Sqrt(float64(part.inputs))
		}
		theta = theta[part.n:]
	}
}

// fill draws rows, random numbers and the gates of the edges for the next evaluation. p has the probabilities of the edges, (from, to).
func (m *model) fill(x *matrix.Dense[float64], p []float64, rng *rand.Rand) {
	d := m.d
	for n := range m.rows {
		from := x.Row(rng.IntN(x.Rows))
		copy(m.x.Value.Row(n), from)
		noise, fixed, gated := m.noise.Value.Row(n), m.fixed.Value.Row(n), m.gated.Value.Row(n)
		open := m.open[n*d*d : (n+1)*d*d]
		for j := range d {
			noise[j] = rng.NormFloat64()
			copy(fixed[j*d:(j+1)*d], from)
			fixed[j*d+j] = 0
			for i, v := range from {
				if open[j*d+i] = rng.Float64() < p[i*d+j]; !open[j*d+i] {
					v = 0
				}
				gated[j*d+i] = v
			}
		}
	}
}

// covary adds to dst, (from, to), the gradient of the expected loss of the generators by the logits of the edges: the covariance, over rows, of
// the gate of an edge with the loss of its column. Unlike a slope through the gates it is right for curves, whose slope at a closed gate may be
// 0 (Williams 1992).
func (m *model) covary(dst, p []float64) {
	d := m.d
	for j := range d {
		mean := 0.0
		for n := range m.rows {
			value, _ := m.unlike(m.fake.Value.Data[n*d+j])
			mean += value / float64(m.rows)
		}
		for n := range m.rows {
			value, _ := m.unlike(m.fake.Value.Data[n*d+j])
			value = (value - mean) / float64(m.rows)
			for i, is := range m.open[(n*d+j)*d : (n*d+j+1)*d] {
				if is {
					dst[i*d+j] += value * (1 - p[i*d+j])
				} else {
					dst[i*d+j] -= value * p[i*d+j]
				}
			}
		}
	}
}
