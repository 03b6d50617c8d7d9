package draw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A Bar is a number with an interval, such as the effect of a column.
type Bar struct {
	Name  string
	Value float64
	// Low and High are the ends of the interval. Equal ones are not drawn.
	Low, High float64
	// Faint bars are drawn in outline, for numbers that are not stated.
	Faint bool
}

// bars are the bars of a picture, laid out below each other.
type bars struct {
	rows  []barRow
	zero  float64 // x of the value 0
	ticks []line
	notes []line
	top   float64
	base  float64 // y of the axis
}

type barRow struct {
	Bar
	label          line
	value, whisker rect
}

// Sizes of a picture of bars, in font sizes.
const (
	barRowHeight = 1.9
	barPlotWidth = 30.0
	barNameWidth = 24.0
	mostTicks    = 6
)

// Bars lays out bars below each other around a common zero. The notes are written below; see Settings for the title and the size of the page.
func Bars(list []Bar, notes []string, opt Settings) (*Picture, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("there are no bars to draw")
	}
	f, err := loadFonts(opt.Font)
	if err != nil {
		return nil, err
	}
	least, most := 0.0, 0.0
	for _, b := range list {
		for _, x := range []float64{b.Value, b.Low, b.High} {
			if x-x != 0 {
				return nil, fmt.Errorf("the bar of %s has the value %v, want finite numbers", b.Name, x)
			}
			least, most = min(least, x), max(most, x)
		}
	}
	if least == most {
		most = 1
	}
	p := &Picture{opt: opt, theme: themeOf(opt), fonts: f, bars: &bars{}}
	size := opt.FontSize
	text := func(x, y, size float64, s string, most float64, center bool) line {
		s = f.cut(s, size, most, false)
		return line{at: point{X: x, Y: y}, text: s, width: f.width(s, size, false), size: size, center: center, color: p.theme.ink}
	}
	names := 0.0
	for _, b := range list {
		names = max(names, min(f.width(b.Name, size, false), barNameWidth*size))
	}
	plot, left := barPlotWidth*size, margin+names+size
	p.w = left + plot + margin + size
	at := func(x float64) float64 { return left + plot*(x-least)/(most-least) }
	y := margin
	if opt.Title != "" {
		title := text(p.w/2, y+size, 1.25*size, opt.Title, p.w-2*margin, true)
		title.bold, title.width = true, f.width(title.text, 1.25*size, true)
		p.title = append(p.title, title)
		y += 2.2 * size
	}
	own := p.bars
	own.top, own.zero = y, at(0)
	for _, b := range list {
		middle := y + barRowHeight*size/2
		own.rows = append(own.rows, barRow{
			Bar:     b,
			label:   text(margin, middle+0.35*size, size, b.Name, barNameWidth*size, false),
			value:   rect{at(min(0, b.Value)), middle - 0.5*size, at(max(0, b.Value)), middle + 0.5*size},
			whisker: rect{at(b.Low), middle, at(b.High), middle},
		})
		y += barRowHeight * size
	}
	own.base = y + 0.3*size
	step := tickStep((most - least) / mostTicks)
	for k := math.Ceil(least / step); k*step <= most*(1+1e-9); k++ {
		own.ticks = append(own.ticks, text(at(k*step), own.base+1.3*size, p.labelSize(), strconv.FormatFloat(k*step, 'g', 6, 64), plot, true))
	}
	y = own.base + 1.6*size
	for _, n := range notes {
		for _, part := range f.broken(n, p.labelSize(), p.w-2*margin) {
			y += 1.3 * size
			own.notes = append(own.notes, text(margin, y, p.labelSize(), part, p.w-2*margin, false))
		}
	}
	p.h = y + margin
	p.summary = fmt.Sprintf("%d bars", len(list))
	p.fit()
	return p, nil
}

// broken breaks a text into lines of at most the given width.
func (f *fonts) broken(text string, size, most float64) (lines []string) {
	line := ""
	for _, word := range strings.Fields(text) {
		if next := strings.TrimSpace(line + " " + word); line == "" || f.width(next, size, false) <= most {
			line = next
			continue
		}
		lines, line = append(lines, line), word
	}
	return append(lines, line)
}

// tickStep returns the smallest of 1, 2 and 5 times a power of ten that is at least x.
func tickStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	steps := []float64{1, 2, 5, 10}
	k := slices.IndexFunc(steps, func(s float64) bool { return s*power >= x*(1-1e-9) })
	return steps[max(k, 0)] * power
}

// paint draws the bars.
func (b *bars) paint(c canvas, p *Picture) {
	for _, t := range b.ticks {
		c.box(rect{t.at.X - 0.2, b.top, t.at.X + 0.2, b.base}, 0, style{fill: mix(p.theme.line, p.theme.page, 0.4)})
		c.text(t)
	}
	for _, r := range b.rows {
		c.group("bar", fmt.Sprintf("%s: %.4g, interval %.4g to %.4g", r.Name, r.Value, r.Low, r.High))
		color := p.theme.positive
		if r.Value < 0 {
			color = p.theme.negative
		}
		s := style{fill: mix(color, p.theme.page, 0.75)}
		if r.Faint {
			s = style{fill: mix(color, p.theme.page, 0.12), stroke: color, width: 0.8}
		}
		c.box(r.value, 0, s)
		if r.Low < r.High {
			w, ink := r.whisker, style{fill: p.theme.ink}
			c.box(rect{w.X0, w.Y0 - 0.5, w.X1, w.Y0 + 0.5}, 0, ink)
			for _, x := range []float64{w.X0, w.X1} {
				c.box(rect{x - 0.5, w.Y0 - 3, x + 0.5, w.Y0 + 3}, 0, ink)
			}
		}
		c.text(r.label)
		c.end()
	}
	c.box(rect{b.zero - 0.5, b.top, b.zero + 0.5, b.base}, 0, style{fill: p.theme.ink})
	for _, n := range b.notes {
		c.text(n)
	}
}
