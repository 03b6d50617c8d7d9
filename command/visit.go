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
	"time"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/graphtest"
	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/analysis"
	"github.com/polydag/polydag/internal/demo"
	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/page"
	"github.com/polydag/polydag/internal/questions"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/report"
	"github.com/polydag/polydag/trust"
)

// visitorFlags are the flags of polydag learn that a visitor of polydag serve may set, besides the settings of the methods. None of
// them reads or writes a file. The setting knowledge is the content of a knowledge file, and not its name.
var visitorFlags = []string{
	"method", "seed", "standardize", "bootstrap", "columns", "drop", "keep", "kind", "encode", "missing", "na", "log", "normal-scores", "discretize",
	"frequencies", "row-weights", "targets", "environments", "groups", "group-means", "rows", "format", "delimiter", "decimal", "no-header", "encoding", "date-order",
	"table", "sheet", "array", "time", "lags", "series", "gaps", "step", "aggregate", "fixed-effects", "difference", "detrend", "season", "require", "forbid", "prior", "roots", "leaves", "order", "tier-odds", "knowledge", "names",
}

// maxVisitorBootstrap is the largest number of bootstrap samples of a visitor.
const maxVisitorBootstrap = 1000

// A visit has the settings of a visitor, parsed as the flags of polydag learn.
type visit struct {
	in         *reading
	cfg        polydag.Config
	confidence analysis.Confidence
}

