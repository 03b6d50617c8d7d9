package stage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/internal/must"
)

// memory is a store that may fail.
type memory struct {
	state []byte
	saves int
	fails error
}

func (m *memory) Save(state []byte) error {
	if m.fails != nil {
		return m.fails
	}
	m.state = slices.Clone(state)
	m.saves++
	return nil
}

func (m *memory) Load() ([]byte, error) { return m.state, m.fails }

func key(data byte, settings string) Key {
	k := Key{Settings: []byte(settings), Table: []byte(fmt.Sprintf(`{"rows":%d}`, data))}
	k.Data[0] = data
	return k
}

// TestInterruptedRun stops a run of three stages in its second, and resumes it: the first stage is not done again, the second begins
// from its state, and the seconds of both runs add up.
func TestInterruptedRun(t *testing.T) {
	store := &memory{}
	ctx, stop := context.WithCancel(t.Context())
	run, err := New(key(1, `{"a":1}`), Settings{Store: store})
	must.Succeed(t, err)
	if v, err := Do(ctx, run, "first", func(p Point) (int, bool, error) { return 11, true, nil }); v != 11 || err != nil {
		t.Fatalf("first stage: %v, %v", v, err)
	}
	Do(ctx, run, "second/part", func(p Point) (int, bool, error) {
		if p.Resume != nil {
			t.Errorf("a new stage resumes %q", p.Resume)
		}
		p.Pause(func() []byte { return []byte("halfway") })
		stop()
		p.Pause(func() []byte { return []byte("further") })
		time.Sleep(time.Millisecond)
		return 0, false, nil
	})
	Do(ctx, run, "third", func(p Point) (int, bool, error) { // its state must not replace that of the second
		p.Pause(func() []byte { return []byte("too late") })
		return 0, false, nil
	})
	before := run.Seconds()["second"]
	if !(before > 0) {
		t.Errorf("seconds %v", run.Seconds())
	}

	run = must.Get(New(key(1, `{"a":1}`), Settings{Store: store}))
	if v, err := Do(t.Context(), run, "first", func(p Point) (int, bool, error) { return 0, true, errors.New("done again") }); v != 11 || err != nil {
		t.Errorf("first stage after the interruption: %v, %v", v, err)
	}
	for _, want := range []string{"further", ""} { // a stage resumes once
		Do(t.Context(), run, "second/part", func(p Point) (int, bool, error) {
			if string(p.Resume) != want {
				t.Errorf("the second stage resumes %q, want %q", p.Resume, want)
			}
			return 0, false, nil
		})
	}
	if _, err := Do(t.Context(), run, "fourth", func(p Point) (int, bool, error) { return 0, true, errors.New("fault") }); err == nil {
		t.Error("the fault of a stage is lost")
	}
	if v, err := Do(t.Context(), run, "fourth", func(p Point) (int, bool, error) { return 4, true, nil }); v != 4 || err != nil {
		t.Errorf("a stage after its fault: %v, %v", v, err)
	}
}

// A save is made at the beginning, then when the time between two has passed, and when the context ends.
func TestTimesOfSaves(t *testing.T) {
	for every, want := range map[time.Duration]int{0: 4, time.Hour: 2} {
		store := &memory{}
		run := must.Get(New(key(1, `{}`), Settings{Store: store, Every: every}))
		ctx, stop := context.WithCancel(t.Context())
		Do(ctx, run, "one", func(p Point) (int, bool, error) {
			p.Pause(func() []byte { return nil })
			p.Pause(func() []byte { return nil })
			stop()
			p.Pause(func() []byte { return nil })
			return 1, false, nil
		})
		if store.saves != want {
			t.Errorf("at least %v between two saves: %d saves, want %d", every, store.saves, want)
		}
	}
	store, told := &memory{}, 0
	run := must.Get(New(key(1, `{}`), Settings{Store: store, SaveFailed: func(err error) {
		if told++; !errors.Is(err, ErrStore) {
			t.Errorf("%v does not match ErrStore", err)
		}
	}}))
	store.fails = errors.New("disk full")
	Do(t.Context(), run, "one", func(p Point) (int, bool, error) {
		p.Pause(func() []byte { return nil })
		return 1, true, nil
	})
	if told != 1 {
		t.Errorf("a failed save was reported %d times", told)
	}
	if _, err := New(key(1, `{}`), Settings{Store: store}); !errors.Is(err, ErrStore) || !errors.Is(err, store.fails) {
		t.Errorf("a store that fails: %v", err)
	}
}

