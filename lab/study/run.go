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

// A Run is one point of a study's grid with everything that its work needs. It has plain fields, so that
// another process can decode its JSON with DecodeRun, call Do and return the record and the graph. It does not
// include given data, which Execution.Load must find.
type Run struct {
	Key        string   `json:"key"`        // hash of everything that determines the result
	Experiment string   `json:"experiment"` // first experiment of the study with this run
	Label      string   `json:"label"`      // label of the data, for messages
	Kind       string   `json:"kind"`
	Point      Point    `json:"data"`
	Protocol   string   `json:"protocol,omitempty"` // for learn
	MethodName string   `json:"name,omitempty"`     // name in the study
	Method     string   `json:"method,omitempty"`   // one of lab.All
	Set        Settings `json:"set,omitempty"`      // differences from the method's defaults
	Seed       uint64   `json:"seed"`
	Trace      bool     `json:"trace,omitempty"`
	Rows       bool     `json:"rows,omitempty"`   // learn from the rows and not from moments
	Halves     bool     `json:"halves,omitempty"` // also learn from halves of the rows
}

// DecodeRun decodes the JSON of a run. It rejects a run whose key differs from the one computed here, because
// its defaults differ.
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

// Do does the run and returns its record and, if something was learned, the graph. An error means that there is
// no record: missing data, or the end of the context.
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

// config returns the configuration of a run of kind learn.
func (r Run) config() (polydag.Config, error) {
	if r.Kind != KindLearn {
		return polydag.Config{}, nil
	}
	c, err := Method{Method: r.Method, Set: r.Set}.config()
	c.Standardize, c.Seed = strings.HasSuffix(r.Protocol, "standardize"), r.Seed
	return c, err
}

// checked returns the configuration of a run that Expand or DecodeRun has checked.
func (r Run) checked() polydag.Config {
	c, err := r.config()
	if err != nil {
		panic(err)
	}
	return c
}

// key hashes the canonical JSON (fields in struct order) of everything that determines the result.
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
		panic(err) // plain fields with finite numbers never fail
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// Flops estimates the work of a run, only for the order of runs and the remaining time.
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

// columnsOf returns the number of columns if the grid defines it, for k: d; Validate rejects that elsewhere.
func columnsOf(p Point) int {
	if p.Simulated() {
		return p.Nodes
	}
	return len(p.Columns)
}
