package command

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/visible"
)

// TestProgressLine checks that a search that does not know how many steps it will take does not name a number
// of them.
func TestProgressLine(t *testing.T) {
	for _, c := range []struct {
		at   polydag.Progress
		left time.Duration
		want string
	}{
		{polydag.Progress{Stage: "round", Step: 9, Score: 806391, Edges: 179}, -1, "round: step 9, score 806391, 179 edges"},
		{polydag.Progress{Stage: "solve", Step: 5, Steps: 20, Score: 2.5, H: 0.125}, 3 * time.Second, "solve: step 5 of 20, score 2.5, h 0.125, 3s left"},
	} {
		must.Same(t, progressLine(c.at, c.left), c.want)
	}
}

// TestProgressShare checks that work of more than a second shows its completed share and the remaining time.
func TestProgressShare(t *testing.T) {
	var line bytes.Buffer
	p := &progress{w: visible.NewWriter(&line), start: time.Now()}
	p.share("effects", 0.1)
	if line.Len() > 0 {
		t.Errorf("in the first second: %q", line.String())
	}
	p.start = p.start.Add(-4 * time.Second)
	p.stageStart = p.stageStart.Add(-3 * time.Second)
	p.share("effects", 0.25)
	if !strings.HasSuffix(line.String(), "effects: 25 %, 9s left") {
		t.Errorf("%q", line.String())
	}
	p.clear()
	if !strings.HasSuffix(line.String(), "\r\x1b[K") || p.drawn {
		t.Errorf("%q is left", line.String())
	}
}
