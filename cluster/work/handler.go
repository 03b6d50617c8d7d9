package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Handler does the units of one kind. Do must be a pure function of body and of its inputs. It decodes the
// body with Strict and treats it as untrusted: it opens no path or address from the body.
type Handler struct {
	Do func(ctx context.Context, body json.RawMessage, in *Inputs) ([]byte, error)
	// Memory estimates the memory of Do besides its inputs; nil if that is small.
	Memory func(body json.RawMessage) (int64, error)
}

// Handlers are the kinds of units that a process can do.
type Handlers map[string]Handler

// Kinds returns the sorted kinds.
func (h Handlers) Kinds() []string { return slices.Sorted(maps.Keys(h)) }

// Do does a unit. limit is the largest estimated memory; 0 means no limit.
func (h Handlers) Do(ctx context.Context, u *Unit, in *Inputs, limit int64) ([]byte, error) {
	handler, ok := h[u.Kind]
	if !ok {
		return nil, fmt.Errorf("no unit of kind %s is done here; there are %s", u.Kind, strings.Join(h.Kinds(), ", "))
	}
	if handler.Memory != nil && limit > 0 {
		need, err := handler.Memory(u.Body)
		if err != nil {
			return nil, err
		}
		if err := Fits("the unit", need, limit); err != nil {
			return nil, err
		}
	}
	return handler.Do(ctx, u.Body, in)
}

// Fits returns an error that matches ErrLimit if need exceeds limit; a limit of 0 refuses nothing.
func Fits(what string, need, limit int64) error {
	if limit <= 0 || need <= limit && need >= 0 { // a negative sum has overflowed
		return nil
	}
	return fmt.Errorf("%s would need about %d MB of memory, and a unit may take %d MB %w; give the worker more memory (setting max-memory) or fewer units at a time (setting jobs)", what, need>>20, limit>>20, ErrLimit)
}

// ErrLimit is matched by the error of a unit that exceeds the limits of a worker. Another worker may do it.
var ErrLimit = errors.New("on this worker")

// Inputs provides the inputs of units by hash. Each input is fetched and decoded once, even for concurrent
// units, and the most recent ones are cached.
type Inputs struct {
	// Folder is where handlers store temporary files; empty means the system's temporary folder.
	Folder string
	// Room limits the cached inputs in bytes before decoding; 0 means no limit.
	Room int64

	fetch func(ctx context.Context, hash string) ([]byte, error)

	mu   sync.Mutex
	kept []*input // most recent first
}

type input struct {
	hash  string
	ready chan struct{} // closed when value or err is set
	value any
	err   error
	size  int64
}

// keptInputs is the number of cached inputs. A job has one table, or a shard for each unit.
const keptInputs = 4

// NewInputs returns inputs that fetch provides.
func NewInputs(fetch func(ctx context.Context, hash string) ([]byte, error)) *Inputs {
	return &Inputs{fetch: fetch}
}

// Get returns the decoded input. One hash must always be decoded in the same way. The result is shared and must
// not be changed.
func (in *Inputs) Get(ctx context.Context, hash string, decode func([]byte) (any, error)) (any, error) {
	in.mu.Lock()
	if k := slices.IndexFunc(in.kept, func(i *input) bool { return i.hash == hash }); k >= 0 {
		got := in.kept[k]
		in.kept = slices.Insert(slices.Delete(in.kept, k, k+1), 0, got)
		in.mu.Unlock()
		select {
		case <-got.ready:
			return got.value, got.err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	mine := &input{hash: hash, ready: make(chan struct{})}
	if in.kept = slices.Insert(in.kept, 0, mine); len(in.kept) > keptInputs {
		in.drop()
	}
	in.mu.Unlock()
	defer close(mine.ready)
	raw, err := in.Once(ctx, hash)
	if err == nil {
		if mine.value, err = decode(raw); err != nil {
			err = fmt.Errorf("the input %s: %w", hash, err)
		}
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	mine.size = int64(len(raw))
	for in.Room > 0 && len(in.kept) > 1 && in.total() > in.Room {
		in.drop()
	}
	if mine.err = err; err != nil { // the next call tries again
		in.kept = slices.DeleteFunc(in.kept, func(i *input) bool { return i == mine })
	}
	return mine.value, err
}

// drop removes the least recently used input. The caller holds the lock.
func (in *Inputs) drop() { in.kept = slices.Delete(in.kept, len(in.kept)-1, len(in.kept)) }

// total returns the size of the cached inputs in bytes. The caller holds the lock.
func (in *Inputs) total() (sum int64) {
	for _, i := range in.kept {
		sum += i.size
	}
	return sum
}

// Bytes returns the bytes of an input, which must not be changed.
func (in *Inputs) Bytes(ctx context.Context, hash string) ([]byte, error) {
	v, err := in.Get(ctx, hash, func(b []byte) (any, error) { return b, nil })
	if err != nil {
		return nil, err
	}
	b, ok := v.([]byte)
	if !ok {
		return nil, fmt.Errorf("the input %s was decoded before", hash)
	}
	return b, nil
}

// Once returns the bytes of an input that is not needed again. They are checked but not cached.
func (in *Inputs) Once(ctx context.Context, hash string) ([]byte, error) {
	raw, err := in.fetch(ctx, hash)
	if err != nil {
		return nil, err
	}
	return raw, verify(hash, raw)
}

func verify(hash string, raw []byte) error {
	if got := Hash(raw); got != hash {
		return fmt.Errorf("the input %s has the checksum %s: it is damaged", hash, got)
	}
	return nil
}

func (j *Job) local(_ context.Context, hash string) ([]byte, error) {
	b, ok := j.Blobs[hash]
	if !ok {
		return nil, fmt.Errorf("the job has no input %s", hash)
	}
	r, err := b.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
