package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// missingShare is the share of missing values from which their treatment can change the graph.
const missingShare = 0.05

// sentinelDistance is a distance that a Gaussian column does not reach in a billion rows.
const sentinelDistance = 6

// cells checks missing values and text.
func (e *examination) cells() {
	if e.p == nil {
		return
	}
	e.infinite()
	e.missing()
	e.missingCauses(e.missingness)
	e.missingApart(e.missingness)
	e.text()
	e.sentinels()
}

// sentinel reports whether the smallest or largest value of a column is a number such as -999 that stands for missing values: more than
// sentinelDistance standard deviations of the other values from their mean, which it returns. With k of n values at v, the others have
// mean (n·mean - k·v)/(n-k) and mean square (n·(std² + mean²) - k·v²)/(n-k).
func sentinel(c dataset.ColumnProfile, rows int) (mean float64, ok bool) {
	k, n, v := float64(c.Suspects), float64(rows-c.Missing-c.Infinite), c.Suspect
	if k == 0 || n-k < 2 || c.From != "" || c.Dropped != "" {
		return 0, false
	}
	mean = (n*c.Mean - k*v) / (n - k)
	std := math.Sqrt(max(0, (n*(c.Std*c.Std+c.Mean*c.Mean)-k*v*v)/(n-k)-mean*mean))
	return mean, math.Abs(v-mean) > sentinelDistance*std || c.SuspectLone
}

// sentinels finds numbers that stand for missing values.
func (e *examination) sentinels() {
	var names, where []string
	var words []fault.Remedy
	for _, c := range e.out.Columns {
		mean, ok := sentinel(c.ColumnProfile, e.out.RowsRead)
		if !ok {
			continue
		}
		v := c.Suspect
		names = append(names, c.Name)
		where = append(where, fmt.Sprintf("%s is %s in %s (other values around %s)", c.Name, number(v, 6), rows(c.Suspects), number(mean, 3)))
		if word := fault.Set("na", c.Name+"="+number(v, 7)); !slices.ContainsFunc(words, func(w fault.Remedy) bool { return w.Value == word.Value }) {
			words = append(words, word)
		}
	}
	if len(names) > 0 {
		e.add(Sentinel, Warning, names, fmt.Sprintf("possible codes for missing values: %s; used as numbers they create false edges", list(where, 6)),
			withWords(words))
	}
}

// withWords returns the remedy for numbers that stand for missing values.
func withWords(words []fault.Remedy) fault.Way {
	format := strings.TrimSpace(strings.Repeat("%s ", len(words))) + " if they are; in formats other than CSV, empty the cells"
	var args []any
	for _, w := range words {
		args = append(args, w)
	}
	return fault.Out(format, args...)
}

// infinite finds infinite values, which the data checks ignore and learn refuses. A column with no other values was excluded.
func (e *examination) infinite() {
	var all, allWhere, names, where []string
	for _, c := range e.out.Columns {
		place := fmt.Sprintf("%s (column %d) in %s, first in row %d", c.Name, c.Place, rows(c.Infinite), c.InfiniteRow)
		switch {
		case c.Infinite == 0 || c.From != "":
		case onlyInfinite(c, e.out.RowsRead):
			all, allWhere = append(all, c.Name), append(allWhere, place)
		default:
			names, where = append(names, c.Name), append(where, place)
		}
	}
	if len(all) > 0 {
		e.add(NotFinite, Error, all, fmt.Sprintf("every value is infinite, or beyond 1.8e308: %s", list(allWhere, 6)),
			fault.Out("correct the cells, as a division by zero may have made them; or %s", fault.Columns("drop", all...)))
	}
	if len(names) > 0 {
		e.add(NotFinite, Error, names, fmt.Sprintf("infinite values, or numbers beyond 1.8e308: %s; learn stops at the first", list(where, 6)),
			fault.Out("correct the cells; where they stand for missing values, %s with the word of the file (such as %s); or %s",
				fault.Use("na"), fault.Set("na", "inf"), fault.Columns("drop", names...)))
	}
}

// onlyInfinite reports whether a column has infinities and no other number.
func onlyInfinite(c Column, rows int) bool { return c.Infinite > 0 && c.Missing+c.Infinite >= rows }

func (e *examination) missing() {
	var empty, names []string
	var share []float64
	worst := 0.0
	read := float64(max(e.out.RowsRead, 1))
	for _, c := range e.out.Columns {
		switch {
		case c.Missing == 0 || c.From != "" || e.excluded[c.Name] || onlyInfinite(c, e.out.RowsRead): // a column without numbers has no missing values
		case c.Missing >= e.out.RowsRead:
			empty = append(empty, c.Name)
		default:
			names, share = append(names, c.Name), append(share, float64(c.Missing)/read)
			worst = max(worst, float64(c.Missing)/read)
		}
	}
	if len(empty) > 0 {
		e.add(Empty, Error, empty, fmt.Sprintf("%s %s no value at all", list(empty, 6), has(len(empty))), fault.Out("%s", fault.Columns("drop", empty...)))
	}
	if len(names) == 0 {
		return
	}
	what := fmt.Sprintf("values are missing in %s of %d rows: %s", plural(len(names), "column"), e.out.RowsRead,
		ranked(names, share, percent))
	lost := float64(e.dropped) / read
	var many []string // columns with a larger share of missing values
	for i, name := range names {
		if share[i] > missingShare {
			many = append(many, name)
		}
	}
	switch {
	case e.refuse.Missing:
		e.add(Missing, Error, names, what+"; learn stops at the first missing value unless told what to do",
			fault.Out("%s uses incomplete rows and assumes that values are missing at random; or %s", fault.Set("missing", "auto"), fault.Columns("drop", names...)))
	case lost > missingShare:
		drop := many
		if len(drop) == 0 {
			drop = names
		}
		e.add(Missing, Warning, names, fmt.Sprintf("%s; %d of %d rows are left (%s lost); the remaining rows may not be representative", what, e.out.RowsRead-e.dropped, e.out.RowsRead, percent(lost)),
			fault.Out("%s uses the incomplete rows; %s keeps more complete ones", fault.Set("missing", "auto"), fault.Columns("drop", drop...)))
	case worst > missingShare:
		e.add(Missing, Warning, names, what+"; results assume that values are missing at random: that a value is missing may depend on observed values, not on the missing value itself (untestable)",
			fault.Out("include columns that explain why values are missing; if a value is missing because of its size, use %s", fault.Columns("drop", many...)))
	default:
		e.add(Missing, Note, names, what, fault.Out("no action needed"))
	}
}

