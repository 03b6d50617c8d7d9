package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/trust"
)

var counted = names.Count

// maxColumns is how many columns DataChecks prints before it refers to the JSON for the rest.
const maxColumns = 40

// DataChecks writes the data checks for a person: the size of the table, the findings with their remedies, and
// the columns. The caller reports changes made by the reader. Lines are folded at width characters; 0 means no
// limit.
func DataChecks(p *trust.DataChecks, width int, words ...Words) func(io.Writer) error {
	return func(w io.Writer) error {
		t := &printer{w: Fold(w, width), words: first(words), width: width}
		t.size(p)
		t.linef("")
		t.findings(p.Findings)
		t.linef("")
		t.table(p)
		return t.err
	}
}

// CheckJSON writes it as indented JSON with a newline at the end. The same table gives the same bytes.
func CheckJSON(p *trust.DataChecks) func(io.Writer) error { return indented(p) }

func (t *printer) size(p *trust.DataChecks) {
	line := counted(p.RowsRead, "row") + " × " + counted(len(p.Columns), "column")
	if p.File != "" {
		line = plain(p.File) + ": " + line
	}
	if p.Rows != p.RowsRead {
		line += fmt.Sprintf(", %s used", counted(p.Rows, "row"))
	}
	t.linef("%s", line)
	t.excluded(p.Excluded)
	if p.Rank > 0 && p.Condition != nil {
		t.linef("correlation matrix: rank %d of %d, condition number %.3g", p.Rank, p.Varying, *p.Condition)
	}
	if s := p.Std; s != nil {
		t.linef("standard deviations: %s", span("%.3g", s))
	}
	if s := p.R2; s != nil {
		t.linef("R² of a column given all others: %s", span("%.2f", s))
	}
}

// span writes the extremes with their columns, or only the value if both are equal.
func span(format string, s *trust.Spread) string {
	low, high := fmt.Sprintf(format, s.Low.Value), fmt.Sprintf(format, s.High.Value)
	if low == high {
		return low
	}
	return fmt.Sprintf("%s (%s) to %s (%s)", low, plain(s.Low.Column), high, plain(s.High.Column))
}

// excluded lists the columns that are excluded from the graph, one per line.
func (t *printer) excluded(list []dataset.Excluded) {
	if len(list) == 0 {
		return
	}
	t.linef("%s excluded:", counted(len(list), "column"))
	for _, x := range list[:min(len(list), maxColumns)] {
		t.linef("  %s: %s, %s", brief(x.Name), x.Reason, plain(x.Detail))
	}
	if more := len(list) - maxColumns; more > 0 {
		t.linef("  … and %d more; list all with %s", more, t.setting(fault.Set("json", "true")))
	}
}

func (t *printer) findings(list []trust.Finding) {
	if len(list) == 0 {
		t.linef("No problems found.")
		return
	}
	count := map[trust.Severity]int{}
	width := 0
	for _, f := range list {
		count[f.Severity]++
		width = max(width, utf8.RuneCountInString(f.Code))
	}
	t.linef("%s, %s, %s", counted(count[trust.Error], "error"), counted(count[trust.Warning], "warning"), counted(count[trust.Note], "note"))
	indent := strings.Repeat(" ", 2+8+width+2)
	room := t.room(108-len(indent), len(indent))
	for _, f := range list {
		t.linef("  %-7s %s  %s", f.Severity, pad(f.Code, width), wrap(strings.Fields(f.Sentence), " ", room, indent))
		t.linef("%s→ %s", indent, wrap(strings.Fields(t.wayOut(f)), " ", room-2, indent+"  "))
	}
}

// values writes how many different values a column has, as far as they were counted.
func values(n int) string {
	if n >= dataset.DistinctLimit {
		return fmt.Sprintf("%d+", n)
	}
	return strconv.Itoa(n)
}

