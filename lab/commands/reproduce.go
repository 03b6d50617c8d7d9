//go:build !js

package commands

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	cluster "github.com/polydag/polydag/cluster/commands"
	"github.com/polydag/polydag/command"
	gpu "github.com/polydag/polydag/gpu/commands"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/lab/study"
	"github.com/polydag/polydag/lab/study/paper"
)

func (a *app) reproduceCommand() *cobra.Command {
	opt := reproduceSettings{out: "reproduction", jobs: runtime.NumCPU(), data: os.Getenv("POLYDAG_DATA")}
	var printStudy bool
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Run the experiments of the paper, or your own study, and write a report",
		Long: `Reproduce runs a study (a grid of datasets, methods and seeds) and writes to --out: records.jsonl (one
line per run: settings, versions, machine, status, metrics, times), graphs.jsonl (the learned graphs),
truths.jsonl (the true graphs), tables/ (Markdown and LaTeX), figures/ (SVG, PNG and PDF) and
REPRODUCTION.md. Without --set study it runs the experiments of the paper and
compares the figures with the published ones. With --set baselines it compares all continuous methods on
raw and standardized data, with 50 and 100 columns.

Finished runs are not repeated, so an interrupted command continues where it stopped. Records of
several machines can be concatenated. Experiments on CelebA, FFHQ and Sachs read your downloads from
--data and are skipped if they are missing; "polydag dataset list" shows the sources.

With --device cuda the continuous methods run on a GPU, up to --jobs runs of the same kind and size
at a time; use --jobs 1 to measure the time of a single run. GPU results differ in the last digits,
so use a separate --out.

With --nats the workers of a NATS server (polydag worker) do the runs, except timings of constraints,
which are measured on this machine.`,
		Example: `  polydag reproduce --quick
  polydag reproduce --jobs 16 --data ~/data --out reproduction
  polydag reproduce --only main,cost
  polydag reproduce --only constraints
  polydag reproduce --set baselines --jobs 16
  polydag reproduce --only main --device cuda --jobs 16 --out card
  polydag reproduce --set print > mine.yaml
  polydag reproduce --set study=mine.yaml --out mine
  polydag reproduce --nats-file hub-store/address --out reproduction`,
		Args: command.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if opt.baselines && (opt.study != "" || printStudy) {
				return command.Usagef("--set baselines is a study of its own, which follows from the methods of the program; leave --set study and --set print out")
			}
			if opt.baselines && !cmd.Flags().Changed("out") {
				opt.out = baselinesFolder
			}
			if printStudy {
				return a.Write(cmd.Context(), "-", func(w io.Writer) error { _, err := w.Write(paper.YAML()); return err })
			}
			return a.reproduce(cmd, opt)
		},
	}
	f := command.Ordered(cmd)
	f.StringVarP(&opt.out, "out", "o", opt.out, "output directory")
	f.BoolVar(&opt.baselines, "baselines", false, "compare the continuous methods instead of running the paper's experiments; --out defaults to baselines")
	f.BoolVar(&opt.sel.Quick, "quick", false, "small sizes and no external data; about a minute on two cores")
	f.StringSliceVar(&opt.sel.Only, "only", nil, "experiments to run, comma-separated")
	f.IntVar(&opt.jobs, "jobs", opt.jobs, "number of concurrent runs, one thread each")
	f.DurationVar(&opt.budget, "budget", 0, "time limit per run, such as 40s; a run that exceeds it reports its best result so far and is repeated with a larger budget (default: no limit)")
	f.StringVar(&opt.data, "data", opt.data, "directory with the files of CelebA, FFHQ and Sachs (default: POLYDAG_DATA)")
	f.StringVar(&opt.study, "study", "", "YAML file with your own study")
	f.StringVar(&opt.report, "report", "", "also write the report to this file, with adjusted links")
	f.BoolVar(&opt.render, "render", false, "only write tables, figures and the report from existing records")
	f.BoolVar(&printStudy, "print", false, "print the paper's study as YAML and exit")
	opt.on = gpu.NewFlag(f)
	opt.nats = cluster.NewNATS(f, "let the workers of this NATS server do the runs, such as nats://host:4222")
	return cmd
}

// baselinesFolder is the default folder for the study of the continuous methods, separate from the records of
// the paper.
const baselinesFolder = "baselines"

type reproduceSettings struct {
	out, data, study, report string
	sel                      study.Select
	jobs                     int
	budget                   time.Duration
	render, baselines        bool
	nats                     *cluster.NATS
	on                       *gpu.Flag
}

