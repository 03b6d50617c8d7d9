package heldout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/trust"
)

// ErrEnvironments is returned for a table with interventions.
var ErrEnvironments = fault.Kind("path-environments", "polydag path does not support environments or intervention targets; use the observational rows only")

// ErrHalves is returned if learning failed on every split.
var ErrHalves = fault.Kind("path-halves", "learning failed on every half sample; use more rows, or drop nearly constant columns")

// PathProgress is the number of completed runs, on the whole table and on halves.
type PathProgress struct{ Done, Of int }

// LearnPath learns from the whole table at every penalty, and then from the halves of each split. The model is
// that of cfg, or the one that its method chooses for the table.
//
// When ctx ends early, the path has the completed penalties and splits and the status method.Canceled. It
// returns an error only if no penalty is complete. observe, which may be nil, is called after every run, by one
// goroutine at a time. The path has the same bytes on any number of threads.
func LearnPath(ctx context.Context, table *polydag.Table, cfg polydag.Config, s PathSettings, observe func(PathProgress)) (*Path, error) {
	cfg = cfg.Filled()
	if err := errors.Join(s.Validate(), cfg.Validate()); err != nil {
		return nil, err
	}
	if r := table.Environments; r != nil {
		return nil, fault.New(ErrEnvironments, fmt.Sprintf("polydag path does not support the environments or targets of column %s", r.Column),
			"omit %s and %s, and use the observational rows only", fault.Use("targets"), fault.Use("environments"))
	}
	w := &pathWalk{table: table, set: s, observe: observe}
	if err := w.whole(ctx, cfg); err != nil || w.path.Status == method.Canceled {
		return w.path, err
	}
	splits, err := w.splits(ctx)
	if err != nil {
		return nil, err
	}
	w.path.Splits = len(splits)
	w.path.fill(splits)
	return w.path, nil
}

// pathWalk is the state of one call of LearnPath.
type pathWalk struct {
	table   *polydag.Table
	set     PathSettings
	observe func(PathProgress)
	path    *Path
	threads int
	plans   []*confidence.Plan // by penalty, the default last
	done    int
	runs    int
}

func (w *pathWalk) tell() {
	w.done++
	if w.observe != nil {
		w.observe(PathProgress{Done: w.done, Of: w.runs})
	}
}

// stop records that the path ended early.
func (w *pathWalk) stop(ctx context.Context) {
	w.path.Status, w.path.Cause = method.Canceled, method.Why(context.Cause(ctx))
}

// whole learns from the whole table: without a penalty, which determines the model, and at each penalty.
func (w *pathWalk) whole(ctx context.Context, cfg polydag.Config) error {
	base, err := with(cfg, nil)
	if err != nil {
		return err
	}
	w.threads = cfg.Threads
	first, err := w.learn(ctx, base)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	model := first.Model
	if model == "" {
		model = score.LinearEffects
	}
	values := slices.Clone(w.set.Values)
	if values == nil {
		values = Grid(model, w.table.Moments.N, w.table.Moments.Dim())
	}
	slices.Sort(values)
	w.path = &Path{
		Schema: PathSchema, Status: method.Converged, Table: first.Table, Program: first.Program, Rows: first.Rows, Columns: len(first.Names),
		Model: model, Setting: SettingOf(model), Seed: cfg.Seed, Asked: w.set.Splits, Points: []Point{}, Default: &Point{Edges: len(first.Edges), Score: first.Score},
	}
	w.runs = (len(values) + 1) * (1 + 2*w.set.Splits)
	w.tell()
	for _, v := range values {
		at, err := with(base, map[string]string{"model": string(model), w.path.Setting: valueText(v)})
		if err != nil {
			return err
		}
		res, err := w.learn(ctx, at)
		if ctx.Err() != nil {
			w.stop(ctx)
			return nil
		}
		if err != nil {
			return err
		}
		w.path.Points = append(w.path.Points, Point{Value: &v, Edges: len(res.Edges), Score: res.Score})
		plan, err := confidence.NewPlan(at, res)
		if err != nil {
			return err
		}
		w.plans = append(w.plans, plan)
		w.tell()
	}
	plan, err := confidence.NewPlan(base, first)
	w.plans = append(w.plans, plan)
	return err
}

