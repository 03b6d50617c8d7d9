package order

import "math"

// A decomposable score is a sum over variables of loss(v, s) + penalty·|parents of v|, where s is
// the residual variance of v given its parents, in units of its own variance. Two losses are
// in use.
//
//	unequal variances   loss = n·ln s                    (twice the negative log-likelihood, profiled)
//	equal variances     loss = scale²·s                  (with penalty·σ²/n in place of the penalty; equal.go)
//
// What a further parent x is worth is kept as a key: a number that grows with the gain
// but needs no logarithm. With c the partial covariance of v and x given the parents, and
// var the partial variance of x,
//
//	unequal   key = c²/(var·s), the squared partial correlation;   gain = -n·ln(1 - key)
//	equal     key = scale²·c²/var;                                 gain = key

// Numbers below are variances of variables of unit variance. Moments of float64 data are
// good to about 1e-14 times the condition number, so what is smaller is noise.
const (
	// leastResidual is where a residual variance stops to fall: the variable is a linear
	// function of its parents, and further parents gain nothing.
	leastResidual = 1e-11
	// leastPartial is the partial variance below which a variable is taken for a linear
	// function of the parents already there, and adds nothing to them.
	leastPartial = 1e-11
)

type model struct {
	variance Variance
	n        float64
	scale2   []float64 // equal only: squared standard deviations, divided by their mean
}

func (m *model) loss(v int32, s float64) float64 {
	s = max(s, leastResidual)
	if m.variance == Equal {
		return m.scale2[v] * s
	}
	return m.n * math.Log(s)
}

// key returns the key of a parent that takes q = c²/var off the residual variance s.
func (m *model) key(v int32, q, s float64) float64 {
	q = min(q, s-leastResidual)
	if m.variance == Equal {
		return m.scale2[v] * q
	}
	return q / s
}

func (m *model) gain(key float64) float64 {
	if m.variance == Equal {
		return key
	}
	return -m.n * math.Log(1-key)
}

// threshold returns the key whose gain is penalty.
func (m *model) threshold(penalty float64) float64 {
	if m.variance == Equal {
		return penalty
	}
	return -math.Expm1(-penalty / m.n)
}

// screen returns t such that key > threshold exactly when c² > t·var.
func (m *model) screen(v int32, s, threshold float64) float64 {
	if m.variance == Equal {
		return threshold / m.scale2[v]
	}
	return threshold * s
}
