package figure

import (
	"image/color"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// strokes records drawing operations, to repeat them on a canvas of each format. The recorder of gonum/plot
// does the same but includes every font of the Liberation family, 2 MB for a program that uses two of them.
type strokes []func(vg.Canvas)

func (s strokes) replay(c vg.Canvas) {
	for _, draw := range s {
		draw(c)
	}
}

func (s *strokes) add(draw func(vg.Canvas)) { *s = append(*s, draw) }

// Those that follow are named as the methods of vg.Canvas that they call.

func (s *strokes) SetColor(c color.Color)       { s.add(func(v vg.Canvas) { v.SetColor(c) }) }
func (s *strokes) SetLineWidth(width vg.Length) { s.add(func(v vg.Canvas) { v.SetLineWidth(width) }) }
func (s *strokes) Fill(p vg.Path)               { s.add(func(v vg.Canvas) { v.Fill(p) }) }
func (s *strokes) Stroke(p vg.Path)             { s.add(func(v vg.Canvas) { v.Stroke(p) }) }
func (s *strokes) Push()                        { s.add(func(v vg.Canvas) { v.Push() }) }
func (s *strokes) Pop()                         { s.add(func(v vg.Canvas) { v.Pop() }) }
func (s *strokes) Translate(to vg.Point)        { s.add(func(v vg.Canvas) { v.Translate(to) }) }
func (s *strokes) Rotate(radians float64)       { s.add(func(v vg.Canvas) { v.Rotate(radians) }) }

func (s *strokes) SetLineDash(dashes []vg.Length, offset vg.Length) {
	s.add(func(v vg.Canvas) { v.SetLineDash(dashes, offset) })
}

func (s *strokes) FillString(f font.Face, at vg.Point, text string) {
	s.add(func(v vg.Canvas) { v.FillString(f, at, text) })
}
