package report

import (
	"fmt"
	"math"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
)

// shortEffect summarizes the effect of an edge: the slope; the largest contrast of a category against the most
// frequent one, in percentage points for a categorical child; or the change over the central 90 % of the rows.
func shortEffect(e polydag.Edge) string {
	f := e.Effect
	if f == nil || f.Check() != nil {
		return slope(e)
	}
	switch f.Form {
	case method.EffectMeans:
		base := mostFrequent(f)
		best := base
		for k, y := range f.Y {
			if math.Abs(y-f.Y[base]) > math.Abs(f.Y[best]-f.Y[base]) {
				best = k
			}
		}
		return fmt.Sprintf("%+.4g (%s)", f.Y[best]-f.Y[base], tight(f.FromLevels[best]))
	case method.EffectTable:
		return contrast(f)
	}
	if e.Sign() == 0 {
		return "nonlinear"
	}
	return slope(e)
}

// slope formats the weight of an edge. One that is 0 up to rounding is shown as 0.
func slope(e polydag.Edge) string {
	switch {
	case e.Weight == 0:
		return ""
	case math.Abs(e.Standardized) < 1e-9:
		return "0"
	}
	return fmt.Sprintf("%+.4g", e.Weight)
}

// contrast returns the largest change of a probability. For a child with two categories it is that of the
// second.
func contrast(f *polydag.Effect) string {
	base, numeric := mostFrequent(f), len(f.X) > 0
	if numeric {
		base = 0
	}
	row, column := base, len(f.ToLevels)-1
	for i := range f.P {
		if numeric && i != len(f.P)-1 {
			continue
		}
		for j := range f.ToLevels {
			if len(f.ToLevels) == 2 && j == 0 {
				continue
			}
			if math.Abs(f.P[i][j]-f.P[base][j]) > math.Abs(f.P[row][column]-f.P[base][column]) {
				row, column = i, j
			}
		}
	}
	out := fmt.Sprintf("%+.0f pp", 100*(f.P[row][column]-f.P[base][column]))
	if len(f.ToLevels) > 2 {
		out = "P(" + tight(f.ToLevels[column]) + ") " + out
	}
	if numeric {
		return out + fmt.Sprintf(" (%.3g against %.3g)", f.X[len(f.X)-1], f.X[0])
	}
	return out + " (" + tight(f.FromLevels[row]) + ")"
}

// mostFrequent returns the index of the parent's category with the most rows.
func mostFrequent(f *polydag.Effect) int {
	best := 0
	for k, n := range f.Rows {
		if n > f.Rows[best] {
			best = k
		}
	}
	return best
}

func tight(level string) string {
	const most = 16
	r := []rune(plain(level))
	if len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return string(r)
}
