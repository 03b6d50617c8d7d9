//go:build !js

package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/fault"
	gpu "github.com/polydag/polydag/gpu/commands"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/page"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
)

func (a *app) compareCommand() *cobra.Command {
	var output, picture, html, truth string
	methods := []string{heldout.All}
	cfg := polydag.DefaultConfig()
	cfg.Methods = a.Methods()
	s := heldout.DefaultCompareSettings()
	cmd := &cobra.Command{
		Use:   "compare DATA...",
		Short: "Compare methods on one table",
		Long: `Compare learns from a table with several methods and prints one row per method: the kind and size of
the graph, its score, its held-out log-likelihood (bits per row) and its time. With --truth it adds
the distance to the true graph. A second table shows how much the methods agree.

--methods takes a comma-separated list: all, -NAME to leave one out, and settings after a name, as
in NAME:SETTING=VALUE:SETTING=VALUE. "polydag methods NAME" lists the settings.

All graphs are scored under one model, chosen as the default method chooses it (--model sets it).
For an equivalence class, one DAG of the class is scored. A graph with hidden causes (PAG) has no
score. With --time the columns of a graph
are the present and the lagged values. A method that fails or exceeds --budget is listed with the reason. With --device cuda, a
continuous method learns from all half samples at the same time.
docs/guides/choose-a-method.md explains the columns and which method suits which table.`,
		Example: fmt.Sprintf(`  polydag compare data.csv
  polydag compare data.csv --methods all --truth truth.csv --budget 10s --report compare.html
  polydag compare data.csv --methods %[1]s,%[1]s:model=smooth --output compare.json --set figure=compare.svg`, cfg.Method.Info().Name),
		Args: command.TableArgs,
	}
	f := command.Ordered(cmd)
	f.StringSliceVar(&methods, "methods", methods, "methods to run, comma-separated: NAME, NAME:SETTING=VALUE, all, -NAME to leave one out of all")
	f.Lookup("methods").DefValue = heldout.All
	words := []string{heldout.All}
	for _, m := range a.Methods().All() {
		words = append(words, m.Info().Name)
	}
	_ = cmd.RegisterFlagCompletionFunc("methods", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // it fails only for an unknown flag
	f.DurationVar(&s.Budget, "budget", s.Budget, "time limit per run of a method, such as 10s or 5m; 0 for no limit")
	f.StringVar(&truth, "truth", "", "file with the true edges, as in polydag evaluate; names that are not columns are hidden variables")
	f.StringVar(&html, "report", "", "write an HTML report to this file")
	f.StringVarP(&output, "output", "o", "", "write JSON (schema "+heldout.CompareSchema+") to this file (- for standard output, instead of the table)")
	f.StringVar(&picture, "figure", "", "draw both tables to this file (.svg, .png or .pdf)")
	f.IntVar(&s.Splits, "splits", s.Splits, "number of random splits into halves for the held-out score; 0 for none, which takes a third of the time")
	f.StringVar(&s.Model, "model", s.Model, "model for scores and held-out likelihoods: "+strings.Join(param.Of(cfg.Method).Lookup("model").Choices, ", "))
	f.BoolVar(&cfg.Standardize, "standardize", cfg.Standardize, "standardize the columns first; matters only for methods that depend on units")
	know := command.NewKnowledge(f)
	f.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "random seed")
	f.IntVar(&cfg.Threads, "threads", runtime.NumCPU(), "number of threads per method; does not change the result")
	on := gpu.NewFlag(f)
	in := a.NewReading(f, false)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		cfg.Threads = min(cfg.Threads, runtime.NumCPU())
		format, err := figureFormat(picture)
		if err != nil {
			return err
		}
		if cfg.Knowledge, err = know.Spec(); err != nil {
			return err
		}
		plain := cfg
		plain.Knowledge = polydag.DefaultConfig().Knowledge // each method reports whether it supports knowledge
		candidates, err := heldout.Choose(methods, cfg)
		if err := errors.Join(err, plain.Validate(), s.Validate(), on.Check(), in.Check(max(1, cfg.Threads))); err != nil {
			return err
		}
		if err := a.Claim(args, append(know.Files(), truth), []string{output, html, picture}); err != nil {
			return err
		}
		table, closeTable, err := in.Gather(ctx, args, plain, know)
		if err != nil {
			return err
		}
		defer closeTable()
		if candidates, table, err = a.inTime(candidates, table, methods); err != nil {
			return err
		}
		var known *heldout.Truth
		var edges []polydag.Link
		if truth != "" {
			if known, edges, err = a.compareTruth(ctx, truth, table.Moments.Names); err != nil {
				return err
			}
		}
		ctx, release, err := on.Use(ctx, a.App)
		if err != nil {
			return err
		}
		defer release()
		s.Fits = func(need int64) error { return command.Fits(ctx, "the method", need) }
		s.Words = refusal
		bar := a.Bar()
		c, err := heldout.Compare(ctx, table, candidates, known, s, func(p heldout.CompareProgress) {
			if p.Done == nil {
				bar.Observe(labelled(p))
				return
			}
			bar.Clear()
			a.Line(doneLine(p), "method", p.Label, "state", p.Done.State, "edges", len(p.Done.Edges), "seconds", p.Done.Seconds)
			if p.Done.Result != nil {
			}
			a.Progress(ctx, p.Done.Result != nil)
		})
		bar.Clear()
		if err != nil {
			return err
		}
		early := c.Status == method.Canceled
		if early {
			ctx = context.WithoutCancel(ctx)
		}
		undrawn := ""
		if early && html != "" && drawnEdges(c) > command.DrawnAtOnce {
			undrawn, html = html, ""
		}
		return errors.Join(a.writeComparison(ctx, c, output, a.Quiet()), a.compareExtras(ctx, c, a.compareEffects(cmd.Context(), c, table, html, cfg.Threads), edges, picture, format, html), compared(c, undrawn))
	}
	return cmd
}

