package serve

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/polydag/polydag"
)

// Job is a table to check or to learn from.
type Job struct {
	Path string // a temporary file
	Name string // name of the visitor's file
	// Settings are flags of polydag learn with their values. Backend.Accept has accepted them.
	Settings url.Values
	// Asked are the values of a question that are not flags.
	Asked url.Values

	table *table
}

// State is the state of a run.
type State string

// These are the values of State.
const (
	Waiting State = "waiting"
	Running State = "running"
	Done    State = "done"
	Stopped State = "stopped" // by the visitor or the end of the server; the best result so far is written
	Failed  State = "failed"
)

// Run is a run as shown to visitors.
type Run struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Method  string    `json:"method"`
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	Seconds float64   `json:"seconds"`
	// These fields describe the last step and are empty before the first.
	Stage string  `json:"stage,omitempty"`
	Step  int     `json:"step,omitempty"`
	Steps int     `json:"steps,omitempty"`
	Score float64 `json:"score,omitempty"`
	H     float64 `json:"h,omitempty"`
	Edges int     `json:"edges,omitempty"`

	// Course is the progress of the stage so far.
	Course Course `json:"course,omitzero"`

	Result string `json:"result,omitempty"` // name of the result file
	Error  string `json:"error,omitempty"`
}

// readRun reads the progress of a run outside this server.
func readRun(text []byte) (Run, error) {
	var r Run
	if err := json.Unmarshal(text, &r); err != nil {
		return r, err
	}
	if r.Name == "" || r.State != Running || r.Seconds < 0 || r.Step < 0 || r.Steps < 0 || r.Edges < 0 {
		return r, errors.New("not the progress of a run")
	}
	if !r.Course.valid() {
		r.Course = Course{}
	}
	return r, nil
}

// keptRuns is the number of finished runs in the list.
const keptRuns = 20

// runs has the runs of a server. One goroutine processes them in order.
type runs struct {
	method string // the method of runs that name none
	learn  func(ctx context.Context, job Job, observe polydag.Observer) (result string, stopped bool, err error)

	mu      sync.Mutex
	list    []*run
	next    int
	waiting chan *run
	changed chan struct{} // closed and replaced at each change
	cancel  context.CancelFunc
	over    <-chan struct{} // closed by cancel
	closed  bool
	worker  sync.WaitGroup
}

type run struct {
	Run
	job    Job
	cancel context.CancelFunc // nil until the run starts
}

func newRuns(waiting int, method string, learn func(context.Context, Job, polydag.Observer) (string, bool, error)) *runs {
	r := &runs{method: method, learn: learn, waiting: make(chan *run, waiting+1), changed: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel, r.over = cancel, ctx.Done()
	r.worker.Go(func() { r.work(ctx) })
	return r
}

var errBusy = errors.New("too many runs are waiting; try again when one has ended")

func (r *runs) add(job Job) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return "", errors.New("the server is shutting down")
	}
	r.next++
	n := &run{Run: Run{ID: strconv.Itoa(r.next), Name: job.Name, Method: cmp.Or(job.Settings.Get("method"), r.method), State: Waiting, Started: time.Now().UTC()}, job: job}
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

// work processes runs in order until close. The context of a run that was stopped while waiting has already
// ended.
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
				n.State, n.Error = Failed, err.Error()
			case stopped:
				n.State = Stopped
			default:
				n.State = Done
			}
		})
	}
}

// observe records the last step; visitors poll it.
func (r *runs) observe(n *run, p polydag.Progress) {
	if p.Score-p.Score != 0 || p.H-p.H != 0 {
		return // no value yet
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

// stop ends a run; its best result so far is written.
func (r *runs) stop(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, n := range r.list {
		if n.ID == id {
			if n.cancel != nil {
				n.cancel()
			}
			if n.State == Waiting { // the worker skips it later
				n.State = Stopped
				r.announce()
			}
			return true
		}
	}
	return false
}

// snapshot returns the runs, newest first, and a channel that is closed at the next change of state.
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