// learn learns from the whole table. When ctx ends, it does not wait for the description of a graph that will
// not be used.
func (w *pathWalk) learn(ctx context.Context, cfg polydag.Config) (*polydag.Result, error) {
	own := *w.table // Learn caches its data checks in the table, which belongs to the caller again after LearnPath
	return parallel.Within(ctx, grace, func() (*polydag.Result, error) { return polydag.BestSoFar(own.Learn(ctx, cfg, polydag.Run{})) })
}

// pathOutcome is a completed or failed half.
type pathOutcome struct {
	points []pathHalf
	failed string
}

// splits learns from the halves of all splits and returns the complete ones in order. When ctx ends, it waits
// only briefly for pending halves.
func (w *pathWalk) splits(ctx context.Context) ([]pathSplit, error) {
	from, err := w.table.Resampler(ctx, w.set.MostBytes)
	if ctx.Err() != nil {
		w.stop(ctx)
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	own, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var mu sync.Mutex
	over := false // abandoned halves may continue for a while
	unlessOver := func(do func()) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			do()
		}
	}
	halves := make([]*pathOutcome, 2*w.set.Splits)
	_, _ = parallel.Within(own, grace, func() (bool, error) { // the error is that of own
		parallel.Each(own, len(halves), w.threads, func(int) func(int) {
			return func(k int) {
				out, err := w.half(own, from, k, func() { unlessOver(w.tell) })
				if err != nil {
					cancel(err)
					return
				}
				unlessOver(func() { halves[k] = &out })
			}
		})
		return true, nil
	})
	unlessOver(func() { over = true })
	if ctx.Err() != nil {
		w.stop(ctx)
	} else if err := context.Cause(own); err != nil {
		return nil, err
	}
	var out []pathSplit
	for k, h := range halves {
		if h != nil && h.failed != "" {
			w.path.Failed = append(w.path.Failed, trust.Failure{Replicate: k, Why: h.failed})
		}
		if k%2 == 0 {
			continue
		}
		if a := halves[k-1]; a != nil && h != nil && a.failed == "" && h.failed == "" {
			out = append(out, pathSplit{a.points, h.points})
		}
	}
	if len(out) == 0 && w.path.Status != method.Canceled {
		return nil, fault.New(ErrHalves, fmt.Sprintf("learning failed on all %d splits; the first: %s", w.set.Splits, w.path.Failed[0].Why), "use more rows, or drop nearly constant columns with %s", fault.Use("drop"))
	}
	return out, nil
}

// half learns from one half of the rows at every penalty and evaluates each graph on the other half. A failure
// to learn is part of the outcome.
func (w *pathWalk) half(ctx context.Context, from *polydag.Resampler, replicate int, step func()) (pathOutcome, error) {
	var out pathOutcome
	fit, err := drawHalf(ctx, from, w.path.Seed, replicate)
	var test *polydag.Table
	if err == nil {
		test, err = drawHalf(ctx, from, w.path.Seed, replicate^1)
	}
	if errors.Is(err, dataset.ErrConstant) {
		out.failed = err.Error()
		return out, nil
	}
	if err != nil {
		return out, err
	}
	likely, err := NewLikelihood(ctx, w.path.Model, w.table, fit, test)
	if err != nil {
		return out, err
	}
	for _, plan := range w.plans {
		cfg, err := plan.Config()
		if err != nil {
			return out, err
		}
		res, err := fit.Learn(ctx, cfg, polydag.Run{})
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		var bits float64
		if err == nil {
			bits, err = likely.finiteBits(ctx, res.Graph)
		}
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		if err != nil {
			out.failed = err.Error()
			return out, nil
		}
		out.points = append(out.points, pathHalf{bits: bits, edges: edgesOf(res)})
		step()
	}
	return out, nil
}

// edgesOf returns the adjacent pairs with their identified directions.
func edgesOf(res *polydag.Result) map[[2]int]rune {
	out := make(map[[2]int]rune, len(res.Edges))
	for k, e := range res.Marked.Edges() { // in the order of Edges
		pair, mark := [2]int{e.From, e.To}, '>'
		if e.From > e.To {
			pair, mark = [2]int{e.To, e.From}, '<'
		}
		if own := res.Edges[k]; !own.Directed() || !own.Compelled {
			mark = '-'
		}
		out[pair] = mark
	}
	return out
}
