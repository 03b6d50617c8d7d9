package command

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
)

func (a *app) momentsCommand() *cobra.Command {
	var output string
	var profile bool
	threads := runtime.NumCPU()
	cmd := &cobra.Command{
		Use:   "moments DATA... --output MOMENTS.npz",
		Short: "Save the means and covariances of tables, to learn from them later",
		Long: `Moments reads one or more tables with the same columns ("-" for standard input) and writes the number
of rows, the means and the covariances to an NPZ file. polydag learn accepts this file in place of
the table: methods for linear models need nothing else. A DATA may itself be a moments file, so that
new rows can be added without reading the old ones again.

The file can be read with numpy: m = np.load("m.npz") has names, n, mean and scatter (n times the
covariance). DATA may also be a file of another program with names, n and covariance (divided by n).

With --nats the workers of a NATS server (polydag worker) read the tables; the file is the same.`,
		Example: `  polydag moments data.csv --output m.npz
  polydag moments m.npz more.csv --output all.npz
  polydag learn all.npz --output result.json
  polydag moments part-*.parquet --nats-file hub-store/address --output all.npz`,
		Args: tablesArgs,
	}
	f := ordered(cmd)
	f.StringVarP(&output, "output", "o", "", "write the moments to this NPZ file (- for standard output)")
	f.BoolVar(&profile, "profile", false, "also save the column profile for polydag check (one table; takes about twice the time)")
	read := newReading(a, f)
	read.take.Encode, read.take.Missing = dataset.EncodeError, dataset.MissingError // moments cannot count categories
	read.take.Exclude = false                                                       // all parts of a table must have the same columns
	f.MarkHidden("keep")
	f.Lookup("missing").DefValue, f.Lookup("missing").Usage = "error", "missing values: error, drop (rows) or pairwise"
	f.Lookup("encode").DefValue, f.Lookup("encode").Usage = "error", "text columns: error, onehot, ordinal or drop"
	f.IntVar(&threads, "threads", threads, "number of threads; does not change the result")
	wings := a.newParts("moments", f)
	screen := a.screen

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if output == "" {
			return usagef("no output file; add --output MOMENTS.npz, or --output - for standard output")
		}
		if err := read.check(threads); err != nil {
			return err
		}
		read.take.Profile = profile
		if read.take.Missing == dataset.MissingAuto {
			return usagef("--missing auto could exclude different columns in different tables; choose error, drop or pairwise")
		}
		if read.take.Encode == dataset.EncodeLevels {
			return usagef("--set encode=levels: moments cannot represent categories; choose error, onehot, ordinal or drop")
		}
		if err := separable(read.take, len(args)); err != nil {
			return err
		}
		if err := a.apart(args, output); err != nil {
			return err
		}
		if err := wings.check(cmd.Context(), read, args); err != nil {
			return err
		}
		var m *dataset.Moments
		var p *dataset.Profile
		merge := func(k int, part *dataset.Moments) error {
			if k == 0 {
				m = part
				return nil
			}
			if !slices.Equal(m.Names, part.Names) {
				return fmt.Errorf("cannot merge %s with %s: %s; give tables with the same columns in the same order, or choose them with --columns", args[k], args[0], difference(m.Names, part.Names))
			}
			if err := m.Merge(part); err != nil {
				return fmt.Errorf("cannot merge %s: %w", args[k], err)
			}
			return nil
		}
		done, err := elsewhere(cmd.Context(), wings, (*Part).moments, merge)
		if err != nil {
			return err
		}
		if !done {
			for k, path := range args {
				g, err := read.gather(cmd.Context(), []string{path})
				if err != nil {
					return err
				}
				g.input.Close()
				if len(args) == 1 && g.Profile != nil && g.Profile.Columns != nil {
					p = g.Profile // profiles of several tables cannot be merged
				}
				if err := merge(k, g.Moments); err != nil {
					return err
				}
			}
		}
		if err := a.data(cmd.Context(), output, func(w io.Writer) error { return files.WriteMoments(w, m, p) }); err != nil {
			return err
		}
		if output != "-" {
			screen.note(fmt.Sprintf("wrote %s: moments of %s × %s", output, plural(m.N, "row"), plural(m.Dim(), "column")), "rows", m.N, "columns", m.Dim(), "file", output)
		}
		return nil
	}
	return cmd
}

// separable refuses settings that need all rows at once if the rows come in parts.
func separable(opt polydag.Preparation, parts int) error {
	flag := ""
	switch {
	case opt.RowWeights != "":
		return usagef("moments count whole rows, so --set row-weights cannot be used; run polydag learn on the table itself")
	case opt.Targets != "" || opt.Environments != "":
		return usagef("moments summarize all rows together, so --targets and --environments have no effect; run polydag learn on the table itself")
	case parts < 2:
	case opt.Discretize > 0:
		flag = "--set discretize"
	case opt.NormalScores:
		flag = "--set normal-scores"
	case opt.Encode == dataset.EncodeOrdinal:
		flag = "--set encode=ordinal"
	case opt.Missing == dataset.MissingPairwise:
		flag = "--missing " + string(opt.Missing)
	}
	if flag == "" {
		return nil
	}
	return usagef("%s depends on all rows and would be applied to each of the %d tables separately; give them as one table: a folder or a quoted pattern", flag, parts)
}

// difference describes the first difference between two lists of names.
func difference(a, b []string) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d columns and %d", len(b), len(a))
	}
	for j := range a {
		if a[j] != b[j] {
			return fmt.Sprintf("column %d is %q and %q", j+1, b[j], a[j])
		}
	}
	return "no difference"
}

// tablesArgs checks the arguments of commands that take several separate tables.
func tablesArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usagef("%s takes at least one table; see %s --help", cmd.CommandPath(), cmd.CommandPath())
	}
	return nil
}

// apart checks that an output is not one of the input files.
func (a *app) apart(tables []string, output string) error {
	var inputs []string
	for _, arg := range tables { // each argument is a separate table
		parts, err := files.Parts([]string{arg})
		if err != nil {
			return err
		}
		inputs = append(inputs, parts...)
	}
	return a.outputs(inputs, []string{output})
}
