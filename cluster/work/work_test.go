package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// squares does units whose body is a number: its square plus the input. Unit 13 fails.
func squares() Handlers {
	return Handlers{"square/1": {
		Do: func(ctx context.Context, body json.RawMessage, in *Inputs) ([]byte, error) {
			var q struct {
				Number int    `json:"number"`
				Prefix string `json:"prefix"`
			}
			if err := Strict(body, &q); err != nil {
				return nil, err
			}
			if q.Number == 13 {
				return nil, errors.New("thirteen")
			}
			prefix := ""
			if q.Prefix != "" {
				b, err := in.Bytes(ctx, q.Prefix)
				if err != nil {
					return nil, err
				}
				prefix = string(b)
			}
			return fmt.Appendf(nil, "%s%d", prefix, q.Number*q.Number), nil
		},
	}}
}

func squareJob(t *testing.T, numbers ...int) *Job {
	job := &Job{Title: "squares"}
	prefix := job.Add([]byte("n² = "))
	for _, n := range numbers {
		u := must.Get(NewUnit("square/1", map[string]any{"number": n, "prefix": prefix}, prefix))
		job.Units = append(job.Units, u)
	}
	return job
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i+20)
	}
	return list
}

// TestPoolMergesInOrder checks that any number of workers gives the same outcomes in the same order.
func TestPoolMergesInOrder(t *testing.T) {
	job := squareJob(t, upTo(100)...)
	var first string
	for _, workers := range []int{1, 2, 7, 200} {
		var b strings.Builder
		must.Succeed(t, Pool{workers, squares()}.Run(t.Context(), job, InOrder(100, func(i int, out []byte) error {
			_, err := fmt.Fprintf(&b, "%d: %s\n", i, out)
			return err
		})))
		if first == "" {
			first = b.String()
		}
		if b.String() != first || strings.Count(first, "\n") != 100 || !strings.HasPrefix(first, "0: n² = 400\n1: n² = 441\n") {
			t.Errorf("%d workers:\n%s", workers, b.String())
		}
	}
}

// TestPoolNamesWhatFails checks that a unit that fails is named, and the others are done.
func TestPoolNamesWhatFails(t *testing.T) {
	job := squareJob(t, 1, 13, 2)
	var done []int
	err := Pool{2, squares()}.Run(t.Context(), job, func(i int, _ []byte) error { done = append(done, i); return nil })
	var fault *UnitError
	if slices.Sort(done); !errors.As(err, &fault) || fault.Index != 1 || fault.ID != job.Units[1].ID || !slices.Equal(done, []int{0, 2}) {
		t.Errorf("%v, done %v", err, done)
	}
	if err := (Pool{2, Handlers{}}).Run(t.Context(), job, nil); err == nil || !strings.Contains(err.Error(), "square/1") {
		t.Errorf("no handler: %v", err)
	}
}

func TestPoolStops(t *testing.T) {
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	seen := 0
	err := Pool{3, squares()}.Run(ctx, squareJob(t, upTo(50)...), func(int, []byte) error {
		if seen++; seen == 3 {
			cancel(stop)
		}
		return nil
	})
	if !errors.Is(err, stop) || seen > 3 {
		t.Errorf("%v after %d", err, seen)
	}
	seen = 0
	err = Pool{3, squares()}.Run(t.Context(), squareJob(t, upTo(50)...), func(int, []byte) error { seen++; return stop })
	if !errors.Is(err, stop) || seen != 1 {
		t.Errorf("an error of each: %v after %d", err, seen)
	}
}

// TestDecodeUnit checks that a unit is accepted only if its ID is the hash of its content and it has no other
// fields.
func TestDecodeUnit(t *testing.T) {
	u, err := NewUnit("square/1", map[string]int{"number": 3}, Hash(nil))
	must.Succeed(t, err)
	text := must.Get(u.Encode())
	if back, err := DecodeUnit(text); err != nil || back.ID != u.ID || !bytes.Equal(back.Body, u.Body) {
		t.Fatalf("%+v, %v", back, err)
	}
	for name, bad := range map[string]string{
		"another body":  strings.Replace(string(text), "3", "4", 1),
		"another field": strings.Replace(string(text), `{"id"`, `{"path":"/etc/passwd","id"`, 1),
		"two values":    string(text) + "{}",
		"not JSON":      "\x00\x01",
		"nothing":       "",
		"a kind":        strings.Replace(string(text), "square/1", "../square", 1),
		"too long":      strings.Repeat(" ", 2*MaxUnit) + string(text),
	} {
		if _, err := DecodeUnit([]byte(bad)); !errors.Is(err, ErrUnit) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, kind := range []string{"", "square", "Square/1", "a b/1", strings.Repeat("a", 60) + "/1"} {
		if _, err := NewUnit(kind, 1); err == nil {
			t.Errorf("the kind %q is taken", kind)
		}
	}
	if _, err := NewUnit("square/1", 1, "file.csv"); err == nil {
		t.Error("an input that is no hash is taken")
	}
}

// TestInputs checks that inputs are fetched once for concurrent requests, checked, and eventually dropped.
func TestInputs(t *testing.T) {
	var fetched atomic.Int32
	content := func(i int) []byte { return fmt.Appendf(nil, "content %d", i) }
	in := NewInputs(func(_ context.Context, hash string) ([]byte, error) {
		fetched.Add(1)
		for i := range 20 {
			if Hash(content(i)) == hash {
				return content(i), nil
			}
		}
		return []byte("damaged"), nil
	})
	for range 3 {
		if b, err := in.Bytes(t.Context(), Hash(content(1))); err != nil || string(b) != "content 1" {
			t.Fatal(string(b), err)
		}
	}
	if fetched.Load() != 1 {
		t.Errorf("fetched %d times", fetched.Load())
	}
	for i := range 20 {
		must.Get(in.Bytes(t.Context(), Hash(content(i))))
	}
	if len(in.kept) > keptInputs {
		t.Errorf("%d inputs are kept", len(in.kept))
	}
	in.Room = 25 // bytes, for two of the inputs
	for i := range 5 {
		must.Get(in.Bytes(t.Context(), Hash(content(i))))
	}
	if len(in.kept) != 2 || in.total() > in.Room {
		t.Errorf("%d inputs of %d bytes are kept in a room of %d", len(in.kept), in.total(), in.Room)
	}
	if _, err := in.Bytes(t.Context(), Hash([]byte("x"))); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a damaged input: %v", err)
	}
}

// TestJobID checks that two jobs are the same if their units are.
func TestJobID(t *testing.T) {
	a, b, c := squareJob(t, 1, 2), squareJob(t, 1, 2), squareJob(t, 2, 1)
	if b.Title = "other"; a.ID() != b.ID() || a.ID() == c.ID() || !slices.Equal(a.Kinds(), []string{"square/1"}) {
		t.Error(a.ID(), b.ID(), c.ID(), a.Kinds())
	}
}
