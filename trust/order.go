package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// ordered finds time stamps that increase from row to row. Rows ordered by time are rarely independent.
func (e *examination) ordered() {
	if e.p == nil {
		return
	}
	var names []string
	time := fault.Set("time", ".") // a column whose values repeat is not the time of a row
	for _, c := range e.out.Columns {
		if c.Sorted && c.From == "" && e.out.RowsRead >= idRows && timestamp(c) && !e.excluded[c.Name] {
			if c.Monotone && c.Missing == 0 && time.Columns == nil {
				time = fault.Columns("time", c.Name)
			}
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	first := ""
	if time.Columns == nil {
		first = "if the first row is the earliest, "
	}
	e.add(TimeOrder, Warning, names, fmt.Sprintf("%s %s with the row order: rows look dependent in time, so confidence is overstated", list(names, 6), form(len(names), "rises or falls", "rise or fall")),
		fault.Out(first+"learn with %s, so that past values can be causes; or use rows far enough apart to be independent, such as every tenth, with %s", time, fault.Columns("drop", names...)))
}

// timestamp reports whether a sorted column is a time: by its type, by its name, or by whole values that are seconds or milliseconds
// since 1970 or dates such as 20240131. Numbers with decimals must also differ from row to row.
func timestamp(c Column) bool {
	if c.Kind == dataset.Time.String() {
		return true
	}
	whole := c.Kind == dataset.Integer.String()
	if !whole && !(c.Kind == dataset.Number.String() && c.Monotone) {
		return false
	}
	if named(c.Name, "date", "time", "timestamp", "datetime", "year", "month", "week", "day", "hour", "epoch") {
		return true
	}
	within := func(lo, hi float64) bool { return c.Min >= lo && c.Max <= hi }
	return whole && (within(3e8, 3e9) || within(3e11, 3e12) || within(19000101, 21001231))
}

// codes finds whole numbers that identify categories, such as postal codes.
func (e *examination) codes() {
	if e.p == nil {
		return
	}
	var names []string
	for _, c := range e.out.Columns {
		if c.Kind == dataset.Integer.String() && c.Distinct > fewLevels && c.Dropped == "" && named(c.Name, "zip", "zipcode", "postcode", "postal", "postalcode", "plz", "fips") {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return
	}
	e.add(CodeLike, Warning, names, fmt.Sprintf("%s %s postal or area codes: codes, not amounts, so that differences between them are meaningless", list(names, 6), has(len(names))),
		fault.Out("%s; or replace the codes by a property such as the region", fault.Columns("drop", names...)))
}

// codeWords are last words of names of columns whose numbers are nominal codes.
var codeWords = []string{
	"race", "ethnicity", "ethnic", "religion", "nationality", "language", "marital", "occupation", "occup", "industry", "sector", "department", "dept",
	"site", "center", "centre", "clinic", "hospital", "ward", "region", "country", "county", "province", "district", "city", "origin", "brand", "species",
	"breed", "strain", "batch", "color", "colour",
}

// mostCodes is the largest number of categories of a column.
const mostCodes = 64

// unordered finds columns of few whole numbers from 1 on whose name is that of nominal categories. Counts, such as stays in a
// hospital, begin at 0.
func (e *examination) unordered() {
	for _, c := range e.out.Columns {
		words := nameParts(c.Name)
		for len(words) > 1 && slices.Contains([]string{"code", "codes", "id", "nr", "no", "num", "cat", "group"}, words[len(words)-1]) {
			words = words[:len(words)-1]
		}
		if c.Kind != dataset.Integer.String() || c.Min < 1 || c.Distinct < 3 || c.Distinct > mostCodes || c.Dropped != "" || c.From != "" || e.excluded[c.Name] ||
			len(words) == 0 || !slices.Contains(codeWords, words[len(words)-1]) {
			continue
		}
		e.add(CodeLike, Warning, []string{c.Name}, fmt.Sprintf("%s has %d whole numbers, and its name suggests codes, not amounts", c.Name, c.Distinct),
			fault.Out("if they are codes, use %s; by default only codes with clearly unequal steps are treated as nominal", fault.Set("kind", c.Name+"=categorical")))
	}
}

// named reports whether one of the words is a part of a name, delimited by punctuation, digits and capitals.
func named(name string, words ...string) bool {
	for _, part := range strings.FieldsFunc(name, notLetter) {
		if slices.Contains(words, strings.ToLower(part)) {
			return true
		}
	}
	return slices.ContainsFunc(nameParts(name), func(part string) bool { return slices.Contains(words, part) })
}

// nameParts splits a name into words in lower case, at punctuation, digits and capitals.
func nameParts(name string) (words []string) {
	for _, part := range strings.FieldsFunc(name, notLetter) {
		start := 0
		for i := 1; i <= len(part); i++ {
			if i == len(part) || 'A' <= part[i] && part[i] <= 'Z' && !('A' <= part[i-1] && part[i-1] <= 'Z') {
				words, start = append(words, strings.ToLower(part[start:i])), i
			}
		}
	}
	return words
}

func notLetter(r rune) bool { return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') }
