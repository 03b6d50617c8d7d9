package command

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

func (a *app) checkCommand() *cobra.Command {
	var output string
	var asJSON bool
	threads := runtime.NumCPU()
	cmd := &cobra.Command{
		Use:   "check DATA...",
		Short: "Check a table before learning from it",
		Long: `Check reads a table ("-" for standard input) and reports how polydag learn would treat it: the kind
of each column, the excluded columns and the reason, the rows dropped for missing values, and
problems such as collinear columns, placeholder values like -999 (0 is not detected as one), time
order and too few rows.

Each finding has a severity, an explanation and the flag to use. The flags are those of polydag
learn. In the table, type is that of the cells in the file, and kind is how models treat the
column; --kind overrides it. docs/reference/checks.md lists all findings.

Exit codes: 0 if there is no error, 1 if polydag learn would refuse the table.`,
		Example: `  polydag check data.csv
  polydag check part-*.parquet
  polydag check data.csv --drop age --set normal-scores
  polydag check data.csv --json --output check.json`,
		Args: tableArgs,
	}
	f := ordered(cmd)
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+trust.CheckSchema+")")
	f.StringVarP(&output, "output", "o", "-", "write the report to this file (- for standard output)")
	read := newReading(a, f)
	read.kindFlag(f)
	read.groupFlag(f)
	read.listsExcluded = true
	f.IntVar(&read.sample, "sample", 0, "JSON: number of rows, at equal distances in the file, to print in the preview for plots")
	f.IntVar(&threads, "threads", threads, "number of threads; does not change the result")
	var names namesFlag
	names.bind(f)
	screen := a.screen

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := errors.Join(names.check(), read.check(min(threads, runtime.NumCPU()))); err != nil {
			return err
		}
		if err := a.claim(args, nil, []string{output}); err != nil {
			return err
		}
		p, err := read.look(cmd.Context(), args)
		if err != nil {
			return err
		}
		render, write := names.render(p, report.DataChecks(p, a.width(output), Flagged), a.width(output)), a.write
		if asJSON {
			if p.Preview, err = read.preview(cmd.Context(), args); err != nil {
				return err
			}
			p.Names = names.read(p)
			render, write = report.CheckJSON(p), a.data
		}
		if !screen.quiet || output != "-" || asJSON {
			if err := write(cmd.Context(), output, render); err != nil {
				return err
			}
		}
		if p.Worst() == trust.Error {
			return fmt.Errorf("%s: polydag learn rejects this table; see the findings marked error", tableName(args))
		}
		return nil
	}
	return cmd
}

// maxSampled is the largest number of cells in the sample of a preview.
const maxSampled = 40_000

// preview reads the rows of a table once more. It returns nil for standard input and for saved moments.
func (r *reading) preview(ctx context.Context, paths []string) (*dataset.Preview, error) {
	if paths[0] == "-" {
		return nil, nil
	}
	return within(ctx, tableName(paths), "read", func() (*dataset.Preview, error) {
		quiet := *r
		quiet.screen = silent()
		in, err := quiet.open(ctx, paths)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		if m, _ := in.Saved(); m != nil {
			return nil, nil
		}
		src, err := in.Source(ctx)
		if err != nil {
			return nil, err
		}
		return prepare.Preview(ctx, src, min(r.sample, maxSampled/max(1, len(src.Columns()))))
	})
}

// look reads a table as gather does, but does not stop at text or missing values unless a flag says how to
// handle them. What a run would refuse becomes a finding. The moments have means in place of missing values.
func (r *reading) look(ctx context.Context, paths []string) (*trust.DataChecks, error) {
	lenient := *r
	lenient.take.Lenient = true
	var refuse trust.Refusals
	if r.take.Missing == dataset.MissingError {
		lenient.take.Missing, refuse.Missing = dataset.MissingAuto, true
	}
	refuse.Text, refuse.Levels = r.take.Encode == dataset.EncodeLevels, r.take.Encode == dataset.EncodeLevels
	if r.take.Encode == dataset.EncodeError {
		lenient.take.Encode, refuse.Text = dataset.EncodeDrop, true
		lenient.take.MaxLevels = dataset.DistinctLimit // the categories are only counted, not encoded
	}
	var empty []dataset.ColumnProfile // columns without a finite number; each is excluded when it occurs
	for {
		g, err := lenient.gather(ctx, paths)
		var at *dataset.ParseError
		var infinite *prepare.InfiniteError
		if errors.As(err, &infinite) && errors.As(err, &at) && paths[0] != "-" &&
			!slices.ContainsFunc(empty, func(c dataset.ColumnProfile) bool { return c.Name == at.Name }) {
			empty = append(empty, dataset.ColumnProfile{Name: at.Name, Kind: dataset.Unknown.String(), Infinite: infinite.Infinite, InfiniteRow: at.Row, Place: at.Column, Dropped: "no finite value"})
			lenient.take.Drop = append(slices.Clone(lenient.take.Drop), at.Name)
			continue
		}
		if len(empty) > 0 && errors.Is(err, dataset.ErrOneColumn) {
			return nil, fmt.Errorf("%s: none of the %d columns that were read has a finite value, the first is %s; check the file and its words for missing values", tableName(paths), len(empty), empty[0].Name)
		}
		if err != nil {
			return nil, err
		}
		if g.Profile != nil {
			for _, c := range empty {
				c.Missing = g.Profile.RowsRead - c.Infinite
				g.Profile.Columns = append(g.Profile.Columns, c)
			}
		}
		g.input.Close()
		p := trust.ExamineRefusing(g.Moments, g.Profile, refuse)
		p.TakenAs(g.Kinds)
		return p, nil
	}
}
