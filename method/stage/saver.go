package stage

import (
	"context"
	"fmt"
	"time"
)

// saver saves the states of one run. A nil saver saves nothing.
type saver struct {
	store  Store
	every  time.Duration
	failed func(error)
	state  *runState
	saved  time.Time
	began  time.Time // start of the present stage
	before float64   // seconds spent on it before the interruption
	resume []byte    // saved state of state.Stage, until that stage begins
	open   bool      // a stage is in progress
	closed bool      // no more saves
}

// newSaver loads an existing state, rejects one of another run, and saves a first state, so that an unwritable store is detected
// before the work begins.
func newSaver(key Key, o Settings) (*saver, error) {
	if o.Store == nil {
		return nil, nil
	}
	fail := func(err error) (*saver, error) { return nil, fmt.Errorf("%w: %w", ErrStore, err) }
	k := &saver{
		store: o.Store, every: o.Every, failed: o.SaveFailed,
		state: &runState{Key: key, Seconds: map[string]float64{}},
	}
	old, err := k.store.Load()
	if err != nil {
		return fail(err)
	}
	if old != nil {
		st, err := decodeState(unmarked(old))
		if err != nil {
			return fail(fmt.Errorf("%w; finish the run with the version that began it, or remove the state to start from the beginning", err))
		}
		if err := st.fits(key); err != nil {
			return fail(err)
		}
		k.state, k.resume = st, st.state
	}
	if err := k.save(); err != nil {
		return fail(err)
	}
	return k, nil
}

func (k *saver) save() error {
	b, err := k.state.encode()
	if err == nil {
		err = k.store.Save(b)
	}
	k.saved = time.Now()
	return err
}

// pause is called by stages where they can be resumed. It saves if a save is due or the context has ended.
func (k *saver) pause(ctx context.Context, state func() []byte) {
	if k.closed || ctx.Err() == nil && time.Since(k.saved) < k.every {
		return
	}
	k.state.state = state()
	k.state.Seconds[timingName(k.state.Stage)] = k.before + time.Since(k.began).Seconds()
	if err := k.save(); err != nil && k.failed != nil {
		k.failed(fmt.Errorf("%w: %w", ErrStore, err))
	}
}

// answer returns the result of a finished stage.
func (k *saver) answer(name string) ([]byte, bool) {
	if k == nil {
		return nil, false
	}
	for _, s := range k.state.Done {
		if s.Name == name && s.value == nil {
			return s.Answer, true
		}
	}
	return nil, false
}

// begin starts a stage and returns the state to resume it from. If the previous stage has no result, the context has ended and the
// state is not saved.
func (k *saver) begin(name string) (resume []byte) {
	k.closed = k.closed || k.open
	k.open = true
	if k.state.Stage == name {
		resume = k.resume
	}
	if !k.closed {
		k.state.Stage, k.state.state = name, resume
	}
	k.resume = nil
	k.began, k.before = time.Now(), k.state.Seconds[timingName(name)]
	return resume
}

// finish stores the result of the present stage, which must not change any more.
func (k *saver) finish(name string, answer any) {
	k.open = false
	k.state.Done = append(k.state.Done, doneStage{Name: name, value: answer})
	k.state.Stage, k.state.state = "", nil
}
