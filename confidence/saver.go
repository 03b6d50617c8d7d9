package confidence

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/wire"
)

// keptSchema names the format of saved states.
const keptSchema = "polydag.confidence/2"

// saver is the store of the run on the whole table. It also saves the outcomes of replicates and the walks of chains. A nil saver
// saves nothing.
type saver struct {
	store    polydag.Checkpoint
	run      []byte // state of the run on the whole table
	outcomes []Outcome
	walks    map[string][]byte // by the hash of everything that decides them
	saved    time.Time
	dirty    bool
}

// Load returns the state of the run on the whole table.
func (k *saver) Load() ([]byte, error) {
	b, err := k.store.Load()
	if err != nil || b == nil {
		return b, err
	}
	r := wire.NewReader(keptSchema, b)
	run, outcomes, walks := r.Raw(), r.Raw(), r.Raw()
	if err := r.Close(); err != nil {
		return nil, fmt.Errorf("%w; it may be that of a run without replicates: take another place, or what it was made with", err)
	}
	if err := gob.NewDecoder(bytes.NewReader(outcomes)).Decode(&k.outcomes); err != nil {
		return nil, fmt.Errorf("the replicates that are done: %w", err)
	}
	if err := gob.NewDecoder(bytes.NewReader(walks)).Decode(&k.walks); err != nil {
		return nil, fmt.Errorf("the walks that are done: %w", err)
	}
	return run, nil
}

// Save stores the state of the run on the whole table.
func (k *saver) Save(state []byte) error {
	k.run = bytes.Clone(state)
	return k.save()
}

func (k *saver) save() error {
	var b, walks bytes.Buffer
	if err := errors.Join(gob.NewEncoder(&b).Encode(k.outcomes), gob.NewEncoder(&walks).Encode(k.walks)); err != nil {
		return err
	}
	w := wire.NewWriter(keptSchema)
	w.Raw(k.run)
	w.Raw(b.Bytes())
	w.Raw(walks.Bytes())
	err := k.store.Save(w.Seal())
	k.saved, k.dirty = time.Now(), err != nil
	return err
}

func (k *saver) done() []Outcome {
	if k == nil {
		return nil
	}
	return k.outcomes
}

// add stores an outcome, and saves if a save is due.
func (k *saver) add(o Outcome, how polydag.Run) {
	if k == nil {
		return
	}
	k.outcomes = append(k.outcomes, o)
	k.changed(how)
}

// changed saves if a save is due.
func (k *saver) changed(how polydag.Run) {
	if k.dirty = true; time.Since(k.saved) >= how.Every {
		k.flush(how)
	}
}

// walk returns a saved walk, or nil.
func (k *saver) walk(key string) []byte {
	if k == nil {
		return nil
	}
	return k.walks[key]
}

// addWalk stores a walk, and saves if a save is due.
func (k *saver) addWalk(key string, walked []byte, how polydag.Run) {
	if k == nil {
		return
	}
	if k.walks == nil {
		k.walks = map[string][]byte{}
	}
	k.walks[key] = walked
	k.changed(how)
}

func (k *saver) flush(how polydag.Run) {
	if k == nil || !k.dirty {
		return
	}
	if err := k.save(); err != nil && how.SaveFailed != nil {
		how.SaveFailed(fmt.Errorf("%w: %w", polydag.ErrCheckpoint, err))
	}
}
