package stage

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"strings"
	"time"
)

// Kind says which figures of a Progress mean something.
type Kind int

// The kinds of stages.
const (
	Search     Kind = iota // a search over graphs: Edges
	Solve                  // a continuous solver: H, Rho and Alpha
	Replicates             // resampled tables: Step of Steps are done
	Chains                 // rounds of chains that sample: Step of at most Steps are done
)

// Progress is how far a stage is.
type Progress struct {
	Stage       string
	Kind        Kind
	Step, Steps int // gradient steps, or rounds of a search; Steps is 0 where their number is not known
	Score       float64
	H           float64 // the constraint
	Rho, Alpha  float64 // its weights
	Edges       int
	Untraced    bool // not comparable with the other points of the stage, so not for the trace
}

// A Run is one run of a method. Its methods are called from the goroutine of the method. A nil Run watches
// and keeps nothing.
type Run struct {
	observe func(Progress)
	keep    *keeper // nil without a store
	prefix  string  // of the names of stages
	trace   *recorder
	seconds map[string]float64
}

// Options say how a run is watched and kept. None of them changes what a method makes. The zero value does neither.
type Options struct {
	// Observe is called from the goroutine of the method, once a step, and must be quick. It may be nil.
	Observe func(Progress)
	// Store keeps the state of the run; nil keeps none.
	Store Store
	// Every is the least time between two saves; 0 saves at each opportunity. Besides, a state is saved at the
	// beginning and when the context ends.
	Every time.Duration
	// SaveFailed is told of each save that failed, except for the first, which ends the run with an error. The
	// run goes on and tries again. It may be nil.
	SaveFailed func(error)
}

// New starts a run, or takes up the one whose state the store holds. A state of another key is an error, and so is
// a store that cannot be written; both match ErrStore.
func New(key Key, o Options) (*Run, error) {
	keep, err := newKeeper(key, o)
	if err != nil {
		return nil, err
	}
	r := &Run{observe: o.Observe, keep: keep, trace: &recorder{}, seconds: map[string]float64{}}
	if keep != nil {
		r.trace, r.seconds = &keep.state.Trace, keep.state.Seconds
	}
	return r, nil
}

// Named returns a run that shares everything with r, except that the names of its stages begin with prefix
// and its course is not traced: a second solve that the first is compared with.
func (r *Run) Named(prefix string) *Run {
	if r == nil {
		return nil
	}
	other := *r
	other.prefix, other.trace = r.prefix+prefix, nil
	return &other
}

// Tell passes progress on to whoever watches, and to the trace.
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

// Traces returns the course of each stage so far.
func (r *Run) Traces() []Trace { return r.trace.traces() }

// Seconds returns the seconds of each stage, those before an interruption included. The map belongs to r.
func (r *Run) Seconds() map[string]float64 { return r.seconds }

// A Point is what a stage gets to save itself and to be taken up.
type Point struct {
	// Pause is called wherever the stage can be taken up again; nil where nothing is kept. state encodes where
	// it stands and is called when a save is due.
	Pause func(state func() []byte)
	// Resume is what state returned in the run that was interrupted, or nil.
	Resume []byte
}

// Do makes a stage, or returns what it made before the run was interrupted. make reports whether its answer is
// whole; one that the context cut short is not kept. V must survive gob.
func Do[V any](ctx context.Context, r *Run, name string, make func(Point) (answer V, whole bool, err error)) (V, error) {
	var v V
	if r == nil {
		v, _, err := make(Point{})
		return v, err
	}
	key := r.prefix + name
	if b, ok := r.keep.answer(key); ok {
		if err := gob.NewDecoder(bytes.NewReader(b)).Decode(&v); err != nil {
			return v, fmt.Errorf("%w: the answer of %s: %w", ErrStore, key, err)
		}
		return v, nil
	}
	var at Point
	if k := r.keep; k != nil {
		at = Point{Pause: func(state func() []byte) { k.pause(ctx, state) }, Resume: k.begin(key)}
	}
	part := timingName(key)
	start, before := time.Now(), r.seconds[part]
	v, whole, err := make(at)
	r.seconds[part] = before + time.Since(start).Seconds()
	if r.keep != nil && whole && err == nil {
		r.keep.finish(key, v)
	}
	return v, err
}

// timingName is the name under which a stage's seconds are added up: that of the whole where the stage is a
// part of one, as in "order-equal/top-down".
func timingName(stage string) string {
	whole, _, _ := strings.Cut(stage, "/")
	return whole
}
