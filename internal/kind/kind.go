// Package kind decides what each column of a table is: continuous, count, ordinal, binary or categorical. Models are chosen by
// it.
//
//	columns := kind.Decide(gathered, false)
//	columns, err = kind.Overrule(columns, []string{"zip*=categorical"})
package kind

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
)

// Kind and Column are the public types, under the names that this package uses.
type (
	Kind   = dataset.VariableKind
	Column = dataset.Variable
)

// The kinds.
const (
	Continuous  = dataset.Continuous
	Count       = dataset.Count
	Ordinal     = dataset.Ordinal
	Binary      = dataset.Binary
	Categorical = dataset.Categorical
)

// FewLevels is how many different numbers a column may have to be taken as levels in an order, and MostLevels how many levels
// a categorical column may have at most.
const (
	FewLevels  = 10
	MostLevels = 64
)

// Decide returns the kind of each column of a table. ordered means that text was encoded by the order of its
// words. Without a profile of the rows, numeric columns are continuous.
func Decide(g *prepare.Gathered, ordered bool) []Column {
	profile := map[string]*dataset.ColumnProfile{}
	for i := range g.Profile.Columns {
		if c := &g.Profile.Columns[i]; c.Dropped == "" {
			profile[c.Name] = c
		}
	}
	out := make([]Column, len(g.Moments.Names))
	for j, name := range g.Moments.Names {
		out[j] = Column{Name: name}
		switch words, p := g.Levels[j], profile[name]; {
		case g.Classes != nil && g.Classes[j] > 0:
			out[j].Kind, out[j].Levels, out[j].Reason = Ordinal, g.Classes[j], fmt.Sprintf("numeric, discretized into %d classes", g.Classes[j])
			if g.Classes[j] == 2 {
				out[j].Kind = Binary
			}
		case p != nil && p.Kind == dataset.Bool.String():
			number(&out[j], p, g.Moments.N)
			if out[j].Words = words; words == nil && p.From == "" {
				out[j].Words = []string{"false", "true"}
			}
		case words != nil:
			text(&out[j], words, ordered || g.Ordered != nil && g.Ordered[j])
		default:
			number(&out[j], p, g.Moments.N)
		}
	}
	for _, s := range g.Scores {
		if j := slices.Index(g.Moments.Names, s.Column); j >= 0 {
			out[j].Reason = "scores, decided at " + dataset.FormatFloat(s.Cut)
		}
	}
	return out
}

// text decides on a column of words.
func text(c *Column, words []string, ordered bool) {
	c.Words, c.Levels = words, len(words)
	switch {
	case len(words) == 2:
		c.Kind, c.Reason = Binary, "text, two categories"
	case ordered:
		c.Kind, c.Reason = Ordinal, fmt.Sprintf("text, %d categories, encoded by order", len(words))
	default:
		c.Kind, c.Reason = Categorical, fmt.Sprintf("text, %d categories", len(words))
	}
}

// number decides the kind of a numeric column by its profile; p is nil without one. Few distinct values are
// categories only if there are more than twice as many rows, because any five rows have few values.
func number(c *Column, p *dataset.ColumnProfile, rows int) {
	if p == nil {
		c.Kind, c.Reason = Continuous, "numeric; no rows available"
		return
	}
	c.Levels = p.Distinct
	whole := p.Kind == dataset.Integer.String()
	enough := rows > 2*FewLevels
	switch {
	case p.Kind == dataset.Bool.String():
		c.Kind, c.Reason = Binary, "true or false"
	case p.Kind == dataset.Time.String():
		c.Kind, c.Reason = Continuous, "a time"
	case p.Kind == dataset.Text.String() && p.Distinct > 2:
		c.Kind, c.Reason = Ordinal, fmt.Sprintf("text, %d categories, encoded by order", p.Distinct)
	case p.Distinct == 2 && enough:
		c.Kind, c.Reason = Binary, "two values"
	case p.Distinct <= FewLevels && enough && whole:
		c.Kind, c.Reason = Ordinal, fmt.Sprintf("integers, %d distinct values", p.Distinct)
	case p.Distinct <= FewLevels && enough:
		c.Kind, c.Reason = Ordinal, fmt.Sprintf("numeric, %d distinct values", p.Distinct)
	case whole && p.Min >= 0:
		c.Kind, c.Reason = Count, "integers from "+fmt.Sprintf("%.4g", p.Min)+", "+many(p.Distinct)
	case whole:
		c.Kind, c.Reason = Continuous, "integers including negative ones, "+many(p.Distinct)
	default:
		c.Kind, c.Reason = Continuous, "numeric, "+many(p.Distinct)
	}
}

func many(distinct int) string {
	if distinct >= dataset.DistinctLimit {
		return fmt.Sprintf("at least %d distinct values", distinct)
	}
	return fmt.Sprintf("%d distinct values", distinct)
}

// Arrange returns the kinds in another order; nil stays nil.
func Arrange(columns []Column, order []int) []Column {
	if columns == nil {
		return nil
	}
	out := make([]Column, len(order))
	for i, v := range order {
		out[i] = columns[v]
	}
	return slices.Clip(out)
}

// Label returns a value as a table has it: one of the words of its column, otherwise the number.
func Label(words []string, x float64) string {
	if x >= 0 && int(x) < len(words) && x == float64(int(x)) {
		return words[int(x)]
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// Exact returns 0 if x is no larger than the rounding errors of a column with the given spread, and x otherwise.
func Exact(x, spread float64) float64 {
	if math.Abs(x) <= 1e-12*spread {
		return 0
	}
	return x
}