func newVisit(a *app, settings url.Values) (*visit, error) {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	v, sampling := &visit{in: newTableReading(a, f)}, newResampling(f, 0)
	v.in.screen = silent()
	set := newSettings(f, a.methods, runtime.NumCPU())
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
	var faults error
	if v.confidence, faults = sampling.settings(); sampling.bootstrap > maxVisitorBootstrap {
		faults = errors.Join(faults, usagef("--bootstrap %d: want at most %d; use polydag learn", sampling.bootstrap, maxVisitorBootstrap))
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

// A backend does for polydag serve what visitors ask for.
type backend struct {
	*app
	effects cache[*effect.Survey] // for uploaded tables
	gallery *gallery
}

// Accept reports settings that a visitor may not use.
func (b *backend) Accept(settings url.Values) error {
	_, err := newVisit(b.app, settings)
	return err
}

// visit returns the settings of a job within its share of the memory.
func (b *backend) visit(ctx context.Context, job serve.Job) (*visit, error) {
	v, err := newVisit(b.app, job.Settings)
	if err != nil {
		return nil, err
	}
	if sheets := b.Sheets(job); len(sheets) > 1 && v.in.options.Sheet == "" {
		v.in.options.Sheet = sheets[0]
	}
	return v, v.within(ctx, b.account)
}

// Sheets returns the sheets of an uploaded workbook with several, and nil for any other table.
func (b *backend) Sheets(job serve.Job) []string {
	in, err := files.Open(job.Path, nil, files.Settings{})
	if err != nil {
		return nil // the table is opened again, which reports it
	}
	defer in.Close()
	sheets, err := in.Sheets()
	if err != nil || len(sheets) < 2 {
		return nil
	}
	return sheets
}

// Check returns the data checks of a table as polydag check prints them. Of a workbook whose sheet is not given it reads the first with
// columns to learn from, and puts its name into the settings of the job.
func (b *backend) Check(ctx context.Context, job serve.Job) (_ json.RawMessage, err error) {
	defer func() { err = named(err, job) }()
	if sheets := b.Sheets(job); sheets != nil && job.Settings.Get("sheet") == "" {
		for _, sheet := range sheets {
			job.Settings.Set("sheet", sheet)
			if p, err := b.look(ctx, job); err == nil && p.Worst() != trust.Error {
				return checked(p, job)
			}
		}
		job.Settings.Set("sheet", sheets[0])
	}
	p, err := b.look(ctx, job)
	if err != nil {
		return nil, err
	}
	return checked(p, job)
}

// look reads a table for its data checks and a preview.
func (b *backend) look(ctx context.Context, job serve.Job) (*trust.DataChecks, error) {
	v, err := b.visit(ctx, job)
	if err != nil {
		return nil, err
	}
	p, err := v.in.look(ctx, []string{job.Path})
	if err == nil {
		v.in.sample = plottedRows
		p.Preview, err = v.in.preview(ctx, []string{job.Path})
	}
	return p, err
}

// plottedRows is the number of rows that the plots of a page have.
const plottedRows = 400

// checked is a profile as polydag check prints it, under the name that the visitor gave.
func checked(p *trust.DataChecks, job serve.Job) (json.RawMessage, error) {
	p.File = job.Name
	var text bytes.Buffer
	if err := report.CheckJSON(p)(&text); err != nil {
		return nil, err
	}
	return json.RawMessage(strings.ReplaceAll(text.String(), job.Path, job.Name)), nil
}

// gather reads the table of a job as the visitor asked, or as it was read for a result that is not nil. Close its input.
func (b *backend) gather(ctx context.Context, job serve.Job, res *polydag.Result) (*visit, *gathered, error) {
	v, err := b.visit(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	var data *gathered
	if paths := []string{job.Path}; res == nil {
		data, err = v.in.gather(ctx, paths)
	} else {
		data, err = v.in.gatherAgain(ctx, res, paths)
	}
	return v, data, err
}

// stamped returns a value as JSON with its schema.
func stamped(schema string, value any) (json.RawMessage, error) {
	var text bytes.Buffer
	err := writeStamped(&text, schema, value)
	return text.Bytes(), err
}

// Learn learns from a table of a visitor, and finds the pictures for the page of the result.
func (b *backend) Learn(ctx context.Context, job serve.Job, observe polydag.Observer) (_ *polydag.Result, err error) {
	defer func() { err = named(err, job) }()
	v, data, err := b.gather(ctx, job, nil)
	if err != nil {
		return nil, err
	}
	defer data.input.Close()
	data.how.Config, data.how.Confidence = v.cfg, v.confidence
	if err := data.examine(ctx); err != nil {
		return nil, err
	}
	if err := data.fits(ctx); err != nil {
		return nil, err
	}
	b.saving.Store(true) // when the server ends, the run writes its best result so far
	data.Source.Name = job.Name
	res, err := data.how.Learn(ctx, data.Table, polydag.Run{Observe: observe})
	if err != nil {
		return res, err
	}
	b.gallery.learned(ctx, res, data)
	return res, nil
}

// Page writes results as a page, with what was computed from their tables.
func (b *backend) Page(ctx context.Context, w io.Writer, show serve.Show, results ...serve.Named) error {
	if len(results) == 0 {
		return page.Workbench(w)
	}
	in := page.Input{Back: !show.Alone}
	for _, r := range results {
		effects, _ := b.effects.of(r.Result)
		in.Results = append(in.Results, page.Labelled{Label: r.Name, Result: r.Result, Effects: effects})
	}
	if len(results) == 1 {
		set, err := b.gallery.of(ctx, b.app, results[0].Result, show.Embed)
		if err != nil {
			return err
		}
		if set != nil {
			in.Pictures, in.Linked = set.Data, set.Linked
		}
	}
	return page.Write(ctx, w, in)
}

// Picture draws the edges of a result with the largest gains as SVG, for the list.
func (b *backend) Picture(ctx context.Context, w io.Writer, res *polydag.Result) error {
	opt := draw.DefaultSettings()
	opt.Edges, opt.Labels, opt.Legend = 30, draw.LabelsOff, false
	return draw.Write(ctx, w, draw.SVG, res, opt)
}

// Image writes the thumbnail of an image.
func (b *backend) Image(w io.Writer, file string) error { return b.gallery.image(w, file) }

// Export writes a result in a format of polydag convert that needs no table.
func (b *backend) Export(ctx context.Context, w io.Writer, res *polydag.Result, to string) error {
	format, err := allFormats().ByName(to)
	if err != nil {
		return fmt.Errorf("%w: %s", serve.ErrFormat, worded(err))
	}
	return render(ctx, format, res)(w)
}

// Questions lists what a visitor could tell to settle more directions.
func (b *backend) Questions(_ context.Context, res *polydag.Result) (json.RawMessage, error) {
	q, _, err := questions.About(res)
	if err != nil {
		return nil, err
	}
	return stamped(questionsSchema, q.List(5))
}

// Effects computes the effects of interventions for the page of a result. They take longer than the graph, which is shown before.
func (b *backend) Effects(ctx context.Context, job serve.Job, res *polydag.Result) (_ json.RawMessage, err error) {
	defer func() { err = named(err, job) }()
	if _, known := b.effects.of(res); known {
		return json.RawMessage("{}"), nil
	}
	v, data, err := b.gather(ctx, job, res)
	if err != nil {
		return nil, err
	}
	defer data.input.Close()
	effects, err := survey(ctx, res, data.Table, brief(data.Table, v.cfg.Threads), v.in.screen)
	if err == nil && effects != nil {
		b.effects.add(res, effects)
	}
	return json.RawMessage("{}"), err
}

// Drivers ranks the columns by their effect on one. The intervals are omitted if they take longer than a visitor waits.
func (b *backend) Drivers(ctx context.Context, job serve.Job, res *polydag.Result) (_ json.RawMessage, err error) {
	defer func() { err = named(err, job) }()
	_, data, err := b.gather(ctx, job, res)
	if err != nil {
		return nil, err
	}
	defer data.input.Close()
	q := effect.NewQuestion("", job.Asked.Get("of"))
	q.By, q.Replicates = job.Asked["by"], 0
	begun := time.Now()
	found, err := effect.RankDrivers(ctx, res, data.Table, q)
	if err != nil {
		return nil, err
	}
	if job.Asked.Get("intervals") != "false" {
		q.Replicates = visitorReplicates
		soon, cancel := context.WithTimeout(ctx, visitorWait)
		defer cancel()
		var sure *effect.Drivers
		if time.Since(begun) < visitorWait/visitorReplicates {
			sure, err = effect.RankDrivers(soon, res, data.Table, q)
		}
		switch {
		case sure != nil && err == nil:
			found = sure
		case ctx.Err() == nil && (err == nil || soon.Err() != nil):
			found.Notes = append(found.Notes, "the intervals take too long for this page; polydag effect computes them")
		default:
			return nil, err
		}
	}
	return stamped(effect.DriversSchema, found)
}

// A visitor waits at most visitorWait for intervals, which come from visitorReplicates bootstrap samples.
const (
	visitorReplicates = 50
	visitorWait       = time.Minute
)

// Test tests a graph against a table.
func (b *backend) Test(ctx context.Context, job serve.Job) (_ json.RawMessage, err error) {
	defer func() { err = named(err, job) }()
	_, data, err := b.gather(ctx, job, nil)
	if err != nil {
		return nil, err
	}
	defer data.input.Close()
	joined, g, err := (&givenGraph{name: "the graph", text: []byte(job.Asked.Get("graph"))}).over(data.Moments.Names)
	if err != nil {
		return nil, err
	}
	found, err := graphtest.Table(ctx, data.Table, joined, g, graphtest.DefaultSettings())
	if err != nil {
		return nil, err
	}
	return stamped(testSchema, found)
}

// Example returns a table of polydag demo.
func (b *backend) Example(name string) []byte {
	return map[string][]byte{"demo": demo.Data, "diabetes": demo.Diabetes}[name]
}

// named words an error with flags and with the name that the visitor gave in place of the temporary path.
func named(err error, job serve.Job) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.ReplaceAll(worded(err), job.Path, job.Name))
}