// table prints the columns, with left-aligned headers and right-aligned figures.
func (t *printer) table(p *trust.DataChecks) {
	head := []string{"column", "mean", "std", "min", "max", "R²"}
	if p.Profiled {
		head = []string{"column", "type", "kind", "missing", "values", "mean", "std", "min", "max", "skew", "kurtosis", "R²"}
	}
	lines := [][]string{head}
	listed := slices.DeleteFunc(slices.Clone(p.Columns), func(c trust.Column) bool {
		return slices.ContainsFunc(p.Excluded, func(x dataset.Excluded) bool { return x.Name == c.Name })
	})
	shown := listed[:min(len(listed), maxColumns)]
	for _, c := range shown {
		line := []string{shorten(c.Name, t.names(30, 1))}
		figures := []float64{c.Mean, c.Std, c.Min, c.Max}
		if p.Profiled {
			line = append(line, c.Kind, string(c.TakenAs), strconv.Itoa(c.Missing), values(c.Distinct))
			figures = append(figures, c.Skewness, c.Kurtosis)
		}
		if c.Dropped != "" {
			lines = append(lines, append(line, "excluded: "+plain(c.Dropped)))
			continue
		}
		if c.Kind == dataset.Text.String() && (c.TakenAs == kind.Categorical || c.TakenAs == kind.Binary) {
			lines = append(lines, line) // categories have no mean
			continue
		}
		for k, v := range figures {
			if (k == 2 || k == 3) && c.Min == c.Max && c.Std > 0 {
				line = append(line, "?") // a covariance alone does not have the extremes
				continue
			}
			line = append(line, fmt.Sprintf("%.4g", kind.Exact(v, c.Std)))
		}
		if c.R2 != nil {
			line = append(line, fmt.Sprintf("%.3f", *c.R2))
		}
		lines = append(lines, line)
	}
	lines = fitting(lines, t.width)
	head = lines[0]
	width := make([]int, len(head))
	for _, line := range lines {
		for k, cell := range line {
			if !strings.HasPrefix(cell, "excluded: ") || k == 0 {
				width[k] = max(width[k], utf8.RuneCountInString(cell))
			}
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for k, cell := range line {
			if k > 0 && strings.HasPrefix(cell, "excluded: ") { // there may be no such column in a narrow table
				b.WriteString("  " + cell)
				continue
			}
			gap := strings.Repeat(" ", max(width[k]-utf8.RuneCountInString(cell), 0))
			if k == 0 || head[k] == "type" || head[k] == "kind" {
				b.WriteString("  " + cell + gap)
			} else {
				b.WriteString("  " + gap + cell)
			}
		}
		t.linef("%s", strings.TrimRight(b.String(), " "))
	}
	if more := len(listed) - len(shown); more > 0 {
		t.linef("  … and %d more; list all with %s", more, t.setting(fault.Set("json", "true")))
	}
	var legend []string
	for _, l := range [][2]string{{"type", "of the cells"}, {"kind", "how models treat the column"}, {"values", "number of different values"}, {"kurtosis", "excess kurtosis, 0 for a Gaussian"}, {"R²", "of a regression on all other columns"}} {
		if slices.Contains(head, l[0]) {
			legend = append(legend, l[0]+": "+l[1])
		}
	}
	if len(legend) > 0 && len(shown) > 0 {
		t.linef("Legend: %s.", strings.Join(legend, "; "))
	}
}

// spareColumns are the columns of a table that are omitted if it is too wide, in this order.
var spareColumns = []string{"kurtosis", "skew", "R²", "max", "min", "std", "mean", "type", "values", "missing"}

// fitting omits as many of spareColumns as needed to fit the width; 0 means no limit.
func fitting(lines [][]string, width int) [][]string {
	for _, name := range spareColumns {
		if width == 0 || across(lines) <= width {
			break
		}
		at := slices.Index(lines[0], name)
		if at < 0 {
			continue
		}
		for i, line := range lines {
			if at < len(line) && !strings.HasPrefix(line[at], "excluded: ") {
				lines[i] = slices.Delete(slices.Clone(line), at, at+1)
			}
		}
	}
	return lines
}

// across returns the width of the columns of a table, with two characters before each.
func across(lines [][]string) (total int) {
	for k := range lines[0] {
		wide := 0
		for _, line := range lines {
			if k < len(line) && !strings.HasPrefix(line[k], "excluded: ") {
				wide = max(wide, utf8.RuneCountInString(line[k]))
			}
		}
		total += wide + 2
	}
	return total
}
