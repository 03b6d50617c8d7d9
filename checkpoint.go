package polydag

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/wire"
)

// A Checkpoint keeps the state of a run, so that one that was killed can go on. checkpoint.Dir keeps it in a directory.
type Checkpoint interface {
	// Save replaces what was saved before. It must not keep state, and must leave the old one in place where it fails.
	Save(state []byte) error
	// Load returns what was saved last, or nil and no error where there is nothing.
	Load() (state []byte, err error)
}

// SaveEvery is a good time between two saves: little to lose, and little to pay.
const SaveEvery = 5 * time.Second

// ErrCheckpoint is matched by the errors of a run that cannot take up its checkpoint, or cannot save a first state.
var ErrCheckpoint = errors.New("polydag: checkpoint")

// checkpointSchema names the layout of a state. It changes when the layout changes, or what a run makes of it.
const checkpointSchema = "polydag.checkpoint/1"

// runState is what a checkpoint holds. Stages run one after the other and each is a function of data, settings and the stages
// before, so that the results of those that are done and the state of the one under way are all there is. The clock decides
// when a state is saved and nothing else.
type runState struct {
	Data     [sha256.Size]byte // of the moments
	Settings []byte            // JSON of all that decides the result, beside the data

	Done    []doneStage
	Stage   string // under way
	Trace   recorder
	Seconds map[string]float64

	state []byte // of Stage; nil where it has to start over
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
	w := wire.NewWriter(checkpointSchema)
	w.Grow(rest.Len() + len(st.state) + 64)
	w.Raw(rest.Bytes())
	w.Raw(st.state)
	return w.Seal(), nil
}

