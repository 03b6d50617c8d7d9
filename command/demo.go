package command

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/edgelist"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/analysis"
	"github.com/polydag/polydag/internal/demo"
	"github.com/polydag/polydag/metric"
)

func (a *app) demoCommand() *cobra.Command {
	var output, save string
	var real bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Learn from a built-in table",
		Long: `Demo learns a graph from a built-in table, with 200 bootstrap samples, and prints it.

The default table is simulated from an invented graph over eight columns, days in a park, and the
learned graph is compared with the true one. --real uses the diabetes data
of Efron et al. (2004): 442 patients, baseline measurements and the disease progression one year
later. Its true graph is unknown. The order of measurement is given as prior knowledge, and two
columns computed from others are excluded.`,
		Example: `  polydag demo
  polydag demo --real --output diabetes.json
  polydag demo --save demo.csv && polydag learn demo.csv`,
		Args: exactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			table := demoTable{"the embedded table", demo.Data}
			if real {
				table = demoTable{"diabetes.csv", demo.Diabetes}
			}
			if save != "" {
				return a.saveDemo(cmd.Context(), save, table.data)
			}
			return a.runDemo(cmd.Context(), table, real, output)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&real, "real", false, "use the diabetes data (442 patients) instead of the simulated table")
	f.StringVarP(&output, "output", "o", "", "also write the result as JSON to this file")
	f.StringVar(&save, "save", "", "write the table to this file and exit; the extension selects the format")
	return cmd
}

func (a *app) runDemo(ctx context.Context, in demoTable, real bool, output string) error {
	how := analysis.Analysis{Preparation: polydag.DefaultPreparation(), Config: polydag.DefaultConfig(), Confidence: analysis.Confidence{Samples: confidence.DefaultSettings()}}
	how.Config.Threads = runtime.NumCPU()
	about := "A simulated table of continuous numbers. The columns are invented: days in a park."
	if real {
		how.Preparation.Drop, how.Config.Knowledge.Tiers = demo.DiabetesDrop, demo.DiabetesTiers
		about = "Diabetes data of Efron et al. (2004): 442 patients, measurements at baseline and progression one year later.\n" +
			"Prior knowledge: the order of measurement (" + tiersText(demo.DiabetesTiers) + ")."
	}
	table, err := how.Gather(ctx, in)
	if err != nil {
		return err
	}
	a.saving.Store(true)
	res, err := how.Learn(ctx, table, polydag.Run{})
	if err != nil {
		return err
	}
	if real {
		res.Table.Reading = map[string][]string{"drop": demo.DiabetesDrop}
	}
	quiet := a.screen.quiet || output == "-"
	if !quiet {
		fmt.Fprint(a.out, about, "\n\n")
	}
	if _, err := (&outputs{json: output}).deliver(ctx, a, res, nil, 1, a.screen); err != nil {
		return err
	}
	if !real && !quiet {
		list, err := edgelist.Read(bytes.NewReader(demo.Truth), table.Moments.Names)
		if err != nil {
			return err
		}
		fmt.Fprint(a.out, "\nComparison with the true graph:\n")
		if err := writeMetrics(a.out, metric.Compare(graphOf(list, table.Moments.Names), res.Graph)); err != nil {
			return err
		}
	}
	return finished(ctx, res, nil, nil, true)
}

// tiersText writes tiers as names separated by commas, with arrows between tiers.
func tiersText(tiers [][]string) string {
	parts := make([]string, len(tiers))
	for i, names := range tiers {
		parts[i] = strings.Join(names, ", ")
	}
	return strings.Join(parts, " → ")
}

// demoTable is an embedded CSV table as an input.
type demoTable struct {
	name string
	data []byte
}

func (t demoTable) Describe() (name, format string, bytes int64) {
	return t.name, files.CSV, int64(len(t.data))
}

func (t demoTable) Source(context.Context) (dataset.Source, error) {
	opt := csv.DefaultSettings()
	opt.File = t.name
	return csv.Open(bytes.NewReader(t.data), opt)
}

func (t demoTable) Saved() (*dataset.Moments, *dataset.Profile) { return nil, nil }

func (t demoTable) SHA256(context.Context) (string, error) {
	return fmt.Sprintf("%x", sha256.Sum256(t.data)), nil
}

// saveDemo writes an embedded table: unchanged as CSV, or converted to another format.
func (a *app) saveDemo(ctx context.Context, path string, data []byte) error {
	format, err := tableFormat("--save", path)
	if err != nil {
		return err
	}
	if format == (files.Writer{Format: files.CSV}) {
		return a.data(ctx, path, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	t, err := csv.ReadTable(ctx, bytes.NewReader(data), csv.DefaultSettings())
	if err != nil {
		return err
	}
	return a.writeTable(ctx, path, format, files.Content{Names: t.Names, Count: t.Rows.Rows, Rows: dataset.RowsOf(t.Rows)})
}
