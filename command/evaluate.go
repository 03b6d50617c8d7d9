package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/edgelist"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/metric"
)

func (a *app) evaluateCommand() *cobra.Command {
	var truth string
	var asJSON, sid bool
	cmd := &cobra.Command{
		Use:   "evaluate --truth TRUTH.csv RESULT.json",
		Short: "Compare a learned graph with the true graph",
		Long: `Evaluate computes the differences between a learned graph and the true graph. TRUTH.csv has the header
from,to and an optional column weight. SHD counts a reversed edge once. docs/reference/metrics.md
defines every metric.

A true graph with undirected edges, such as one that polydag convert writes, is compared with the edges
that the result states.

A CPDAG is also compared with the CPDAG of the true graph. A PAG is compared with the PAG of the true
graph only; variables of the true graph that the result lacks are hidden. Both comparisons count
adjacencies, arrowheads and tails.

For a time series TRUTH.csv has a column lag, as polydag simulate --lags writes it. Edges with a lag
are compared by themselves, and the other metrics are of the edges without one.`,
		Example: `  polydag evaluate --truth truth.csv result.json
  polydag evaluate --truth truth.csv result.json --json`,
		Args: exactArgs(1, "one result.json, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if truth == "" {
				return usagef("no true graph; add --truth TRUTH.csv, a CSV file with the header from,to")
			}
			res, err := a.readResult(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if res.Kind == graph.KindPAG {
				return a.evaluatePAG(cmd.Context(), res, truth, asJSON)
			}
			list, err := a.readTruth(cmd.Context(), truth, res.Names, false)
			if err != nil {
				return err
			}
			list, before, err := splitLags(list, res)
			if err != nil {
				return err
			}
			if edgelist.Directed(list) != nil {
				return a.evaluateClaim(cmd.Context(), res, truth, list, asJSON)
			}
			want := graphOf(list, res.Names)
			if _, err = want.Order(); err != nil {
				var cycle *graph.CycleError
				if errors.As(err, &cycle) {
					cycle.Names = res.Names
				}
				fmt.Fprintf(a.err, "note: the true graph has a cycle, so CPDAG and SID are undefined: %v\n", err)
			}
			a.noteMarks(res, "they count as missing in the comparison with the true DAG")
			rep := metric.Compare(want, res.Graph)
			if sid {
				rep = metric.CompareWithSID(want, res.Graph)
			}
			if err == nil && (res.Kind == graph.KindCPDAG || res.Kind == graph.KindPDAG) {
				if err := a.compareClass(&rep, want, res, sid); err != nil {
					return err
				}
			}
			if res.Time != nil {
				rep.Lagged = metric.CompareLagged(before, laggedEdges(res))
			}
			return a.answer(cmd.Context(), asJSON, evaluationSchema, rep, func(w io.Writer) error {
				if err := writeMetrics(w, rep); err != nil || rep.Marks == nil {
					return err
				}
				return writeMarks(w, rep.Marks)
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&truth, "truth", "", "file with the true edges: CSV with the header from,to, a CSV matrix, or a Tetrad, BIF, GraphML or DOT file")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+evaluationSchema+")")
	f.BoolVar(&sid, "sid", false, "also compute the structural intervention distance (SID)")
	return cmd
}

// splitLags returns the true edges without and with a lag. Lags are an error for a result without them.
func splitLags(list []edgelist.Edge, res *polydag.Result) (present []edgelist.Edge, before []edgelist.Edge, err error) {
	for _, e := range list {
		switch {
		case e.Lag == 0:
			present = append(present, e)
		case res.Time == nil:
			return nil, nil, fmt.Errorf("the true edge %s → %s has lag %d, and the result has no lags; learn with --time", e.From, e.To, e.Lag)
		default:
			before = append(before, edgelist.Edge{Link: e.Link, Lag: e.Lag})
		}
	}
	return present, before, nil
}

// laggedEdges returns the edges of a result with a lag, as splitLags returns the true ones.
func laggedEdges(res *polydag.Result) (out []edgelist.Edge) {
	for _, e := range res.Lagged {
		out = append(out, edgelist.Edge{Link: e.Link, Lag: e.Lag})
	}
	return out
}

// compareClass compares an equivalence class, possibly with further directions, with the class of the truth.
// Adjacencies and the distance between classes cover all edges.
func (a *app) compareClass(rep *metric.Report, truth *graph.Graph, res *polydag.Result, sid bool) error {
	class, err := graph.CPDAG(truth)
	if err != nil {
		return err
	}
	est, err := res.Marked.PDAG()
	if err != nil {
		return err
	}
	m := metric.CompareMarks(class.Mixed(), res.Marked)
	distance, f1 := metric.CPDAGDistance(class, est), metric.CPDAGEdges(class, est).F1()
	rep.CPDAGSHD, rep.CPDAGF1, rep.SID, rep.Marks = &distance, &f1, nil, &m
	rep.SkeletonPrecision, rep.SkeletonRecall = m.AdjacencyPrecision, m.AdjacencyRecall
	rep.SkeletonF1 = 0
	if sum := m.AdjacencyPrecision + m.AdjacencyRecall; sum > 0 {
		rep.SkeletonF1 = 2 * m.AdjacencyPrecision * m.AdjacencyRecall / sum
	}
	if !sid {
		return nil
	}
	lower, upper, err := metric.SIDBounds(truth, est)
	if err != nil {
		fmt.Fprintf(a.err, "note: no bounds on SID: %v\n", err)
		return nil
	}
	m.SIDLower, m.SIDUpper = &lower, &upper
	return nil
}

// evaluatePAG compares a PAG with the PAG of the true DAG. Nodes of the true DAG that are not columns of the
// result are hidden.
func (a *app) evaluatePAG(ctx context.Context, res *polydag.Result, path string, asJSON bool) error {
	list, err := a.readTruth(ctx, path, res.Names, true)
	if err == nil {
		err = edgelist.Directed(list)
	}
	if err != nil {
		return err
	}
	all := slices.Clone(res.Names)
	known := names.Index(all)
	var hidden []int
	for _, e := range list {
		for _, n := range []string{e.From, e.To} {
			if _, ok := known[n]; !ok {
				known[n] = len(all)
				hidden = append(hidden, len(all))
				all = append(all, n)
			}
		}
	}
	if len(hidden) > 0 {
		fmt.Fprintf(a.err, "note: treated as hidden, not in the result: %s\n", strings.Join(all[len(res.Names):], ", "))
	}
	mag, _, err := graph.LatentMAG(graphOf(list, all), hidden, nil)
	if err != nil {
		var cycle *graph.CycleError
		if errors.As(err, &cycle) {
			cycle.Names = all
		}
		return fmt.Errorf("%s: the true graph has a cycle, so it has no PAG: %w", inputName(path), err)
	}
	m := metric.CompareMarks(mag.Class(false).Mixed(), res.Marked)
	m.Hidden = len(hidden)
	return a.answerMarks(ctx, asJSON, &m)
}

// evaluateClaim compares the edges that a result states with a graph that has undirected edges.
func (a *app) evaluateClaim(ctx context.Context, res *polydag.Result, path string, list []edgelist.Edge, asJSON bool) error {
	index := names.Index(res.Names)
	want := graph.NewMixed(graph.KindPDAG, len(res.Names))
	for _, e := range list {
		at := graph.MarkedEdge{Edge: graph.Edge{From: index[e.From], To: index[e.To]}, AtFrom: graph.Tail, AtTo: graph.Arrow}
		if e.Undirected {
			at.AtTo = graph.Tail
		}
		want.Set(at)
	}
	fmt.Fprintf(a.err, "note: %s has undirected edges, so the marks of the stated edges are compared\n", inputName(path))
	m := metric.CompareMarks(want, res.Claimed().Marked)
	return a.answerMarks(ctx, asJSON, &m)
}

// answerMarks writes a comparison of marks.
func (a *app) answerMarks(ctx context.Context, asJSON bool, m *metric.Marks) error {
	rep := struct {
		Marks *metric.Marks `json:"marks"`
	}{m}
	return a.answer(ctx, asJSON, evaluationSchema, rep, func(w io.Writer) error { return writeMarks(w, m) })
}

// noteMarks reports that a graph has edges without a direction, and how they are treated.
func (a *app) noteMarks(res *polydag.Result, what string) {
	if n := len(res.Edges) - res.Graph.NumEdges(); n > 0 {
		fmt.Fprintf(a.err, "note: the graph is a %s; %d of %s without a direction; %s\n", strings.ToUpper(string(res.Kind)), n, plural(len(res.Edges), "edge"), what)
	}
}

// readFrom opens and reads a path, or standard input. Errors name the file.
func readFrom[V any](ctx context.Context, a *app, path string, read func(io.Reader) (V, error)) (v V, err error) {
	r, name, err := a.open(ctx, path)
	if err != nil {
		return v, err
	}
	defer r.Close()
	if v, err = read(r); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return v, err
}

func (a *app) readResult(ctx context.Context, path string) (*polydag.Result, error) {
	res, err := readFrom(ctx, a, path, polydag.ReadResult)
	if err == nil {
		res.Methods = a.methods
	}
	if errors.Is(err, polydag.ErrNotResult) && files.IsTable(path) {
		return nil, fmt.Errorf("%s is a table, and this command takes a result; learn one first: polydag learn %s --output result.json", inputName(path), shellWord(path))
	}
	return res, err
}

// readTruth reads a graph over names. With hidden it may have other variables besides.
func (a *app) readTruth(ctx context.Context, path string, names []string, hidden bool) ([]edgelist.Edge, error) {
	return readFrom(ctx, a, path, func(r io.Reader) ([]edgelist.Edge, error) {
		if hidden {
			return edgelist.ReadWithHidden(r, names)
		}
		return edgelist.Read(r, names)
	})
}

func graphOf(list []edgelist.Edge, columns []string) *graph.Graph {
	index := names.Index(columns)
	g := graph.New(len(columns))
	for _, e := range list {
		g.AddEdge(index[e.From], index[e.To])
	}
	return g
}

func writeMarks(w io.Writer, m *metric.Marks) error {
	hidden := ""
	if m.Hidden > 0 {
		hidden = fmt.Sprintf(", %d hidden", m.Hidden)
	}
	_, err := fmt.Fprintf(w, `%s: %d edges learned, %d true%s; SHD of the marks %d
  marks       precision  recall
  adjacency       %.3f   %.3f
  arrowheads      %.3f   %.3f
  tails           %.3f   %.3f
`, strings.ToUpper(string(m.Kind)), m.EdgesEstimated, m.EdgesTrue, hidden, m.SHD, m.AdjacencyPrecision, m.AdjacencyRecall, m.ArrowheadPrecision, m.ArrowheadRecall, m.TailPrecision, m.TailRecall)
	if err == nil && m.SIDLower != nil {
		_, err = fmt.Fprintf(w, "SID         %d to %d  (range over the DAGs of the equivalence class)\n", *m.SIDLower, *m.SIDUpper)
	}
	return err
}

func writeMetrics(w io.Writer, m metric.Report) error {
	_, err := fmt.Fprintf(w, `edges       %d learned, %d true
SHD         %d  (%d missing, %d extra, %d reversed)
F1          %.3f  (precision %.3f, recall %.3f)
FPR         %.5f
skeleton F1 %.3f
`, m.EdgesEstimated, m.EdgesTrue, m.SHD, m.Missing, m.Extra, m.Reversed, m.F1, m.Precision, m.TPR, m.FPR, m.SkeletonF1)
	if err == nil && m.CPDAGSHD != nil {
		_, err = fmt.Fprintf(w, "CPDAG       SHD %d, F1 %.3f  (equivalence classes compared)\n", *m.CPDAGSHD, *m.CPDAGF1)
	}
	if l := m.Lagged; err == nil && l != nil {
		_, err = fmt.Fprintf(w, "lagged      F1 %.3f  (precision %.3f, recall %.3f; %d learned, %d true)\n", l.F1, l.Precision, l.Recall, l.EdgesEstimated, l.EdgesTrue)
	}
	if err == nil && m.SID != nil {
		_, err = fmt.Fprintf(w, "SID         %d  (ordered pairs with a wrong intervention distribution)\n", *m.SID)
	}
	return err
}
