package command

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/report"
)

// convertCommand writes a result in other formats: those of package report, and more, such as pictures.
func (a *app) convertCommand(more ...report.Format) *cobra.Command {
	var to, from string
	var raw, dag bool
	var data []string
	var selection polydag.Selection
	var running context.Context
	fit := sync.OnceValues(func() (*learned, error) {
		if len(data) == 0 {
			return nil, usagef("probabilities are not in the result; add the table that it was learned from: --data DATA")
		}
		return a.learnedModel(running, from, data)
	})
	formats := append(append(report.Formats(), more...), networks(fit)...)
	cmd := &cobra.Command{
		Use:   "convert RESULT.json OUT...",
		Short: "Convert a learned graph to the format of another program",
		Long: `Convert reads a result and writes its graph to each OUT. The extension of OUT selects the format;
--to selects it explicitly. RESULT.json may be - for standard input. OUT may be - for standard output,
which needs --to. docs/reference/formats.md lists how each format treats names that it cannot store.

The formats get the graph that the result states, as the terminal shows it: an edge is directed if its
direction is stated, and undirected otherwise. --dag hands over the complete DAG instead, which also has
directions that are not stated. The formats for DAGs (bnlearn, bif) always get it, with a
note. --min-confidence and --basis select edges and directions. json, text and methods are the result.

Formats:
` + formatTable(formats),
		Example: `  polydag convert result.json graph.graphml
  polydag convert result.json graph.dot edges.csv graph.adjacency.csv
  polydag convert result.json edges.csv --min-confidence 0.9 --basis model,you
  polydag convert result.json - --to bnlearn
  polydag convert discrete.json model.bif --data discrete.csv
  polydag learn data.csv --output - --quiet | polydag convert - graph.graphml`,
		Args: argsBetween(2, math.MaxInt, "a result.json and at least one output"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in, outs := args[0], args[1:]
			running, from = cmd.Context(), in
			all := formats
			if raw {
				all = all.Raw()
			}
			selects := selection.MinConfidence != 0 || selection.Basis != nil
			switch {
			case dag && selects:
				return usagef("--dag hands over every edge; omit --min-confidence and --basis")
			case !(selection.MinConfidence >= 0 && selection.MinConfidence <= 1):
				return usagef("--min-confidence %v: want 0 to 1", selection.MinConfidence)
			case dag:
				all = all.DAG()
			}
			for _, word := range selection.Basis {
				if !slices.Contains(basisWords, word) {
					return usagef("--basis %s: want one of %s", word, strings.Join(basisWords, ", "))
				}
			}
			chosen, err := chooseFormats(all, outs, to)
			if err != nil {
				return err
			}
			if err := a.outputs([]string{in}, outs); err != nil {
				return err
			}
			res, err := a.readResult(cmd.Context(), in)
			if err != nil {
				return err
			}
			if selects {
				if !slices.ContainsFunc(res.AllEdges(), func(e polydag.Edge) bool { return e.Verdict != "" }) && len(res.Edges) > 0 {
					return usagef("the edges of %s have no confidence to select by; omit --min-confidence and --basis", inputName(in))
				}
				res = res.Selected(selection)
			}
			for i, out := range outs {
				if selects && slices.Contains([]string{"json", "methods"}, chosen[i].Name) {
					return usagef("%s is the whole result; omit --min-confidence and --basis", chosen[i].Name)
				}
				if !dag {
					a.noteComplete(res, chosen[i])
				}
				write := a.data
				if slices.Contains(forPeople, chosen[i].Name) {
					write = a.write
				}
				if err := write(cmd.Context(), out, render(cmd.Context(), chosen[i], res)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	rawFlag(cmd.Flags(), &raw)
	cmd.Flags().BoolVar(&dag, "dag", false, "hand over the complete DAG, also with directions that are not stated")
	cmd.Flags().Float64Var(&selection.MinConfidence, "min-confidence", 0, "smallest confidence, 0–1: a direction below it becomes undirected, and an edge below it is left out")
	cmd.Flags().StringSliceVar(&selection.Basis, "basis", nil, "what a direction may rest on, comma-separated: "+strings.Join(basisWords, ", ")+"; other directions become undirected")
	cmd.Flags().StringArrayVar(&data, "data", nil, "table that the result was learned from, for formats with probabilities; repeat for several files")
	cmd.Flags().StringVar(&to, "to", "", "output format, if the extension of OUT does not select it")
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = cobra.CompletionWithDesc(f.Name, f.Description)
	}
	if err := cmd.RegisterFlagCompletionFunc("to", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag is defined above
	}
	return cmd
}

// basisWords are the values of --basis, as trust.Edge.RestsOn returns them.
var basisWords = []string{"you", "names", "model", "rules", "time"}

// noteComplete says that a format for DAGs gets directions that the result does not state.
func (a *app) noteComplete(res *polydag.Result, f report.Format) {
	if claim := res.Claimed(); f.DAGOnly() && claim != res {
		fmt.Fprintf(a.err, "note: the format %s holds DAGs only, so it gets the complete DAG; %d of its %s not stated\n",
			f.Name, res.Graph.NumEdges()-claim.Graph.NumEdges(), map[bool]string{true: "direction is", false: fmt.Sprintf("%d directions are", res.Graph.NumEdges())}[res.Graph.NumEdges() == 1])
	}
}

// forPeople are the formats that are read and not parsed.
var forPeople = []string{"text", "methods"}

// chooseFormats returns the format of each output. All errors are usage errors.
func chooseFormats(formats report.Registry, outs []string, to string) ([]report.Format, error) {
	if to != "" && len(outs) > 1 {
		return nil, usagef("--to %s applies to one output, got %d; use file extensions instead, or convert one file at a time", to, len(outs))
	}
	chosen := make([]report.Format, len(outs))
	for i, out := range outs {
		var err error
		switch {
		case to != "":
			if chosen[i], err = formats.ByName(to); err != nil {
				return nil, usagef("--to: %s", worded(err))
			}
		case out == "-":
			return nil, usagef("standard output has no file extension; add --to FORMAT, such as --to dot")
		default:
			if chosen[i], err = formats.ForFile(out); err != nil {
				return nil, usagef("%s, or name the format with --to", worded(err))
			}
		}
	}
	return chosen, nil
}

func formatTable(formats report.Registry) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range formats {
		fmt.Fprintf(w, "  %s\t%s\t%s\n", f.Name, strings.Join(f.Extensions, " "), f.Description)
	}
	w.Flush() // a Builder never fails
	return strings.TrimSuffix(b.String(), "\n")
}
