package command

import (
	"fmt"
	"time"

	"github.com/polydag/polydag/internal/visible"
)

// progress redraws one line on a terminal, at most ten times per second.
type progress struct {
	w           *visible.Writer
	off         bool
	unit        string
	start, last time.Time
	first       int // units that were done at the start
	drawn       bool
}

func (p *progress) show(done, all int) {
	now := time.Now()
	if p.start.IsZero() {
		p.off = p.off || !p.w.Terminal()
		p.start, p.first = now, done
	}
	if p.off || now.Sub(p.last) < 100*time.Millisecond || done == p.first {
		return
	}
	p.last, p.drawn = now, true
	each := now.Sub(p.start) / time.Duration(done-p.first)
	p.w.Redraw(fmt.Sprintf("%d of %d %s, %s left", done, all, p.unit, (each * time.Duration(all-done)).Round(time.Second)))
}

// clear removes the line before other output.
func (p *progress) clear() {
	if p.drawn {
		p.w.Redraw("")
	}
}
