package study

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/polydag/polydag"
)

// A Run is one point of a study's grid and all that its work needs: plain fields, so that its JSON can be sent to another process,
// which decodes it with DecodeRun, calls Do and sends the record and the graph back. Only given data is not part of it: Execution.Load
// has to find that wherever the run is done.
type Run struct {
	Key        string   `json:"key"`        // a hash of all that decides the result
	Experiment string   `json:"experiment"` // the first of the study that has this run
	Label      string   `json:"label"`      // of the data, for messages
	Kind       string   `json:"kind"`
	Point      Point    `json:"data"`
	Protocol   string   `json:"protocol,omitempty"` // of learn
	MethodName string   `json:"name,omitempty"`     // in the study
	Method     string   `json:"method,omitempty"`   // one of polydag.Methods
	Set        Settings `json:"set,omitempty"`      // what differs from the method's defaults
	Seed       uint64   `json:"seed"`
	Trace      bool     `json:"trace,omitempty"`
	Rows       bool     `json:"rows,omitempty"`   // learn from the rows and not from moments
	Halves     bool     `json:"halves,omitempty"` // and from halves of them
}

// DecodeRun reads the JSON of a run. It refuses one whose key this program does not find again: its defaults are others, and so would
// be the record.
func DecodeRun(text []byte) (Run, error) {
	var r Run
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		return Run{}, fmt.Errorf("not a run of a study: %w", err)
	}
	if _, err := r.config(); err != nil {
		return Run{}, fmt.Errorf("the run %s: %w", r.Key, err)
	}
	if key := r.key(); key != r.Key {
		return Run{}, fmt.Errorf("the run %s has the key %s here; use the version of polydag that it comes from", r.Key, key)
	}
	return r, nil
}

// Do does the run and returns its record and, where something was learned, the graph. An error means that there is no record: no
// data, or a context that ended.
func (r Run) Do(ctx context.Context, opt Execution) (*Record, *Graph, error) {
	opt = opt.described()
	r.Point.label = r.Label
	switch r.Kind {
	case KindCost:
		rec, err := r.cost(ctx, opt)
		return rec, nil, err
	case KindCycle:
		rec, err := r.cycle(opt)
		return rec, nil, err
	}
	rec, res, err := r.learn(ctx, opt)
	if err != nil || res == nil {
		return rec, nil, err
	}
	return rec, newGraph(r.Key, res.Edges), nil
}

// config is what a run of kind learn calls polydag.Learn with.
func (r Run) config() (polydag.Config, error) {
	if r.Kind != KindLearn {
		return polydag.Config{}, nil
	}
	c, err := Method{Method: r.Method, Set: r.Set}.config()
	c.Standardize, c.Seed = strings.HasSuffix(r.Protocol, "standardize"), r.Seed
	return c, err
}

// checked is config of a run that Expand or DecodeRun has checked.
func (r Run) checked() polydag.Config {
	c, err := r.config()
	if err != nil {
		panic(err)
	}
	return c
}

// key hashes the canonical JSON (fields in the order of the struct) of what decides the result.
func (r Run) key() string {
	id := struct {
		Kind     string `json:"kind"`
		Point    Point  `json:"data"`
		Protocol string `json:"protocol,omitempty"`
		Settings *used  `json:"settings,omitempty"`
		Seed     uint64 `json:"seed"`
		Trace    bool   `json:"trace,omitempty"`
		Rows     bool   `json:"rows,omitempty"`
		Halves   bool   `json:"halves,omitempty"`
	}{r.Kind, r.Point, r.Protocol, nil, r.Seed, r.Trace, r.Rows, r.Halves}
	if r.Kind == KindLearn {
		id.Settings = usedOf(r.checked())
	}
	b, err := json.Marshal(id)
	if err != nil {
		panic(err) // plain fields; numbers were checked to be finite
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Flops estimates the work of a run, for the order of the runs and the time left; it decides nothing else.
func (r Run) Flops() float64 {
	d := float64(columnsOf(r.Point))
	if d == 0 {
		d = 40
	}
	cube, n := 2*d*d*d, max(float64(r.Point.Samples), 1000)
	data := 2*n*d*d + 1e7
	switch r.Kind {
	case KindCycle:
		return 1e6
	case KindCost:
		return 15*cube*(30+min(d, maxPoly)) + 100*8*cube
	}
	return data + r.checked().Method.Cost(r.Point.Samples, int(d), 1).Flops
}

// columnsOf is the number of columns where the grid tells it; for k: d, which Validate refuses elsewhere.
func columnsOf(p Point) int {
	if p.Simulated() {
		return p.Nodes
	}
	return len(p.Columns)
}
