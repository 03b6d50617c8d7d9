package report

import (
	"fmt"
	"math"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
)

// shown is the effect of an edge as the table of edges shows it: a slope, or a difference between two values of the parent.
type shown struct {
	text, short string // short is for a narrow terminal; "" for text
	// categories are two categories of the parent, values are two values of it, and slope is one unit.
	categories, values, slope bool
	// change is the difference, and several reports that the parent has more than two categories or the child more than two.
	change  float64
	several bool
}

// shownEffect summarizes the effect of an edge: the slope; the difference between two categories, in percentage points for a
// categorical child; or the change over the central 90 % of the rows.
func shownEffect(e polydag.Edge) shown {
	f := e.Effect
	switch {
	case f == nil || f.Check() != nil:
	case f.Form == method.EffectMeans:
		base, other := contrasted(f)
		s := shown{categories: true, change: f.Y[other] - f.Y[base], several: len(f.Y) > 2}
		s.text = fmt.Sprintf("%+.4g (%s)", s.change, tight(f.FromLevels[other]))
		return s
	case f.Form == method.EffectTable:
		return difference(f)
	case e.Sign() == 0:
		return shown{text: "nonlinear", several: true}
	}
	return shown{text: slope(e), slope: true, change: e.Weight}
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

// difference describes the change of the probability of one category of the child: of the second one of two, else of the one that
// changes most.
func difference(f *polydag.Effect) shown {
	base, other := 0, len(f.P)-1 // the ends of the central 90 % of a numeric parent
	s := shown{values: len(f.X) > 0, categories: len(f.X) == 0}
	if s.categories {
		base, other = contrasted(f)
	}
	s.several = s.categories && len(f.P) > 2 || len(f.ToLevels) > 2
	column := len(f.ToLevels) - 1
	for j := range f.ToLevels {
		if len(f.ToLevels) > 2 && math.Abs(f.P[other][j]-f.P[base][j]) > math.Abs(f.P[other][column]-f.P[base][column]) {
			column = j
		}
	}
	s.change = f.P[other][column] - f.P[base][column]
	points := math.Round(100*s.change) + 0 // + 0 turns -0 into 0
	s.text = fmt.Sprintf("P(%s) %+g pp", tight(f.ToLevels[column]), points)
	s.short = fmt.Sprintf("P(%s) %+g", shorten(f.ToLevels[column], 5), points)
	if s.values {
		s.text += fmt.Sprintf(" (%.3g against %.3g)", f.X[other], f.X[base])
	} else {
		s.text += " (" + tight(f.FromLevels[other]) + ")"
		s.short += " (" + shorten(f.FromLevels[other], 5) + ")"
	}
	return s
}

// contrasted returns the indices of the parent's categories that are compared. With two categories these are the first, such as 0,
// no or control, and the second. With more they are the ones with the most and the second most rows.
func contrasted(f *polydag.Effect) (first, second int) {
	second = min(1, len(f.FromLevels)-1)
	if len(f.FromLevels) == 2 {
		return first, second
	}
	for k, n := range f.Rows {
		switch {
		case n > f.Rows[first]:
			first, second = k, first
		case k != first && n > f.Rows[second]:
			second = k
		}
	}
	return first, second
}

// standardized formats the standardized effect with the sign of the shown effect, or nothing if that is not a single slope.
func standardized(e polydag.Edge) string {
	s := shownEffect(e)
	if e.Weight == 0 || s.several {
		return ""
	}
	if math.Abs(e.Standardized) < 0.005 {
		return "0.00"
	}
	return fmt.Sprintf("%+.2f", math.Copysign(e.Standardized, s.change))
}

func tight(level string) string {
	const most = 16
	if r := []rune(plain(level)); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return plain(level)
}
