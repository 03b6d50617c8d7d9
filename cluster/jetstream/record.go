package jetstream

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/polydag/polydag/cluster/work"
)

// A Record describes a job to workers and to people.
type Record struct {
	ID    string   `json:"id"`
	Title string   `json:"title"`
	Door  Door     `json:"door"`
	Kinds []string `json:"kinds"`
	Units int      `json:"units"`
	// Bytes is the size of the largest input.
	Bytes int64  `json:"bytes,omitempty"`
	Host  string `json:"host,omitempty"` // host of the last submission
	Done  bool   `json:"done,omitempty"` // its submitter has every outcome
}

// recordOf describes a job. Its ID is a hash of the units and the Door, so the same submission has the same ID.
func recordOf(job *work.Job, door Door) (Record, error) {
	if len(job.Units) == 0 {
		return Record{}, errors.New("a job without units")
	}
	head, err := json.Marshal(door)
	if err != nil {
		return Record{}, err
	}
	sum := sha256.Sum256(append(head, job.ID()...))
	host, _ := os.Hostname() // for information only
	r := Record{ID: hex.EncodeToString(sum[:8]), Title: short(job.Title, 200), Door: door, Kinds: job.Kinds(), Units: len(job.Units), Host: host}
	for _, b := range job.Blobs {
		r.Bytes = max(r.Bytes, b.Size)
	}
	return r, nil
}

var idForm = regexp.MustCompile(`^[0-9a-f]{16}$`)

// decodeRecord decodes an untrusted record.
func decodeRecord(key string, text []byte) (Record, error) {
	var r Record
	if len(text) > 64<<10 {
		return r, fmt.Errorf("the description of job %.40q has %d bytes", key, len(text))
	}
	if err := work.Strict(text, &r); err != nil {
		return r, fmt.Errorf("the description of job %.40q cannot be read: %w", key, err)
	}
	if r.ID != key || !idForm.MatchString(r.ID) || r.Units < 1 || len(r.Kinds) == 0 {
		return r, fmt.Errorf("the description of job %.40q is not right", key)
	}
	return r, nil
}

// refuse returns the reason why a worker with these handlers and limits does not do a job, or nil.
func (r *Record) refuse(door Door, handlers work.Handlers, maxBytes int64) error {
	switch {
	case r.Door != door:
		return fmt.Errorf("it is for %s, and this is %s", r.Door, door)
	case maxBytes > 0 && r.Bytes > maxBytes:
		return fmt.Errorf("its input has %d bytes and this worker takes at most %d (the smaller of its settings max-bytes and max-memory divided by jobs)", r.Bytes, maxBytes)
	}
	for _, k := range r.Kinds {
		if !slices.Contains(handlers.Kinds(), k) {
			return fmt.Errorf("it has units of kind %.60q, and this worker does %v", k, handlers.Kinds())
		}
	}
	return nil
}

func (c *Client) putRecord(ctx context.Context, r Record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return c.retry(ctx, "describing the job", func(ctx context.Context) error {
		_, err := c.lay.jobs.Put(ctx, r.ID, text)
		return err
	})
}

// Trouble records the problems of a unit.
type Trouble struct {
	Job      string    `json:"job"`
	Unit     string    `json:"unit"`
	Errors   []Mistake `json:"errors,omitempty"`
	Declined []Mistake `json:"declined,omitempty"` // workers whose limits the unit exceeds
	Returned int       `json:"returned,omitempty"` // times that a worker returned the unit without an error
	Aside    string    `json:"aside,omitempty"`    // reason why it is no longer tried; empty otherwise
}

// A Mistake is one failure of a unit.
type Mistake struct {
	Worker string `json:"worker"`
	Text   string `json:"text"`
}

