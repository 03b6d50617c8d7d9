package trust

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/score"
)

const (
	// reversalSlope converts the score loss of a reversal to log odds of a direction, and reversalMost limits them. 0.19 fits 355 edges
	// of simulated tables best.
	reversalSlope, reversalMost = 0.2, 5.0
	// tableSlope and tableMost are the values for probability tables, fitted to 2905 edges. A reversal changes the penalty by many
	// parameters at a time, so that the same loss is weaker evidence: at a loss of 8 to 12, 0.65 of the directions are right.
	tableSlope, tableMost = 0.1, 3.5
	// additiveSlope is the value if additive effects were considered besides full tables. A reversal then changes the penalty by
	// few parameters. 0.22 fits 1038 edges of simulated binary tables best; the value is smaller because more directions are wrong
	// with n = 1000 and moderate effects.
	additiveSlope = 0.15
	// identified are the log odds of a direction that the model identifies if the loss of a reversal is unknown.
	identified = 1.4
	// shareSlope multiplies the log odds of the share of the equivalence class: 1.30 ± 0.08 fits 2900 open edges of simulated
	// tables. If all orders of the variables are equally probable, the middle of a chain of three is the cause with odds of 3 and
	// not 2, which is a slope of 1.58.
	shareSlope = 1.3
	// openMost limits the probability of a direction that the equivalence class leaves open, so that it stays below StatedLevel. At
	// the limit 0.84 of 365 edges were right.
	openMost = 0.8
	// turnedShare multiplies the log odds if a part of the rows has the edge reversed.
	turnedShare = 0.3
)

// derivedText begins the reason of a direction that prior knowledge and the equivalence class determine together.
const derivedText = "prior knowledge and the other directions determine the direction; "

// byClass is the evidence of the equivalence class: how much worse the best known graph with the edge reversed fits or, if graphs with
// both directions fit equally well, the share of these graphs that have the direction.
func byClass(c *Claim) (Reason, bool) {
	r := Reason{Source: FromClass, Weight: c.weight}
	odds := 0.0
	switch {
	case c.byCurves(), c.byVariances(), c.byIntervention():
		return r, false
	case c.Reversal != nil:
		slope, most := c.curve()
		odds, r.Text = bounded(slope**c.Reversal, most), c.loss()
	case c.Compelled:
		odds, r.Text = identified, "the model identifies the direction"
	default:
		odds, r.Text = shareOdds(c.Share), "both directions fit equally well (Markov equivalence)"
		if math.Abs(c.Share-0.5) >= 0.05 {
			r.Text += fmt.Sprintf("; %.0f %% of the equivalent graphs have this one", 100*c.Share)
		}
	}
	if c.Derived {
		r.Text = derivedText + r.Text
	}
	if c.annotations && !c.Derived { // annotators and the choice of the pictures decide what depends on what
		odds, r.Text = 0, "the distribution of annotations does not give directions; "+r.Text
	}
	return c.turned(r, odds), true
}

// curve returns the slope and the limit of the log odds by the score loss of a reversal.
func (c *Claim) curve() (slope, most float64) {
	switch {
	case c.model.Effects == score.SmoothEffects:
		return reversalSlope, shapeMost
	case c.model.Effects != score.TableEffects:
		return reversalSlope, reversalMost
	case c.model.Additive != nil:
		return additiveSlope, tableMost
	}
	return tableSlope, tableMost
}

// loss describes the score loss of a reversal.
func (c *Claim) loss() string {
	text := fmt.Sprintf("reversing the edge increases the score by %.3g (ΔBIC)", *c.Reversal)
	if *c.Reversal < 0 {
		text = fmt.Sprintf("the graph with the edge reversed fits better (ΔBIC = %.3g)", -*c.Reversal)
	}
	if c.dependent {
		text += ", a quarter of the difference, because rows are not independent"
	}
	return text
}

// turned completes a reason of the model: it applies the weight, and the doubt of a part of the rows.
func (c *Claim) turned(r Reason, odds float64) Reason {
	if c.Turned {
		odds *= turnedShare
		r.Text += "; a graph learned from part of the rows has the edge reversed"
	}
	r.LogOdds = r.Weight * odds
	return r
}

// shareOdds returns the log odds of a direction with this share of the equivalence class.
func shareOdds(share float64) float64 {
	return bounded(shareSlope*logit(share), logit(openMost))
}

// WithShare combines the probability of a direction in samples, where an open direction counts one half, with its share of the
// equivalence class.
func WithShare(direction, share float64) float64 {
	return logistic(oddsOf(direction) + shareOdds(share))
}
