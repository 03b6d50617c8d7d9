package cli

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
	opt := explain.DefaultOptions()
	cmd := &cobra.Command{
		Use:   "explain RESULT.json --from A --to B",
		Short: "Say how one variable reaches another in a learned graph, and what to adjust for",
		Long: `Explain lists the directed paths and the back-door paths from A to B in a learned graph, the effect along the former, the
confounders, mediators and colliders among them, what each edge does where that is no slope (probabilities of levels, means, curves), those that pass through a sensitive attribute, a minimal set to adjust for, and
the edges that each statement rests on although their directions are open, or doubtful because the model fails its checks. All
of it is said of the graph as if it were true; docs/explanation/directions.md says what that is worth.`,
		Example: `  polydag explain result.json --from Heavy_Makeup --to Wearing_Lipstick --sensitive Male
  polydag explain result.json --from age --to income --json`,
		Args: exactArgs(1, "one result.json, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if from == "" || to == "" {
				return usagef("--from and --to are both needed: name two columns")
			}
			res, err := a.readResult(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			var edges []explain.Edge
			for _, e := range res.Edges {
				if e.Directed() {
					edges = append(edges, explain.Edge{Link: e.Link, Weight: e.Weight, Says: sentence.Effect(e), Reversible: !e.Compelled, Doubtful: e.Verdict != "" && e.Verdict != polydag.Directed})
				}
			}
			a.noteMarks(res, "no path goes along them")
			opt.NoSlopes = !res.Sloped()
			model, err := explain.NewModel(res.Names, edges)
			if err != nil {
				return err
			}
			e, err := model.Between(from, to, opt)
			if errors.Is(err, explain.ErrName) {
				return usageError{err}
			}
			if err != nil {
				return err
			}
			return a.write(cmd.Context(), "-", func(w io.Writer) error {
				if asJSON {
					return writeStamped(w, explanationSchema, e)
				}
				return e.WriteText(report.Fold(w, columns(a.out)))
			})
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&from, "from", "", "the column whose effect is asked for")
	f.StringVar(&to, "to", "", "the column that it may have an effect on")
	f.StringSliceVar(&opt.Sensitive, "sensitive", nil, "columns to flag on paths, separated by commas")
	f.IntVar(&opt.Paths, "paths", opt.Paths, "paths of each kind to list, the shortest first")
	f.BoolVar(&asJSON, "json", false, "print JSON, schema "+explanationSchema)
	return cmd
}
