//go:build !js

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/draw"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/serve"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/report"
)

// visitorFlags are the flags of polydag learn that a visitor of polydag serve may set, besides the settings of the methods. None of
// them reads or writes a file. The setting knowledge is the content of a knowledge file, and not its name.
var visitorFlags = []string{
	"method", "seed", "standardize", "bootstrap", "columns", "drop", "keep", "kind", "encode", "missing", "na", "log", "normal-scores", "discretize",
	"frequencies", "row-weights", "targets", "environments", "groups", "group-means", "rows", "format", "delimiter", "decimal", "no-header", "encoding", "date-order",
	"table", "sheet", "log-normalize", "array", "time", "lags", "series", "gaps", "step", "aggregate", "fixed-effects", "difference", "detrend", "season", "require", "forbid", "prior", "roots", "leaves", "order", "tier-odds", "knowledge", "names",
}

// maxVisitorBootstrap is the largest number of bootstrap samples of a visitor.
const maxVisitorBootstrap = 1000

// A visit has the settings of a visitor, parsed as the flags of polydag learn.
type visit struct {
	in       *reading
	sampling *resampling
	cfg      polydag.Config
}

func newVisit(methods polydag.MethodList, settings url.Values) (*visit, error) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	v := &visit{in: newTableReading(f), sampling: newResampling(f, 0)}
	set := newSettings(f, methods, runtime.NumCPU())
	var known knowledge.Spec
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if _, ofMethod := set.given[name]; !ofMethod && !slices.Contains(visitorFlags, name) {
			return nil, usagef("the setting %q is unknown, or a file of the server; choose one of %s", name, strings.Join(visitorFlags, ", "))
		}
		for _, value := range settings[name] {
			if name == "knowledge" {
				more, err := knowledge.ReadSpec(strings.NewReader(value))
				if err == nil {
					known, err = known.Merge(more)
				}
				if err != nil {
					return nil, usagef("--knowledge: %w", err)
				}
				continue
			}
			if err := f.Set(name, value); err != nil {
				return nil, usagef("%s%q: %w", valued(name), value, errors.Unwrap(err))
			}
		}
	}
	var err error
	if v.cfg, err = set.resolve(); err == nil {
		v.cfg.Knowledge, err = v.cfg.Knowledge.Merge(known)
	}
	_, faults := v.sampling.settings()
	if v.sampling.bootstrap > maxVisitorBootstrap {
		faults = errors.Join(faults, usagef("--bootstrap %d: want at most %d; use polydag learn", v.sampling.bootstrap, maxVisitorBootstrap))
	}
	if info := v.cfg.Method; info != nil && info.Info().Time && v.in.take.Time.Column == "" {
		faults = errors.Join(faults, needsTime(info.Info()))
	}
	if err = errors.Join(err, faults, countable(f), v.in.check(v.cfg.Threads)); err != nil {
		return nil, errors.New(worded(err))
	}
	return v, nil
}

// within limits the visit to its share of the server's memory, of which a reader takes an eighth.
func (v *visit) within(ctx context.Context, server *memory.Account) error {
	most := server.Limit()
	if most == 0 {
		return nil
	}
	v.in.take.MaxMemory = most / 2
	v.in.options.MaxMemory = max(1<<20, min(files.DefaultSettings().MaxMemory, most/8))
	return memory.Need(ctx, "reading the table", v.in.options.MaxMemory, "try again later")
}

// checkVisit returns the data checks of a table as polydag check prints them.
func (a *app) checkVisit(ctx context.Context, job serve.Job) (json.RawMessage, error) {
	v, err := newVisit(a.methods, job.Settings)
	if err == nil {
		err = v.within(ctx, a.account)
	}
	if err != nil {
		return nil, named(err, job)
	}
	p, err := v.in.look(ctx, a, []string{job.Path}, silent())
	if err != nil {
		return nil, named(err, job)
	}
	if p.Preview, err = v.in.preview(ctx, a, []string{job.Path}); err != nil {
		return nil, named(err, job)
	}
	p.File = job.Name
	var b bytes.Buffer
	if err := report.CheckJSON(p)(&b); err != nil {
		return nil, err
	}
	return json.RawMessage(strings.ReplaceAll(b.String(), job.Path, job.Name)), nil
}

// learnVisit learns from a table of a visitor, and computes the effects and the pictures for the page of the result.
func (a *app) learnVisit(ctx context.Context, job serve.Job, observe polydag.Observer, asked *recent[*effect.Survey], shown *gallery) (*polydag.Result, error) {
	v, err := newVisit(a.methods, job.Settings)
	if err == nil {
		err = v.within(ctx, a.account)
	}
	if err != nil {
		return nil, named(err, job)
	}
	quiet := silent()
	data, err := v.in.gather(ctx, a, []string{job.Path}, quiet, true)
	if err != nil {
		return nil, named(err, job)
	}
	defer data.input.Close()
	if err := examine(ctx, data, v.cfg, quiet); err != nil {
		return nil, named(err, job)
	}
	if err := fits(ctx, "the run", v.sampling.memory(v.cfg, data.Table)); err != nil {
		return nil, named(err, job)
	}
	a.saving.Store(true) // when the server ends, the run writes its best result so far
	data.Source.Name = job.Name
	res, err := v.sampling.learn(ctx, data.Table, v.cfg, polydag.Run{Observe: observe}, nil)
	if err == nil {
		if effects, fault := survey(ctx, res, data.Table, brief(data.Table, v.cfg.Threads), quiet); fault == nil && effects != nil { // otherwise the page states that they are missing
			asked.add(res, effects)
		}
		shown.learned(ctx, res, data, v.in)
	} else {
		err = named(err, job)
	}
	return res, err
}

// picture draws the edges of a result with the largest gains as SVG, for the list.
func picture(ctx context.Context, w io.Writer, res *polydag.Result) error {
	opt := draw.DefaultSettings()
	opt.Edges, opt.Labels, opt.Legend = 30, draw.LabelsOff, false
	return draw.Write(ctx, w, draw.SVG, res, opt)
}

// export writes a result in a format of polydag convert that needs no table.
func export(ctx context.Context, w io.Writer, res *polydag.Result, to string) error {
	format, err := allFormats().ByName(to)
	if err != nil {
		return fmt.Errorf("%w: %s", serve.ErrFormat, worded(err))
	}
	return render(ctx, format, res)(w)
}

// named words an error with flags and with the name that the visitor gave in place of the temporary path.
func named(err error, job serve.Job) error {
	return errors.New(strings.ReplaceAll(worded(err), job.Path, job.Name))
}
