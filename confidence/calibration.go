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
	// Simulated is a fixed curve that was fitted on simulated tables, linear, discrete, mixed and smooth: see calibrate.
	Simulated = "simulated-1"
)

// The curve. A bootstrap sample has about 63 % of the rows, some of them several times, so that a weak edge which the whole table
// shows is missed in many samples, and a chance one turns up in some: frequencies are too low in the upper half and a little too high
// below. With a the share of samples in which two columns are adjacent and r the part of these that has the edge in this direction,
//
//	confidence = σ(adjacencyShift + adjacencySlope·logit a) · σ(directionSlope·logit r),
//
// so that the two directions of a pair add up to the probability of an edge, and an open direction stays a half. The three numbers
// are from a logistic regression on 54 tables; docs/confidence.md has what the curve does on others.
const (
	adjacencyShift = 0.30
	adjacencySlope = 1.53
	directionSlope = 1.53
)

// calibration names what is done to frequencies: nothing for halves, for which no curve was fitted, and under smooth effects, where the
// curve does not hold.
func calibration(kind polydag.Resampling, model score.Effects) string {
	if kind != polydag.Bootstrap || model == score.SmoothEffects {
		return NoCalibration
	}
	return Simulated
}

// calibrate returns the confidence that follows from the frequency of an edge and of its adjacency in so many samples.
func calibrate(by string, frequency, adjacency float64, replicates int) float64 {
	if by == NoCalibration || frequency == 0 {
		return frequency
	}
	n := float64(replicates)
	logit := func(share float64) float64 { // half a sample is taken off either end, so that it is finite
		return math.Log((share*n + 0.5) / ((1-share)*n + 0.5))
	}
	sigma := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	return sigma(adjacencyShift+adjacencySlope*logit(min(1, adjacency))) * sigma(directionSlope*logit(min(1, frequency/adjacency)))
}