func TestStateOfAnotherRun(t *testing.T) {
	store := &memory{}
	must.Get(New(key(1, `{"a":1}`), Settings{Store: store}))
	for want, now := range map[string]Key{
		"other settings: a is 1 there and 2 here;":                                                key(1, `{"a":2}`),
		"other data: rows is 1 there and 2 here;":                                                 key(2, `{"a":1}`),
		"rows is 1 there and 2 here; and with other settings: a is 1 there and 3 here; take what": key(2, `{"a":3}`),
		"the values in the table differ":                                                          {Data: [32]byte{2}, Settings: []byte(`{"a":1}`)},
	} {
		if _, err := New(now, Settings{Store: store}); !errors.Is(err, ErrStore) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	store.state = store.state[:len(store.state)-1]
	if _, err := New(key(1, `{"a":1}`), Settings{Store: store}); err == nil || !strings.Contains(err.Error(), "remove the state") {
		t.Errorf("a damaged state: %v", err)
	}
}

// Runs that share a store follow each other: the state of the present phase is resumed, an earlier phase leaves it alone, a later phase
// replaces it, and other runs see the state without its mark.
func TestPhases(t *testing.T) {
	store := &memory{}
	own := key(1, `{"a":1}`)
	second := Phase(store, own, 2)
	must.Succeed(t, second.Save([]byte("state of two")))
	saved := slices.Clone(store.state)
	for phase, want := range map[byte]string{1: "", 2: "state of two", 3: ""} {
		store.state = slices.Clone(saved)
		s := Phase(store, own, phase)
		got, err := s.Load()
		if err != nil || string(got) != want {
			t.Errorf("phase %d loads %q, %v, want %q", phase, got, err, want)
		}
		must.Succeed(t, s.Save([]byte("new")))
		if kept := bytes.Equal(store.state, saved); kept != (phase < 2) {
			t.Errorf("phase %d keeps the state of phase 2: %v", phase, kept)
		}
	}
	store.state = saved
	if got, err := Phase(store, key(2, `{"a":1}`), 1).Load(); err != nil || string(got) != "state of two" {
		t.Errorf("another run loads %q, %v, want the state without its mark", got, err)
	}
	if got := unmarked(saved); string(got) != "state of two" {
		t.Errorf("without its mark: %q", got)
	}
	for _, other := range []string{"", "phase", "something else that is much longer than the mark of a phase, which has 38 bytes"} {
		store.state = []byte(other)
		if got, err := Phase(store, own, 2).Load(); err != nil || string(got) != other || string(unmarked([]byte(other))) != other {
			t.Errorf("a state without a mark: %q, %v, want %q", got, err, other)
		}
	}
	store.fails = errors.New("unreadable")
	if _, err := second.Load(); !errors.Is(err, store.fails) {
		t.Errorf("%v", err)
	}
}

// A nil run does the work and saves nothing, and names of stages have the prefixes of their runs.
func TestRunWithoutStore(t *testing.T) {
	if v, err := Do(t.Context(), nil, "one", func(p Point) (int, bool, error) { return 5, true, nil }); v != 5 || err != nil {
		t.Errorf("%v, %v", v, err)
	}
	var none *Run
	if none.Tell(Progress{}); none.Named("a") != nil {
		t.Error("a nil run has a name")
	}
	var told []string
	run := must.Get(New(Key{}, Settings{Observe: func(p Progress) { told = append(told, p.Stage) }}))
	run.Tell(Progress{Stage: "search: round 1", Kind: Search, Step: 1})
	run.Tell(Progress{Stage: "search: round 2", Kind: Search, Step: 2, Untraced: true})
	run.Named("outer/").Named("inner/").Tell(Progress{Stage: "solve", Kind: Solve})
	if want := []string{"search: round 1", "search: round 2", "outer/inner/solve"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if got := run.Traces(); len(got) != 1 || got[0].Stage != "search" {
		t.Errorf("traces %+v", got)
	}
}