func decodeState(b []byte) (*runState, error) {
	r := wire.NewReader(checkpointSchema, b)
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

// doneStage is a stage's answer, encoded by gob: floats bit by bit.
type doneStage struct {
	Name   string
	Answer []byte

	value any // the answer until the next save, which may never come
}

// keeper saves the states of one run. A nil keeper saves nothing.
type keeper struct {
	ctx    context.Context
	store  Checkpoint
	every  time.Duration
	failed func(error)
	state  *runState
	saved  time.Time
	began  time.Time // the stage under way
	before float64   // seconds spent on it before
	resume []byte    // of state.Stage, until that stage begins
	open   bool      // a stage is under way
	closed bool      // no save any more
}

// newKeeper loads the state that there is, refuses one of another run, and saves a first time, so that a place that cannot be
// written is known before the work begins.
func newKeeper(ctx context.Context, r Run, data *dataset.Moments, cfg Config) (*keeper, error) {
	if r.Checkpoint == nil {
		return nil, nil
	}
	fail := func(err error) (*keeper, error) { return nil, fmt.Errorf("%w: %w", ErrCheckpoint, err) }
	settings, err := cfg.decisive()
	if err != nil {
		return fail(err)
	}
	k := &keeper{
		ctx: ctx, store: r.Checkpoint, every: r.Every, failed: r.SaveFailed,
		state: &runState{Data: fingerprint(data), Settings: settings, Seconds: map[string]float64{}},
	}
	old, err := k.store.Load()
	if err != nil {
		return fail(err)
	}
	if old != nil {
		st, err := decodeState(old)
		if err != nil {
			return fail(fmt.Errorf("%w; finish the run with the version that began it, or remove the state to start afresh", err))
		}
		if err := st.fits(k.state); err != nil {
			return fail(err)
		}
		k.state, k.resume = st, st.state
	}
	if err := k.save(); err != nil {
		return fail(err)
	}
	return k, nil
}

// fits reports how the run of a state differs from the present one.
func (st *runState) fits(now *runState) error {
	const way = "take what it was made with, or another place for the checkpoint"
	switch {
	case st.Data != now.Data:
		return fmt.Errorf("it belongs to a run on other data: the moments of the columns differ; %s", way)
	case !bytes.Equal(st.Settings, now.Settings):
		return fmt.Errorf("it belongs to a run with other settings: %s; %s", settingsDiffer(st.Settings, now.Settings), way)
	}
	return nil
}

// settingsDiffer lists the settings that two runs do not share.
func settingsDiffer(there, here []byte) string {
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

// decisive encodes all settings that decide the result of the method. Threads is not among them.
func (c Config) decisive() ([]byte, error) {
	s := c.used()
	s["method"], s["seed"] = c.Method, c.Seed
	s["check_scale"] = c.checksScale()
	return json.Marshal(s)
}

// fingerprint is the SHA-256 of names, rows, means and second moments, all that a run reads of the data.
func fingerprint(m *dataset.Moments) (sum [sha256.Size]byte) {
	h := sha256.New()
	fmt.Fprintf(h, "%d rows %q\n", m.N, m.Names)
	for d := len(m.Names); d > 0; d-- {
		row := m.Scatter[(d-1)*len(m.Names) : d*len(m.Names)]
		b, _ := binary.Append(nil, binary.LittleEndian, row) // cannot fail on floats
		h.Write(b)
	}
	b, _ := binary.Append(nil, binary.LittleEndian, m.Mean)
	h.Write(b)
	h.Sum(sum[:0])
	return sum
}

func (k *keeper) save() error {
	b, err := k.state.encode()
	if err == nil {
		err = k.store.Save(b)
	}
	k.saved = time.Now()
	return err
}

// pause is what the stages call wherever they can be taken up again. It saves when the time has come, and when the context
// has ended.
func (k *keeper) pause(state func() []byte) {
	if k.closed || k.ctx.Err() == nil && time.Since(k.saved) < k.every {
		return
	}
	k.state.state = state()
	k.state.Seconds[timingName(k.state.Stage)] = k.before + time.Since(k.began).Seconds()
	if err := k.save(); err != nil && k.failed != nil {
		k.failed(fmt.Errorf("%w: %w", ErrCheckpoint, err))
	}
}

// answer returns what a stage that is done has made.
func (k *keeper) answer(name string) ([]byte, bool) {
	if k == nil {
		return nil, false
	}
	for _, s := range k.state.Done {
		if s.Name == name {
			return s.Answer, true
		}
	}
	return nil, false
}

// begin says that a stage starts, and returns the state to take it up from. A stage that starts while the one before has no
// answer runs on a context that has ended: its state is worth nothing.
func (k *keeper) begin(name string) (resume []byte) {
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

// finish keeps the answer of the stage under way, which must not change any more.
func (k *keeper) finish(name string, answer any) {
	k.open = false
	k.state.Done = append(k.state.Done, doneStage{Name: name, value: answer})
	k.state.Stage, k.state.state = "", nil
}

// carry is what a stage gets to save itself and to be taken up.
type carry struct {
	pause  func(state func() []byte)
	resume []byte
}

// timingName is the name under which Timing has a stage's seconds: that of the whole where the stage is a part of one, as in
// "order-equal/top-down".
func timingName(stage string) string {
	whole, _, _ := strings.Cut(stage, "/")
	return whole
}

// once makes a stage, or returns what it made before the run was interrupted. run reports whether its answer is whole; one that
// the context cut short is not kept. V must survive gob.
func once[V any](l *learner, name string, run func(c carry) (answer V, whole bool, err error)) (V, error) {
	k, key := l.keep, l.prefix+name
	var v V
	if b, ok := k.answer(key); ok {
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&v); err != nil {
			return v, fmt.Errorf("%w: the answer of %s: %w", ErrCheckpoint, key, err)
		}
		return v, nil
	}
	var c carry
	if k != nil {
		c = carry{k.pause, k.begin(key)}
	}
	var whole bool
	var err error
	l.timed(timingName(key), func() { v, whole, err = run(c) })
	if k != nil && whole && err == nil {
		k.finish(key, v)
	}
	return v, err
}
