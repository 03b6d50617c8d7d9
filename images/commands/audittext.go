package commands

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/polydag/polydag/images/audit"
)

// writeAudit writes a report for people.
func writeAudit(w io.Writer, r *audit.Report) error {
	var out []string
	for k, a := range r.Audits {
		switch {
		case a.LessTable != "":
			out = append(out, fmt.Sprintf("%s less %s: %s given %s", a.Table, a.LessTable, a.Prediction, r.Label))
		case a.LessPrediction != "":
			out = append(out, fmt.Sprintf("%s: %s less %s", a.Table, a.Prediction, a.LessPrediction))
		default:
			if k > 0 && r.Audits[k-1].Table != a.Table {
				out = append(out, "")
			}
			out = append(out, fmt.Sprintf("%s: %s given %s, %d rows", a.Table, a.Prediction, r.Label, a.Rows))
		}
		out = append(out, usesText(a.Uses, r)...)
		if len(a.Pairs) > 0 {
			out = append(out, "  matched pictures:")
		}
		for _, p := range a.Pairs {
			out = append(out, fmt.Sprintf("    %s with %s = %.4g: %s = %.4g; %s with %.4g: %.4g", p.Low.Image, p.Column, p.Low.Value, a.Prediction, p.Low.Prediction, p.High.Image, p.High.Value, p.High.Prediction))
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(out, "\n"))
	return err
}

// usesText formats effects as a table.
func usesText(uses []audit.Use, r *audit.Report) []string {
	head := []string{"column", "direct effect", fmt.Sprintf("%.0f%% interval", 100*r.Level), "p", "used"}
	cells := [][]string{head}
	for _, u := range uses {
		used := "no"
		if u.Used() {
			used = "yes"
		}
		row := []string{u.Column, fmt.Sprintf("%+.3f", u.Effect), fmt.Sprintf("%+.3f to %+.3f", u.Low, u.High), fmt.Sprintf("%.2g", u.P), used}
		for _, b := range u.By {
			at := fmt.Sprintf("at %s = %.4g", r.Label, b.Value)
			k := slices.Index(cells[0], at)
			if k < 0 {
				k = len(cells[0])
				cells[0] = append(cells[0], at)
			}
			for len(row) <= k {
				row = append(row, "")
			}
			row[k] = fmt.Sprintf("%+.3f", b.Effect)
		}
		cells = append(cells, row)
	}
	width := make([]int, len(cells[0]))
	for _, row := range cells {
		for k, c := range row {
			width[k] = max(width[k], len([]rune(c)))
		}
	}
	var out []string
	for _, row := range cells {
		line := " "
		for k, c := range row {
			if k == 0 {
				line += fmt.Sprintf(" %-*s", width[k], c)
			} else {
				line += fmt.Sprintf("  %*s", width[k], c)
			}
		}
		out = append(out, line)
	}
	return out
}