// missingCauses reports the columns that predict missing values. If such a column is often missing itself, the values may not be
// missing at random.
func (e *examination) missingCauses(m *dataset.Missingness) {
	if m == nil {
		return
	}
	var names, said, doubtful []string
	for _, p := range m.Predicted {
		names = append(names, p.Column)
		said = append(said, fmt.Sprintf("%s by %s (p = %.1g)", p.Column, p.By, p.P))
		if p.Missing > missingShare && !slices.Contains(doubtful, p.By) {
			doubtful = append(doubtful, p.By)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	var parts []string
	if len(said) > 0 {
		parts = append(parts, "observed columns predict which values are missing: "+list(said, 6))
	}
	for _, group := range m.Together {
		parts = append(parts, "missing in nearly the same rows: "+list(group, 6))
		if len(names) == 0 {
			names = group
		}
	}
	if len(parts) == 0 {
		return
	}
	severity := Note
	if len(doubtful) > 0 {
		severity = Warning
		parts = append(parts, fmt.Sprintf("%s %s often missing too, so that missing at random is doubtful", list(doubtful, 6), is(len(doubtful))))
	}
	e.add(MissingCauses, severity, names, strings.Join(parts, "; "), fault.Out("keep the predictors in the table; whether values are missing because of their own size cannot be tested"))
}

// missingApart reports pairs of columns that no row has both values of.
func (e *examination) missingApart(m *dataset.Missingness) {
	if m == nil || len(m.Apart) == 0 {
		return
	}
	var names, pairs []string
	for _, p := range m.Apart {
		names = append(names, p[0], p[1])
		pairs = append(pairs, p[0]+" with "+p[1])
	}
	slices.Sort(names)
	e.add(MissingApart, Warning, slices.Compact(names), "never observed in the same row: "+list(pairs, 6)+"; the table does not show whether they are related",
		fault.Out("do not read a missing edge between them as independence; add rows that have both values"))
}

// These are the remedies for text columns.
var oneHot, ordinal, noText = fault.Set("encode", "onehot"), fault.Set("encode", "ordinal"), fault.Set("encode", "drop")

// text reports the text columns that were excluded and those that were encoded.
func (e *examination) text() {
	var out, why, in, onehot []string
	made := 0
	for _, c := range e.out.Columns {
		switch {
		case e.excluded[c.Name]:
		case c.From != "":
			if made++; len(onehot) == 0 || onehot[len(onehot)-1] != c.From {
				onehot = append(onehot, c.From)
			}
		case c.Kind != "text" || c.Missing >= e.out.RowsRead:
		case c.Dropped == "":
			made++
			in = append(in, c.Name)
		default:
			out, why = append(out, c.Name), append(why, fmt.Sprintf("%s (%s)", c.Name, c.Dropped))
		}
	}
	switch {
	case len(out) > 0 && e.refuse.Text:
		way := fault.Out("%s; or for all text columns %s, %s or %s", fault.Columns("drop", out...), oneHot, ordinal, noText)
		if e.m.Dim() < 2 { // no column is left without them
			way = fault.Out("%s or %s", oneHot, ordinal)
		}
		e.add(Text, Error, out, fmt.Sprintf("%s %s not numeric; learn stops at text columns unless told how to encode them", list(why, 6), is(len(out))), way)
	case len(out) > 0:
		e.add(Text, Note, out, fmt.Sprintf("%s %s excluded", list(why, 6), is(len(out))), fault.Out("use %s or %s to include text columns", oneHot, ordinal))
	}
	if len(onehot) > 0 {
		e.add(Text, Warning, onehot, fmt.Sprintf("%s %s text, one-hot encoded as %s. One-hot columns of one variable are mutually exclusive, so they appear connected", list(onehot, 6), is(len(onehot)), plural(made, "column")),
			fault.Out("ignore such edges or forbid them: %s; %s excludes text columns", fault.Set("forbid", "NAME=*->NAME=*"), noText))
	}
	if len(in) > 0 && e.refuse.Levels {
		e.add(Text, Note, in, fmt.Sprintf("%s %s text and %[2]s used as categorical", list(in, 6), is(len(in))), fault.Out("no action needed"))
		return
	}
	if len(in) > 0 {
		e.add(Text, Note, in, fmt.Sprintf("%s %s text, encoded in sorted order", list(in, 6), is(len(in))),
			fault.Out("for nominal categories use %s or %s", oneHot, noText))
	}
}
