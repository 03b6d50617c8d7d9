package trust

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag/score"
)

// These constants convert the ΔBIC of a hidden common cause in place of an edge to the log odds that the edge is no effect. They were
// fitted to the edges with a positive ΔBIC among 66,489 edges of simulated linear tables without and with 1, 3 or 6 hidden causes. Two
// thirds of the weight is on tables without any: how common hidden causes are is an assumption. Above hiddenMost there were too few
// edges. Without a positive ΔBIC nothing changes, because effects that are too weak for the tests also have one close to 0.
const hiddenShift, hiddenSlope, hiddenMost = -1.6, 0.15, 20.0

// byHidden is what tests say about a hidden common cause in place of the edge. With probability P there is one, and then neither
// direction is right. Only linear and mixed models whose checks passed are tested: on simulated tables without hidden causes the tests
// increased the calibration error of discrete and smooth models by 0.02. With non-Gaussian noise and equal variances their use was not
// measured on tables with hidden causes.
func byHidden(c *Claim) (Reason, bool) {
	r := Reason{Source: FromHidden}
	tested := slices.Contains([]score.Effects{"", score.LinearEffects, score.MixedEffects}, c.model.Effects) && !c.Identified && (c.DirectionP == nil || *c.DirectionP > NoiseLevel)
	if c.HiddenDeltaBIC == nil || *c.HiddenDeltaBIC <= 0 || len(c.failed) > 0 || !tested {
		return r, false
	}
	r.P = logistic(hiddenShift + hiddenSlope*min(*c.HiddenDeltaBIC, hiddenMost))
	r.Text = fmt.Sprintf("a hidden common cause in place of the edge decreases the score by %.3g (ΔBIC); then neither direction is right", *c.HiddenDeltaBIC)
	return r, true
}

// hidden returns the probability of a hidden common cause in place of the edge, as far as the evidence has one.
func (j Judgement) hidden() float64 {
	for _, r := range j.Evidence {
		if r.Source == FromHidden {
			return r.P
		}
	}
	return 0
}

// PReverse returns the probability of To → From if the two variables are adjacent. It is less than 1 - PDirection if tests suggest a
// hidden common cause in place of the edge.
func (j Judgement) PReverse() float64 { return max(0, 1-j.PDirection-j.hidden()) }
