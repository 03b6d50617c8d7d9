package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/images/audit"
	"github.com/polydag/polydag/images/pictures"
)

// auditing is the flags of polydag audit.
type auditing struct {
	app         *app
	in          *command.Reading
	predictions []string
	columns     []string
	label       string
	image       string
	level       float64
}

func (a *app) auditCommand() *cobra.Command {
	r := &auditing{app: a}
	cmd := &cobra.Command{
		Use:   "audit DATA... --on PREDICTION --given LABEL --sensitive COLUMNS",
		Short: "Measure how much a predictor uses columns beyond the label",
		Long: `Audit measures the direct effect of columns on a prediction: how much the prediction changes between the
lowest and the highest value of a column, with the label and the other columns fixed. The columns are
sensitive attributes, backgrounds or other shortcuts. For a decision and a label of 0 and 1, the effects at
the label 0 and 1 are differences of the rates of false and of true positives.

Several tables are several datasets of one predictor. With two predictions, audit also prints which of the
two uses each column more. If a column names pictures, audit lists pairs that differ in the column and
in the prediction and agree on the label and the other columns.

A column is called used if the adjusted p-value is below 0.05. Hidden common causes of a column and the
prediction, beyond the label and the listed columns, are not excluded.`,
		Example: `  polydag audit shots.csv --on first --given ball --sensitive snow
  polydag audit shots.csv --on first,second --given ball --sensitive snow --level 0.95`,
		Args: command.TableArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	f := command.Ordered(cmd)
	f.StringSliceVar(&r.predictions, "on", nil, "column with the prediction, or two of them, comma-separated")
	f.StringVar(&r.label, "given", "", "column with the true label")
	f.StringSliceVar(&r.columns, "sensitive", nil, "columns that the prediction should not use: sensitive attributes, backgrounds; comma-separated")
	f.StringVar(&r.image, "image-column", "image", "column with the names of pictures")
	f.Float64Var(&r.level, "level", 0.9, "level of the intervals (0–1)")
	r.in = a.NewReading(f, true)
	return cmd
}

func (r *auditing) check() error {
	switch {
	case len(r.predictions) == 0 || len(r.predictions) > 2:
		return command.Usagef("--on: want one column or two, got %d", len(r.predictions))
	case r.label == "" || len(r.columns) == 0:
		return command.Usagef("name the true label with --given and the columns to audit with --sensitive")
	case !(r.level > 0 && r.level < 1):
		return command.Usagef("--level %v: want a share between 0 and 1", r.level)
	}
	return r.in.Check(runtime.NumCPU())
}

func (r *auditing) run(ctx context.Context, args []string) error {
	if err := r.check(); err != nil {
		return err
	}
	var out []string
	for k, path := range args {
		if k > 0 {
			out = append(out, "")
		}
		lines, err := r.table(ctx, path)
		if errors.Is(err, audit.ErrQuestion) {
			return command.Usage(fmt.Errorf("%s: %w; see polydag check %s", path, err, command.ShellWords([]string{path})))
		}
		if err != nil {
			return err
		}
		out = append(out, lines...)
	}
	return r.app.Write(ctx, "-", func(w io.Writer) error {
		_, err := fmt.Fprintln(w, strings.Join(out, "\n"))
		return err
	})
}

// table audits the predictions of one table.
func (r *auditing) table(ctx context.Context, path string) (lines []string, err error) {
	table, done, err := r.in.Gather(ctx, []string{path}, polydag.DefaultConfig(), &command.Knowledge{})
	if err != nil {
		return nil, err
	}
	defer done()
	for _, p := range r.predictions {
		uses, err := audit.Measure(ctx, table, audit.Question{Prediction: p, Label: r.label, Columns: r.columns, Level: r.level})
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%s: %s given %s, %d rows", path, p, r.label, table.Rows()))
		lines = append(lines, r.rows(uses)...)
		for _, u := range uses {
			if u.P < 0.05 {
				pairs, err := r.pairs(ctx, path, table, p, u.Column)
				if err != nil {
					return nil, err
				}
				lines = append(lines, pairs...)
			}
		}
	}
	if len(r.predictions) == 2 {
		uses, err := audit.Measure(ctx, table, audit.Question{Prediction: r.predictions[0], Less: r.predictions[1], Label: r.label, Columns: r.columns, Level: r.level})
		if err != nil {
			return nil, err
		}
		lines = append(lines, fmt.Sprintf("%s: %s less %s", path, r.predictions[0], r.predictions[1]))
		lines = append(lines, r.rows(uses)...)
	}
	return lines, nil
}

// rows formats effects as a table.
func (r *auditing) rows(uses []audit.Use) []string {
	head := []string{"column", "direct effect", fmt.Sprintf("%.0f%% interval", 100*r.level), "p", "used"}
	cells := [][]string{head}
	for _, u := range uses {
		used := "no"
		if u.P < 0.05 {
			used = "yes"
		}
		row := []string{u.Column, fmt.Sprintf("%+.3f", u.Effect), fmt.Sprintf("%+.3f to %+.3f", u.Low, u.High), fmt.Sprintf("%.2g", u.P), used}
		for _, b := range u.By {
			at := fmt.Sprintf("at %s = %.4g", r.label, b.Value)
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

// mostPairs is the number of matched pairs that are listed for a column.
const mostPairs = 3

// pairs lists pictures that differ in a column and in the prediction, and agree on the label and the other columns.
func (r *auditing) pairs(ctx context.Context, path string, table *polydag.Table, prediction, column string) ([]string, error) {
	if path == "-" {
		return nil, nil
	}
	in, err := files.Open(path, nil, files.DefaultSettings())
	if err != nil {
		return nil, err
	}
	defer in.Close()
	src, err := in.Source(ctx)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	fixed := append([]string{r.label}, slices.DeleteFunc(slices.Clone(r.columns), func(c string) bool { return c == column })...)
	rows, err := pictures.Read(ctx, src, pictures.Columns{Image: r.image, Names: append([]string{prediction, column}, fixed...), Scores: table.Source.Scores})
	if errors.Is(err, pictures.ErrColumn) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p, x, images := rows.Numbers(prediction), rows.Numbers(column), rows.Images()
	first := map[string][2]int{} // for each value of the others, a row with the lowest value of the column and one with the highest, from 1
	var out []string
	low, high := table.Moments.Min[slices.Index(table.Moments.Names, column)], table.Moments.Max[slices.Index(table.Moments.Names, column)]
	for i := range images {
		key := ""
		for _, name := range fixed {
			key += fmt.Sprint(rows.Numbers(name)[i], " ")
		}
		side := slices.Index([]float64{low, high}, x[i])
		if side < 0 || math.IsNaN(p[i]) {
			continue
		}
		pair := first[key]
		if o := pair[1-side]; o > 0 && p[o-1] != p[i] {
			k := [2]int{o - 1, o - 1}
			k[side] = i
			out = append(out, fmt.Sprintf("    %s with %s = %.4g: %s = %.4g; %s with %.4g: %.4g", images[k[0]], column, low, prediction, p[k[0]], images[k[1]], high, p[k[1]]))
			delete(first, key)
			if len(out) == mostPairs {
				break
			}
			continue
		}
		if pair[side] == 0 {
			pair[side] = i + 1
			first[key] = pair
		}
	}
	if len(out) > 0 {
		out = append([]string{"  matched pictures:"}, out...)
	}
	return out, nil
}
