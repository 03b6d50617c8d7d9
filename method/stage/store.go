package stage

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/internal/wire"
)

// A Store keeps the state of a run, so that one that was killed can go on. Package checkpoint keeps it in a
// directory.
type Store interface {
	// Save replaces what was saved before. It must not keep state, and must leave the old one in place where it fails.
	Save(state []byte) error
	// Load returns what was saved last, or nil and no error where there is nothing.
	Load() (state []byte, err error)
}

// ErrStore is matched by the errors of a run that cannot take up its state, or cannot save a first one.
var ErrStore = errors.New("checkpoint")

// A Key is all that decides what a run makes. A state is only taken up by a run with the same key.
type Key struct {
	Data     [sha256.Size]byte // a hash of all that is read of the data
	Settings []byte            // a JSON object: the method, its settings as used, the seed
	// Table is a JSON object that describes the data for a message: rows, columns and how they were read. It decides nothing.
	Table []byte
}

// schema names the layout of a state. It changes when the layout changes, or what a run makes of it.
const schema = "polydag.checkpoint/2"

// runState is what a store holds. The clock decides when it is saved and nothing else.
type runState struct {
	Key     Key
	Done    []doneStage
	Stage   string // under way
	Trace   recorder
	Seconds map[string]float64

	state []byte // of Stage; nil where it has to start over
}

// doneStage is a stage's answer, encoded by gob: floats bit by bit.
type doneStage struct {
	Name   string
	Answer []byte

	value any // the answer until the next save, which may never come
}

// encode writes the state of the stage as it is, since it may be large, and the rest by gob.
func (st *runState) encode() ([]byte, error) {
	for i := range st.Done {
		if s := &st.Done[i]; s.value != nil {
			var b bytes.Buffer
			if err := gob.NewEncoder(&b).Encode(s.value); err != nil {
				return nil, err
			}
			s.Answer, s.value = b.Bytes(), nil
		}
	}
	var rest bytes.Buffer
	if err := gob.NewEncoder(&rest).Encode(st); err != nil {
		return nil, err
	}
	w := wire.NewWriter(schema)
	w.Grow(rest.Len() + len(st.state) + 64)
	w.Raw(rest.Bytes())
	w.Raw(st.state)
	return w.Seal(), nil
}

func decodeState(b []byte) (*runState, error) {
	r := wire.NewReader(schema, b)
	rest, state := r.Raw(), r.Raw()
	if err := r.Close(); err != nil {
		return nil, err
	}
	st := &runState{}
	if err := gob.NewDecoder(bytes.NewReader(rest)).Decode(st); err != nil {
		return nil, err
	}
	if len(state) > 0 {
		st.state = state
	}
	if st.Seconds == nil {
		st.Seconds = map[string]float64{}
	}
	return st, nil
}

// fits reports how the run of a state differs from the present one.
func (st *runState) fits(now Key) error {
	const way = "take what it was made with, or another place for the checkpoint"
	switch {
	case st.Key.Data != now.Data:
		what := differ(st.Key.Table, now.Table)
		if what == "" {
			what = "the values in the table differ"
		}
		if !bytes.Equal(st.Key.Settings, now.Settings) {
			what += "; and with other settings: " + differ(st.Key.Settings, now.Settings)
		}
		return fmt.Errorf("it belongs to a run on other data: %s; %s", what, way)
	case !bytes.Equal(st.Key.Settings, now.Settings):
		return fmt.Errorf("it belongs to a run with other settings: %s; %s", differ(st.Key.Settings, now.Settings), way)
	}
	return nil
}

// differ lists the entries of two JSON objects that are not equal; it is empty where one of the objects is.
func differ(there, here []byte) string {
	if len(there) == 0 || len(here) == 0 {
		return ""
	}
	var a, b map[string]json.RawMessage
	if json.Unmarshal(there, &a) != nil || json.Unmarshal(here, &b) != nil {
		return "they cannot be compared"
	}
	show := func(v json.RawMessage) string {
		if v == nil {
			return "nothing"
		}
		return string(v)
	}
	var list []string
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			list = append(list, fmt.Sprintf("%s is %s there and %s here", name, show(a[name]), show(b[name])))
		}
	}
	for name := range b {
		if a[name] == nil {
			list = append(list, fmt.Sprintf("%s is nothing there and %s here", name, show(b[name])))
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