// refusal describes why a method was refused. It omits remedies that are settings of one run, because the other
// methods continue.
func refusal(err error) string {
	if f := new(fault.Error); errors.As(err, &f) && f.Text != "" {
		return f.Text
	}
	return command.WordedError(err)
}

// drawnEdges returns the number of columns and edges in the drawing of a page, which covers all methods.
func drawnEdges(c *heldout.Comparison) int {
	pairs := map[[2]string]bool{}
	for _, e := range c.Graphs() {
		for _, edge := range e.Edges {
			pairs[[2]string{min(edge.From, edge.To), max(edge.From, edge.To)}] = true
		}
	}
	return len(c.Names) + len(pairs)
}

// compared returns the error that sets the exit code. undrawn is the page that an interrupted comparison did
// not draw.
func compared(c *heldout.Comparison, undrawn string) error {
	switch done := len(c.Graphs()); {
	case c.Status == method.Canceled:
		rest := ""
		if undrawn != "" {
			rest = fmt.Sprintf(", without %s, which would take long to draw", undrawn)
		}
		return command.Unconverged(fmt.Sprintf("interrupted; the graphs of %d of %d methods are written%s", done, len(c.Methods), rest))
	case done == 0:
		return fmt.Errorf("no method could learn from the table; the first, %s: %s", c.Methods[0].Label, c.Methods[0].Why)
	}
	return nil
}

func (a *app) writeComparison(ctx context.Context, c *heldout.Comparison, output string, quiet bool) error {
	if output != "-" && !quiet {
		if err := a.Write(ctx, "-", func(w io.Writer) error { return writeComparison(w, c) }); err != nil {
			return err
		}
	}
	if output == "" {
		return nil
	}
	return a.Data(ctx, output, func(w io.Writer) error { return command.WriteJSON(w, c) })
}

// compareEffects computes the effects of interventions under the graph of each method if a page was requested.
// All methods share the time limit of a single result. Effects that are missing when ctx ends are omitted, and
// the page says how to compute them.
func (a *app) compareEffects(ctx context.Context, c *heldout.Comparison, table *polydag.Table, html string, threads int) map[*polydag.Result]*effect.Survey {
	graphs := c.Graphs()
	if html == "" || len(graphs) == 0 {
		return nil
	}
	out := map[*polydag.Result]*effect.Survey{}
	for _, e := range graphs {
		if effects, err := a.Effects(ctx, e.Result, table, threads, len(graphs)); err == nil {
			out[e.Result] = effects
		}
	}
	return out
}

func (a *app) compareExtras(ctx context.Context, c *heldout.Comparison, effects map[*polydag.Result]*effect.Survey, edges []polydag.Link, picture, format, html string) error {
	if picture != "" {
		if err := a.Data(ctx, picture, func(w io.Writer) error { return drawComparison(c, format, w) }); err != nil {
			return err
		}
	}
	if html == "" || len(c.Graphs()) == 0 {
		return nil
	}
	var text bytes.Buffer // an invalid page leaves no file
	if err := page.Write(ctx, &text, comparePage(c, effects, edges)); err != nil {
		return err
	}
	return a.Data(ctx, html, func(w io.Writer) error {
		_, err := text.WriteTo(w)
		return err
	})
}

// compareTruth reads the true graph. Names that are not columns are hidden causes; they are reported, because
// they may be typing errors.
func (a *app) compareTruth(ctx context.Context, path string, columns []string) (*heldout.Truth, []polydag.Link, error) {
	present := slices.DeleteFunc(slices.Clone(columns), func(name string) bool { _, _, lagged := names.CutLag(name); return lagged })
	list, err := a.Truth(ctx, path, present, true)
	if err != nil {
		return nil, nil, err
	}
	var edges []graph.Link
	var hidden []string
	for _, e := range list {
		e.From = names.Lagged(e.From, e.Lag)
		edges = append(edges, graph.Link{From: e.From, To: e.To})
		for _, n := range []string{e.From, e.To} {
			if !slices.Contains(columns, n) && !slices.Contains(hidden, n) {
				hidden = append(hidden, n)
			}
		}
	}
	if len(hidden) > 0 {
		a.Note(fmt.Sprintf("taken as hidden, since they are not columns of the table: %s; methods are compared with the PAG of the others", strings.Join(hidden, ", ")))
	}
	t, err := heldout.NewTruth(columns, edges)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", command.InputName(path), err)
	}
	return t, edges, nil
}

// labelled returns the progress of a method with its name.
func labelled(p heldout.CompareProgress) polydag.Progress {
	run := p.Run
	of := fmt.Sprintf("%s, %d of %d", p.Label, p.Number, p.Of)
	if p.Number == 0 {
		of = p.Label + ", for the scale"
	}
	if p.Half > 0 {
		of += fmt.Sprintf(", half %d", p.Half)
	}
	run.Stage = of + ": " + run.Stage
	return run
}

func doneLine(p heldout.CompareProgress) string {
	e := p.Done
	text := fmt.Sprintf("%d of %d: %s: ", p.Number, p.Of, e.Label)
	if e.Result != nil {
		text += fmt.Sprintf("%s in %s", names.Count(len(e.Edges), "edge"), seconds(e.Seconds))
		if e.State == heldout.Done {
			return text
		}
		text += "; "
	}
	return text + string(e.State) + ": " + e.Why
}

func seconds(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f s", v)
	case v >= 10:
		return fmt.Sprintf("%.1f s", v)
	}
	return fmt.Sprintf("%.3f s", v)
}
