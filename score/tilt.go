package score

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// A tilt is a density of a variable with mean 0 and variance 1, fitted by maximum likelihood: with φ and Φ those of a
// standard Gaussian,
//
//	p(u) = φ(u)·exp(Σ_k θ_k·c_k(Φ(u)) - ψ(θ)),   c_k(t) = √2·cos(πkt),   k = 1 … 6.
//
// θ = 0 is the Gaussian, so that twice the gain of the fit tests for it: this is the family of Neyman's smooth test (1937),
// "'Smooth' test for goodness of fit". The functions are bounded: an outlier has no more say than any row of the tail.
// Six of them tell uniform, Laplace, exponential and Gumbel noise from Gaussian noise, and θ from a bounded family cannot
// follow a heavy tail all the way, so that the gain is rather too small than too large.
//
// Values are counted in 64 classes of equal probability under φ, in whose middle c_k is taken. A fit costs O(n) to count
// and some 5 steps of Newton of 64·6²/2 multiplications.
type tilt struct {
	count, weight [tiltClasses]float64
	log           [tiltClasses]float64 // Σ θ_k·c_k - ψ of each class
	theta         [tiltTerms]float64
	information   chol.Factor
}

const (
	tiltTerms   = 6
	tiltClasses = 64
	// tiltRidge keeps θ finite where classes are empty: a Gaussian prior on θ of this precision, that of one row.
	tiltRidge = 1
	tiltSteps = 20
	// tiltEnough is by how much of a point of the log-likelihood the next step must promise to improve on this one.
	tiltEnough = 1e-3
)

// tiltTable has the class of each of 4096 values from -tiltRange to tiltRange; the functions are those of the classes.
var (
	tiltTable     [4096]uint8
	tiltFunctions [tiltClasses][tiltTerms]float64
)

const tiltRange = 6

func init() {
	for i := range tiltTable {
		u := tiltRange * (2*(float64(i)+0.5)/float64(len(tiltTable)) - 1)
		tiltTable[i] = uint8(min(tiltClasses-1, int(math.Erfc(-u/math.Sqrt2)/2*tiltClasses)))
	}
	for b := range tiltFunctions {
		t := (float64(b) + 0.5) / tiltClasses
		for k := range tiltFunctions[b] {
			tiltFunctions[b][k] = math.Sqrt2 * math.Cos(math.Pi*float64(k+1)*t)
		}
	}
}

// class returns the class of u, which is a number.
func class(u float64) uint8 {
	const scale = float64(len(tiltTable)) / (2 * tiltRange)
	switch at := (u + tiltRange) * scale; {
	case at < 0:
		return tiltTable[0]
	case at >= float64(len(tiltTable)):
		return tiltTable[len(tiltTable)-1]
	default:
		return tiltTable[int(at)]
	}
}

// fit fits the density to u and returns the gain, the log-likelihood beyond that of the Gaussian. t.log then has the log
// of p(u)/φ(u) for each class.
func (t *tilt) fit(u []float64) float64 {
	*t = tilt{information: t.information}
	for _, x := range u {
		t.count[class(x)]++
	}
	n := float64(len(u))
	var mean [tiltTerms]float64
	for b, c := range t.count {
		for k, f := range tiltFunctions[b] {
			mean[k] += c / n * f
		}
	}
	value := t.evaluate(t.theta, mean, n)
	for range tiltSteps {
		step, promise := t.newton(mean, n)
		if !(promise*n > tiltEnough) {
			break
		}
		before, better := t.theta, false
		for size := 1.0; size > 1e-3; size /= 2 {
			next := before
			for k := range next {
				next[k] += size * step[k]
			}
			if v := t.evaluate(next, mean, n); v > value {
				t.theta, value, better = next, v, true
				break
			}
		}
		if !better {
			t.evaluate(before, mean, n)
			break
		}
	}
	gain := 0.0
	for b, c := range t.count {
		gain += c * t.log[b]
	}
	return gain
}

// evaluate sets log and weight, the probabilities of the classes, to those of theta and returns the penalized log-likelihood a
// row.
func (t *tilt) evaluate(theta, mean [tiltTerms]float64, n float64) float64 {
	total := 0.0
	for b := range t.log {
		sum := 0.0
		for k, f := range tiltFunctions[b] {
			sum += theta[k] * f
		}
		t.log[b] = sum
		t.weight[b] = math.Exp(sum)
		total += t.weight[b]
	}
	psi := math.Log(total / tiltClasses)
	for b := range t.log {
		t.log[b] -= psi
		t.weight[b] /= total
	}
	value := -psi
	for k, v := range theta {
		value += v*mean[k] - tiltRidge/(2*n)*v*v
	}
	return value
}

// newton returns the step from the present theta and what a quadratic function would gain by it, twice over.
func (t *tilt) newton(mean [tiltTerms]float64, n float64) (step [tiltTerms]float64, promise float64) {
	var at [tiltTerms]float64
	for b, w := range t.weight {
		for k, f := range tiltFunctions[b] {
			at[k] += w * f
		}
	}
	t.information.Reset(tiltTerms)
	l := t.information.Matrix()
	clear(l)
	for b, w := range t.weight {
		for i, f := range tiltFunctions[b] {
			for j := range i + 1 {
				l[i*tiltTerms+j] += w * (f - at[i]) * (tiltFunctions[b][j] - at[j])
			}
		}
	}
	for i := range step {
		l[i*tiltTerms+i] += tiltRidge / n
		step[i] = mean[i] - at[i] - tiltRidge/n*t.theta[i]
		t.information.Append(max(t.information.Reduce(), tiltRidge/n))
	}
	promise = -t.information.Forward(step[:], 0)
	t.information.Back(step[:])
	return step, promise
}
