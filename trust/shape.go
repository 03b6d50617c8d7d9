package trust

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
)

const (
	// topShare is the share of the most frequent value from which too few other rows remain.
	topShare = 0.99
	// relativeStd is the ratio of standard deviation to size at which half of the digits of a float64 are lost.
	relativeStd = 1e-8
	// skewLimit and tailLimit are the values from which methods that assume a Gaussian distribution are affected: West, Finch and
	// Curran (1995), "Structural equation models with nonnormal variables".
	skewLimit = 2
	tailLimit = 7
	// fewLevels is the largest number of distinct numbers that look like codes.
	fewLevels = 10
	// idRows is the smallest number of distinct values for which an order or a numbering is not a coincidence.
	idRows = 10
	// logRange is the ratio of the largest to the smallest value from which a logarithm changes the shape of a column. Below it the
	// logarithm is nearly linear over the data.
	logRange = 10
)

// constants finds columns that are constant, exactly or nearly.
func (e *examination) constants() {
	if e.m.N < 2 {
		return
	}
	var constant, values, tiny, near, shares []string
	for j, name := range e.m.Names {
		c := e.column[j]
		lo, hi := e.m.Min[j], e.m.Max[j]
		switch top, share := e.top(j); {
		case c.Missing >= e.out.RowsRead && e.out.RowsRead > 0: // reported as empty
		case lo == hi:
			constant, values = append(constant, name), append(values, fmt.Sprintf("%s (%s)", name, number(lo, 6)))
		case !(e.std[j] > 0):
			tiny = append(tiny, name)
		case share >= topShare:
			near, shares = append(near, name), append(shares, fmt.Sprintf("%s is %s in %s", name, number(top, 6), percent(share)))
		case e.std[j] < relativeStd*e.size(j):
			near = append(near, name)
			shares = append(shares, fmt.Sprintf("%s varies by %.2g around %s", name, e.std[j], number(e.m.Mean[j], 6)))
		}
	}
	if len(constant) == len(e.m.Names) && len(constant) > 0 {
		e.add(Constant, Error, constant, fmt.Sprintf("all columns are constant: %s", list(values, 6)), fault.Out("choose rows or columns that vary"))
	} else if len(constant) > 0 {
		e.add(Constant, Error, constant, fmt.Sprintf("%s %s constant", list(values, 6), is(len(constant))), fault.Out("%s", fault.Columns("drop", constant...)))
	}
	if len(tiny) > 0 {
		e.add(Constant, Error, tiny, fmt.Sprintf("the values of %s are so small that their variance is 0", list(tiny, 6)),
			fault.Out("multiply by a power of ten, or %s", fault.Columns("drop", tiny...)))
	}
	if len(near) > 0 {
		e.add(NearConstant, Warning, near, fmt.Sprintf("nearly constant: %s; few rows determine the edges of %s", list(shares, 6), form(len(near), "this column", "these columns")),
			fault.Out("%s", fault.Columns("drop", near...)))
	}
}

// size returns the largest absolute value of a column, or its mean if only means and covariances are known.
func (e *examination) size(j int) float64 {
	if !e.rangeKnown(j) {
		return math.Abs(e.m.Mean[j])
	}
	return max(math.Abs(e.m.Min[j]), math.Abs(e.m.Max[j]))
}

// top returns the most frequent value of a column and its share, or a share of 0 if it is unknown. For a column with two values the
// share follows from the moments.
func (e *examination) top(j int) (value, share float64) {
	if c := e.column[j]; c.TopShare > 0 {
		return c.Top, c.TopShare
	}
	if !e.twoValued(j) {
		return 0, 0
	}
	high := (e.m.Mean[j] - e.m.Min[j]) / (e.m.Max[j] - e.m.Min[j])
	if high > 0.5 {
		return e.m.Max[j], high
	}
	return e.m.Min[j], 1 - high
}

// twoValued reports whether a column has two values. Without a profile it uses Bhatia and Davis (2000): the variance is at most
// (max - mean)(mean - min), with equality exactly if every value is the smallest or the largest.
func (e *examination) twoValued(j int) bool {
	if e.p != nil {
		return e.column[j].Distinct == 2
	}
	bound := (e.m.Max[j] - e.m.Mean[j]) * (e.m.Mean[j] - e.m.Min[j])
	return bound > 0 && e.std[j]*e.std[j] >= bound*(1-1e-9)
}

