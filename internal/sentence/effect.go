// Package sentence describes in words what an edge does, and how a graph was learned.
package sentence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/method"
)

// Effect describes the effect of an edge in plain sentences, averaged over the other parents: probabilities for
// a categorical child, means for a categorical parent, and otherwise where a curve rises, falls and turns. It
// returns nil if the result does not describe the edge.
func Effect(e polydag.Edge) []string {
	f := e.Effect
	if f == nil || f.Check() != nil {
		return nil
	}
	from, to := visible.Name(e.From), visible.Name(e.To)
	switch f.Form {
	case method.EffectTable:
		return probabilities(from, to, f)
	case method.EffectMeans:
		parts := make([]string, len(f.Y))
		for k, y := range f.Y {
			where := visible.Name(f.FromLevels[k])
			if k == 0 {
				where = from + " = " + where
			}
			parts[k] = fmt.Sprintf("%.4g where %s", y, where)
		}
		return []string{fmt.Sprintf("the %s of %s is %s", average(f), to, strings.Join(parts, ", "))}
	}
	return []string{course(from, to, f)}
}

func average(f *polydag.Effect) string {
	if f.Median {
		return "median"
	}
	return "mean"
}

// probabilities returns a sentence for each category of the child or, for two categories, only for the second.
func probabilities(from, to string, f *polydag.Effect) []string {
	var out []string
	for j, level := range f.ToLevels {
		if len(f.ToLevels) == 2 && j == 0 {
			continue
		}
		parts := make([]string, 0, len(f.P))
		for i := range f.P {
			k := i
			if len(f.ToLevels) == 2 && len(f.P) == 2 { // the usual wording: with first, without second
				k = len(f.P) - 1 - i
			}
			where := visible.Name(f.FromLevels[k])
			if i == 0 {
				where = from + " = " + where
			}
			parts = append(parts, share(f.P[k][j])+" where "+where)
		}
		out = append(out, fmt.Sprintf("P(%s = %s) is %s", to, visible.Name(level), strings.Join(parts, ", ")))
	}
	return out
}

// share formats a probability with two digits. One that rounds to 0 or 1, and is not, becomes <0.01 or >0.99.
func share(p float64) string {
	switch text := strconv.FormatFloat(p, 'f', 2, 64); {
	case text == "0.00" && p > 0:
		return "<0.01"
	case text == "1.00" && p < 1:
		return ">0.99"
	default:
		return text
	}
}

// turnShare is how large a part of its height a curve must go back before it counts as a turn: a fit has small waves.
const turnShare = 0.1

// course describes a curve from its left mark to its right one.
func course(from, to string, f *polydag.Effect) string {
	x, y := inner(f)
	turns := turningPoints(y)
	height := slices.Max(y) - slices.Min(y)
	span := fmt.Sprintf("between %s = %.4g and %.4g, where nine of ten rows are", from, x[0], x[len(x)-1])
	if height == 0 {
		return fmt.Sprintf("%s does not change with %s", to, from)
	}
	var parts []string
	at := 0
	for k, turn := range append(turns, len(y)-1) {
		verb := "rises"
		if y[turn] < y[at] {
			verb = "falls"
		}
		if k == 0 {
			parts = append(parts, fmt.Sprintf("%s from %.4g to %.4g", verb, y[at], y[turn]))
		} else {
			parts = append(parts, fmt.Sprintf("turns at %.4g and %s to %.4g", x[at], verb, y[turn]))
		}
		at = turn
	}
	return fmt.Sprintf("%s %s, %s", to, strings.Join(parts, ", "), span)
}

// inner returns the part of a curve between its marks, or all of it if there are too few points between them.
func inner(f *polydag.Effect) (x, y []float64) {
	if f.Low == nil {
		return f.X, f.Y
	}
	for k, v := range f.X {
		if v >= *f.Low && v <= *f.High {
			x, y = append(x, v), append(y, f.Y[k])
		}
	}
	if len(x) < 2 {
		return f.X, f.Y
	}
	return x, y
}

// turningPoints returns the points at which a curve turns by more than turnShare of its height.
func turningPoints(y []float64) (turns []int) {
	least := turnShare * (slices.Max(y) - slices.Min(y))
	extreme, direction := 0, 0 // direction is not known before the curve has gone far enough
	low, high := 0, 0
	for k, v := range y {
		switch direction {
		case 0:
			if v < y[low] {
				low = k
			}
			if v > y[high] {
				high = k
			}
			if v-y[low] > least {
				direction, extreme = 1, k
			} else if y[high]-v > least {
				direction, extreme = -1, k
			}
		default:
			if float64(direction)*(v-y[extreme]) >= 0 {
				extreme = k
			} else if float64(direction)*(y[extreme]-v) > least {
				turns = append(turns, extreme)
				direction, extreme = -direction, k
			}
		}
	}
	return turns
}