func (a *app) reproduce(cmd *cobra.Command, opt reproduceSettings) error {
	if opt.jobs < 1 {
		return command.Usagef("--jobs %d: want at least 1", opt.jobs)
	}
	if opt.budget < 0 {
		return command.Usagef("--budget %v: want 0 for any time, or more", opt.budget)
	}
	if opt.budget > 0 && opt.nats.On() {
		return command.Usagef("--budget applies to runs on this machine, and --nats sends them to others; leave one of the two out")
	}
	if err := errors.Join(opt.nats.Check(), opt.on.Check()); err != nil {
		return err
	}
	if opt.nats.On() && !opt.on.CPU() {
		return command.Usagef("--device uses this machine and --nats uses others; leave one of them out")
	}
	st, err := a.readStudy(cmd.Context(), opt)
	if err != nil {
		return err
	}
	runs, err := st.Expand(opt.sel)
	if err != nil {
		return command.Usage(err)
	}
	if len(runs) == 0 {
		return command.Usagef("nothing to run: the experiments chosen have no quick form; leave --quick out")
	}
	if opt.data != "" {
		if info, err := os.Stat(opt.data); err != nil || !info.IsDir() {
			return command.Usagef("--data %s is not a folder", opt.data)
		}
	}
	if err := a.Writable(opt.report); err != nil {
		return err
	}
	if err := os.MkdirAll(opt.out, 0o755); err != nil {
		return command.CannotWrite(opt.out, err)
	}
	j, err := study.OpenJournal(filepath.Join(opt.out, "records.jsonl"))
	if err != nil {
		return err
	}
	defer j.Close()
	if j.Torn() {
		a.Note("the last record was cut off when the command was stopped; its run is run again")
	}
	a.Kept("the runs that ended are on record; run the same command to go on")
	start := time.Now()
	done := &study.Outcome{Known: len(j.Records())}
	var failed error
	if !opt.render {
		bar := a.Bar()
		ctx, release, err := opt.on.Use(cmd.Context(), a.App)
		if err != nil {
			return err
		}
		defer release()
		if card := device.Of(ctx); card != nil {
			card.Expect(opt.jobs)
		}
		how := study.Execution{Jobs: opt.jobs, Budget: opt.budget, Graphs: filepath.Join(opt.out, "graphs.jsonl"), Load: study.Folder(opt.data), Progress: func(s study.RunDone) { showRun(bar, s) }}
		if opt.nats.On() {
			c, err := opt.nats.Connect(cmd.Context(), a.App)
			if err != nil {
				return err
			}
			defer c.Close()
			how.Runner = opt.nats.Submitter(c, bar)
		}
		done, failed = study.Execute(ctx, runs, j, how)
		bar.Clear()
	}
	if cmd.Context().Err() != nil {
		return command.Unconverged(fmt.Sprintf("interrupted; %d of %d runs are on record; run the same command to go on", done.Known+done.Ran, len(runs)))
	}
	if failed != nil {
		return failed
	}
	if err := study.Write(cmd.Context(), opt.out, st, opt.sel, j.Records(), a.Write); err != nil {
		return err
	}
	if opt.report != "" {
		figures, err := filepath.Rel(filepath.Dir(opt.report), filepath.Join(opt.out, "figures"))
		if err != nil {
			return fmt.Errorf("--report %s: %w; give it and --out both from the same folder", opt.report, err)
		}
		if err := study.WriteReport(cmd.Context(), opt.report, filepath.ToSlash(figures), st, opt.sel, j.Records(), a.Write); err != nil {
			return err
		}
	}
	broken := errors.Join(done.Broken...)
	if a.Quiet() {
		return broken
	}
	return errors.Join(broken, a.Write(cmd.Context(), "-", func(w io.Writer) error {
		fmt.Fprintf(w, "%d runs now (%d failed), %d on record before, in %s\n", done.Ran, done.Failed, done.Known, time.Since(start).Round(time.Second))
		for _, name := range slices.Sorted(maps.Keys(done.Without)) {
			fmt.Fprintf(w, "left out: %s: %s\n", name, done.Without[name])
		}
		_, err := fmt.Fprintf(w, "%s\n", filepath.Join(opt.out, "REPRODUCTION.md"))
		return err
	}))
}

func (a *app) readStudy(ctx context.Context, opt reproduceSettings) (*study.Study, error) {
	switch {
	case opt.baselines:
		return paper.Baselines()
	case opt.study == "":
		return paper.Study()
	}
	r, name, err := a.Open(ctx, opt.study)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	st, err := study.Read(r)
	if err != nil {
		return nil, command.Usage(fmt.Errorf("%s: %w", name, err))
	}
	paper.Comment(st)
	return st, nil
}

// showRun shows the number of finished runs and the remaining time.
func showRun(bar *command.Bar, s study.RunDone) {
	what := ""
	if s.Last != nil {
		what = fmt.Sprintf("; last %s, %s %s", s.Last.Experiment, s.Last.Point.Label(), s.Last.Method)
	}
	bar.Draw(s.Done >= s.Total, "%d of %d runs, about %s left%s", s.Done, s.Total, s.Left.Round(time.Second), what)
}
