package trust

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/fault"
)

const (
	// leastRows is the number of rows that Learn requires: two points fit any line.
	leastRows = 3
	// fewRows is the number of rows below which only strong relations are detected; the finding gives the size.
	fewRows = 30
	// repeatedShare is the share of repeated rows that exceeds chance if a column has at least continuousLevels values.
	repeatedShare    = 0.01
	continuousLevels = 100
)

// rows checks the numbers of rows and columns, and repeated rows.
func (e *examination) rows() {
	n, d := e.m.N, e.m.Dim()
	switch {
	case n < leastRows:
		e.add(TooFewRows, Error, nil, fmt.Sprintf("the table has %s; at least %d are needed", rows(n), leastRows),
			e.giveRows("add rows"))
	case n == leastRows: // the search allows half as many parents as rows beyond two
		e.add(TooFewRows, Warning, nil, fmt.Sprintf("the table has %s, too few to learn an edge from", rows(n)), e.giveRows("add rows"))
	case n < fewRows:
		// An edge improves the score if n·ln(1/(1-r²)) exceeds its penalty of ln n.
		r := math.Sqrt(-math.Expm1(-math.Log(float64(n)) / float64(n)))
		e.add(TooFewRows, Warning, nil, fmt.Sprintf("the table has %s, so power is low: BIC detects an edge only for correlations beyond ±%.2f", rows(n), r),
			e.giveRows("add rows, or treat a missing edge as unknown"))
	}
	if d < 2 {
		e.tooFewColumns()
	}
	if n > leastRows && d >= 2 && n <= d {
		e.add(FewerRows, Warning, nil, fmt.Sprintf("%s for %d columns: every column is a linear function of the others, so collinearity was not checked and false positives are more likely", rows(n), d),
			fault.Out("add rows, or use fewer columns with %s or %s; %s raises the penalty per edge", fault.Use("columns"), fault.Use("drop"), fault.Set("gamma", "1")))
	}
	if e.p == nil || e.p.RepeatedRows == 0 || e.p.Frequencies != "" {
		return
	}
	p := e.p
	share := float64(p.RepeatedRows) / float64(max(p.RepeatedOf, 1))
	among := ""
	if p.RepeatedOf < p.RowsRead {
		among = fmt.Sprintf(" of the first %d", p.RepeatedOf)
	}
	what := fmt.Sprintf("%s%s (%s) repeat%s an earlier row in every numeric column", rows(p.RepeatedRows), among, percent(share), form(p.RepeatedRows, "s", ""))
	if share > repeatedShare && e.continuous() {
		e.add(RepeatedRows, Warning, nil, what+"; with columns of many values this suggests copies, which overstate confidence",
			fault.Out("remove repeated rows unless they are separate observations"))
		return
	}
	e.add(RepeatedRows, Note, nil, what+"; this is expected with columns of few values", fault.Out("remove them if they are copies"))
}

// tooFewColumns lists the numeric and the text columns.
func (e *examination) tooFewColumns() {
	d := e.m.Dim()
	what := plural(d, "usable column")
	if d == 1 {
		what += fmt.Sprintf(" (%s)", e.m.Names[0])
	}
	what += "; at least 2 are needed"
	if len(e.out.Excluded) > 0 {
		why := make([]string, len(e.out.Excluded))
		var names []string
		for i, x := range e.out.Excluded {
			why[i], names = fmt.Sprintf("%s (%s: %s)", x.Name, x.Reason, x.Detail), append(names, x.Name)
		}
		e.add(TooFewColumns, Error, names, fmt.Sprintf("%s; excluded: %s", what, list(why, 8)), fault.Out("add numeric or categorical columns that vary; %s keeps an identifier or a copy", fault.Use("keep")))
		return
	}
	var text []string
	for _, c := range e.out.Columns {
		if c.Kind == "text" && c.Dropped != "" {
			text = append(text, c.Name)
		}
	}
	if len(text) == 0 {
		e.add(TooFewColumns, Error, nil, what, fault.Out("add columns; text columns count with %s or %s", fault.Set("encode", "onehot"), fault.Set("encode", "ordinal")))
		return
	}
	e.add(TooFewColumns, Error, text, fmt.Sprintf("%s: %s %s text", what, list(text, 8), is(len(text))),
		fault.Out("encode text with %s (one column per category) or %s (sorted order); if a column should be numeric, correct the cell that the finding names, or use %s if it marks a missing value",
			fault.Set("encode", "onehot"), fault.Set("encode", "ordinal"), fault.Set("na", "WORD")))
}

// giveRows returns the remedy for too few rows, with the number of rows dropped because of missing values.
func (e *examination) giveRows(what string) fault.Way {
	if e.dropped > 0 {
		return fault.Out("%s; %s with missing values %s dropped: %s excludes columns with missing values", what, rows(e.dropped), form(e.dropped, "was", "were"), fault.Use("drop"))
	}
	return fault.Out("%s", what)
}

// continuous reports whether some column has so many values that rows hardly repeat by chance.
func (e *examination) continuous() bool {
	for _, c := range e.out.Columns {
		if c.Kind != "text" && c.Distinct >= continuousLevels {
			return true
		}
	}
	return false
}
