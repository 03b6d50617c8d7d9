package study

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/parallel"
)

// Execution defines how runs are executed. Only an exhausted Budget changes a result.
type Execution struct {
	Jobs int // concurrent runs, one thread each
	// Budget is the time limit of one run; 0 means no limit. A run that reaches it returns its best result so
	// far, and its record states it. It is run again with a larger budget.
	Budget time.Duration
	Graphs string // file for the learned graphs, one per line (see Graph); none if empty
	Load   Loader
	// Runner does the runs instead of the local pool, for example on other machines; nil means the pool.
	// Timings of constraints are always measured locally.
	Runner work.Runner
	// Progress is called for every finished run, from one goroutine at a time. It may be nil.
	Progress func(RunDone)

	machine  Machine
	versions Versions
}

// described adds the description of the machine and the program, once.
func (o Execution) described() Execution {
	if o.versions == (Versions{}) {
		o.machine, o.versions = ThisMachine(max(o.Jobs, 1)), ThisVersion()
	}
	return o
}

// RunDone is one finished run with the number of finished runs.
type RunDone struct {
	Done, Total int // runs, without those that already had a record
	Left        time.Duration
	Last        *Record
}

// Outcome is the result of Execute.
type Outcome struct {
	Ran, Known, Failed int
	// Without lists missing data sets: name → the loader's message.
	Without map[string]string
	// Broken lists data that could not be read. Their runs have no record, so they run again after the file is
	// repaired.
	Broken []error
}

// Execute runs everything without a record. Long runs go first, so that no job ends alone. Timings of
// constraints go before everything, one by one, on an otherwise idle machine. The order does not change the
// results.
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
	parallel.Each(ctx, len(todo)-first, opt.Jobs, func(int) func(int) {
		return func(i int) { e.one(ctx, todo[first+i]) }
	})
	return e.ended(ctx)
}

// ended returns the outcome and the first error, including the end of the context.
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

// alone returns 1 for runs that only measure time.
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
	graphs *graphFile // nil if not requested

	mu         sync.Mutex
	done       int
	total      int
	work, past float64 // flops in total, and done
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

// finish counts a finished run, with its record or an error.
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

// run does the work and writes the graph, then the record. So a run with a record is complete.
func (e *execution) run(ctx context.Context, r Run) (*Record, error) {
	rec, learned, err := r.Do(ctx, e.opt)
	if err != nil {
		return nil, err
	}
	return rec, e.record(rec, learned)
}

// record writes the graph, if any, and then the record.
func (e *execution) record(rec *Record, learned *Graph) error {
	if learned != nil && e.graphs != nil {
		if err := e.graphs.append(learned); err != nil {
			return err
		}
	}
	return e.j.Append(rec)
}
