package stage

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"strings"
	"time"
)

// Kind determines which fields of a Progress are set.
type Kind int

const (
	Search     Kind = iota // a search over graphs: Edges
	Solve                  // a continuous solver: H, Rho and Alpha
	Replicates             // bootstrap samples: Step of Steps are done
	Chains                 // rounds of MCMC chains: Step of at most Steps are done
)

// Progress is the progress of a stage.
type Progress struct {
	Stage       string
	Kind        Kind
	Step, Steps int // gradient steps, or rounds of a search; Steps is 0 if unknown
	Score       float64
	H           float64 // value of the constraint
	Rho, Alpha  float64 // weights of the constraint
	Edges       int
	Untraced    bool // not comparable with the other points of the stage, so omitted from the trace
}

// A Run is one run of a method. Its methods are called from the goroutine of the method. A nil Run neither reports nor saves.
type Run struct {
	observe func(Progress)
	saver   *saver // nil without a store
	prefix  string // prefix of stage names
	trace   *recorder
	seconds map[string]float64
}

// Settings are the observer and the checkpoint of a run. They do not change the result. The zero value has neither.
type Settings struct {
	// Observe, if not nil, is called from the goroutine of the method once per step, and must be quick.
	Observe func(Progress)
	// Store saves the state of the run; nil saves none.
	Store Store
	// Every is the shortest time between two saves; 0 saves at each opportunity. A state is also saved at the beginning and when
	// the context ends.
	Every time.Duration
	// SaveFailed, if not nil, is called for each failed save except the first, which ends the run with an error. The run continues
	// and tries again.
	SaveFailed func(error)
}

// New starts a run, or resumes the one in the store. A state with another key and an unwritable store are errors that match
// ErrStore.
func New(key Key, o Settings) (*Run, error) {
	saver, err := newSaver(key, o)
	if err != nil {
		return nil, err
	}
	r := &Run{observe: o.Observe, saver: saver, trace: &recorder{}, seconds: map[string]float64{}}
	if saver != nil {
		r.trace, r.seconds = &saver.state.Trace, saver.state.Seconds
	}
	return r, nil
}

// Named returns a run that shares everything with r, except that its stage names begin with prefix and it is not traced.
func (r *Run) Named(prefix string) *Run {
	if r == nil {
		return nil
	}
	other := *r
	other.prefix, other.trace = r.prefix+prefix, nil
	return &other
}

// Tell passes progress to the observer and the trace.
func (r *Run) Tell(p Progress) {
	if r == nil {
		return
	}
	if !p.Untraced {
		name, _, _ := strings.Cut(p.Stage, ": ")
		r.trace.add(name, p)
	}
	if r.observe != nil {
		p.Stage = r.prefix + p.Stage
		r.observe(p)
	}
}

// Traces returns the trace of each stage so far.
func (r *Run) Traces() []Trace { return r.trace.traces() }

// Seconds returns the seconds of each stage, including those before an interruption. The map belongs to r.
func (r *Run) Seconds() map[string]float64 { return r.seconds }

// A Point lets a stage save and resume its state.
type Point struct {
	// Pause is called where the stage can be resumed; nil without a store. state encodes the stage and is called if a save is due.
	Pause func(state func() []byte)
	// Resume is the saved state of the interrupted run, or nil.
	Resume []byte
}

// Do runs a stage, or returns its result from before an interruption. make reports whether its result is complete; one that the
// context cut short is not saved. V must be encodable by gob.
func Do[V any](ctx context.Context, r *Run, name string, make func(Point) (answer V, whole bool, err error)) (V, error) {
	var v V
	if r == nil {
		v, _, err := make(Point{})
		return v, err
	}
	key := r.prefix + name
	if b, ok := r.saver.answer(key); ok {
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&v); err != nil {
			return v, fmt.Errorf("%w: the answer of %s: %w", ErrStore, key, err)
		}
		return v, nil
	}
	var at Point
	if k := r.saver; k != nil {
		at = Point{Pause: func(state func() []byte) { k.pause(ctx, state) }, Resume: k.begin(key)}
	}
	part := timingName(key)
	start, before := time.Now(), r.seconds[part]
	v, whole, err := make(at)
	r.seconds[part] = before + time.Since(start).Seconds()
	if r.saver != nil && whole && err == nil {
		r.saver.finish(key, v)
	}
	return v, err
}

// timingName returns the name under which the seconds of a stage are summed. For a substage such as
// "order-equal/top-down" it is the name of the whole stage.
func timingName(stage string) string {
	whole, _, _ := strings.Cut(stage, "/")
	return whole
}
