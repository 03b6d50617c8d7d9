package figure

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// WritePDF writes the page as PDF, with only the used parts of its fonts embedded. Equal pages have equal
// bytes.
func (p *Page) WritePDF(w io.Writer) error {
	if p.failed != nil {
		return p.failed
	}
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: p.w, Ht: p.h}})
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	doc.AddUTF8FontFromBytes("liberation", "", bytes.Clone(p.ttf[0]))
	doc.AddUTF8FontFromBytes("liberation", "B", bytes.Clone(p.ttf[1]))
	c := &pdfCanvas{doc: doc, height: p.h, state: pdfState{width: 1}}
	p.rec.replay(c)
	if err := doc.Output(w); err != nil {
		return fmt.Errorf("figure: %w", err)
	}
	return nil
}

// pdfCanvas draws what a page records: straight lines, polygons and text. gonum/plot's vgpdf writes text in an encoding of 256 Western
// characters, which has no minus sign, and today's date.
type pdfCanvas struct {
	doc    *fpdf.Fpdf
	height float64 // a PDF of this library counts from the top
	state  pdfState
	stack  []pdfState
}

// pdfState is what Push saves. A point of the drawing is turned by angle and then moved.
type pdfState struct {
	color  color.NRGBA
	width  float64
	dashes []float64
	angle  float64
	x, y   float64
}

func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.state.width = float64(w) }

func (c *pdfCanvas) SetLineDash(pattern []vg.Length, _ vg.Length) {
	c.state.dashes = make([]float64, len(pattern))
	for i, d := range pattern {
		c.state.dashes[i] = float64(d)
	}
}

func (c *pdfCanvas) SetColor(to color.Color) {
	if to == nil {
		to = color.Black
	}
	c.state.color = color.NRGBAModel.Convert(to).(color.NRGBA)
}

func (c *pdfCanvas) Rotate(rad float64) { c.state.angle += rad }

func (c *pdfCanvas) Translate(by vg.Point) {
	s, cos := math.Sincos(c.state.angle)
	c.state.x += cos*float64(by.X) - s*float64(by.Y)
	c.state.y += s*float64(by.X) + cos*float64(by.Y)
}

// Scale and DrawImage are not used by a page.
func (c *pdfCanvas) Scale(_, _ float64)                      { panic("figure: a page is not scaled") }
func (c *pdfCanvas) DrawImage(_ vg.Rectangle, _ image.Image) { panic("figure: a page has no images") }

func (c *pdfCanvas) Push() { c.stack = append(c.stack, c.state) }

func (c *pdfCanvas) Pop() {
	c.state = c.stack[len(c.stack)-1]
	c.stack = c.stack[:len(c.stack)-1]
}

// at returns the place of a point, from the upper left corner.
func (c *pdfCanvas) at(q vg.Point) (x, y float64) {
	s, cos := math.Sincos(c.state.angle)
	return c.state.x + cos*float64(q.X) - s*float64(q.Y), c.height - (c.state.y + s*float64(q.X) + cos*float64(q.Y))
}

func (c *pdfCanvas) path(p vg.Path, style string) {
	for _, part := range p {
		switch x, y := c.at(part.Pos); part.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		default:
			panic("figure: a page has straight lines only")
		}
	}
	c.doc.DrawPath(style)
}

func (c *pdfCanvas) Stroke(p vg.Path) {
	if c.state.width <= 0 {
		return
	}
	c.doc.SetDrawColor(int(c.state.color.R), int(c.state.color.G), int(c.state.color.B))
	c.doc.SetLineWidth(c.state.width)
	c.doc.SetDashPattern(c.state.dashes, 0)
	c.path(p, "D")
}

func (c *pdfCanvas) Fill(p vg.Path) {
	c.doc.SetFillColor(int(c.state.color.R), int(c.state.color.G), int(c.state.color.B))
	c.path(p, "F")
}

func (c *pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	weight := ""
	if f.Font.Weight == xfont.WeightBold {
		weight = "B"
	}
	c.doc.SetFont("liberation", weight, float64(f.Font.Size))
	c.doc.SetTextColor(int(c.state.color.R), int(c.state.color.G), int(c.state.color.B))
	x, y := c.at(at)
	c.doc.TransformBegin()
	c.doc.TransformRotate(c.state.angle*180/math.Pi, x, y)
	c.doc.Text(x, y, text)
	c.doc.TransformEnd()
}
