package tables

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// TestHostileReadings checks that settings which the flags refuse are refused in units of every kind, before any input is fetched.
func TestHostileReadings(t *testing.T) {
	fetched := errors.New("fetched")
	in := work.NewInputs(func(context.Context, string) ([]byte, error) { return nil, fetched })
	bodies := map[string]func(Files) any{
		KindMoments:   func(f Files) any { return f },
		KindCounts:    func(f Files) any { return f },
		KindReplicate: func(f Files) any { return replicateBody{Table: f, Unit: confidence.Unit{Plan: &confidence.Plan{}}} },
		KindWalk:      func(f Files) any { return walkBody{f, &confidence.Chains{}, confidence.Walk{Samples: 1, Thin: 1}} },
	}
	handlers := work.Handlers{KindMoments: MomentsHandler(1 << 30), KindCounts: CountsHandler(1 << 30), KindReplicate: ReplicateHandler(nil, 1<<30), KindWalk: WalkHandler(nil, 1<<30)}
	for what, spoil := range map[string]func(*Reading){
		"":                   func(*Reading) {},
		"lags ":              func(r *Reading) { r.Time = dataset.TimeSettings{Column: "t", Lags: 1e12} },
		"lags -":             func(r *Reading) { r.Time = dataset.TimeSettings{Column: "t", Lags: -1} },
		"season ":            func(r *Reading) { r.Time = dataset.TimeSettings{Column: ".", Lags: 1, Season: 1e12} },
		"gaps ":              func(r *Reading) { r.Time = dataset.TimeSettings{Column: "t", Gaps: "x"} },
		"is the time column": func(r *Reading) { r.Time = dataset.TimeSettings{Column: "t", Series: "t"} },
		"Discretize":         func(r *Reading) { r.Discretize = 1e12 },
		"FirstRow":           func(r *Reading) { r.FirstRow = -1 },
		"LastRow":            func(r *Reading) { r.LastRow = -5 },
		"MaxLevels":          func(r *Reading) { r.MaxLevels = -5 },
		"Encode":             func(r *Reading) { r.Encode = "x" },
		"Missing":            func(r *Reading) { r.Missing = "" },
		"Format":             func(r *Reading) { r.Format = "x" },
		"Delimiter":          func(r *Reading) { r.Delimiter = '7' },
		"Targets":            func(r *Reading) { r.Targets, r.Environments = "a", "b" },
		"x":                  func(r *Reading) { r.Kinds = []string{"a=x"} },
	} {
		read := NewReading(files.DefaultSettings(), polydag.DefaultPreparation(), nil)
		spoil(&read)
		for kind, body := range bodies {
			want := what
			if read.Time.Given() && (kind == KindMoments || kind == KindCounts) {
				want = "the parts of a time series"
			}
			text := must.Get(json.Marshal(body(Files{Files: []File{{Name: "a.csv", SHA256: strings.Repeat("0", 64)}}, Read: read})))
			_, err := handlers[kind].Do(t.Context(), text, in)
			if err == nil || errors.Is(err, fetched) != (want == "") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %q: %v", kind, what, err)
			}
		}
	}
}
