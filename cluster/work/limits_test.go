package work

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// Memory is asked for only if there is a limit and an estimate, and its error is that of the unit.
func TestMemoryOfAUnit(t *testing.T) {
	asked := 0
	do := func(context.Context, json.RawMessage, *Inputs) ([]byte, error) { return []byte("done"), nil }
	fails := errors.New("no estimate")
	handlers := Handlers{
		"plain/1":  {Do: do},
		"asked/1":  {Do: do, Memory: func(json.RawMessage) (int64, error) { asked++; return 100, nil }},
		"faulty/1": {Do: do, Memory: func(json.RawMessage) (int64, error) { return 0, fails }},
	}
	for _, c := range []struct {
		kind  string
		limit int64
		asked int
		want  error
	}{
		{"plain/1", 1, 0, nil}, {"asked/1", 0, 0, nil}, {"asked/1", 100, 1, nil}, {"asked/1", 99, 1, ErrLimit}, {"faulty/1", 1, 0, fails}, {"faulty/1", 0, 0, nil},
	} {
		asked = 0
		out, err := handlers.Do(t.Context(), &Unit{Kind: c.kind}, nil, c.limit)
		if !errors.Is(err, c.want) || asked != c.asked || (err == nil) != (string(out) == "done") {
			t.Errorf("%s with a limit of %d: %q, %v, asked %d times, want %v and %d", c.kind, c.limit, out, err, asked, c.want, c.asked)
		}
	}
	if err := Fits("a sum that overflowed", -1, 1<<30); !errors.Is(err, ErrLimit) {
		t.Error(err)
	}
	if _, err := handlers.Do(t.Context(), &Unit{Kind: "other/1"}, nil, 0); err == nil || !strings.Contains(err.Error(), "asked/1, faulty/1, plain/1") {
		t.Errorf("an unknown kind: %v", err)
	}
}

// A pool does as many units at a time as it has workers, never more, and needs at least one.
func TestWorkersOfAPool(t *testing.T) {
	for _, c := range []struct{ workers, units, want int }{{1, 4, 1}, {3, 9, 3}, {8, 2, 2}} {
		began, release := make(chan int, c.units), make(chan int)
		do := func(context.Context, json.RawMessage, *Inputs) ([]byte, error) {
			began <- 1
			<-release
			return nil, nil
		}
		done := make(chan error)
		go func() {
			job := &Job{Units: slices.Repeat([]Unit{{Kind: "one/1"}}, c.units)}
			done <- Pool{Workers: c.workers, Handlers: Handlers{"one/1": {Do: do}}}.Run(t.Context(), job, func(int, []byte) error { return nil })
		}()
		for range c.want {
			<-began
		}
		select {
		case <-began:
			t.Errorf("%d workers do more than %d of %d units at a time", c.workers, c.want, c.units)
		case <-time.After(20 * time.Millisecond):
		}
		close(release)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if err := (Pool{}).Run(t.Context(), &Job{}, nil); err == nil {
		t.Error("a pool without workers runs")
	}
}

// An input that could not be fetched is fetched again; one that was decoded is not handed out as bytes; the last one stays, however large.
func TestInputsAgain(t *testing.T) {
	content := []byte("content")
	hash, times := Hash(content), 0
	in := NewInputs(func(context.Context, string) ([]byte, error) {
		if times++; times == 1 {
			return nil, errors.New("not there yet")
		}
		return content, nil
	})
	in.Room = 3
	decode := func(b []byte) (any, error) { return len(b), nil }
	if _, err := in.Get(t.Context(), hash, decode); err == nil || len(in.kept) != 0 {
		t.Errorf("%v; %d inputs are kept", err, len(in.kept))
	}
	for range 2 {
		if v, err := in.Get(t.Context(), hash, decode); err != nil || v != len(content) || times != 2 {
			t.Errorf("%v, %v, fetched %d times", v, err, times)
		}
	}
	if _, err := in.Bytes(t.Context(), hash); err == nil {
		t.Error("a decoded input is given as bytes")
	}
	other := NewInputs(func(context.Context, string) ([]byte, error) { return content, nil })
	if _, err := other.Get(t.Context(), hash, func([]byte) (any, error) { return nil, errors.New("no table") }); err == nil || !strings.Contains(err.Error(), hash) {
		t.Errorf("an input that cannot be decoded: %v", err)
	}
}

func TestSizesOfAUnit(t *testing.T) {
	needs := slices.Repeat([]string{Hash(nil)}, 64)
	for _, c := range []struct {
		body  string
		needs []string
		valid bool
	}{
		{"x", needs, true}, {"x", append(needs, Hash(nil)), false},
		{strings.Repeat("x", MaxUnit-2), nil, true}, {strings.Repeat("x", MaxUnit-1), nil, false}, // and two quotes
	} {
		if _, err := NewUnit("square/1", c.body, c.needs...); (err == nil) != c.valid || err != nil && !errors.Is(err, ErrUnit) {
			t.Errorf("%d bytes and %d inputs: %v", len(c.body), len(c.needs), err)
		}
	}
}

func TestInOrder(t *testing.T) {
	var got []int
	add := InOrder(3, func(i int, outcome []byte) error {
		if got = append(got, i); outcome[0] != byte(i) {
			t.Errorf("outcome %v of unit %d", outcome, i)
		}
		return nil
	})
	for _, i := range []int{2, 0, 1} {
		must.Succeed(t, add(i, []byte{byte(i)}))
	}
	if !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("order %v", got)
	}
	for _, i := range []int{-1, 3} {
		if err := add(i, nil); err == nil {
			t.Errorf("outcome %d of 3 units is accepted", i)
		}
	}
}
