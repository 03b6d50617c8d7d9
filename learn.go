// Package polydag learns causal graphs from tables: directed edges with a weight and a confidence, and a certificate that the graph
// has no cycle.
//
//	names, rows := []string{"age", "dose", "outcome"}, load() // rows is a [][]float64
//	table, err := polydag.FromRows(names, rows)
//	if err != nil {
//		log.Fatal(err)
//	}
//	res, err := confidence.Learn(context.Background(), table, polydag.DefaultConfig(), confidence.DefaultSettings(), polydag.Run{})
//	if err != nil {
//		log.Fatal(err)
//	}
//	for _, e := range res.Edges {
//		fmt.Printf("%s, %s: %s, effect %.1f, confidence %.2f\n", e.From, e.To, e.Verdict, e.Weight, e.Confidence)
//	}
//
// A Table comes from rows in memory (FromRows), from numeric and text columns in memory (FromColumns), from a file (files.Open and
// Prepare), or from means and covariances alone (FromMoments). Table.Learn finds the graph; package confidence adds a confidence to
// each edge.
//
// The API of this package and of packages confidence, dataset/files and knowledge is stable; the package comments of the others say
// that they are experimental. docs/reference/stability.md says what that means.
package polydag

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/checkpoint"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/marginal"
	"github.com/polydag/polydag/internal/methods"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

//go:generate go test . -run ^(TestPagesListTheMethods|TestPageListsThePackages)$ -update

// Methods returns every method with its default settings, the default method first. Each call returns new values that the
// caller may change.
func Methods() []method.Method { return methods.All() }

// FindMethod returns the method of that name with its default settings. The error matches ErrConfig.
func FindMethod(name string) (method.Method, error) {
	var all []string
	for _, m := range Methods() {
		if m.Info().Name == name {
			return m, nil
		}
		all = append(all, m.Info().Name)
	}
	hint := ""
	if near, ok := names.Nearest(name, false, all); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return nil, configf("method %q is unknown; choose %s%s", name, strings.Join(all, ", "), hint)
}

// Config holds a method with its settings and the settings that all methods share. Start from DefaultConfig.
type Config struct {
	// Method is the method with its own settings. Each package under method/ has one, and Methods lists them.
	Method method.Method
	// Knowledge lists required and forbidden edges, tiers and prior probabilities. Not every method accepts it: see method.Info.
	Knowledge knowledge.Spec

	Standardize bool       // learn from standardized columns
	CheckScale  CheckScale // whether to learn a second time in other units and compare
	Seed        uint64     // seed of all random choices
	Threads     int        // number of threads; never changes the result
}

// CheckScale says when the graph is compared with the graph learned in other units.
type CheckScale string

const (
	CheckScaleAuto   CheckScale = "auto"   // if the method's answer depends on the units
	CheckScaleAlways CheckScale = "always" // for every method
	CheckScaleNever  CheckScale = "never"
)

// DefaultConfig returns the default settings with the first method of Methods.
func DefaultConfig() Config {
	return Config{Method: Methods()[0], CheckScale: CheckScaleAuto, Seed: 1, Threads: 1}
}

// ErrConfig is matched by every error that Validate reports.
var ErrConfig = errors.New("the configuration is at fault")

// configError marks an error as a configuration error and keeps its text.
type configError struct{ error }

func (e configError) Unwrap() error        { return e.error }
func (e configError) Is(target error) bool { return target == ErrConfig }

func configf(format string, args ...any) error { return configError{fmt.Errorf(format, args...)} }

// errPriors is the kind of the error for prior probabilities under a method that cannot use them.
var errPriors = fault.Kind("no-priors", "the method cannot use prior probabilities; use the default method, or required and forbidden edges")

// Validate reports every error at once. Each matches ErrConfig, and errors of settings are a *param.Fault.
func (c Config) Validate() error {
	var errs []error
	if c.Method == nil {
		return configf("there is no method; take DefaultConfig")
	}
	settings := c.common()
	c.Method.Params(settings)
	for _, err := range split(settings.Finish()) {
		errs = append(errs, configError{err})
	}
	if info := c.Method.Info(); !info.Knowledge && !c.Knowledge.Empty() {
		errs = append(errs, configf("method %s takes no prior knowledge; choose one that does, as polydag methods shows", info.Name))
	} else if !info.Priors && c.Knowledge.HasPriors() {
		errs = append(errs, configError{fault.New(errPriors, fmt.Sprintf("method %s cannot use prior probabilities", info.Name),
			"use %s, or %s and %s instead of %s", fault.Set("method", Methods()[0].Info().Name), fault.Use("require"), fault.Use("forbid"), fault.Use("prior"))})
	}
	return errors.Join(errs...)
}

