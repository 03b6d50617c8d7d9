//go:build !js

package commands

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/report"
)

// writePath writes the recommendation and the path as a table, in lines of at most width characters; 0 means no limit.
func writePath(w io.Writer, p *heldout.Path, files []string, width int) error {
	var b strings.Builder
	full := width == 0 || width >= 100 // with the score and the likelihood itself
	fmt.Fprintf(&b, "Path over %s: %s model, %s, %s, %d of %d random half splits\n", command.Spelled(p.Setting), p.Model, names.Count(p.Rows, "row"), names.Count(p.Columns, "column"), p.Splits, p.Asked)
	switch {
	case p.Recommended != nil:
		fmt.Fprintf(&b, "Recommended: %s%g (%s).\n\n", command.Valued(p.Setting), *p.Recommended, p.Reason)
	case p.Reason != "":
		fmt.Fprintf(&b, "Recommended: the default, no flag needed (%s).\n\n", p.Reason)
	default:
		b.WriteByte('\n')
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	if full {
		fmt.Fprintf(t, "%s\tedges\tscore\theld-out loglik\tloss vs. best\tadjacency\tdirection\t\n", p.Setting)
		fmt.Fprint(t, "\t\t\tbits per row\tbits per row\tagreement\tagreement\t\n")
	} else {
		fmt.Fprintf(t, "%s\tedges\tloss vs. best\tagreement\t\n", p.Setting)
		fmt.Fprint(t, "\t\tbits per row\tof halves\t\n")
	}
	for i := range p.Points {
		pathLine(t, p, &p.Points[i], full)
	}
	pathLine(t, p, p.Default, full)
	if err := t.Flush(); err != nil {
		return err
	}
	if full {
		b.WriteString("Legend: edges and score: of the whole table, a lower score is better; held-out loglik: of the other half of the rows; ±: standard error;\n" +
			"  agreement: share of the adjacencies, and of their directions, that both halves have.\n")
	}
	for _, f := range p.Failed {
		fmt.Fprintf(&b, "\nHalf %d of split %d failed: %s", f.Replicate%2+1, f.Replicate/2+1, f.Why)
	}
	if len(p.Failed) > 0 {
		b.WriteByte('\n')
	}
	if p.Recommended != nil {
		fmt.Fprintf(&b, "\nNext:  polydag learn %s --model %s %s%g\n", command.ShellWords(files), p.Model, command.Valued(p.Setting), *p.Recommended)
	}
	if p.Status == method.Canceled {
		fmt.Fprintf(&b, "\nStopped early (%s): the figures cover the completed part.\n", p.Cause)
	}
	_, err := io.WriteString(report.Fold(w, width), b.String())
	return err
}

// pathLine writes the line of one penalty. The best has a star, the recommended one an arrow.
func pathLine(w io.Writer, p *heldout.Path, at *heldout.Point, full bool) {
	if at == nil {
		return
	}
	name, mark := "default", ""
	if at.Value != nil {
		name = fmt.Sprint(*at.Value)
		if p.Best != nil && *p.Best == *at.Value {
			mark += " * best"
		}
		if p.Recommended != nil && *p.Recommended == *at.Value {
			mark += " ← recommended"
		}
	}
	behind := dash
	if at.Behind != nil {
		behind = fmt.Sprintf("%.4f ± %.4f", *at.Behind, *at.Error)
	}
	if !full {
		mark = strings.TrimSuffix(strings.TrimSuffix(mark, " recommended"), " best")
		fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\n", name, at.Edges, behind, show("%.2f", at.Adjacency), mark)
		return
	}
	fmt.Fprintf(w, "%s\t%d\t%.6g\t%s\t%s\t%s\t%s\t%s\n", name, at.Edges, at.Score, show("%.4f", at.HeldOut), behind, show("%.2f", at.Adjacency), show("%.2f", at.Direction), mark)
}
