// Package polydag learns causal graphs from tables: directed edges with a weight and a confidence, and a certificate that the graph
// has no cycle.
//
//	names, rows := []string{"age", "dose", "outcome"}, load() // rows is a [][]float64
//	table, err := polydag.FromRows(names, rows)
//	if err != nil {
//		log.Fatal(err)
//	}
//	res, err := polydag.Learn(context.Background(), table)
//	if err != nil {
//		log.Fatal(err)
//	}
//	for _, e := range res.Claimed().Edges {
//		fmt.Printf("%s %s %s: effect %.1f, confidence %.2f\n", e.From, e.Mark, e.To, e.Weight, e.Confidence)
//	}
//
// A Table comes from rows in memory (FromRows), from numeric and text columns in memory (FromColumns), from a file (files.Open and
// Prepare), or from means and covariances alone (FromMoments). Table.Learn takes other settings; package confidence resamples the rows
// for the confidence of each edge. Claimed is the graph that a result states.
//
// The API of this package and of packages confidence, dataset/files and knowledge is stable; the package comments of the others say
// that they are experimental. docs/reference/stability.md says what that means.
package polydag

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/groupwise"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/solve"
	"github.com/polydag/polydag/trust"
)

// learn runs the method and describes its answer.
func (t *Table) learn(ctx context.Context, cfg Config, how Run) (*Result, error) {
	data, err := t.form().counted(t)
	if err != nil {
		return nil, err
	}
	if cfg.Knowledge, err = t.knowable(cfg.Knowledge); err != nil {
		return nil, err
	}
	known, err := cfg.Knowledge.Resolve(data.Names)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	key, err := cfg.key(data, t)
	if err != nil {
		return nil, err
	}
	run, err := stage.New(key, how)
	if err != nil {
		return nil, err
	}
	before := sum(run.Seconds())
	l := newLearner(t, cfg, data, known, run)
	answer, err := l.answer(ctx, cfg.Standardize, run)
	if answer == nil {
		return nil, err
	}
	res, describeErr := l.result(answer)
	if err == nil {
		err = describeErr
	}
	if res == nil {
		return nil, err
	}
	if err == nil && cfg.checksScale() && res.Status != method.Canceled && !t.replicate.bare {
		l.checkScale(ctx, res)
	}
	if columns, records := t.form().repeated(t); records > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("the %d rows contain only %s in %d of %d columns; the effective sample size is %d", t.Moments.N, names.Count(records, "distinct record"), len(columns), data.Dim(), records))
	}
	if !t.replicate.bare {
		if res.Status != method.Canceled || len(res.Edges) > 0 { // a run that ended before it chose a model has nothing to check
			if judgeErr := l.judge(res); err == nil {
				err = judgeErr
			}
		}
		if err == nil {
			l.comparePriors(ctx, res)
		}
		if err == nil && answer.Posterior != nil {
			err = res.SetConfidence(trust.OfPosterior(answer.Posterior, res.Names, cfg.Seed))
		}
		res.Trace = run.Traces()
	}
	res.Timing = Timing{SolveSeconds: before + time.Since(start).Seconds(), StageSeconds: run.Seconds(), Threads: cfg.Threads}
	if on := solve.AcceleratorOf(ctx); on != nil && on.Used() {
		res.Timing.Device = on.Name()
	}
	if err == nil {
		err = res.finite()
	}
	return res, err
}

// ErrExcluded is matched where prior knowledge names a column that is excluded from the graph.
var ErrExcluded = fault.Kind("excluded", "prior knowledge names a column that is excluded from the graph; keep the column")

// knowable returns prior knowledge without the excluded columns in its tiers. An edge that names an excluded column is an
// error.
func (t *Table) knowable(spec knowledge.Spec) (knowledge.Spec, error) {
	var gone []string
	named := spec.Named()
	for _, x := range t.Source.Excluded {
		if x.Reason == groupwise.ReasonLevel && slices.Contains(named, x.Name) {
			return spec, knowledge.Faulty(fault.New(ErrExcluded, fmt.Sprintf("prior knowledge names %s, which is constant within groups and excluded from the graph within groups", x.Name), "learn without groups with %s", fault.Set("groups", "none")))
		}
		if slices.Contains(named, x.Name) {
			return spec, knowledge.Faulty(fault.New(ErrExcluded, fmt.Sprintf("prior knowledge names %s, which is excluded from the graph (%s: %s)", x.Name, x.Reason, x.Detail), "include it with %s", fault.Columns("keep", x.Name)))
		}
		gone = append(gone, x.Name)
	}
	return spec.Without(gone), nil
}

func sum(parts map[string]float64) (total float64) {
	for _, p := range parts {
		total += p
	}
	return total
}

// program describes the running build.
func program() Program {
	p := Program{Version: "(devel)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	if info.Main.Version != "" {
		p.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			p.Commit = s.Value + p.Commit
		case s.Key == "vcs.modified" && s.Value == "true":
			p.Commit += "+dirty"
		}
	}
	return p
}

// refused joins the findings that prevent learning.
func refused(findings []trust.Finding) error {
	var faults []error
	for _, f := range findings {
		if f.Severity == trust.Error {
			faults = append(faults, &fault.Error{Err: fault.Kind(f.Code, f.Sentence), Text: f.Sentence, Way: f.WayOut, Remedies: f.Remedies})
		}
	}
	return errors.Join(faults...)
}
