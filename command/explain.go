package command

import (
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/internal/sentence"
	"github.com/polydag/polydag/report"
)

func (a *app) explainCommand() *cobra.Command {
	var from, to string
	var asJSON bool
	opt := explain.DefaultSettings()
	cmd := &cobra.Command{
		Use:   "explain RESULT.json --from A --to B",
		Short: "List the paths between two variables of a learned graph and what to adjust for",
		Long: `Explain lists the directed paths and the back-door paths from A to B in a learned graph, the
confounders, mediators and colliders on them, and a minimal adjustment set. For linear models it adds
the total, direct and per-path effects; for other models it describes the effect of each edge.
--sensitive flags paths through sensitive attributes. Edges without an identified direction are
listed with the statements that depend on them.

For a result with lags, 'A(t-2)' is the value of A two steps before B. Without a lag, A is taken as many
steps before B as the fastest path takes.

All statements assume that the graph is correct; see docs/explanation/directions.md.`,
		Example: `  polydag explain result.json --from guests_today --to ice_cream_scoops --sensitive mist
  polydag explain result.json --from age --to income --json`,
		Args: exactArgs(1, "one result.json, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if from == "" || to == "" {
				return usagef("--from and --to are required; add --from CAUSE --to OUTCOME")
			}
			res, err := a.readResult(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if opt.Sensitive == nil {
				opt.Sensitive = res.Table.Sensitive
			}
			edges := directedEdges(res)
			a.noteMarks(res, "paths do not use them")
			opt.NoSlopes = !res.Sloped()
			var model *explain.Model
			if res.Time == nil {
				model, err = explain.NewModel(res.Names, edges)
			} else {
				model, from, err = explain.NewLagged(res.Names, edges, from, to)
			}
			var e *explain.Explanation
			if err == nil {
				e, err = model.Between(from, to, opt)
			}
			if errors.Is(err, explain.ErrName) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			return a.answer(cmd.Context(), asJSON, explanationSchema, e, func(w io.Writer) error { return e.WriteText(report.Fold(w, columns(a.out))) })
		},
	}
	f := ordered(cmd)
	f.StringVar(&from, "from", "", "cause column")
	f.StringVar(&to, "to", "", "outcome column")
	f.StringSliceVar(&opt.Sensitive, "sensitive", nil, "sensitive columns to flag on paths, comma-separated")
	f.IntVar(&opt.Paths, "paths", opt.Paths, "maximum number of paths of each type to list, shortest first")
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+explanationSchema+")")
	return cmd
}

// directedEdges returns the directed edges of a result.
func directedEdges(res *polydag.Result) (edges []explain.Edge) {
	for _, e := range res.AllEdges() {
		if e.Directed() {
			edges = append(edges, explain.Edge{Link: e.Link, Lag: e.Lag, Weight: e.Weight, Says: sentence.Effect(e), Undirected: e.Reversible()})
		}
	}
	return edges
}
