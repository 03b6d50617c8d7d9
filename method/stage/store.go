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

// A Store saves the state of a run so that an interrupted run can be resumed. Package checkpoint saves it in a directory.
type Store interface {
	// Save replaces the saved state. It must not keep its argument, and must leave the old state in place if it fails.
	Save(state []byte) error
	// Load returns the last saved state, or nil and no error if there is none.
	Load() (state []byte, err error)
}

// ErrStore is matched by the errors of a run that cannot resume its state or cannot save a first one.
var ErrStore = errors.New("checkpoint")

// A Key identifies everything that decides the result of a run. Only a run with the same key can resume a state.
type Key struct {
	Data     [sha256.Size]byte // hash of the data
	Settings []byte            // a JSON object: the method, its settings as used, the seed
	// Table is a JSON object that describes the data in messages: rows, columns and how they were read. It is not compared.
	Table []byte
}

// schema names the format of a state. It changes when the format or its interpretation changes.
const schema = "polydag.checkpoint/2"

// runState is the content of a store.
type runState struct {
	Key     Key
	Done    []doneStage
	Stage   string // the present stage
	Trace   recorder
	Seconds map[string]float64

	state []byte // state of Stage; nil to start over
}

// doneStage is the result of a stage, encoded by gob.
type doneStage struct {
	Name   string
	Answer []byte

	value any // the result until the next save
}

// encode appends the state of the stage unchanged, because it may be large, and the rest by gob.
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

// fits returns an error that describes how the run of a state differs from the present one.
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

// differ lists the entries in which two JSON objects differ; it is empty if one of the objects is.
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
