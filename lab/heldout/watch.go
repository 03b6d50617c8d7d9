package heldout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
)

// errBudget is the cause of a context whose time limit was reached.
var errBudget = errors.New("the time for one method is up")

// learn runs one method within the time limit of all runs that share a device. At the limit it waits for the
// best result so far, which comes soon. When ctx ends it waits only briefly.
func (c *contest) learn(ctx context.Context, table *polydag.Table, cfg polydag.Config, company int, observe func(stage.Progress)) outcome {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if c.set.Budget > 0 {
		limited, cancel = context.WithTimeoutCause(ctx, c.set.Budget*time.Duration(company), errBudget)
	}
	defer cancel()
	start := time.Now()
	own := *table // data checks are cached in the table, which belongs to the caller again after Compare
	res, err := parallel.Within(ctx, grace, func() (*polydag.Result, error) {
		return polydag.BestSoFar(own.Learn(limited, cfg, polydag.Run{Observe: observe}))
	})
	return outcome{res: res, err: err, over: limited.Err() != nil && ctx.Err() == nil, seconds: time.Since(start).Seconds()}
}

// grace is the time that an interrupted method has to return its best result so far.
const grace = 100 * time.Millisecond

// watch passes on progress reports, one at a time, and none after its end, because an abandoned run may
// continue for a while.
type watch struct {
	mu   sync.Mutex
	tell func(CompareProgress)
}

func (w *watch) print(p CompareProgress) {
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
