package cli

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/polydag/polydag"
)

// progress redraws one line on a terminal, at most ten times a second and not in the first second. Anywhere
// else it prints nothing.
type progress struct {
	w           io.Writer
	start, last time.Time
	drawn       bool
}

func newProgress(w io.Writer, quiet bool) *progress {
	p := &progress{start: time.Now()}
	if f, ok := w.(*os.File); ok && !quiet {
		if st, err := f.Stat(); err == nil && st.Mode()&os.ModeCharDevice != 0 {
			p.w = w
		}
	}
	return p
}

func (p *progress) due() bool {
	now := time.Now()
	if p.w == nil || now.Sub(p.start) < time.Second || now.Sub(p.last) < 100*time.Millisecond {
		return false
	}
	p.last = now
	return true
}

func (p *progress) draw(format string, args ...any) {
	fmt.Fprintf(p.w, "\r\x1b[K"+format, args...)
	p.drawn = true
}

// clear removes the line before anything else is printed.
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

func (p *progress) reading(bytes int64, rows int) {
	if p.due() {
		mb := float64(bytes) / 1e6
		p.draw("reading: %.0f MB, %d rows, %.0f MB/s", mb, rows, mb/time.Since(p.start).Seconds())
	}
}

func (p *progress) observe(s polydag.Progress) {
	if !p.due() {
		return
	}
	switch {
	case s.Edges > 0:
		p.draw("%s %d of %d, %d edges, score %.6g", s.Stage, s.Step, s.Steps, s.Edges, s.Score)
	case s.Step > 0:
		left := time.Duration(float64(time.Since(p.start)) * float64(s.Steps-s.Step) / float64(s.Step))
		p.draw("%s: step %d of %d, h %.3g, score %.5g, %s left", s.Stage, s.Step, s.Steps, s.H, s.Score, left.Round(time.Second))
	}
}