// shapes checks the distribution of each column: two or few values, long tails, a numbering.
func (e *examination) shapes() {
	var binary, few, ids, idWhy []string
	var skewed, tailed []string
	var skew, tail []float64
	var logs, scores []string
	for _, j := range e.varying {
		c, name := e.column[j], e.m.Names[j]
		if e.twoValued(j) {
			binary = append(binary, name)
			continue
		}
		if e.p == nil {
			continue
		}
		switch {
		case c.Kind == "integer" && e.asRead(j) && c.Distinct <= fewLevels && e.m.N > 2*fewLevels && c.From == "":
			few = append(few, name)
			continue // no transform helps codes
		case numbering(c, e.out.RowsRead) && timestamp(*c):
			continue // reported by ordered
		case numbering(c, e.out.RowsRead):
			ids, idWhy = append(ids, name), append(idWhy, name+" "+numberingWhy(c))
			continue
		}
		if !e.asRead(j) {
			continue // the profile describes the values before a transform
		}
		if math.Abs(c.Skewness) > skewLimit {
			skewed, skew = append(skewed, name), append(skew, c.Skewness)
			if c.Min > 0 && c.Max >= logRange*c.Min && c.Skewness > 0 && c.Kind != "time" {
				logs = append(logs, name)
			} else {
				scores = append(scores, name)
			}
		}
		if c.Kurtosis > tailLimit {
			tailed, tail = append(tailed, name), append(tail, c.Kurtosis)
		}
	}
	for _, c := range e.out.Columns { // text columns may be identifiers too
		left := c.Dropped != "" && !e.refuse.Text
		if c.Kind == "text" && c.From == "" && !left && !e.excluded[c.Name] && c.Distinct >= idRows && c.Distinct+c.Missing >= e.out.RowsRead {
			ids, idWhy = append(ids, c.Name), append(idWhy, c.Name+" has distinct text in every row")
		}
	}
	if len(ids) > 0 {
		e.add(IDLike, Warning, ids, fmt.Sprintf("possible identifier: %s", list(idWhy, 6)), fault.Out("%s, unless the row order is meaningful", fault.Columns("drop", ids...)))
	}
	three := func(v float64) string { return number(v, 3) }
	if len(skewed) > 0 {
		e.add(Skewed, Warning, skewed, fmt.Sprintf("skewness beyond ±%d (Gaussian: 0): %s", skewLimit, ranked(skewed, skew, three)), transform(logs, scores))
	}
	if len(tailed) > 0 {
		e.add(HeavyTails, Warning, tailed, fmt.Sprintf("heavy tails, excess kurtosis above %d (Gaussian: 0): %s; a few rows dominate under a linear model, and BIC gives more false positives", tailLimit, ranked(tailed, tail, three)),
			fault.Out("inspect the extreme rows; %s uses ranks", byRanks))
	}
	if e.refuse.Levels {
		return // the model treats them by their kind
	}
	if len(binary) > 0 {
		e.add(Binary, Note, binary, fmt.Sprintf("%s %s two distinct values, used as numbers: an effect is a difference of proportions and the noise is not Gaussian; directions are less reliable than adjacencies", list(binary, 8), has(len(binary))), fault.Out("no action needed; interpret directions with care"))
	}
	if len(few) > 0 {
		e.add(FewLevels, Note, few, fmt.Sprintf("%s %s at most %d distinct integer values, used as numbers with equal spacing", list(few, 8), has(len(few)), fewLevels), fault.Out("if they are nominal codes, use %s", fault.Set("kind", "NAME=categorical")))
	}
}

// asRead reports whether the moments describe the values in the profile and not logarithms or scores of them: the range is then the
// same, or within it if rows were dropped.
func (e *examination) asRead(j int) bool {
	c := e.column[j]
	if e.dropped > 0 {
		return e.m.Min[j] >= c.Min && e.m.Max[j] <= c.Max
	}
	return e.m.Min[j] == c.Min && e.m.Max[j] == c.Max
}

// transform returns the remedy for skewness: logarithms of positive columns with a wide range, or normal scores of all columns.
func transform(logs, scores []string) fault.Way {
	take := fault.Columns("log", logs...)
	switch {
	case len(logs) == 0:
		return fault.Out("%s uses the ranks of all columns", byRanks)
	case len(scores) > 0:
		return fault.Out("%s (a logarithm does not help the others), or %s, which uses the ranks of all columns", take, byRanks)
	}
	return fault.Out("%s, or %s, which uses the ranks of all columns", take, byRanks)
}

// byRanks is the setting that replaces columns by the normal scores of their ranks.
var byRanks = fault.Set("normal-scores", "true")

// numbering reports whether a column looks like a row number or an identifier: distinct whole numbers that are monotone, or that
// fill a range.
func numbering(c *Column, n int) bool {
	if c.Kind != "integer" || c.From != "" || n-c.Missing < idRows {
		return false
	}
	return c.Monotone || permutation(c, n)
}

func permutation(c *Column, n int) bool {
	present := n - c.Missing
	return c.Distinct == present && c.Max-c.Min == float64(present-1)
}

func numberingWhy(c *Column) string {
	switch {
	case c.Monotone:
		return fmt.Sprintf("increases or decreases in every row, from %s to %s", number(c.Min, 9), number(c.Max, 9))
	default:
		return fmt.Sprintf("has every integer from %s to %s once", number(c.Min, 9), number(c.Max, 9))
	}
}