// common describes the settings that all methods share.
func (c *Config) common() *param.Set {
	s := new(param.Set)
	s.Bool(&c.Standardize, "standardize", "standardize the columns first")
	param.Word(s, &c.CheckScale, "check-scale", "repeat the run in other units and compare: auto (if the method depends on units), always or never",
		CheckScaleAuto, CheckScaleAlways, CheckScaleNever)
	s.Int(&c.Threads, "threads", "number of threads; does not change the result", param.AtLeast(1))
	return s
}

// split returns the parts of a joined error.
func split(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	if err != nil {
		return []error{err}
	}
	return nil
}

// checksScale reports whether to learn a second time in other units.
func (c Config) checksScale() bool {
	return c.CheckScale == CheckScaleAlways || c.CheckScale == CheckScaleAuto && !c.Method.Info().UnitFree
}

// Memory estimates the largest number of bytes that a run on this many rows and columns takes. It is twice the live memory,
// because the garbage collector lets as much again accumulate, plus the moments and the process itself. With a checkpoint
// add CheckpointMemory.
func (c Config) Memory(rows, columns int) int64 {
	if c.Method == nil {
		return c.memory(0, columns)
	}
	return c.memory(c.Method.Cost(rows, columns, c.Threads).Bytes, columns)
}

// MemoryOf is Memory for a table, which is less if none of its columns is discrete.
func (c Config) MemoryOf(t *Table) int64 {
	m, ok := c.Method.(method.NumericCoster)
	if !ok || t.Kinds == nil || slices.ContainsFunc(t.Kinds, func(v dataset.Variable) bool { return v.Kind.Discrete() }) {
		return c.Memory(t.Moments.N, t.Moments.Dim())
	}
	return c.memory(m.NumericCost(t.Moments.N, t.Moments.Dim(), c.Threads).Bytes, t.Moments.Dim())
}

// memory is Memory for a method that takes this number of bytes.
func (c Config) memory(most int64, columns int) int64 {
	own := int64(6<<20) + int64(c.Threads)<<21
	if c.Method == nil {
		return own
	}
	if c.checksScale() {
		most += method.Matrices(2, columns, 64) // memory of the first answer
	}
	return own + 2*most
}

// CheckpointMemory estimates the additional bytes that a checkpoint takes: the encoded state of the method and its copies
// during the save, and the first answer if the scale check runs.
func (c Config) CheckpointMemory(rows, columns int) int64 {
	if c.Method == nil {
		return 0
	}
	need := int64(columns)<<10 + c.Method.Cost(rows, columns, c.Threads).State
	if c.checksScale() {
		need += method.Matrices(5, columns, 64)
	}
	return need
}

// record returns the settings as used, the rules that overrule column kinds, and the columns of regimes and clusters. It
// omits Threads, which does not change the result.
func (c Config) record(t *Table) param.Record {
	r := param.Record{{Key: "standardize", Value: c.Standardize}}
	r = append(r, param.Of(c.Method).Record()...)
	if !c.Knowledge.Empty() {
		r = append(r, param.Entry{Key: "knowledge", Value: c.Knowledge})
	}
	if len(t.rules) > 0 {
		r = append(r, param.Entry{Key: "kind", Value: t.rules})
	}
	if t.Regimes != nil {
		key := "targets"
		if t.Regimes.Unknown {
			key = "regimes"
		}
		r = append(r, param.Entry{Key: key, Value: cmp.Or(t.Regimes.Setting, t.Regimes.Column)})
	}
	if t.clusters != nil {
		r = append(r, param.Entry{Key: "clusters", Value: t.clusters.Column})
	}
	return r
}

// key identifies everything that decides a result.
func (c Config) key(data *dataset.Moments, t *Table) (stage.Key, error) {
	settings := append(c.record(t), param.Entry{Key: "method", Value: c.Method.Info().Name},
		param.Entry{Key: "seed", Value: c.Seed}, param.Entry{Key: "check_scale", Value: c.checksScale()})
	text, err := json.Marshal(settings)
	if err != nil {
		return stage.Key{}, err
	}
	about := map[string]any{"rows": data.N, "columns": data.Names}
	if len(data.Names) > 20 {
		about["columns"] = len(data.Names)
	}
	for flag, value := range t.Source.Reading {
		about["--"+flag] = value
	}
	table, err := json.Marshal(about)
	return stage.Key{Data: t.fingerprint(data), Settings: text, Table: table}, err
}

