package confidence

import (
	"math"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/score"
)

// What makes confidences of frequencies.
const (
	// NoCalibration: confidences are frequencies.
	NoCalibration = "none"
	// Simulated is a fixed curve that was fitted on simulated tables, linear, discrete and mixed, and SimulatedSmooth one that was fitted on
	// smooth ones: see newCurve.
	Simulated       = "simulated-1"
	SimulatedSmooth = "simulated-smooth-1"
	// Recalibrated is a curve that was learned on tables simulated to be like the one at hand: Settings.Calibrate.
	Recalibrated = "simulated"
)

// The curves. A bootstrap sample has about 63 % of the rows, some of them several times, so that a weak edge which the whole table
// shows is missed in many samples, and a chance one turns up in some: frequencies are too low in the upper half and a little too high
// below. With a the share of samples in which two columns are adjacent and r the part of these that has the edge in this direction,
//
//	confidence = σ(adjacencyShift + adjacencySlope·logit a) · σ(directionSlope·logit r),
//
// so that the two directions of a pair add up to the probability of an edge, and an open direction stays a half. The numbers are from
// logistic regressions: on 54 tables, and for smooth effects, where directions are told by how well they fit and hardly ever open, on 48
// tables, the means of 24 with strong and 24 with weak effects. docs/evidence/calibration.md has what the curves do on others.
type numbers struct{ adjacencyShift, adjacencySlope, directionSlope float64 }

func numbersOf(by string) numbers {
	if by == SimulatedSmooth {
		return numbers{-0.15, 1.64, 2.4}
	}
	return numbers{0.30, 1.53, 1.53}
}

// calibration names what is done to frequencies: nothing for halves, for which no curve was fitted.
func calibration(kind polydag.Resampling, model score.Effects) string {
	switch {
	case kind != polydag.Bootstrap:
		return NoCalibration
	case model == score.SmoothEffects:
		return SimulatedSmooth
	}
	return Simulated
}

// curve makes a confidence of the frequency of an edge and of its adjacency: the probability that the two columns are adjacent, from the
// one, times that of this direction if they are, from the ratio of the two.
type curve struct {
	name                 string
	adjacency, direction func(share float64) float64
}

// newCurve returns the curve of a name for shares of so many samples.
func newCurve(by string, replicates int) curve {
	if by == NoCalibration {
		same := func(share float64) float64 { return share }
		return curve{by, same, same}
	}
	c, n := numbersOf(by), float64(replicates)
	logit := func(share float64) float64 { // half a sample is taken off either end, so that it is finite
		return math.Log((share*n + 0.5) / ((1-share)*n + 0.5))
	}
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	return curve{by,
		func(a float64) float64 { return sigma(c.adjacencyShift + c.adjacencySlope*logit(a)) },
		func(r float64) float64 { return sigma(c.directionSlope * logit(r)) }}
}

// of returns the confidence. A frequency of 0 has none.
func (c curve) of(frequency, adjacency float64) float64 {
	if frequency == 0 || c.name == NoCalibration {
		return frequency
	}
	return c.adjacency(min(1, adjacency)) * c.direction(min(1, frequency/adjacency))
}

// learnCurve learns a curve from pairs whose truth is known, which shrinks to the curve before where there are few.
func learnCurve(pairs []verdict, before curve) curve {
	var adjacent, directed []seen
	for _, p := range pairs {
		right := 0.0
		if p.forward || p.back {
			right = 1
		}
		adjacent = append(adjacent, seen{p.adjacency(), right})
		if r := p.share(); right == 1 && p.adjacency() > 0 {
			// Each pair counts in both directions, so that an open direction stays a half.
			directed = append(directed, seen{r, number(p.forward)}, seen{1 - r, number(p.back)})
		}
	}
	return curve{Recalibrated, fitRising(adjacent, before.adjacency).at, fitRising(directed, before.direction).at}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// verdict is what was found of two columns of a simulated table, i < j, and what is true.
type verdict struct {
	there, turned float64 // frequencies of i → j and of j → i
	forward, back bool    // the true graph has i → j, or j → i
}

func (v verdict) adjacency() float64 { return min(1, v.there+v.turned) }

// share is the part of the adjacencies that have i → j.
func (v verdict) share() float64 { return v.there / (v.there + v.turned) }

// reliability compares confidences with what is right, by tenths.
type reliability [9]struct{ pairs, sum, right float64 }

// leastJudged is the confidence that a pair needs to count: those below are nearly all pairs, and nobody reads them.
const leastJudged = 0.1

func (r *reliability) add(confidence float64, right bool) {
	if confidence < leastJudged {
		return
	}
	k := max(0, min(len(r)-1, int((confidence-leastJudged)*10)))
	r[k].pairs++
	r[k].sum += confidence
	r[k].right += number(right)
}

// judge adds both directions of the pairs under a curve.
func (r *reliability) judge(c curve, pairs []verdict) {
	for _, p := range pairs {
		r.add(c.of(p.there, p.adjacency()), p.forward)
		r.add(c.of(p.turned, p.adjacency()), p.back)
	}
}

// off is the mean of |confidence - share that is right| over the pairs, by tenths.
func (r *reliability) off() (mean, pairs float64) {
	for _, c := range r {
		mean += math.Abs(c.sum - c.right)
		pairs += c.pairs
	}
	return mean / max(1, pairs), pairs
}
