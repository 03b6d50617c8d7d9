package heldout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// errBudget is the cause of a context whose budget is used up.
var errBudget = errors.New("the time for one method is up")

// learn runs one method within the budget, that of as many as share a device. When the time is up it waits for the best so far, which a method gives soon; when ctx
// ends it waits a moment only.
func (c *contest) learn(ctx context.Context, table *polydag.Table, cfg polydag.Config, company int, observe func(stage.Progress)) outcome {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.set.Budget > 0 {
		limited, cancel = context.WithTimeoutCause(ctx, c.set.Budget*time.Duration(company), errBudget)
	}
	defer cancel()
	start := time.Now()
	own := *table // a look at it is kept in the table, which is the caller's again when Run has returned
	res, err := within(ctx, func() (*polydag.Result, error) {
		return own.Learn(limited, cfg, polydag.Run{Observe: observe})
	})
	return outcome{res: res, err: err, over: limited.Err() != nil && ctx.Err() == nil, seconds: time.Since(start).Seconds()}
}

// grace is how long a method that was interrupted may take to give its best so far.
const grace = 100 * time.Millisecond

// within runs work, which looks at ctx or not, and does not wait for it much longer than ctx lasts.
func within[V any](ctx context.Context, work func() (V, error)) (v V, err error) {
	type answer struct {
		v   V
		err error
	}
	done := make(chan answer, 1)
	go func() {
		v, err := work()
		done <- answer{v, err}
	}()
	select {
	case a := <-done:
		return a.v, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a.v, a.err
	case <-time.After(grace):
		return v, context.Cause(ctx)
	}
}

// watch passes on what runs report, one at a time, and nothing after its end: a run that was left behind may go on for a while.
type watch struct {
	mu   sync.Mutex
	tell func(CompareProgress)
}

func (w *watch) say(p CompareProgress) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.tell != nil {
		w.tell(p)
	}
}

func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell = nil
}

// sameMethod reports whether two methods have the same name and settings.
func sameMethod(a, b method.Method) bool {
	x, err1 := json.Marshal(a)
	y, err2 := json.Marshal(b)
	return err1 == nil && err2 == nil && a.Info().Name == b.Info().Name && bytes.Equal(x, y)
}
