//go:build !js

package commands

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/method"
)

// writeComparison writes a comparison as a table, followed by the agreement between the methods.
func writeComparison(w io.Writer, c *heldout.Comparison) error {
	var b strings.Builder
	what := "scores"
	if c.Splits > 0 {
		what += " and held-out likelihood"
	}
	fmt.Fprintf(&b, "Compared %s on %s and %s; %s under the %s model (* best)\n", names.Count(len(c.Methods), "method"), names.Count(c.Rows, "row"), names.Count(len(c.Names), "column"), what, c.Model)
	if err := compareTable(&b, c); err != nil {
		return err
	}
	writeAgreement(&b, c.Agreement)
	compareNotes(&b, c)
	_, err := io.WriteString(w, b.String())
	return err
}

func compareTable(b *strings.Builder, c *heldout.Comparison) error {
	entries := c.Graphs()
	if len(entries) == 0 {
		return nil
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	heads, units := []string{"method", "kind", "edges", "thresholded", "score"}, []string{"", "", "", "graph", ""}
	if c.Splits > 0 {
		heads, units = append(heads, "held out", "below best"), append(units, "bits/row", "bits/row")
	}
	if c.Truth != nil {
		heads, units = append(heads, "SHD", "F1", "skeleton", "class"), append(units, "", "", "F1", "SHD")
		if len(c.Truth.Hidden) > 0 {
			heads, units = append(heads, "arrowhead"), append(units, "F1")
		} else {
			heads, units = append(heads, "SID"), append(units, "")
		}
	}
	fmt.Fprintln(t, strings.Join(append(heads, "time"), "\t")+"\t")
	fmt.Fprintln(t, strings.Join(append(units, ""), "\t")+"\t")
	for _, e := range entries {
		fmt.Fprintln(t, strings.Join(compareCells(c, e), "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	legend := "Legend: thresholded graph: whether the graph is a DAG after the threshold on its weights; score: lower is better"
	if c.Splits > 0 {
		legend += ";\n  held out: log-likelihood of held-out rows, higher is better; below best: difference to the best one ± standard error"
	}
	b.WriteString(legend + ".\n")
	return nil
}

// best is the largest difference from the best score, in bits per row, at which a graph still counts as best.
// Graphs of one class differ in the last digits.
const best = 1e-9

// dash stands for a missing figure.
const dash = "–"

// show formats v, or returns dash for nil.
func show[T any](format string, v *T) string {
	if v == nil {
		return dash
	}
	return fmt.Sprintf(format, *v)
}

// compareCells returns the figures of one method. The best score and the best held-out score have a star.
func compareCells(c *heldout.Comparison, e *heldout.Entry) []string {
	score, held, behind := show("%.1f", e.Score), show("%.4f", e.HeldOut), dash
	if e.Behind != nil && *e.Behind < best {
		score = "*" + score
	}
	if e.HeldOutBehind != nil {
		behind = fmt.Sprintf("%.4f ± %.4f", *e.HeldOutBehind, *e.HeldOutError)
		if *e.HeldOutBehind < best {
			held = "*" + held
		}
	}
	label := e.Label
	if e.State != heldout.Done {
		label += " (" + string(e.State) + ")"
	}
	cells := []string{label, string(e.Kind), fmt.Sprint(len(e.Edges)), left(e.Cut), score}
	if c.Splits > 0 {
		cells = append(cells, held, behind)
	}
	if c.Truth != nil {
		m := e.Metrics
		if m == nil {
			m = &heldout.Metrics{}
		}
		cells = append(cells, show("%d", m.SHD), show("%.3f", m.F1), fmt.Sprintf("%.3f", m.SkeletonF1), show("%d", m.ClassSHD))
		if len(c.Truth.Hidden) > 0 {
			cells = append(cells, show("%.3f", m.ArrowheadF1))
		} else {
			cells = append(cells, show("%d", m.SID))
		}
	}
	return append(cells, seconds(e.Seconds))
}

// left describes the graph after the threshold: a DAG, or the number of edges removed to make one.
func left(c *heldout.Cut) string {
	switch {
	case c == nil:
		return dash
	case c.Acyclic:
		return "DAG"
	}
	return fmt.Sprintf("%d removed", c.Edges)
}

// writeAgreement writes the matrix; its columns have the numbers of the rows.
func writeAgreement(b *strings.Builder, a *heldout.Agreement) {
	if a == nil {
		return
	}
	b.WriteString("\nAgreement between methods in percent: adjacencies below the diagonal, edge marks above it\n\n")
	t := tabwriter.NewWriter(b, 0, 0, 1, ' ', tabwriter.AlignRight)
	for i := range a.Labels {
		fmt.Fprintf(t, "\t%d", i+1)
	}
	fmt.Fprintln(t, "\t")
	for i, label := range a.Labels {
		cells := make([]string, len(a.Labels))
		for j := range cells {
			switch {
			case i > j:
				cells[j] = fmt.Sprintf("%.0f", 100*a.Skeleton[i][j])
			case i < j:
				cells[j] = fmt.Sprintf("%.0f", 100*a.Marks[i][j])
			default:
				cells[j] = dash
			}
		}
		fmt.Fprintf(t, "%s %d\t%s\t\n", label, i+1, strings.Join(cells, "\t"))
	}
	t.Flush() // into memory
}

// compareNotes writes what the table does not show, and why.
func compareNotes(b *strings.Builder, c *heldout.Comparison) {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, e := range c.Methods {
		switch {
		case e.Result == nil:
			add("%s was %s: %s", e.Label, e.State, e.Why)
			continue
		case e.State != heldout.Done:
			add("%s %s: %s", e.Label, e.State, e.Why)
		}
		if e.Unscored != "" {
			add("%s has no score: %s", e.Label, e.Unscored)
		}
		if e.NotHeldOut != "" && e.NotHeldOut != e.Unscored {
			add("%s has no held-out likelihood: %s", e.Label, e.NotHeldOut)
		}
	}
	if c.NotHeldOut != "" {
		add("No held-out likelihood: %s", c.NotHeldOut)
	}
	if c.Truth != nil && len(c.Truth.Hidden) > 0 {
		add("Hidden variables of the true graph: %s; SHD compares edge marks with those of its PAG", strings.Join(c.Truth.Hidden, ", "))
	}
	if c.Status == method.Canceled {
		add("The comparison ended early (%s).", c.Cause)
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "\n%s\n", strings.Join(lines, "\n"))
	}
}
