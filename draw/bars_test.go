package draw

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// Bars begin at zero, whiskers are intervals, and each format has bytes that do not change.
func TestBars(t *testing.T) {
	list := []Bar{{"dose (+1 SD)", 6, 5, 7, false}, {"arm <b>", -3, -5, 1, true}, {"age", 0, 0, 0, false}}
	opt := DefaultSettings()
	opt.Title = "What drives len"
	p := must.Get(Bars(list, []string{strings.Repeat("a note of many words ", 20)}, opt))
	rows := p.bars.rows
	unit := (rows[0].value.X1 - rows[0].value.X0) / 6
	if rows[0].value.X0 != p.bars.zero || rows[1].value.X1 != p.bars.zero || math.Abs(rows[1].value.w()-3*unit) > 1e-9 || math.Abs(rows[1].whisker.w()-6*unit) > 1e-9 || rows[2].value.w() != 0 {
		t.Errorf("%+v", rows)
	}
	if len(p.bars.notes) < 3 || p.bars.ticks[0].text != "-4" {
		t.Errorf("%d lines of the note, first tick %s", len(p.bars.notes), p.bars.ticks[0].text)
	}
	for _, l := range append(p.bars.notes, p.bars.ticks...) {
		if l.at.X < 0 || l.left(l.width)+l.width > p.w || l.at.Y > p.h {
			t.Errorf("%q leaves the page", l.text)
		}
	}
	for _, format := range Formats() {
		var a, b bytes.Buffer
		must.Succeed(t, p.Write(&a, format))
		must.Succeed(t, p.Write(&b, format))
		if a.Len() < 500 || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: %d and %d bytes", format, a.Len(), b.Len())
		}
		if format == SVG && (!strings.Contains(a.String(), "What drives len") || strings.Contains(a.String(), "<b>")) {
			t.Error(a.String())
		}
	}
	if _, err := Bars(nil, nil, opt); err == nil {
		t.Error("no bars")
	}
	if _, err := Bars([]Bar{{Name: "x", Value: math.NaN()}}, nil, opt); err == nil || !strings.Contains(err.Error(), "finite") {
		t.Error(err)
	}
}

func TestTickStep(t *testing.T) {
	for x, want := range map[float64]float64{0.9: 1, 1: 1, 1.1: 2, 3: 5, 7: 10, 0.03: 0.05, 130: 200} {
		if got := tickStep(x); math.Abs(got-want) > 1e-12*want {
			t.Errorf("step of %v is %v, want %v", x, got, want)
		}
	}
}
