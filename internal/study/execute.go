package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/polydag/polydag"
)

// Options say how runs are executed. None of them changes a result.
type Options struct {
	Jobs   int    // runs at the same time, one thread each
	Graphs string // file for the learned graphs, a line each (see Graph); none if empty
	Load   Loader
	// Progress is told of every run that ended, from one goroutine at a time. It may be nil.
	Progress func(Progress)

	machine  Machine
	versions Versions
}

// Progress says how far Execute is.
type Progress struct {
	Done, Total int // runs, those with a record from before not counted
	Left        time.Duration
	Last        *Record
}

// Outcome says what Execute did.
type Outcome struct {
	Ran, Known, Failed int
	// Without are the given data that were not there: name → the loader's message.
	Without map[string]string
	// Broken are the data that were there and could not be read, with why. Their runs have no record, so that they are
	// run once the file is mended.
	Broken []error
}

// Execute runs what has no record yet. The long runs go first, so that no job ends alone; timings of constraints go before
// everything, one by one, on a machine that does nothing else of ours. The order changes no result.
func Execute(ctx context.Context, runs []Run, j *Journal, opt Options) (*Outcome, error) {
	if opt.Jobs < 1 {
		return nil, fmt.Errorf("setting Jobs = %d, want at least 1", opt.Jobs)
	}
	opt.machine, opt.versions = ThisMachine(opt.Jobs), ThisVersion()
	var graphs *graphFile
	if opt.Graphs != "" {
		var err error
		if graphs, err = openGraphs(opt.Graphs); err != nil {
			return nil, err
		}
		defer graphs.f.Close()
	}
	e := &execution{graphs: graphs, j: j, opt: opt, start: time.Now(), out: &Outcome{Without: map[string]string{}}}
	var todo []Run
	for _, r := range runs {
		if j.Has(r.Key) {
			e.out.Known++
			continue
		}
		todo = append(todo, r)
		e.work += r.Flops()
	}
	e.total = len(todo)
	slices.SortStableFunc(todo, func(a, b Run) int {
		if c := cmp.Compare(alone(b), alone(a)); c != 0 {
			return c
		}
		return cmp.Compare(b.Flops(), a.Flops())
	})
	first := 0
	for first < len(todo) && alone(todo[first]) == 1 {
		e.one(ctx, todo[first])
		first++
	}
	queue := make(chan Run)
	var wg sync.WaitGroup
	for range min(opt.Jobs, len(todo)) {
		wg.Go(func() {
			for r := range queue {
				e.one(ctx, r)
			}
		})
	}
	for _, r := range todo[first:] {
		if e.stopped(ctx) {
			break
		}
		queue <- r
	}
	close(queue)
	wg.Wait()
	if e.err == nil && ctx.Err() != nil {
		e.err = context.Cause(ctx)
	}
	return e.out, e.err
}

// alone is 1 for runs that measure time and nothing else.
func alone(r Run) int {
	if r.Kind == KindCost {
		return 1
	}
	return 0
}

// execution is one call of Execute.
type execution struct {
	j      *Journal
	opt    Options
	start  time.Time
	graphs *graphFile // nil if nobody wants them

	mu         sync.Mutex
	done       int
	total      int
	work, past float64 // flops: all, and those behind us
	out        *Outcome
	err        error
}

func (e *execution) stopped(ctx context.Context) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err != nil || ctx.Err() != nil
}

// one does a run and records it.
func (e *execution) one(ctx context.Context, r Run) {
	if e.stopped(ctx) {
		return
	}
	rec, err := e.run(ctx, r)
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case errors.Is(err, ErrNoData):
		e.out.Without[r.Point.Label()] = err.Error()
	case errors.As(err, new(*dataError)):
		if !slices.ContainsFunc(e.out.Broken, func(b error) bool { return b.Error() == err.Error() }) {
			e.out.Broken = append(e.out.Broken, err)
		}
	case err != nil:
		if e.err == nil && ctx.Err() == nil {
			e.err = fmt.Errorf("%s (%s, %s, %s, seed %d): %w", r.Experiment, r.Point.Label(), r.Protocol, r.MethodName, r.Seed, err)
		}
		return
	default:
		e.out.Ran++
		if rec.Status == StatusError {
			e.out.Failed++
		}
	}
	e.done++
	e.past += r.Flops()
	if e.opt.Progress != nil {
		p := Progress{Done: e.done, Total: e.total, Last: rec}
		if e.past > 0 {
			p.Left = time.Duration(float64(time.Since(e.start)) * (e.work - e.past) / e.past)
		}
		e.opt.Progress(p)
	}
}

// run does the work and writes the graph, then the record: where there is a record, all of the run is there.
func (e *execution) run(ctx context.Context, r Run) (rec *Record, err error) {
	var res *polydag.Result
	switch r.Kind {
	case KindCost:
		rec, err = r.cost(ctx, e.opt)
	case KindCycle:
		rec, err = r.cycle(e.opt)
	default:
		rec, res, err = r.learn(ctx, e.opt)
	}
	if err != nil {
		return nil, err
	}
	if res != nil && e.graphs != nil {
		if err := e.graphs.append(newGraph(r.Key, res.Edges)); err != nil {
			return nil, err
		}
	}
	return rec, e.j.Append(rec)
}

// Flops estimates the work of a run, for the order of the runs and the time left; it decides nothing else.
func (r Run) Flops() float64 {
	d := float64(columnsOf(r.Point))
	if d == 0 {
		d = 40
	}
	cube, n := 2*d*d*d, max(float64(r.Point.Samples), 1000)
	data := 2*n*d*d + 1e7
	switch {
	case r.Kind == KindCycle:
		return 1e6
	case r.Kind == KindCost:
		return 15*cube*(30+min(d, maxPoly)) + 100*8*cube
	}
	return data + r.config.Method.Cost(r.Point.Samples, int(d), 1).Flops
}
