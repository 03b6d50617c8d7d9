package dcdi

import "math"

// constrain sets w, h and its gradient to those of the present probabilities.
func (l *learner) constrain() {
	d := l.x.d
	for j, c := range l.columns {
		for i, a := range c.edge {
			l.w.Data[i*d+j] = math.Sqrt(l.scale * (1 - float64(unselected(a))))
		}
	}
	h, err := l.h.Eval(l.gradH, l.w)
	if err != nil && l.failed == nil {
		l.failed = err
	}
	l.now = h / l.whole
	for k := range l.gradH.Data {
		l.gradH.Data[k] /= l.whole
	}
}

// slopeH returns the derivative of h by the probability of an edge, 0 for an edge that is never selected.
func (l *learner) slopeH(i, j int) float64 {
	if w := l.w.At(i, j); w > 0 {
		return l.gradH.At(i, j) * l.scale / (2 * w)
	}
	return 0
}

// least returns the ρ at which the constraint pulls at some edge as strongly as the weak pull. Below it the constraint changes nothing.
func (l *learner) least() float64 {
	most := 0.0
	for i := range l.x.d {
		for j := range l.x.d {
			most = max(most, l.now*l.slopeH(i, j))
		}
	}
	if most == 0 {
		return 0
	}
	return weakPull * l.price / most
}
