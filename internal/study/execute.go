package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/polydag/polydag/internal/work"
)

// Execution says how runs are executed. Only an exhausted Budget changes a result.
type Execution struct {
	Jobs int // runs at the same time, one thread each
	// Budget is the longest time that a run may learn; 0 is any. One that needs more gives its best so far, and its record says so.
	// It is run again where the budget is larger.
	Budget time.Duration
	Graphs string // file for the learned graphs, a line each (see Graph); none if empty
	Load   Loader
	// Runner does the runs in place of the pool, such as one that sends them to other machines; nil for the pool. Timings of constraints
	// are measured here all the same.
	Runner work.Runner
	// Progress is told of every run that ended, from one goroutine at a time. It may be nil.
	Progress func(RunDone)

	machine  Machine
	versions Versions
}

// described adds, once, what records say of the machine and the program.
func (o Execution) described() Execution {
	if o.versions == (Versions{}) {
		o.machine, o.versions = ThisMachine(max(o.Jobs, 1)), ThisVersion()
	}
	return o
}

// RunDone is one finished run, with the number of runs so far.
type RunDone struct {
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
func Execute(ctx context.Context, runs []Run, j *Journal, opt Execution) (*Outcome, error) {
	if opt.Jobs < 1 {
		return nil, fmt.Errorf("setting Jobs = %d, want at least 1", opt.Jobs)
	}
	opt = opt.described()
	var graphs *graphFile
	if opt.Graphs != "" {
		var err error
		if graphs, err = openGraphs(opt.Graphs); err != nil {
			return nil, err
		}
		defer graphs.f.Close()
	}
	e := &execution{graphs: graphs, j: j, opt: opt, start: time.Now(), out: &Outcome{Without: map[string]string{}}}
	var todo []task
	for _, r := range runs {
		if j.has(r.Key, opt.Budget) {
			e.out.Known++
			continue
		}
		todo = append(todo, task{r, r.Flops()})
		e.work += todo[len(todo)-1].flops
	}
	e.total = len(todo)
	slices.SortStableFunc(todo, func(a, b task) int {
		return cmp.Or(cmp.Compare(alone(b.Run), alone(a.Run)), cmp.Compare(b.flops, a.flops))
	})
	first := 0
	for first < len(todo) && alone(todo[first].Run) == 1 {
		e.one(ctx, todo[first])
		first++
	}
	if opt.Runner != nil {
		if err := e.spread(ctx, todo[first:]); err != nil && e.err == nil {
			e.err = err
		}
		return e.ended(ctx)
	}
	queue := make(chan task)
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
	return e.ended(ctx)
}

// ended returns what was done, and the first error; a context that ended is one.
func (e *execution) ended(ctx context.Context) (*Outcome, error) {
	if e.err == nil && ctx.Err() != nil {
		e.err = context.Cause(ctx)
	}
	return e.out, e.err
}

type task struct {
	Run
	flops float64
}

// alone is 1 for runs that measure time and nothing else.
func alone(r Run) int {
	if r.Kind == KindCost {
		return 1
	}
	return 0
}

type execution struct {
	j      *Journal
	opt    Execution
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

func (e *execution) one(ctx context.Context, r task) {
	if e.stopped(ctx) {
		return
	}
	rec, err := e.run(ctx, r.Run)
	e.finish(ctx, r, rec, err)
}

// finish counts a run that has ended, with its record or an error.
func (e *execution) finish(ctx context.Context, r task, rec *Record, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case errors.Is(err, ErrNoData):
		e.out.Without[r.Label] = err.Error()
	case errors.As(err, new(*dataError)):
		if !slices.ContainsFunc(e.out.Broken, func(b error) bool { return b.Error() == err.Error() }) {
			e.out.Broken = append(e.out.Broken, err)
		}
	case err != nil:
		if e.err == nil && ctx.Err() == nil {
			e.err = fmt.Errorf("%s (%s, %s, %s, seed %d): %w", r.Experiment, r.Label, r.Protocol, r.MethodName, r.Seed, err)
		}
		return
	default:
		e.out.Ran++
		if rec.Status == StatusError {
			e.out.Failed++
		}
	}
	e.done++
	e.past += r.flops
	if e.opt.Progress != nil {
		p := RunDone{Done: e.done, Total: e.total, Last: rec}
		if e.past > 0 {
			p.Left = time.Duration(float64(time.Since(e.start)) * (e.work - e.past) / e.past)
		}
		e.opt.Progress(p)
	}
}

// run does the work and writes the graph, then the record: where there is a record, all of the run is there.
func (e *execution) run(ctx context.Context, r Run) (*Record, error) {
	rec, learned, err := r.Do(ctx, e.opt)
	if err != nil {
		return nil, err
	}
	return rec, e.keep(rec, learned)
}

// keep writes a graph, where there is one, and then the record.
func (e *execution) keep(rec *Record, learned *Graph) error {
	if learned != nil && e.graphs != nil {
		if err := e.graphs.append(learned); err != nil {
			return err
		}
	}
	return e.j.Append(rec)
}
