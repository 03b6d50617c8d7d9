package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/edgelist"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/metric"
)

func (a *app) evaluateCommand() *cobra.Command {
	var truth string
	var asJSON, sid bool
	cmd := &cobra.Command{
		Use:   "evaluate --truth TRUTH.csv RESULT.json",
		Short: "Compare a learned graph with the true one",
		Long: `Evaluate counts how a learned graph differs from a known one. TRUTH.csv has the header from,to (a third
column weight may follow). SHD counts a reversed edge once; docs/metrics.md states every convention.`,
		Example: `  polydag evaluate --truth truth.csv result.json
  polydag evaluate --truth truth.csv result.json --json`,
		Args: exactArgs(1, "one result.json, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if truth == "" {
				return usagef("--truth is missing: name a CSV file with the header from,to")
			}
			res, err := a.readResult(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			want, err := a.readTruth(cmd.Context(), truth, res.Names)
			if err != nil {
				return err
			}
			if _, err := want.Order(); err != nil {
				var cycle *graph.CycleError
				if errors.As(err, &cycle) {
					cycle.Names = res.Names
				}
				fmt.Fprintf(a.err, "note: the truth has a cycle, so that CPDAG and SID are not defined: %v\n", err)
			}
			a.noteMarks(res, "they count as missing")
			rep := metric.Compare(want, res.Graph)
			if sid {
				rep = metric.CompareWithSID(want, res.Graph)
			}
			return a.write(cmd.Context(), "-", func(w io.Writer) error {
				if asJSON {
					enc := json.NewEncoder(w)
					enc.SetIndent("", "  ")
					return enc.Encode(rep)
				}
				return writeMetrics(w, rep)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&truth, "truth", "", "file of the true edges: CSV with header from,to, or what Tetrad, BIF, GraphML, DOT or a matrix in CSV has")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.BoolVar(&sid, "sid", false, "also compute the structural intervention distance")
	return cmd
}

// noteMarks says that a graph has edges without a direction, and what becomes of them.
func (a *app) noteMarks(res *polydag.Result, what string) {
	if n := len(res.Edges) - res.Graph.NumEdges(); n > 0 {
		fmt.Fprintf(a.err, "note: the graph is a %s, and %d of its %d edges have no direction; %s\n", strings.ToUpper(string(res.Kind)), n, len(res.Edges), what)
	}
}

func (a *app) readResult(ctx context.Context, path string) (*polydag.Result, error) {
	r, name, err := a.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	res, err := polydag.ReadResult(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return res, nil
}

// readTruth reads an edge list whose names must be among those of the result.
func (a *app) readTruth(ctx context.Context, path string, names []string) (*graph.Graph, error) {
	r, name, err := a.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	list, err := edgelist.Read(r, names)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return graphOf(list, names), nil
}

func graphOf(list []edgelist.Edge, columns []string) *graph.Graph {
	index := names.Index(columns)
	g := graph.New(len(columns))
	for _, e := range list {
		g.AddEdge(index[e.From], index[e.To])
	}
	return g
}

func writeMetrics(w io.Writer, m metric.Report) error {
	_, err := fmt.Fprintf(w, `edges       %d learned, %d true
SHD         %d  (%d missing, %d extra, %d reversed)
F1          %.3f  (precision %.3f, TPR %.3f)
FPR         %.5f
skeleton F1 %.3f
`, m.EdgesEstimated, m.EdgesTrue, m.SHD, m.Missing, m.Extra, m.Reversed, m.F1, m.Precision, m.TPR, m.FPR, m.SkeletonF1)
	if err == nil && m.CPDAGSHD != nil {
		_, err = fmt.Fprintf(w, "CPDAG       SHD %d, F1 %.3f  (up to edges that the equivalence class leaves open)\n", *m.CPDAGSHD, *m.CPDAGF1)
	}
	if err == nil && m.SID != nil {
		_, err = fmt.Fprintf(w, "SID         %d  (ordered pairs whose intervention distribution the graph gets wrong)\n", *m.SID)
	}
	return err
}
