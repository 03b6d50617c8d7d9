package methodtest

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/method"
)

// canceled ends the context before the run, and at the first report of its progress.
func (c *methodCheck) canceled(data methodData) {
	cause := errors.New("ended by the kit")
	for after, when := range []string{"before the run", "during the run"} {
		ctx, cancel := context.WithCancelCause(context.Background())
		if after == 0 {
			cancel(cause)
		}
		reports := 0
		res, err := c.run(ctx, data, c.config(1), polydag.Run{Observe: func(polydag.Progress) {
			reports++
			cancel(cause)
		}})
		cancel(nil)
		switch {
		case err != nil:
			c.Broken("canceled", "the context ended %s, and the error is %v; return the best answer so far", when, err)
		case after > 0 && reports == 0: // progress has failed
		case res.Status != method.Canceled:
			c.Broken("canceled", "the context ended %s, and the status is %s", when, res.Status)
		case res.Cause != cause.Error():
			c.Broken("canceled", "the cause is %q, want %q: set Answer.Cause to method.Why(context.Cause(ctx)), as its Cancel does", res.Cause, cause)
		case c.reports > 5 && reports >= c.reports: // a few reports may be phases, which a short run passes too
			c.Broken("canceled", "the context ended %s, and the run went on to its end: it reported its progress %d times", when, reports)
		default:
			c.sound("canceled", res)
		}
	}
}

// memoryStore keeps every saved state in memory.
type memoryStore struct{ saved [][]byte }

func (m *memoryStore) Save(state []byte) error {
	m.saved = append(m.saved, bytes.Clone(state))
	return nil
}

func (m *memoryStore) Load() ([]byte, error) {
	if len(m.saved) == 0 {
		return nil, nil
	}
	return m.saved[len(m.saved)-1], nil
}

func (c *methodCheck) resumed(data methodData, first *polydag.Result) {
	all := &memoryStore{}
	if _, err := c.run(context.Background(), data, c.config(1), polydag.Run{Store: all}); err != nil {
		c.Broken("resumed", "with a checkpoint: %v", err)
		return
	}
	n := len(all.saved)
	tried := []int{0, 1, n / 2, n - 1}
	slices.Sort(tried)
	for _, i := range slices.Compact(tried) {
		if i < 0 || i >= n {
			continue
		}
		res, err := c.run(context.Background(), data, c.config(1+i%2), polydag.Run{Store: &memoryStore{saved: all.saved[i : i+1 : i+1]}})
		if err != nil {
			c.Broken("resumed", "from state %d of %d: %v", i+1, n, err)
			return
		}
		if !bytes.Equal(text(res), text(first)) {
			c.Broken("resumed", "from state %d of %d the result differs", i+1, n)
		}
	}
}
