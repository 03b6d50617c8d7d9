package command

import (
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/visible"
	"github.com/polydag/polydag/method/stage"
)

// progress redraws one line on a terminal, at most ten times per second and not in the first second. In a JSON
// log it writes an event every two seconds. Otherwise it prints nothing.
type progress struct {
	w           *visible.Writer
	log         *slog.Logger
	start, last time.Time
	stage       string
	stageStart  time.Time
	drawn       bool
}

func newProgress(w *visible.Writer, quiet bool) *progress {
	return (&console{w: w, quiet: quiet}).bar()
}

func (p *progress) due() bool {
	now := time.Now()
	every := 100 * time.Millisecond
	if p.log != nil {
		every = 2 * time.Second
	}
	if p.w == nil && p.log == nil || now.Sub(p.start) < time.Second || now.Sub(p.last) < every {
		return false
	}
	p.last = now
	return true
}

func (p *progress) draw(format string, args ...any) {
	p.w.Redraw(fmt.Sprintf(format, args...))
	p.drawn = true
}

// clear removes the line before other output.
func (p *progress) clear() {
	if p.drawn {
		p.w.Redraw("")
		p.drawn = false
	}
}

func (p *progress) reading(bytes int64, rows int) {
	if !p.due() {
		return
	}
	if p.log != nil {
		p.log.Debug("reading", "bytes", bytes, "rows", rows)
		return
	}
	p.draw("%s", readingLine(bytes, rows, time.Since(p.start)))
}

// readingLine describes the progress of reading a table. Small amounts have small units, so that a slow start
// does not show 0 MB.
func readingLine(bytes int64, rows int, since time.Duration) string {
	rate := int64(float64(bytes) / max(since.Seconds(), 1e-3))
	return fmt.Sprintf("reading: %s, %d rows, %s/s", size(bytes), rows, size(rate))
}

func (p *progress) observe(s polydag.Progress) {
	if s.Stage != p.stage {
		p.stage, p.stageStart = s.Stage, time.Now()
	}
	if !p.due() {
		return
	}
	left := time.Duration(-1)
	if s.Step > 0 && s.Steps >= s.Step {
		left = time.Duration(float64(time.Since(p.stageStart)) * float64(s.Steps-s.Step) / float64(s.Step)).Round(time.Second)
	}
	if p.log != nil {
		args := []any{"stage", s.Stage, "step", s.Step, "steps", s.Steps, "score", s.Score, "h", s.H, "edges", s.Edges}
		if left >= 0 {
			args = append(args, "seconds_left", left.Seconds())
		}
		p.log.Debug("progress", args...)
		return
	}
	p.draw("%s", progressLine(s, left))
}

// share shows the completed share of a stage, from 0 to 1.
func (p *progress) share(stage string, done float64) {
	if stage != p.stage {
		p.stage, p.stageStart = stage, time.Now()
	}
	if !p.due() {
		return
	}
	left := time.Duration(float64(time.Since(p.stageStart)) * (1 - done) / max(done, 1e-3)).Round(time.Second)
	if p.log != nil {
		p.log.Debug("progress", "stage", stage, "share", done, "seconds_left", left.Seconds())
		return
	}
	p.draw("%s: %.0f %%, %s left", stage, 100*done, left)
}

// shares returns a function that shows the completed share of a stage, and one after which nothing is drawn any more. Work that
// outlives its context may still report its progress, from any goroutine.
func (p *progress) shares(stage string) (observe func(done float64), stop func()) {
	var mu sync.Mutex
	over := false
	observe = func(done float64) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			p.share(stage, done)
		}
	}
	return observe, func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		p.clear()
	}
}

func progressLine(s polydag.Progress, left time.Duration) string {
	if s.Kind == stage.Chains {
		return fmt.Sprintf("%s: round %d of at most %d", s.Stage, min(s.Step+1, s.Steps), s.Steps)
	}
	text := fmt.Sprintf("%s: %d of %d samples", s.Stage, s.Step, s.Steps)
	if s.Kind != stage.Replicates {
		text = fmt.Sprintf("%s: step %d", s.Stage, s.Step)
		if s.Steps > 0 {
			text += fmt.Sprintf(" of %d", s.Steps)
		}
		text += fmt.Sprintf(", score %.6g", s.Score)
		if s.Edges > 0 {
			text += ", " + plural(s.Edges, "edge")
		} else {
			text += fmt.Sprintf(", h %.3g", s.H)
		}
	}
	if left >= 0 {
		text += fmt.Sprintf(", %s left", left)
	}
	return text
}
