// Package work defines units of work and runs them on the threads of one process. Package jetstream runs the
// same units on many machines.
//
//	job := &work.Job{Title: "three squares", Units: units}
//	err := work.Pool{Workers: 2, Handlers: handlers}.Run(ctx, job, work.InOrder(len(units), each))
//
// A unit is a pure function of its body and of the inputs that it names by hash. The outcome has the same bytes
// on every worker. So a unit may run twice and count once.
package work

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// A Unit is one piece of work. ID is the hash of everything that determines the outcome: Kind, Body and Needs.
type Unit struct {
	ID   string          `json:"id"`
	Kind string          `json:"kind"` // name of the handler, with the version of the body: study.run/1
	Body json.RawMessage `json:"body"`
	// Needs lists the shared inputs by the SHA-256 of their bytes.
	Needs []string `json:"needs,omitempty"`
}

// NewUnit returns a unit with body encoded as JSON.
func NewUnit(kind string, body any, needs ...string) (Unit, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return Unit{}, fmt.Errorf("a unit of kind %s: %w", kind, err)
	}
	u := Unit{Kind: kind, Body: text, Needs: needs}
	u.ID = u.hash()
	return u, u.check()
}

// hash includes the lengths of the parts, so that different units never hash the same bytes.
func (u *Unit) hash() string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d\n%s%s%s", len(u.Kind), len(u.Body), len(u.Needs), u.Kind, u.Body, strings.Join(u.Needs, " "))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// MaxUnit limits the size of an encoded unit in bytes. Larger data belongs in Needs.
const MaxUnit = 512 << 10

var (
	kindForm = regexp.MustCompile(`^[a-z][a-z0-9.-]{0,39}/[0-9]{1,3}$`)
	hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

func (u *Unit) check() error {
	switch {
	case !kindForm.MatchString(u.Kind):
		return fmt.Errorf("%w: its kind is %.60q", ErrUnit, u.Kind)
	case u.ID != u.hash():
		return fmt.Errorf("%w: its id is %.40q and its content has %s", ErrUnit, u.ID, u.hash())
	case len(u.Body) > MaxUnit || len(u.Needs) > 64:
		return fmt.Errorf("%w: it has %d bytes and %d inputs, at most %d and 64 are taken", ErrUnit, len(u.Body), len(u.Needs), MaxUnit)
	}
	for _, n := range u.Needs {
		if !hashForm.MatchString(n) {
			return fmt.Errorf("%w: it needs %.80q, which is no SHA-256", ErrUnit, n)
		}
	}
	return nil
}

// ErrUnit is matched by the error for bytes that do not decode as a unit.
var ErrUnit = errors.New("not a unit of work")

// Encode returns the encoding that DecodeUnit reads.
func (u *Unit) Encode() ([]byte, error) { return json.Marshal(u) }

// DecodeUnit decodes an untrusted unit. It limits the size, rejects unknown fields, and checks that the ID is
// the hash of the content.
func DecodeUnit(text []byte) (Unit, error) {
	var u Unit
	if len(text) > 2*MaxUnit {
		return u, fmt.Errorf("%w: %d bytes, at most %d are taken", ErrUnit, len(text), 2*MaxUnit)
	}
	if err := Strict(text, &u); err != nil {
		return u, fmt.Errorf("%w: %w", ErrUnit, err)
	}
	return u, u.check()
}

// Strict decodes one JSON value and rejects unknown fields and trailing data.
func Strict(text []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the value")
	}
	return nil
}

// A Blob is a shared input of units. Open may be called several times.
type Blob struct {
	Size int64
	Open func() (io.ReadCloser, error)
}

// Hash returns the name of an input with these bytes.
func Hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// A Job is a list of units that belong together.
type Job struct {
	Title string // shown in lists of jobs
	Units []Unit
	Blobs map[string]Blob // by hash: all inputs of the units
}

// Add adds bytes as an input and returns their name.
func (j *Job) Add(b []byte) string {
	if j.Blobs == nil {
		j.Blobs = map[string]Blob{}
	}
	name := Hash(b)
	j.Blobs[name] = Blob{int64(len(b)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}
	return name
}

// ID returns the hash of all units in order, so the same job always has the same ID.
func (j *Job) ID() string {
	h := sha256.New()
	for i := range j.Units {
		h.Write([]byte(j.Units[i].ID)) // a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Kinds lists the kinds of the units, sorted.
func (j *Job) Kinds() []string {
	var kinds []string
	for i := range j.Units {
		kinds = append(kinds, j.Units[i].Kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// A Runner runs the units of a job. It calls each once for every unit with an outcome, from one goroutine at a
// time and in any order; see InOrder. An error of each ends the run. A failed unit does not stop the others:
// the error of Run matches a *UnitError for each failed unit. When ctx ends, Run returns its cause.
type Runner interface {
	Run(ctx context.Context, job *Job, each func(i int, outcome []byte) error) error
}

// A UnitError names a unit that failed, and the reason.
type UnitError struct {
	Index    int
	ID, Kind string
	Err      error
}

func (e *UnitError) Error() string {
	return fmt.Sprintf("unit %d (%s, %s): %v", e.Index+1, e.ID, e.Kind, e.Err)
}
func (e *UnitError) Unwrap() error { return e.Err }

// InOrder calls each with unit 0 first, then 1 and so on, as soon as all earlier outcomes are available. It
// buffers early ones.
func InOrder(n int, each func(i int, outcome []byte) error) func(int, []byte) error {
	next, early := 0, map[int][]byte{}
	return func(i int, outcome []byte) error {
		if i < 0 || i >= n {
			return fmt.Errorf("outcome %d of %d units", i+1, n)
		}
		early[i] = outcome
		for {
			out, ok := early[next]
			if !ok {
				return nil
			}
			delete(early, next)
			if err := each(next, out); err != nil {
				return err
			}
			next++
		}
	}
}
