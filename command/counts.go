package command

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/dataset/prepare"
)

func (a *app) countsCommand() *cobra.Command {
	var output string
	threads := runtime.NumCPU()
	cmd := &cobra.Command{
		Use:   "counts DATA... --output COUNTS.npz",
		Short: "Aggregate tables of categorical columns into counts of distinct rows",
		Long: `Counts reads one or more tables with the same columns ("-" for standard input) and writes their
distinct rows, with the number of occurrences of each, to an NPZ file. Every command accepts this
file in place of the table. It suits categorical columns with few distinct rows. A DATA may itself be
a counts file, so that parts can be counted separately and merged.

Values, including missing ones, are stored unchanged: give --set encode, --missing, --targets and similar
flags when you learn from the counts. The order of the rows is lost. The file depends only on the
rows, not on their order or on how they are divided into tables.

Limits: 4,294,967,295 rows, 64 MB of distinct text values, and --max-memory.

The file can be read with numpy: c = np.load("c.npz") has names, levels, start, codes and times. Row i
occurs c["times"][i] times, and its value in column j is
c["levels"][c["start"][j] + c["codes"][i, j]].

With --nats the workers of a NATS server (polydag worker) read the tables; the file is the same.`,
		Example: `  polydag counts data.csv --output c.npz
  polydag counts c.npz more.csv --output all.npz
  polydag learn all.npz --output result.json
  polydag counts part-*.parquet --nats-file hub-store/address --output all.npz`,
		Args: tablesArgs,
	}
	f := ordered(cmd)
	f.StringVarP(&output, "output", "o", "", "write the counts to this NPZ file (- for standard output)")
	read := newCounting(a, f)
	f.IntVar(&threads, "threads", threads, "number of threads; does not change the result")
	wings := a.newParts("counts", f)
	screen := a.screen

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output == "" {
			return usagef("no output file; add --output COUNTS.npz, or --output - for standard output")
		}
		if err := read.check(threads); err != nil {
			return err
		}
		if err := a.apart(args, output); err != nil {
			return err
		}
		if err := wings.check(cmd.Context(), read, args); err != nil {
			return err
		}
		var c *dataset.Counts
		var all *dataset.CountsMaker
		merge := func(k int, part *dataset.Counts) error {
			if len(args) == 1 {
				c = part
				return nil
			}
			if all == nil {
				all = dataset.NewCountsMaker(part.Columns, read.take.MaxMemory)
			}
			if err := all.Merge(part, nil); err != nil {
				return fmt.Errorf("cannot merge %s with %s: %w", args[k], args[0], err)
			}
			return nil
		}
		done, err := elsewhere(cmd.Context(), wings, (*Part).counts, merge)
		if err != nil {
			return err
		}
		if !done {
			for k, path := range args {
				c, err := read.count(cmd.Context(), path)
				if err != nil {
					return err
				}
				if err := merge(k, c); err != nil {
					return err
				}
			}
		}
		if all != nil {
			c = all.Counts()
		}
		if err := a.data(cmd.Context(), output, func(w io.Writer) error { return files.WriteCounts(w, c) }); err != nil {
			return err
		}
		if output != "-" {
			screen.note(fmt.Sprintf("wrote %s: %d rows × %d columns, %d distinct rows", output, c.Rows(), len(c.Columns), len(c.Times)),
				"rows", c.Rows(), "columns", len(c.Columns), "different", len(c.Times), "file", output)
		}
		return nil
	}
	return cmd
}

// count aggregates equal rows of a table. It returns soon after ctx has ended.
func (r *reading) count(ctx context.Context, path string) (*dataset.Counts, error) {
	return within(ctx, path, "read", func() (*dataset.Counts, error) {
		in, err := r.open(ctx, []string{path})
		if err != nil {
			return nil, err
		}
		defer in.Close()
		bar := r.screen.bar()
		defer bar.clear()
		take := r.take
		take.File, take.Progress = in.Name, bar.reading
		return prepare.Count(ctx, in.Source, take)
	})
}