// Progress is what an Observer receives while Learn runs.
type Progress = stage.Progress

// Observer receives progress. Learn calls it from its own goroutine once per step, so it must be quick.
type Observer func(Progress)

// Run holds the observer and the checkpoint of a run. Neither changes the result. The zero value has neither.
type Run = stage.Options

// A Checkpoint saves the state of a run so that an interrupted run can be resumed. OpenCheckpoint saves it in a directory.
type Checkpoint = stage.Store

// CheckpointDir is a Checkpoint in a directory. It is not safe for concurrent use. Close it after the run.
type CheckpointDir struct{ dir *checkpoint.Dir }

// Save implements Checkpoint. It writes the state to a new file before it removes the old one.
func (d *CheckpointDir) Save(state []byte) error { return d.dir.Save(state) }

// Load implements Checkpoint. It returns nil if the directory is empty.
func (d *CheckpointDir) Load() ([]byte, error) { return d.dir.Load() }

// Clear removes the saved states, after a run that is complete.
func (d *CheckpointDir) Clear() error { return d.dir.Clear() }

// Close lets other processes open the directory.
func (d *CheckpointDir) Close() error { return d.dir.Close() }

// Errors of a CheckpointDir.
var (
	ErrCheckpointLocked  = checkpoint.ErrLocked  // another run uses the directory
	ErrCheckpointDamaged = checkpoint.ErrDamaged // the directory has states, but none is complete
)

// OpenCheckpoint opens a directory for the state of a run, and creates it if it does not exist. On systems with flock, no
// other process can open it until it is closed.
//
//	dir, err := polydag.OpenCheckpoint("run1")
//	defer dir.Close()
//	res, err := table.Learn(ctx, cfg, polydag.Run{Store: dir, Every: polydag.SaveEvery})
func OpenCheckpoint(path string) (*CheckpointDir, error) {
	dir, err := checkpoint.Open(path)
	if err != nil {
		return nil, err
	}
	return &CheckpointDir{dir}, nil
}

// SaveEvery is a reasonable interval between two saves: little work is lost, and saving costs little.
const SaveEvery = 5 * time.Second

// ErrCheckpoint is matched by the errors of a run that cannot resume from its checkpoint or cannot save a first state.
var ErrCheckpoint = stage.ErrStore

