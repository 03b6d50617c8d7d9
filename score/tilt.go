package score

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
)

// A tilt is a density of a variable with mean 0 and variance 1, fitted by maximum likelihood: with φ and Φ those of a standard
// Gaussian,
//
//	p(u) = φ(u)·exp(Σ_k θ_k·c_k(Φ(u)) - ψ(θ)),   c_k(t) = √2·cos(πkt),   k = 1 … 6.
//
// θ = 0 is the Gaussian, so that twice the gain of the fit tests for it: this is the family of Neyman's smooth test (1937),
// "'Smooth' test for goodness of fit". The functions are bounded, so an outlier has no more influence than any other row of the
// tail. Six of them distinguish uniform, Laplace, exponential and Gumbel noise from Gaussian noise. A bounded family cannot fit a
// heavy tail completely, so the gain is underestimated rather than overestimated.
//
// Values are counted in 64 classes of equal probability under φ, in whose middle c_k is taken. A fit costs O(n) to count and some 5
// steps of Newton of 64·6²/2 multiplications.
type tilt struct {
	count, weight [tiltClasses]float64
	log           [tiltClasses]float64 // Σ θ_k·c_k - ψ of each class
	theta         [tiltTerms]float64
	information   chol.Factor
}

const (
	tiltTerms   = 6
	tiltClasses = 64
	// tiltRidge keeps θ finite if classes are empty: a Gaussian prior on θ with the precision of one row.
	tiltRidge = 1
	tiltSteps = 20
	// tiltEnough is the smallest predicted improvement in log-likelihood for another step.
	tiltEnough = 1e-3
)

// tiltTable has the class of each of 4096 values from -tiltRange to tiltRange, and the functions are tabulated by class.
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

// class returns the class of u, which must not be NaN.
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

// fit fits the density to u and returns the gain in log-likelihood over the Gaussian. t.log then has the log of p(u)/φ(u) for each
// class.
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

// evaluate sets log and weight, the probabilities of the classes, for theta and returns the penalized log-likelihood per row.
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

// newton returns the Newton step from theta and twice its predicted gain.
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
