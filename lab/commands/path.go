//go:build !js

package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/lab/heldout"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

func (a *app) pathCommand() *cobra.Command {
	var output, picture, result string
	var asJSON bool
	cfg := polydag.DefaultConfig()
	s := heldout.DefaultPathSettings()
	model := param.Of(cfg.Method).Lookup("model")
	effects := model.Default
	cmd := &cobra.Command{
		Use:   "path DATA...",
		Short: "Choose the penalty per edge on held-out rows",
		Long: `Path learns from a table with several penalties per edge. For each it prints the number of edges, the
score, the held-out log-likelihood (bits per row), and the agreement between the graphs of the two
halves. The rows are split into halves several times; groups (--groups) stay together. Tables with
--targets or --environments are not supported.

It recommends the default penalty unless another one is better on held-out rows by more than one
standard error. Then it recommends the largest penalty within one standard error of the best, and
the flag of polydag learn that sets it: --penalty for linear models, --set gamma for discrete models,
--min-gain for others. The row "default" is polydag learn without these flags.
docs/evidence/penalty.md explains the columns and evaluates the recommendation.`,
		Example: `  polydag path data.csv
  polydag path data.csv --set values=1,2,4 --set splits=3 --set figure=path.svg
  polydag path data.csv --forbid 'income->age' --json --output path.json`,
		Args: command.TableArgs,
	}
	f := command.Ordered(cmd)
	f.BoolVar(&asJSON, "json", false, "print JSON (schema "+heldout.PathSchema+")")
	f.StringVarP(&output, "output", "o", "-", "write the table, or with --json the JSON, to this file (- for standard output)")
	f.StringVar(&picture, "figure", "", "draw the path to this file (.svg, .png or .pdf)")
	f.Float64SliceVar(&s.Values, "values", nil, "penalties to try, comma-separated, in units of the flag for the model (default: eight or nine around the default penalty)")
	f.Lookup("values").DefValue = "" // the help text states the default
	f.StringVar(&result, "result", "", "read the table as for this result.json; flags given here take precedence")
	f.IntVar(&s.Splits, "splits", s.Splits, "number of random splits into halves")
	f.StringVar(&effects, "model", effects, model.Help)
	know := command.NewKnowledge(f)
	f.Uint64Var(&cfg.Seed, "seed", cfg.Seed, "random seed")
	f.IntVar(&cfg.Threads, "threads", runtime.NumCPU(), "number of threads; does not change the result")
	in := a.NewReading(f, true)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx := cmd.Context()
		if cfg.Threads < 1 {
			return command.Usagef("--threads %d: want at least 1", cfg.Threads)
		}
		cfg.Threads = min(cfg.Threads, runtime.NumCPU())
		if err := param.Of(cfg.Method).Set("model", effects); err != nil {
			return command.Usage(err)
		}
		if err := s.Validate(); err != nil {
			return command.Usage(err)
		}
		format, err := figureFormat(picture)
		if err != nil {
			return err
		}
		if cfg.Knowledge, err = know.Spec(); err != nil {
			return err
		}
		if err := errors.Join(cfg.Validate(), in.Check(cfg.Threads)); err != nil {
			return err
		}
		if err := a.Claim(args, append(know.Files(), result), []string{output, picture}); err != nil {
			return err
		}
		if result != "" {
			if err := in.Recorded(ctx, result); err != nil {
				return err
			}
		}
		table, closeTable, err := in.Gather(ctx, args, cfg, know)
		if err != nil {
			return err
		}
		defer closeTable()
		if err := command.Fits(ctx, "the path", pathMemory(cfg, s, table.Moments.N, table.Moments.Dim())); err != nil {
			return err
		}
		bar := a.Bar()
		path, err := heldout.LearnPath(ctx, table, cfg, s, func(p heldout.PathProgress) {
			bar.Observe(polydag.Progress{Stage: "path", Kind: stage.Replicates, Step: p.Done, Steps: p.Of, Untraced: true})
			a.Progress(ctx, true) // one penalty is done
		})
		bar.Clear()
		if err != nil {
			return err
		}
		early := path.Status == method.Canceled
		if early {
			ctx = context.WithoutCancel(ctx)
		}
		if asJSON {
			err = a.Data(ctx, output, func(w io.Writer) error { return command.WriteJSON(w, path) })
		} else {
			err = a.Write(ctx, output, func(w io.Writer) error { return writePath(w, path, args, a.Width(output)) })
		}
		if err == nil && picture != "" && len(path.Points) > 0 {
			err = a.Data(ctx, picture, func(w io.Writer) error { return drawPath(path, format, w) })
		}
		if err == nil && early {
			return command.Unconverged(fmt.Sprintf("interrupted; the results for %s and %d of %d splits are written", names.Count(len(path.Points), "penalty"), path.Splits, path.Asked))
		}
		return err
	}
	return cmd
}

// pathMemory estimates the memory of a path. It is that of the table or, if larger, that of one thread per half
// with its rows. Nonlinear models also hold the rows of the whole table.
func pathMemory(cfg polydag.Config, s heldout.PathSettings, rows, columns int) int64 {
	one := cfg
	one.Threads = 1
	workers := int64(min(cfg.Threads, 2*s.Splits))
	table := 8 * int64(rows) * int64(columns)
	own := int64(0)
	if effects, ok := param.Of(cfg.Method).Lookup("model").Value().(string); !ok || effects != string(score.LinearEffects) {
		own = 2 * 2 * table
	}
	return max(cfg.Memory(rows, columns), workers*(one.Memory(rows, columns)+own)+2*min(table, s.MostBytes))
}