// learn runs the method and describes its answer.
func (t *Table) learn(ctx context.Context, cfg Config, how Run) (*Result, error) {
	data, err := t.counted()
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
	if err == nil && cfg.checksScale() && res.Status != method.Canceled && !t.bare {
		l.checkScale(ctx, res)
	}
	if columns, records := t.repeated(); records > 0 {
		res.Warnings = append(res.Warnings, fmt.Sprintf("the %d rows contain only %s in %d of %d columns; the effective sample size is %d", t.Moments.N, names.Count(records, "distinct record"), columns, data.Dim(), records))
	}
	if !t.bare {
		if judgeErr := l.judge(res, answer); err == nil {
			err = judgeErr
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
	if used, _ := device.Used(ctx); used {
		res.Timing.Device = device.Of(ctx).Info.Name
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
		if slices.Contains(named, x.Name) {
			return spec, fault.New(ErrExcluded, fmt.Sprintf("prior knowledge names %s, which is excluded from the graph (%s: %s)", x.Name, x.Reason, x.Detail), "include it with %s", fault.Columns("keep", x.Name))
		}
		gone = append(gone, x.Name)
	}
	return spec.Without(gone), nil
}

// ErrPosterior is matched if the model has no posterior over graphs.
var ErrPosterior = fault.Kind("no-posterior", "a posterior needs a linear or discrete model and no environment column; use the bootstrap instead")

// Posterior returns the posterior over graphs for package sample, under the model of a result that was learned from this
// table with cfg, and the table column of each of its variables. Linear models use the BGe score and discrete models BDeu,
// both with the effect scale under which the graph of res is most likely. The prior odds of an edge are 1 to the number of
// columns. Under linear models without enforced prior knowledge the odds are fitted to the table, unless res has odds from an earlier
// posterior. Prior probabilities of edges multiply them. Rows in which a column was intervened on do not count for it.
func (t *Table) Posterior(ctx context.Context, cfg Config, res *Result) (*sample.Problem, []int, error) {
	refuse := func(format string, args ...any) (*sample.Problem, []int, error) {
		return nil, nil, fault.New(ErrPosterior, fmt.Sprintf(format, args...), "use %s instead of %s", fault.Set("bootstrap", "200"), fault.Use("posterior"))
	}
	if err := t.usable(ctx); err != nil {
		return nil, nil, err
	}
	if res == nil || res.Kind == graph.KindDAG && res.Graph == nil {
		return nil, nil, nilArgument("the result or its graph", "pass what Learn or ReadResult returned")
	}
	regimes := t.regimes()
	if regimes != nil && regimes.Unknown {
		return refuse("it is not known what the regimes of column %s change, and a posterior over graphs would have to be one over the changes, too", regimes.Column)
	}
	data, err := t.counted()
	if err != nil {
		return nil, nil, err
	}
	order := method.Canonical(data)
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	p := &sample.Problem{}
	if res.Kind == graph.KindDAG {
		p.Start = make([][]int, len(order))
		for i, v := range order {
			for _, x := range res.Graph.Parents(v) {
				p.Start[i] = append(p.Start[i], place[x])
			}
			slices.Sort(p.Start[i])
		}
	}
	switch res.Model {
	case score.LinearEffects, "":
		p.Score, err = marginal.Linear(data.Arranged(order), regimes.Arranged(order), p.Start)
	case score.TableEffects:
		if t.replay == nil {
			return nil, nil, t.without("levels are counted in the rows")
		}
		own, failed := t.Completed(ctx, res)
		if failed != nil {
			return nil, nil, failed
		}
		rows := func(ctx context.Context, each func([]float64, []int) error) error {
			var arranged []float64
			return own.replay(ctx, func(rows []float64, of []int) error {
				arranged = arrangeRows(arranged, rows, order)
				return each(arranged, of)
			})
		}
		p.Score, err = marginal.Discrete(ctx, data.Arranged(order).Names, rows, regimes.Arranged(order), own.rowWeight(), p.Start)
	default:
		return refuse("the model of the graph is %s, and there is a posterior for linear and discrete models only", res.Model)
	}
	if err != nil {
		return nil, nil, err
	}
	known, err := cfg.Knowledge.Resolve(data.Names)
	if err != nil {
		return nil, nil, err
	}
	p.Odds = 1 / float64(len(order)) // the odds that the score assumes
	if c := res.Confidence; c != nil && c.Posterior != nil && c.Posterior.EdgeOdds > 0 {
		if fitted := c.Posterior.EdgeOdds; fitted != p.Odds {
			p.Score, p.Odds = sample.WithOdds(p.Score, fitted/p.Odds), fitted
		}
	} else if free := len(known.Required()) == 0 && !slices.ContainsFunc(order, func(i int) bool {
		return slices.ContainsFunc(order, func(j int) bool { return i != j && known.Forbidden(i, j) })
	}); free && res.Model != score.TableEffects {
		s := sample.DefaultSettings()
		s.Seed, s.Threads = cfg.Seed, cfg.Threads
		fitted, err := sample.FitOdds(ctx, *p, p.Odds, s)
		if err != nil {
			return nil, nil, err
		}
		p.Score, p.Odds = sample.WithOdds(p.Score, fitted/p.Odds), fitted
	}
	if cost := known.Cost(); cost != nil {
		p.Score = sample.WithPrior(p.Score, func(i, j int) float64 { return cost(order[i], order[j]) })
	}
	p.Knowledge.Forbidden = func(i, j int) bool { return known.Forbidden(order[i], order[j]) }
	for _, e := range known.Required() {
		p.Knowledge.Required = append(p.Knowledge.Required, [2]int{place[e.From], place[e.To]})
	}
	return p, order, nil
}

// learner holds the state of one call of Learn.
type learner struct {
	data  *dataset.Moments
	pool  *dataset.Pool    // moments of the rows that count for each column
	told  *dataset.Regimes // regimes whose targets are the detected changes
	table *Table
	order []int // canonical column order
	place []int // place of each column in order
	cfg   Config
	known *knowledge.Knowledge
	run   *stage.Run
}

func newLearner(t *Table, cfg Config, data *dataset.Moments, known *knowledge.Knowledge, run *stage.Run) *learner {
	l := &learner{data: data, table: t, order: method.Canonical(data), place: make([]int, len(data.Names)), cfg: cfg, known: known, run: run}
	for i, v := range l.order {
		l.place[v] = i
	}
	return l
}

// result describes an answer together with its settings and seed.
func (l *learner) result(a *method.Answer) (*Result, error) {
	if err := l.tell(a); err != nil {
		return nil, err
	}
	res, err := l.describe(a)
	if res != nil {
		res.Schema, res.Method, res.Names, res.Rows = Schema, l.cfg.Method.Info().Name, l.data.Names, l.table.Rows()
		res.Settings, res.Seed = l.cfg.record(l.table), l.cfg.Seed
	}
	return res, err
}

// tell sets the detected changes between regimes as targets, and pools the rows that count for each column.
func (l *learner) tell(a *method.Answer) (err error) {
	if l.told = l.table.regimes(); l.told != nil && l.told.Unknown {
		told := *l.told
		told.Unknown, told.Targets = false, make([][]int, len(told.Names))
		for _, c := range a.Changes {
			told.Targets[c.Regime] = append(told.Targets[c.Regime], c.Column)
		}
		for _, targets := range told.Targets {
			slices.Sort(targets)
		}
		l.told = &told
	}
	l.pool, err = dataset.NewPool(l.data, l.told)
	return err
}

// answer runs the method on raw or standardized columns in canonical order. It converts the answer back to the table's order
// and the units of the data.
func (l *learner) answer(ctx context.Context, standardize bool, run *stage.Run) (*method.Answer, error) {
	return l.answerBy(standardize, func(in *method.Input) (*method.Answer, error) { return l.cfg.Method.Learn(ctx, in, run) })
}

// answerBy is answer with any learning function.
func (l *learner) answerBy(standardize bool, learn func(*method.Input) (*method.Answer, error)) (*method.Answer, error) {
	in := &method.Input{Moments: l.data.Arranged(l.order), Seed: l.cfg.Seed, Threads: l.cfg.Threads, GraphOnly: l.table.bare, Drawn: l.table.drawn}
	if !l.cfg.Knowledge.Empty() {
		var err error
		if in.Knowledge, err = l.cfg.Knowledge.Resolve(in.Names()); err != nil {
			return nil, err
		}
	}
	if in.Moments.N != l.table.Moments.N {
		in.RowWeight = float64(in.Moments.N) / float64(l.table.Moments.N)
	}
	if l.table.gaps != nil {
		in.Copies = l.table.gaps.Copies
		if share := l.table.gaps.share; share != nil {
			in.PairShare = func(i, j int) float64 { return share(l.order[i], l.order[j]) }
		}
	}
	in.Kinds = kind.Arrange(l.table.Kinds, l.order)
	in.Regimes = l.table.regimes().Arranged(l.order)
	if l.cfg.Method.Info().Needs != method.Moments {
		in.RegimeRows = l.table.regimeRows(l.order)
		in.Rows, in.NoRows, in.Sample = l.table.rows(l.order), l.table.noRows, l.table.sample(l.order)
	}
	if standardize {
		in.Regimes = in.Regimes.Scaled(in.Moments.Std())
		in.Moments = in.Moments.Standardized()
	}
	answer, err := learn(in)
	if answer == nil {
		return nil, err
	}
	answer.Relabel(l.order)
	// Nonlinear models read the rows, which are in the units of the data.
	if linear := answer.Effects == "" || answer.Effects == score.LinearEffects; linear && standardize {
		std := l.data.Std()
		for i, e := range answer.Edges {
			if e.Weight != nil {
				answer.Edges[i].Weight = new(*e.Weight * std[e.To] / std[e.From])
			}
		}
	}
	return answer, err
}

// ScaleCheckPrefix begins the stage names of the scale check in Progress and in Timing.StageSeconds.
const ScaleCheckPrefix = "scale check: "

// checkScale learns a second time, from standardized columns if the first run used raw ones and vice versa, and compares the
// graphs. A failure of the second run does not affect the result.
func (l *learner) checkScale(ctx context.Context, res *Result) {
	second, err := l.answer(ctx, !l.cfg.Standardize, l.run.Named(ScaleCheckPrefix))
	switch {
	case err != nil:
		res.Warnings = append(res.Warnings, fmt.Sprintf("the scale check failed: %v", err))
	case second.Status == method.Canceled:
		res.Status, res.Cause = second.Status, second.Cause
	case l.cfg.Standardize:
		res.ScaleCheck = trust.CompareScales(second.Graph.Directed(), res.Graph, l.data.Names)
	default:
		res.ScaleCheck = trust.CompareScales(res.Graph, second.Graph.Directed(), l.data.Names)
	}
}

// fingerprint hashes the moments and, if the table has regimes, the regimes.
func (t *Table) fingerprint(data *dataset.Moments) (sum [sha256.Size]byte) {
	sum = fingerprint(data)
	r := t.regimes()
	if r == nil {
		return sum
	}
	h := sha256.New()
	h.Write(sum[:])
	for k, m := range r.Moments {
		own := fingerprint(m)
		fmt.Fprintf(h, "%q %v %x\n", r.Names[k], r.Targets[k], own)
	}
	h.Sum(sum[:0])
	return sum
}

// fingerprint is the SHA-256 of names, rows, means and second moments.
func fingerprint(m *dataset.Moments) (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%d rows %q\n", m.N, m.Names)
	for d := len(m.Names); d > 0; d-- {
		var row []float64
		switch g := m.Gram(); {
		case g != nil:
			row = append(slices.Clone(g.Vector(d-1)), m.At(d-1, d-1))
		case m.Lean(): // the diagonal and the next entry; the scatter of all rows has the rest
			row = []float64{m.At(d-1, d-1), m.At(d-1, max(0, d-2))}
		default:
			row = m.Scatter[(d-1)*len(m.Names) : d*len(m.Names)]
		}
		b, _ := binary.Append(nil, binary.LittleEndian, row) // cannot fail on floats
		h.Write(b)
	}
	b, _ := binary.Append(nil, binary.LittleEndian, m.Mean)
	h.Write(b)
	h.Sum(sum[:0])
	return sum
}

func sum(parts map[string]float64) (total float64) {
	for _, p := range parts {
		total += p
	}
	return total
}

// withoutPriors begins the stage names of the run without priors in Progress and in Timing.StageSeconds.
const withoutPriors = "without priors: "

// comparePriors learns a second time without the prior probabilities and lists what they changed. A failure of the second run does
// not affect the result.
func (l *learner) comparePriors(ctx context.Context, res *Result) {
	if !l.known.HasPriors() || res.Status == method.Canceled {
		return
	}
	cfg := l.cfg
	cfg.Knowledge = cfg.Knowledge.WithoutPriors()
	plain, err := l.learnPlain(ctx, cfg)
	switch {
	case err != nil:
		res.Warnings = append(res.Warnings, fmt.Sprintf("the comparison with a run without priors failed: %v", err))
		return
	case plain.Status == method.Canceled:
		res.Status, res.Cause = plain.Status, plain.Cause
		return
	}
	with, without := res.pairStates(), plain.pairStates()
	for _, b := range l.known.Beliefs() {
		link := Link{From: l.data.Names[b.From], To: l.data.Names[b.To]}
		// Tiers and improbable edges are about many pairs, most of which are not adjacent in any result.
		if (b.Tiers || b.P <= 1.0/3) && with.of(link) == trust.PairNone && without.of(link) == trust.PairNone {
			continue
		}
		res.Priors = append(res.Priors, trust.PriorOutcome{Link: link, Prior: b.P, Without: without.of(link)})
	}
	res.updatePriors()
}

// learnPlain learns the table with another configuration, without checks of the scale.
func (l *learner) learnPlain(ctx context.Context, cfg Config) (*Result, error) {
	known, err := cfg.Knowledge.Resolve(l.data.Names)
	if err != nil {
		return nil, err
	}
	own := newLearner(l.table, cfg, l.data, known, l.run)
	answer, err := own.answer(ctx, cfg.Standardize, l.run.Named(withoutPriors))
	if err != nil {
		return nil, err
	}
	res, err := own.result(answer)
	if err != nil {
		return nil, err
	}
	return res, own.judge(res, answer)
}

// updatePriors compares the priors with the verdicts of the edges, after these have changed.
func (r *Result) updatePriors() {
	states := r.pairStates()
	for i, p := range r.Priors {
		r.Priors[i] = p.Updated(states.of(p.Link))
	}
}

// pairStates are the stated pairs of a result; the others have no edge.
type pairStates map[Link]trust.PairState

func (r *Result) pairStates() pairStates {
	s := pairStates{}
	for _, e := range r.Edges {
		back := Link{From: e.To, To: e.From}
		switch {
		case e.Verdict == Weak:
			s[e.Link], s[back] = trust.PairWeak, trust.PairWeak
		case e.Verdict == Directed && e.Directed():
			s[e.Link], s[back] = trust.PairForward, trust.PairReverse
		default:
			s[e.Link], s[back] = trust.PairUndirected, trust.PairUndirected
		}
	}
	return s
}

func (s pairStates) of(l Link) trust.PairState {
	if state, ok := s[l]; ok {
		return state
	}
	return trust.PairNone
}
