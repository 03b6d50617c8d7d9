//go:build !js

package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// TestDroppedTableIsSurveyed checks that the effects of an uploaded table are found for its written result, and
// for no other result.
func TestDroppedTableIsSurveyed(t *testing.T) {
	var text strings.Builder
	text.WriteString("rain,street,coat\n")
	for i := range 240 {
		rain := i % 2
		street, coat := rain, rain
		if i%7 == 0 {
			street = 1 - street
		}
		if i%5 == 0 {
			coat = 1 - coat
		}
		fmt.Fprintf(&text, "%d,%s,%d\n", rain, []string{"dry", "wet"}[street], coat)
	}
	path := filepath.Join(t.TempDir(), "weather.csv")
	must.Succeed(t, os.WriteFile(path, []byte(text.String()), 0o600))
	b := &backend{app: newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...)}
	job := serve.Job{Path: path, Name: "weather.csv", Settings: url.Values{"missing": {"error"}}}
	res := must.Get(b.Learn(context.Background(), job, func(polydag.Progress) {}))
	blob := must.Get(json.Marshal(res))
	again := must.Get(polydag.ReadResult(bytes.NewReader(blob)))
	must.Get(b.Effects(context.Background(), job, again))
	got, _ := b.effects.of(again)
	if got == nil || got.Pairs < 2 || len(got.Answers) != got.Pairs {
		t.Fatalf("the result has %d edges under a %s model, and effects %+v", len(res.Edges), res.Model, got)
	}
	again.Edges[0].Compelled = !again.Edges[0].Compelled
	if _, ok := b.effects.of(again); ok {
		t.Error("a result with other directions has the effects of this one")
	}
	for k := range mostCached { // others push it out
		other := *res
		other.Table.Moments = fmt.Sprint(k)
		b.effects.add(&other, &effect.Survey{})
	}
	if _, ok := b.effects.of(res); ok || len(b.effects.list) != mostCached {
		t.Errorf("%d surveys are remembered, want %d and the oldest gone", len(b.effects.list), mostCached)
	}
}