// changeTrouble updates the trouble of a unit. change is called again after a concurrent update.
func (c *Client) changeTrouble(ctx context.Context, job, unit string, change func(*Trouble)) (Trouble, error) {
	var now Trouble
	err := c.retry(ctx, "noting what went wrong", func(ctx context.Context) error {
		for {
			now = Trouble{Job: job, Unit: unit}
			entry, err := c.lay.trouble.Get(ctx, job+"."+unit)
			var revision uint64
			switch {
			case errors.Is(err, js.ErrKeyNotFound):
			case err != nil:
				return err
			default:
				if err := json.Unmarshal(entry.Value(), &now); err != nil {
					now = Trouble{Job: job, Unit: unit}
				}
				revision = entry.Revision()
			}
			change(&now)
			text, err := json.Marshal(now)
			if err != nil {
				return err
			}
			if revision == 0 {
				_, err = c.lay.trouble.Create(ctx, job+"."+unit, text) // Update fails for a purged key
			} else {
				_, err = c.lay.trouble.Update(ctx, job+"."+unit, text, revision)
			}
			if !there(err) {
				return err
			}
		}
	})
	return now, err
}

// readTrouble returns the trouble of a unit, which may be empty.
func (c *Client) readTrouble(ctx context.Context, job, unit string) (t Trouble, err error) {
	err = c.retry(ctx, "reading what went wrong", func(ctx context.Context) error {
		entry, err := c.lay.trouble.Get(ctx, job+"."+unit)
		if errors.Is(err, js.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return json.Unmarshal(entry.Value(), &t)
	})
	return t, err
}

// short truncates untrusted text.
func short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := []rune(s[:most])
	return string(cut[:max(0, len(cut)-1)]) + "…"
}

// These are the headers of an outcome. An outcome that is too large for a message is an object, and the message
// has its hash.
const (
	headerWorker = "Polydag-Worker"
	headerHash   = "Polydag-Sha256"
	headerObject = "Polydag-Object"
)

// roomForHeaders is the space for headers in a message, in bytes.
const roomForHeaders = 4 << 10

// putOutcome stores an outcome. It returns false if there already was one, which stays.
func (c *Client) putOutcome(ctx context.Context, job, unit, worker string, outcome []byte) (first bool, err error) {
	msg := nats.NewMsg(resultSubject(job, unit))
	msg.Header.Set(headerWorker, worker)
	msg.Header.Set(headerHash, work.Hash(outcome))
	msg.Data = outcome
	if int64(len(outcome)) > c.nc.MaxPayload()-roomForHeaders {
		msg.Data = nil
		msg.Header.Set(headerObject, "yes")
		blob := work.Blob{Size: int64(len(outcome)), Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(outcome)), nil }}
		if err := c.putObject(ctx, "storing the outcome", work.Hash(outcome), blob); err != nil {
			return false, err
		}
	}
	err = c.retry(ctx, "storing the outcome", func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, msg, js.WithExpectLastSequencePerSubject(0), js.WithRetryAttempts(0))
		if !there(err) {
			first = err == nil
			return err
		}
		if ok, err := c.hasOutcome(ctx, job, unit); err != nil || ok {
			first = false
			return err
		}
		return fmt.Errorf("%w: an outcome is on its way", nats.ErrTimeout)
	})
	return first, err
}

// hasOutcome asks the leader of the stream, so that the answer is current.
func (c *Client) hasOutcome(ctx context.Context, job, unit string) (bool, error) {
	_, err := c.lay.result.GetLastMsgForSubject(ctx, resultSubject(job, unit))
	if errors.Is(err, js.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil, err
}

// outcomeOf reads a message and checks that it has the stored hash.
func (c *Client) outcomeOf(ctx context.Context, msg js.Msg) ([]byte, error) {
	want, data := msg.Headers().Get(headerHash), msg.Data()
	if msg.Headers().Get(headerObject) != "" {
		var err error
		if data, err = c.fetch(ctx, want, 0); err != nil {
			return nil, err
		}
	}
	if got := work.Hash(data); got != want {
		return nil, fmt.Errorf("the outcome %s from worker %.60q has the checksum %.12s and should have %.12s: it is damaged; delete the job and submit it again", msg.Subject(), msg.Headers().Get(headerWorker), got, want)
	}
	return data, nil
}
