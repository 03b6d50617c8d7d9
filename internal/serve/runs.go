package serve

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/fault"
)

// Job is a table to learn from.
type Job struct {
	Path   string // a file of its own, removed after the run
	Name   string // as the visitor's file is called
	Method string
	// Encode and Missing say what to do with text and missing values, in the words of prepare.Settings.
	Encode, Missing string
	// Bootstrap is the number of bootstrap samples for confidences, 0 for none.
	Bootstrap int
	// Columns are those to use, by name or pattern (default: all), Drop those to exclude, and Require and Forbid the required and
	// forbidden edges, as a->b.
	Columns, Drop, Require, Forbid []string
}

// State says where a run stands.
type State string

// The states of a run.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Stopped State = "stopped" // by the visitor or the end of the server, with its best result written
	Failed  State = "failed"
)

// Run is what visitors see of a run.
type Run struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Method  string    `json:"method"`
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	// Of the last step: nothing here before the first.
	Stage string  `json:"stage,omitempty"`
	Step  int     `json:"step,omitempty"`
	Steps int     `json:"steps,omitempty"`
	Score float64 `json:"score,omitempty"`
	H     float64 `json:"h,omitempty"`
	Edges int     `json:"edges,omitempty"`

	// Course is how the stage went so far.
	Course Course `json:"course,omitzero"`

	Result string `json:"result,omitempty"` // name of the file
	Error  string `json:"error,omitempty"`
}

// keptRuns is how many runs that have ended stay in the list.
const keptRuns = 20

// runs holds the runs of a server. One goroutine works through them in turn.
type runs struct {
	learn func(ctx context.Context, job Job, observe polydag.Observer) (result string, stopped bool, err error)

	mu      sync.Mutex
	list    []*run
	next    int
	waiting chan *run
	changed chan struct{} // closed and made anew at each change
	cancel  context.CancelFunc
	over    <-chan struct{} // closed by cancel
	closed  bool
	worker  sync.WaitGroup
}

type run struct {
	Run
	job    Job
	cancel context.CancelFunc // nil until it is its turn
}

func newRuns(waiting int, learn func(context.Context, Job, polydag.Observer) (string, bool, error)) *runs {
	r := &runs{learn: learn, waiting: make(chan *run, waiting+1), changed: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel, r.over = cancel, ctx.Done()
	r.worker.Go(func() { r.work(ctx) })
	return r
}

var errBusy = errors.New("too many runs are waiting; try again when one has ended")

// add puts a job at the end of the line.
func (r *runs) add(job Job) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errors.New("the server is shutting down")
	}
	r.next++
	n := &run{Run: Run{ID: strconv.Itoa(r.next), Name: job.Name, Method: job.Method, State: Waiting, Started: time.Now().UTC()}, job: job}
	select {
	case r.waiting <- n:
	default:
		return "", errBusy
	}
	r.list = append(r.list, n)
	for i := 0; len(r.list) > keptRuns && i < len(r.list); {
		if s := r.list[i].State; s == Waiting || s == Running {
			i++
			continue
		}
		r.list = slices.Delete(r.list, i, i+1)
	}
	r.announce()
	return n.ID, nil
}

// work takes runs in turn until close. One that was stopped while it waited has a context that has ended.
func (r *runs) work(ctx context.Context) {
	for n := range r.waiting {
		ctx, cancel := context.WithCancel(ctx)
		r.update(n, func() {
			n.cancel = cancel
			if n.State == Stopped {
				cancel()
			}
			if ctx.Err() == nil {
				n.State, n.Started = Running, time.Now().UTC()
			}
		})
		result, stopped, err := r.learn(ctx, n.job, func(p polydag.Progress) {
			r.observe(n, p)
		})
		cancel()
		r.update(n, func() {
			n.Seconds = time.Since(n.Started).Seconds()
			n.Result = result
			switch {
			case err != nil:
				n.State, n.Error = Failed, fault.Say(err, Label)
			case stopped:
				n.State = Stopped
			default:
				n.State = Done
			}
		})
	}
}

// observe notes the last step; visitors are told at their own pace.
func (r *runs) observe(n *run, p polydag.Progress) {
	if p.Score-p.Score != 0 || p.H-p.H != 0 {
		return // no number yet
	}
	r.mu.Lock()
	n.Course.Add(p)
	n.Stage, n.Step, n.Steps, n.Score, n.H, n.Edges = p.Stage, p.Step, p.Steps, p.Score, p.H, p.Edges
	n.Seconds = time.Since(n.Started).Seconds()
	r.mu.Unlock()
}

func (r *runs) update(n *run, change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
	r.announce()
}

func (r *runs) announce() {
	close(r.changed)
	r.changed = make(chan struct{})
}

// stop ends a run; what it has so far is written.
func (r *runs) stop(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.list {
		if n.ID == id {
			if n.cancel != nil {
				n.cancel()
			}
			if n.State == Waiting { // the worker passes it over when its turn comes
				n.State = Stopped
				r.announce()
			}
			return true
		}
	}
	return false
}

// snapshot returns the runs, newest first, and a channel that closes at the next change of a state.
func (r *runs) snapshot() ([]Run, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := make([]Run, 0, len(r.list))
	for _, n := range slices.Backward(r.list) {
		r := n.Run
		r.Course.Step, r.Course.Value = slices.Clone(r.Course.Step), slices.Clone(r.Course.Value)
		out = append(out, r)
	}
	return out, r.changed
}

// close stops every run and waits for the worker.
func (r *runs) close() {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.waiting)
	}
	r.mu.Unlock()
	r.cancel()
	r.worker.Wait()
}
