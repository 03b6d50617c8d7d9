package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/prepare"
)

func (a *app) countsCommand() *cobra.Command {
	var output string
	threads := runtime.NumCPU()
	cmd := &cobra.Command{
		Use:   "counts DATA... --output COUNTS.npz",
		Short: "Join the equal rows of tables of few levels, to learn from them later",
		Long: `Counts reads one or more tables with the same columns ("-" is standard input) and writes their different rows, with how often each comes,
as one NPZ file, which every command takes in place of the table. It is for columns of few levels, of which any number of rows has few that
differ; with columns of many values it is refused when memory runs out (--max-memory), or when their text takes more than the 64 MB that are
read back. All rows together are at most 4294967295. A DATA may itself be such a file: parts that come
day by day, or lie on several machines, are counted where they are and merged.

Values stay as they are, also missing ones; what is made of them (--encode, --missing, --targets and the like) is said when they are learned from. What is
lost is the order of the rows: they are handed out in one that is drawn anew, always the same. The bytes depend on the rows alone, whatever their
order and however they are cut into tables.

The file opens in numpy, too: c = np.load("c.npz") has names, levels, start, codes and times; the value of column j in the i-th of the different
rows, which comes c["times"][i] times, is c["levels"][c["start"][j] + c["codes"][i, j]].

With --nats the workers of a NATS server (polydag worker) each read a table, which is sent to them, and the file has the same bytes.`,
		Example: `  polydag counts data.csv --output c.npz
  polydag counts c.npz more.csv --output all.npz
  polydag learn all.npz --output result.json
  polydag counts part-*.parquet --nats-file hub-store/address --output all.npz`,
		Args: tablesArgs,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVarP(&output, "output", "o", "", "write the counts to this NPZ file (- for standard output)")
	read := newCounting(f)
	f.IntVar(&threads, "threads", threads, "threads; they change the time, never the result")
	nats := newNATS(f, "let the workers of this NATS server read the tables, such as nats://host:4222")
	say := newConsole(f, a.err)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output == "" {
			return usagef("--output is missing: name the file for the counts, or - for standard output")
		}
		if threads < 1 {
			return usagef("--threads %d: want at least 1", threads)
		}
		if err := errors.Join(say.check(), nats.check(), read.check(threads)); err != nil {
			return err
		}
		if err := a.apart(args, output); err != nil {
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
		if nats.on() {
			if err := a.spreadCounts(cmd.Context(), nats, read, args, say, merge); err != nil {
				return err
			}
		} else {
			for k, path := range args {
				c, err := read.count(cmd.Context(), a, path, say)
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
		if err := a.write(cmd.Context(), output, func(w io.Writer) error { return files.WriteCounts(w, c) }); err != nil {
			return err
		}
		if output != "-" {
			say.note(fmt.Sprintf("%d rows × %d columns, of which %d differ, are counted in %s", c.Rows(), len(c.Columns), len(c.Times), output),
				"rows", c.Rows(), "columns", len(c.Columns), "different", len(c.Times), "file", output)
		}
		return nil
	}
	return cmd
}

// count joins the equal rows of a table. It returns soon after ctx has ended.
func (r *reading) count(ctx context.Context, a *app, path string, say *console) (*dataset.Counts, error) {
	return within(ctx, path, "read", func() (*dataset.Counts, error) {
		in, err := r.open(ctx, a, []string{path}, say)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		bar := say.bar()
		defer bar.clear()
		take := r.take
		take.File, take.Progress = in.Name, bar.reading
		c, err := prepare.Count(ctx, in.Source, take)
		if errors.Is(err, prepare.ErrUnknownColumn) { // of --columns or --drop
			return nil, usageError{err}
		}
		return c, err
	})
}
