package figure

import (
	"fmt"
	"math"
	"strconv"
)

// An Axis maps numbers to places. Ticks are chosen unless given.
type Axis struct {
	Label    string
	Log      bool
	Min, Max float64
	At       []float64 // where to put numbers; nil lets Axis choose
}

// unit returns the place of v between 0 and 1.
func (a Axis) unit(v float64) float64 {
	if a.Log {
		return (math.Log(v) - math.Log(a.Min)) / (math.Log(a.Max) - math.Log(a.Min))
	}
	return (v - a.Min) / (a.Max - a.Min)
}

type tick struct {
	at    float64
	label string // "" is a small tick
}

func (a Axis) ticks() []tick {
	var out []tick
	if a.At != nil {
		for _, v := range a.At {
			out = append(out, tick{v, number(v)})
		}
		return out
	}
	if !a.Log {
		step := nice((a.Max - a.Min) / 6)
		for k := math.Ceil(a.Min/step - 1e-9); k*step <= a.Max*(1+1e-12)+1e-12; k++ {
			out = append(out, tick{k * step, number(k * step)})
		}
		return out
	}
	decades := math.Log10(a.Max / a.Min)
	every := math.Ceil(decades / 7)
	for e := math.Floor(math.Log10(a.Min)); e <= math.Ceil(math.Log10(a.Max)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < a.Min*(1-1e-9) || v > a.Max*(1+1e-9) {
				continue
			}
			t := tick{at: v}
			switch {
			case m == 1 && math.Mod(e, every) == 0:
				t.label = power(e)
			case (m == 2 || m == 5) && decades < 2:
				t.label = number(v)
			}
			out = append(out, t)
		}
	}
	return out
}

// nice rounds up to 1, 2 or 5 times a power of ten.
func nice(v float64) float64 {
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*p >= v*(1-1e-9) {
			return m * p
		}
	}
	return 10 * p
}

func power(e float64) string {
	if e >= -2 && e <= 3 {
		return number(math.Pow(10, e))
	}
	return fmt.Sprintf("10^{%s}", minus(strconv.Itoa(int(e))))
}

func number(v float64) string {
	return minus(strconv.FormatFloat(math.Round(v*1e9)/1e9+0, 'f', -1, 64)) // + 0 turns -0 into 0
}

func minus(s string) string {
	if len(s) > 0 && s[0] == '-' {
		return "−" + s[1:]
	}
	return s
}

type frame struct {
	Rect
	x, y Axis
}

func (f frame) at(x, y float64) Point {
	return Point{f.X0 + f.x.unit(x)*f.W(), f.Y0 + f.y.unit(y)*f.H()}
}

const (
	tickSize  = 7.5
	labelSize = 8.5
)

// drawFrame draws grid, axes and their words around the area; hideY leaves the numbers of y to a neighbour.
func (p *Page) drawFrame(f frame, title string, hideY bool) {
	for _, t := range f.y.ticks() {
		at := f.at(f.x.Min, t.at)
		if t.label != "" {
			p.Stroke(light, 0.5, nil, Point{f.X0, at.Y}, Point{f.X1, at.Y})
		}
		p.tick(at, -1, 0, t.label != "")
		if !hideY {
			p.Text(Point{f.X0 - 5, at.Y}, t.label, Style{Size: tickSize, Align: Right})
		}
	}
	for _, t := range f.x.ticks() {
		at := f.at(t.at, f.y.Min)
		if t.label != "" {
			p.Stroke(light, 0.5, nil, Point{at.X, f.Y0}, Point{at.X, f.Y1})
		}
		p.tick(at, 0, -1, t.label != "")
		p.Text(Point{at.X, f.Y0 - 10}, t.label, Style{Size: tickSize, Align: Center})
	}
	p.Stroke(gray, 0.8, nil, Point{f.X0, f.Y1}, Point{f.X0, f.Y0}, Point{f.X1, f.Y0})
	p.Text(Point{(f.X0 + f.X1) / 2, f.Y0 - 23}, f.x.Label, Style{Size: labelSize, Align: Center})
	if !hideY {
		p.Text(Point{f.X0 - 34, (f.Y0 + f.Y1) / 2}, f.y.Label, Style{Size: labelSize, Align: Center, Up: true})
	}
	p.Text(Point{(f.X0 + f.X1) / 2, f.Y1 + 10}, title, Style{Size: labelSize, Bold: true, Align: Center})
}

func (p *Page) tick(at Point, dx, dy float64, long bool) {
	length := 1.6
	if long {
		length = 3
	}
	p.Stroke(gray, 0.7, nil, at, Point{at.X + dx*length, at.Y + dy*length})
}
