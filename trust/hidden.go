package trust

import (
	"fmt"
	"slices"
)

// These constants convert the gain of a hidden common cause in place of an edge to the log odds that the edge is no effect. They were
// fitted to 66,489 edges of simulated linear tables without and with 1, 3 or 6 hidden causes, where 85 % of the weight is on tables
// without any. A gain at or below hiddenLeast changes nothing, and above hiddenMost there were too few edges.
const hiddenShift, hiddenSlope, hiddenLeast, hiddenMost = -1.4, 0.08, -50.0, 20.0

// withHidden adds to the evidence of a direction what tests say about a hidden common cause in place of the edge. With probability h
// there is one, and then neither direction is right.
func withHidden(evidence []Reason, gain float64) []Reason {
	if gain <= hiddenLeast {
		return evidence
	}
	h := logistic(hiddenShift + hiddenSlope*min(gain, hiddenMost))
	out := slices.Clone(evidence)
	for k := range out {
		out[k].Weight *= 1 - h
	}
	text := fmt.Sprintf("a hidden common cause in place of the edge increases the score by %.3g (ΔBIC)", -gain)
	if gain > 0 {
		text = fmt.Sprintf("a hidden common cause in place of the edge decreases the score by %.3g (ΔBIC)", gain)
	}
	return append(out, Reason{Source: FromHidden, Weight: h, Text: text + "; then neither direction is right"})
}

// hidden returns the probability of a hidden common cause in place of the edge, as far as the evidence has one.
func (j Judgement) hidden() float64 {
	for _, r := range j.Evidence {
		if r.Source == FromHidden {
			return r.Weight
		}
	}
	return 0
}

// PReverse returns the probability of To → From if the two variables are adjacent. It is less than 1 - PDirection if tests suggest a
// hidden common cause in place of the edge.
func (j Judgement) PReverse() float64 { return max(0, 1-j.PDirection-j.hidden()) }
