package trust

import "fmt"

// byVariances is the evidence of equal noise variances, and of other models that identify every direction.
func byVariances(c *Claim) (Reason, bool) {
	r := Reason{Source: FromVariances, Weight: c.weight}
	if !c.byVariances() {
		return r, false
	}
	if c.Margin == nil {
		r.Text = "the model identifies every direction"
		return c.turned(r, reversalMost), true
	}
	r.Text = fmt.Sprintf("equal noise variances identify every direction (ΔBIC = %.3g against unequal ones)", *c.Margin)
	return c.turned(r, min(reversalMost, reversalSlope**c.Margin)), true
}

// byVariances reports whether the model itself directs the edge.
func (c *Claim) byVariances() bool { return c.Identified && c.Reversal == nil }
