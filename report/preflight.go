package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/trust"
)

// maxColumns is how many columns Preflight prints before it refers to the JSON for the rest.
const maxColumns = 40

// Preflight writes the data checks for a person: the size of the table, the findings with their remedies, and the columns. What the
// reader did to the data is reported by the caller.
func Preflight(p *trust.Preflight, words ...Words) func(io.Writer) error {
	return func(w io.Writer) error {
		t := &printer{w: w, words: first(words)}
		t.size(p)
		t.linef("")
		t.findings(p.Findings)
		t.linef("")
		t.table(p)
		return t.err
	}
}

// PreflightJSON writes it as indented JSON with a newline at the end. The same table gives the same bytes.
func PreflightJSON(p *trust.Preflight) func(io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(p)
	}
}

func (t *printer) size(p *trust.Preflight) {
	line := fmt.Sprintf("%d rows × %d columns", p.RowsRead, len(p.Columns))
	if p.File != "" {
		line = plain(p.File) + ": " + line
	}
	if p.Rows != p.RowsRead {
		line += fmt.Sprintf(", %d rows used", p.Rows)
	}
	t.linef("%s", line)
	if p.Rank > 0 && p.Condition != nil {
		t.linef("rank %d of %d varying columns, condition number %.3g", p.Rank, p.Varying, *p.Condition)
	}
	if s := p.Std; s != nil {
		t.linef("standard deviations from %.3g (%s) to %.3g (%s)", s.Low.Value, plain(s.Low.Column), s.High.Value, plain(s.High.Column))
	}
	if s := p.R2; s != nil {
		t.linef("R² of a column from all others from %.2f (%s) to %.2f (%s)", s.Low.Value, plain(s.Low.Column), s.High.Value, plain(s.High.Column))
	}
}

func (t *printer) findings(list []trust.Finding) {
	if len(list) == 0 {
		t.linef("no problems found")
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
	room := 108 - len(indent)
	for _, f := range list {
		t.linef("  %-7s %s  %s", f.Severity, pad(f.Code, width), wrap(strings.Fields(f.Sentence), " ", room, indent))
		t.linef("%s→ %s", indent, wrap(strings.Fields(t.wayOut(f)), " ", room-2, indent+"  "))
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// values writes how many different values a column has, as far as they were counted.
func values(n int) string {
	if n >= dataset.DistinctLimit {
		return fmt.Sprintf("%d+", n)
	}
	return strconv.Itoa(n)
}

// table prints the columns, the head in full and the figures to the right.
func (t *printer) table(p *trust.Preflight) {
	head := []string{"column", "mean", "std", "min", "max", "R²"}
	if p.Profiled {
		head = []string{"column", "kind", "taken as", "missing", "values", "mean", "std", "min", "max", "skew", "kurtosis", "R²"}
	}
	lines := [][]string{head}
	shown := p.Columns[:min(len(p.Columns), maxColumns)]
	for _, c := range shown {
		line := []string{brief(c.Name)}
		figures := []float64{c.Mean, c.Std, c.Min, c.Max}
		if p.Profiled {
			line = append(line, c.Kind, string(c.TakenAs), strconv.Itoa(c.Missing), values(c.Distinct))
			figures = append(figures, c.Skewness, c.Kurtosis)
		}
		if c.Dropped != "" {
			lines = append(lines, append(line, "excluded: "+plain(c.Dropped)))
			continue
		}
		for k, v := range figures {
			if (k == 2 || k == 3) && c.Min == c.Max && c.Std > 0 {
				line = append(line, "?") // a covariance alone does not have the extremes
				continue
			}
			line = append(line, fmt.Sprintf("%.4g", v))
		}
		if c.R2 != nil {
			line = append(line, fmt.Sprintf("%.3f", *c.R2))
		}
		lines = append(lines, line)
	}
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
			gap := strings.Repeat(" ", max(width[k]-utf8.RuneCountInString(cell), 0))
			switch {
			case k == 0:
				b.WriteString("  " + cell + gap)
			case strings.HasPrefix(cell, "excluded: "):
				b.WriteString("  " + cell)
			case head[k] == "kind" || head[k] == "taken as":
				b.WriteString("  " + cell + gap)
			default:
				b.WriteString("  " + gap + cell)
			}
		}
		t.linef("%s", strings.TrimRight(b.String(), " "))
	}
	if more := len(p.Columns) - len(shown); more > 0 {
		t.linef("  … and %d more; %s has them all", more, t.setting(fault.Set("json", "true")))
	}
}
