package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

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
	asJSON      bool
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

Several tables are several datasets of one predictor. With two tables or two predictions, audit also prints
the differences of their effects, with intervals. If a column names pictures, audit lists pairs that differ in the column and
in the prediction and agree on the label and the other columns.

A column is called used if the adjusted p-value is below 0.05. Hidden common causes of a column and the
prediction, beyond the label and the listed columns, are not excluded.`,
		Example: `  polydag audit shots.csv --on first --given ball --sensitive snow
  polydag audit shots.csv --on first,second --given ball --sensitive snow --level 0.95
  polydag audit alps.csv coast.csv --on first --given ball --sensitive snow --json`,
		Args: command.TableArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	f := command.Ordered(cmd)
	f.StringSliceVar(&r.predictions, "on", nil, "column with the prediction, or two of them, comma-separated")
	f.StringVar(&r.label, "given", "", "column with the true label")
	f.StringSliceVar(&r.columns, "sensitive", nil, "columns that the prediction should not use: sensitive attributes, backgrounds; comma-separated")
	f.StringVar(&r.image, "image-column", "image", "column with the names of pictures")
	f.Float64Var(&r.level, "level", 0.9, "level of the intervals (0–1)")
	f.BoolVar(&r.asJSON, "json", false, "print JSON (schema "+audit.Schema+")")
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
	report := &audit.Report{Label: r.label, Level: r.level}
	var tables [][]audit.Audit
	for _, path := range args {
		audits, err := r.table(ctx, path)
		if errors.Is(err, audit.ErrQuestion) {
			return command.Usage(fmt.Errorf("%s: %w; see polydag check %s", path, err, command.ShellWords([]string{path})))
		}
		if err != nil {
			return err
		}
		report.Audits = append(report.Audits, audits...)
		tables = append(tables, audits)
	}
	if len(tables) == 2 {
		for k, a := range tables[0][:len(r.predictions)] {
			report.Audits = append(report.Audits, audit.Audit{Table: a.Table, LessTable: args[1], Prediction: a.Prediction, Rows: a.Rows, Uses: audit.Less(a.Uses, tables[1][k].Uses, r.level)})
		}
	}
	return r.app.Answer(ctx, r.asJSON, audit.Schema, report, func(w io.Writer) error { return writeAudit(w, report) })
}

// table audits the predictions of one table, and then their difference.
func (r *auditing) table(ctx context.Context, path string) (audits []audit.Audit, err error) {
	table, done, err := r.in.Gather(ctx, []string{path}, polydag.DefaultConfig(), &command.Knowledge{})
	if err != nil {
		return nil, err
	}
	defer done()
	q := audit.Question{Label: r.label, Columns: r.columns, Level: r.level}
	measure := func() error {
		uses, err := audit.Measure(ctx, table, q)
		audits = append(audits, audit.Audit{Table: path, Prediction: q.Prediction, LessPrediction: q.Less, Rows: table.Rows(), Uses: uses})
		return err
	}
	for _, q.Prediction = range r.predictions {
		if err := measure(); err != nil {
			return nil, err
		}
		a := &audits[len(audits)-1]
		for _, u := range a.Uses {
			if u.Used() {
				pairs, err := r.pairs(ctx, path, table, q.Prediction, u.Column)
				if err != nil {
					return nil, err
				}
				a.Pairs = append(a.Pairs, pairs...)
			}
		}
	}
	if len(r.predictions) == 2 {
		q.Prediction, q.Less = r.predictions[0], r.predictions[1]
		err = measure()
	}
	return audits, err
}

// mostPairs is the number of matched pairs that are listed for a column.
const mostPairs = 3

// pairs lists pictures that differ in a column and in the prediction, and agree on the label and the other columns.
func (r *auditing) pairs(ctx context.Context, path string, table *polydag.Table, prediction, column string) ([]audit.Pair, error) {
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
	var out []audit.Pair
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
			of := func(side int, value float64) audit.Picture {
				return audit.Picture{Image: images[k[side]], Value: value, Prediction: p[k[side]]}
			}
			out = append(out, audit.Pair{Column: column, Low: of(0, low), High: of(1, high)})
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
	return out, nil
}
