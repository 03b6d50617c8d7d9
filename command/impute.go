package command

import (
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// imputeCommand writes completed tables that are drawn from a learned model.
func (a *app) imputeCommand() *cobra.Command {
	var output string
	var seed uint64
	copies, threads := 1, runtime.NumCPU()
	cmd := &cobra.Command{
		Use:   "impute DATA... RESULT.json",
		Short: "Write completed tables: missing values drawn from the learned model",
		Long: `Impute replaces each missing value of a table by a draw from the model of a learned result, given the
other values of its row. It assumes that values are missing at random: that a value is missing may
depend on observed values, not on the missing value itself.

With --copies N it writes N completed tables below each other, with the columns copy and row before
the others. Analyze each copy by itself and pool the results by Rubin's rules. Columns that are
excluded from the graph are not written. The table is read as the result was.`,
		Example: `  polydag learn data.csv --output result.json
  polydag impute data.csv result.json --output complete.csv --copies 20`,
		Args: argsBetween(2, math.MaxInt, "a table and a result.json"),
	}
	f := ordered(cmd)
	f.StringVarP(&output, "output", "o", "-", "write the completed rows to this CSV file (- for standard output)")
	f.IntVar(&copies, "copies", copies, "number of completed tables")
	f.Uint64Var(&seed, "seed", 1, "random seed")
	f.IntVar(&threads, "threads", threads, "number of threads; does not change the result")
	in := newReading(a, f)
	in.kindFlag(f)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if copies < 1 {
			return usagef("--copies %d: want at least 1", copies)
		}
		if err := in.check(threads); err != nil {
			return err
		}
		tables, result := args[:len(args)-1], args[len(args)-1]
		if err := a.claim(tables, []string{result}, []string{output}); err != nil {
			return err
		}
		res, err := a.readResult(cmd.Context(), result)
		if err != nil {
			return err
		}
		data, err := in.gatherAgain(cmd.Context(), res, tables)
		if err != nil {
			return err
		}
		defer data.input.Close()
		table := data.Table
		if err := sameNames(table.Moments.Names, res.Names); err != nil {
			return err
		}
		names, words := table.Moments.Names, make([][]string, table.Moments.Dim())
		for j, k := range table.Kinds {
			words[j] = k.Words
		}
		d, n := len(names), table.Rows()
		if copies > 1 {
			names, words = append([]string{"copy", "row"}, names...), append([][]string{nil, nil}, words...)
		}
		row := make([]float64, 0, len(names))
		return a.data(cmd.Context(), output, func(w io.Writer) error {
			var fault error
			err := csv.WriteWords(w, ',', names, words, Pushed(&fault, func(emit func([]float64) error) error {
				at := 0
				return table.Impute(cmd.Context(), res, copies, seed, func(b dataset.RowBatch) error {
					for i := 0; i < len(b.Values); i += d {
						if row = row[:0]; copies > 1 {
							row = append(row, float64(at/n+1), float64(at%n+1))
						}
						at++
						if err := emit(append(row, b.Values[i:i+d]...)); err != nil {
							return err
						}
					}
					return nil
				})
			}), false)
			if err != nil {
				return err
			}
			return fault
		})
	}
	return cmd
}

// sameNames reports a table whose columns are not those of a result.
func sameNames(table, result []string) error {
	if slices.Equal(table, result) {
		return nil
	}
	return fmt.Errorf("the table is not the one that the result was learned from: %s; give that table", difference(result, table))
}
