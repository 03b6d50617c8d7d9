package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
)

// Presence is the announcement of a worker.
type Presence struct {
	Name    string    `json:"name"`
	Door    Door      `json:"door"`
	Jobs    int       `json:"jobs"` // number of concurrent units
	Running []Running `json:"running,omitempty"`
	Done    int       `json:"done"`
	Failed  int       `json:"failed"`
	Refuses []Refusal `json:"refuses,omitempty"`
}

// A Refusal is a job of the same program version that the worker refuses, with the reason.
type Refusal struct {
	Job string `json:"job"`
	Why string `json:"why"`
}

// Running is a unit in progress at a worker.
type Running struct {
	Job   string    `json:"job"`
	Unit  string    `json:"unit"`
	Since time.Time `json:"since"`
}

// defaultName returns the host name with a suffix that distinguishes the workers of one host.
func defaultName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "somewhere"
	}
	return fmt.Sprintf("%s-%d-%s", plainName(host), os.Getpid(), strings.ToLower(rand.Text()[:4]))
}

// plainName replaces characters that a bucket key may not contain.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, short(s, 60))
}

// attend announces this worker every few seconds and ends it after Idle.
func (s *station) attend(ctx context.Context, end context.CancelCauseFunc) {
	for {
		s.mu.Lock()
		p := Presence{Name: s.Name, Door: s.door, Jobs: s.Jobs, Done: s.done, Failed: s.failed, Refuses: s.refuses}
		for _, r := range s.busy {
			p.Running = append(p.Running, r)
		}
		idle := len(s.busy) == 0 && s.Idle > 0 && time.Since(s.active) > s.Idle
		s.mu.Unlock()
		if idle {
			end(errIdle)
			return
		}
		slices.SortFunc(p.Running, func(a, b Running) int { return strings.Compare(a.Unit, b.Unit) })
		bounded, cancel := context.WithTimeout(ctx, answer)
		_, _ = s.lay.workers.Put(bounded, plainName(s.Name), p.encode()) // the next one follows soon
		cancel()
		pause := s.timing.Presence / 5
		if s.Idle > 0 {
			pause = min(pause, s.Idle)
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.changed: // a submitter waits for it
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

func (s *station) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, parting)
	defer cancel()
	_ = s.lay.workers.Purge(ctx, plainName(s.Name)) // it expires soon anyway
}

// listWorkers returns the present workers by name, without unreadable entries. The list is not a snapshot: it
// may miss a worker that announces itself during the call. So no irreversible decision may depend on one list.
func (c *Client) listWorkers(ctx context.Context) ([]Presence, error) {
	var list []Presence
	err := c.entries(ctx, c.lay.workers, ">", func(key string, value []byte) {
		var p Presence
		if len(value) < 1<<20 && json.Unmarshal(value, &p) == nil && plainName(p.Name) == key {
			list = append(list, p)
		}
	})
	slices.SortFunc(list, func(a, b Presence) int { return strings.Compare(a.Name, b.Name) })
	return list, err
}

// entries calls each with the keys of a bucket that match a pattern, and their values.
func (c *Client) entries(ctx context.Context, kv js.KeyValue, pattern string, each func(key string, value []byte)) error {
	watch, err := kv.Watch(ctx, pattern, js.IgnoreDeletes())
	if err != nil {
		return err
	}
	defer func() { _ = watch.Stop() }() // it may be gone with its server
	for {
		select {
		case e, ok := <-watch.Updates():
			if !ok {
				return fmt.Errorf("%w: the list broke off", nats.ErrTimeout)
			}
			if e == nil {
				return nil
			}
			each(e.Key(), e.Value())
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// records returns the records of all jobs by ID, and errors for unreadable ones.
func (c *Client) records(ctx context.Context) (list []Record, bad map[string]error, err error) {
	bad = map[string]error{}
	err = c.entries(ctx, c.lay.jobs, ">", func(key string, value []byte) {
		r, err := decodeRecord(key, value)
		if err != nil {
			bad[key] = err
			return
		}
		list = append(list, r)
	})
	slices.SortFunc(list, func(a, b Record) int { return strings.Compare(a.ID, b.ID) })
	return list, bad, err
}

func (p Presence) encode() []byte {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err) // plain fields never fail
	}
	return b
}
