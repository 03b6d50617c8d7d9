package confidence

import (
	"math"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/score"
)

// Names of calibration curves.
const (
	// NoCalibration uses frequencies as confidences.
	NoCalibration = "none"
	// Simulated is a fixed curve fitted on simulated linear, discrete and mixed tables, and SimulatedSmooth one fitted on smooth
	// tables: see newCurve.
	Simulated       = "simulated-1"
	SimulatedSmooth = "simulated-smooth-1"
	// Recalibrated is a curve fitted on tables simulated to be like the given one: Settings.Calibrate.
	Recalibrated = "simulated"
)

// numbers are the parameters of a calibration curve. A bootstrap sample has about 63 % of the distinct rows, so weak edges of the
// whole table are missing in many samples and chance edges appear in some: frequencies are too low in the upper half and a little
// too high below. With a the share of samples in which two columns are adjacent and r the share of these with the edge in this
// direction,
//
//	confidence = σ(adjacencyShift + adjacencySlope·logit a) · σ(directionSlope·logit r),
//
// so that the two directions of a pair add up to the probability of an adjacency, and an open direction stays at one half. The
// parameters come from logistic regressions on 54 tables, and for smooth effects, where directions are identified by fit, on 48
// tables (24 with strong and 24 with weak effects). docs/evidence/calibration.md evaluates the curves on other tables.
type numbers struct{ adjacencyShift, adjacencySlope, directionSlope float64 }

func numbersOf(by string) numbers {
	if by == SimulatedSmooth {
		return numbers{-0.15, 1.64, 2.4}
	}
	return numbers{0.30, 1.53, 1.53}
}

// calibration returns the name of the curve; NoCalibration for halves, which have no fitted curve.
func calibration(kind polydag.Resampling, model score.Effects) string {
	switch {
	case kind != polydag.Bootstrap:
		return NoCalibration
	case model == score.SmoothEffects, model == score.FlexibleEffects:
		return SimulatedSmooth
	}
	return Simulated
}

// curve converts the frequencies of an edge and of its adjacency to a confidence: the probability of the adjacency times the
// probability of the direction given the adjacency.
type curve struct {
	name                 string
	adjacency, direction func(share float64) float64
}

// newCurve returns the named curve for shares of this number of samples.
func newCurve(by string, replicates int) curve {
	if by == NoCalibration {
		same := func(share float64) float64 { return share }
		return curve{by, same, same}
	}
	c, n := numbersOf(by), float64(replicates)
	logit := func(share float64) float64 { // half a sample is subtracted at either end to keep it finite
		return math.Log((share*n + 0.5) / ((1-share)*n + 0.5))
	}
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	return curve{by,
		func(a float64) float64 { return sigma(c.adjacencyShift + c.adjacencySlope*logit(a)) },
		func(r float64) float64 { return sigma(c.directionSlope * logit(r)) }}
}

// of returns the confidence. Columns that are never adjacent have 0; a direction that no sample has is improbable, not impossible.
func (c curve) of(frequency, adjacency float64) float64 {
	if adjacency == 0 || c.name == NoCalibration {
		return frequency
	}
	return c.adjacency(min(1, adjacency)) * c.direction(min(1, frequency/adjacency))
}

// only returns the confidence if prior knowledge forbids the other direction.
func (c curve) oneDirection(frequency, adjacency float64) float64 {
	if adjacency == 0 || c.name == NoCalibration {
		return frequency
	}
	return c.adjacency(min(1, adjacency))
}

// learnCurve fits a curve to pairs with known truth, shrunk to the given curve if there are few.
func learnCurve(pairs []verdict, before curve) curve {
	var adjacent, directed []seen
	for _, p := range pairs {
		right := number(p.forward || p.back)
		adjacent = append(adjacent, seen{p.adjacency(), right})
		if r := p.share(); right == 1 && p.adjacency() > 0 {
			// Each pair counts in both directions, so that an open direction stays at one half.
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

// verdict is the result for two columns i < j of a simulated table, and the truth.
type verdict struct {
	there, turned float64 // frequencies of i → j and of j → i
	forward, back bool    // the true graph has i → j, or j → i
}

func (v verdict) adjacency() float64 { return min(1, v.there+v.turned) }

// share is the share of the adjacencies that have i → j.
func (v verdict) share() float64 { return v.there / (v.there + v.turned) }

// reliability compares confidences with the truth, by tenths.
type reliability [9]struct{ pairs, sum, right float64 }

// leastJudged is the smallest confidence that counts: nearly all pairs are below it and are irrelevant.
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

// off is the expected calibration error: the mean of |confidence - share of true edges| over the pairs, by tenths.
func (r *reliability) off() (mean, pairs float64) {
	for _, c := range r {
		mean += math.Abs(c.sum - c.right)
		pairs += c.pairs
	}
	return mean / max(1, pairs), pairs
}
