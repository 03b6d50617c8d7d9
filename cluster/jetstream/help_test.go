package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/polydag/polydag/cluster/hub"
	"github.com/polydag/polydag/cluster/hub/server"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/internal/must"
)

// quick is a timing for tests: everything happens soon.
var quick = Timing{Ack: 2 * time.Second, Presence: 2 * time.Second, Audit: 200 * time.Millisecond, NoWorker: 300 * time.Millisecond, Retry: 20 * time.Millisecond, RetryMost: 200 * time.Millisecond}

// toy is the body of the units of these tests.
type toy struct {
	Number int    `json:"number"`
	Pause  int    `json:"pause,omitempty"` // milliseconds
	Spin   int    `json:"spin,omitempty"`  // rounds of arithmetic
	Size   int    `json:"size,omitempty"`  // the size of the outcome
	Fail   string `json:"fail,omitempty"`  // error, panic
	Input  string `json:"input,omitempty"`
}

// toys are handlers of kind toy/1. started, if not nil, is called for every unit that begins.
func toys(started func(toy)) work.Handlers {
	return work.Handlers{"toy/1": {
		Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
			var q toy
			if err := work.Strict(body, &q); err != nil {
				return nil, err
			}
			if started != nil {
				started(q)
			}
			if q.Pause > 0 && !sleep(ctx, time.Duration(q.Pause)*time.Millisecond) {
				return nil, context.Cause(ctx)
			}
			switch q.Fail {
			case "error":
				return nil, errors.New("this unit cannot be done")
			case "panic":
				panic("this unit has a bug")
			}
			x := uint64(q.Number)
			for range q.Spin {
				x = x*6364136223846793005 + 1442695040888963407
			}
			prefix := ""
			if q.Input != "" {
				b, err := in.Bytes(ctx, q.Input)
				if err != nil {
					return nil, err
				}
				prefix = string(b)
			}
			return fmt.Appendf(nil, "%s%d %d%s", prefix, q.Number*q.Number, x, strings.Repeat("x", q.Size)), nil
		},
		Memory: func(json.RawMessage) (int64, error) { return 1 << 20, nil },
	}}
}

func toyJob(t testing.TB, list ...toy) *work.Job {
	t.Helper()
	job := must.Get(makeJob(list))
	return job
}

// makeJob makes a unit of each toy; they share an input.
func makeJob(list []toy) (*work.Job, error) {
	job := &work.Job{Title: "toys"}
	input := job.Add([]byte("n² = "))
	for _, q := range list {
		if q.Input == "" {
			q.Input = input
		}
		u, err := work.NewUnit("toy/1", q, q.Input)
		if err != nil {
			return nil, err
		}
		job.Units = append(job.Units, u)
	}
	return job, nil
}

func numbers(n int, q toy) (list []toy) {
	for i := range n {
		q.Number = i + 1
		list = append(list, q)
	}
	return list
}

// merged runs a job and returns its outcomes in order, one per line.
func merged(ctx context.Context, r work.Runner, job *work.Job) (string, error) {
	var b strings.Builder
	count := 0
	err := r.Run(ctx, job, work.InOrder(len(job.Units), func(i int, out []byte) error {
		count++
		_, err := fmt.Fprintf(&b, "%d: %s\n", i, out)
		return err
	}))
	if err == nil && count != len(job.Units) {
		err = fmt.Errorf("%d outcomes of %d units", count, len(job.Units))
	}
	return b.String(), err
}

// local is what every distributed run is compared with.
func local(t testing.TB, job *work.Job) string {
	t.Helper()
	want := must.Get(merged(t.Context(), work.Pool{Workers: 2, Handlers: toys(nil)}, job))
	return want
}

// inside starts a hub in this process, without a port.
func inside(t testing.TB, opt hub.Settings) *server.Hub {
	t.Helper()
	if opt.Store == "" {
		opt.Store = t.TempDir()
	}
	h := must.Get(server.Start(opt))
	t.Cleanup(h.Stop)
	return h
}

// client connects to a hub of this process.
func client(t testing.TB, h *server.Hub, change ...func(*Connection)) *Client {
	t.Helper()
	conn := Connection{InProcess: h, Timing: quick}
	for _, f := range change {
		f(&conn)
	}
	c := must.Get(Connect(t.Context(), conn))
	t.Cleanup(c.Close)
	return c
}

// said collects the messages of clients.
type said struct {
	mu   sync.Mutex
	text []string
}

func (s *said) add(m string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = append(s.text, m)
}

func (s *said) has(part string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(strings.Join(s.text, "\n"), part)
}

func (s *said) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.text)
}

// working starts a worker that ends with the test, or when the returned function is called.
func working(t testing.TB, c *Client, w Worker) (stop func()) {
	t.Helper()
	if w.Handlers == nil {
		w.Handlers = toys(nil)
	}
	if w.Jobs == 0 {
		w.Jobs = 2
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := c.Work(ctx, w); !errors.Is(err, context.Canceled) && err != nil {
			t.Errorf("worker: %v", err)
		}
	}()
	stop = sync.OnceFunc(func() { cancel(); <-ended })
	t.Cleanup(stop)
	return stop
}

// eventually waits for something that should come soon; the machine may be busy.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for begun := time.Now(); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("it does not come to this: %s", what)
		}
	}
}
