package draw

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// pdfCanvas uses the library behind gonum/plot's vgpdf directly. vgpdf supports only 256 Western characters and
// writes today's date. Here only used glyphs of fonts are embedded, and equal pictures have equal bytes.
type pdfCanvas struct {
	doc   *fpdf.Fpdf
	k     float64 // scale
	fonts *fonts
}

func (p *Picture) writePDF(w io.Writer) error {
	k := p.Width * perMM / p.w
	doc := fpdf.NewCustom(&fpdf.InitType{UnitStr: "pt", Size: fpdf.SizeType{Wd: p.w * k, Ht: p.h * k}})
	doc.SetCatalogSort(true)
	doc.SetCreationDate(time.Unix(0, 0).UTC())
	doc.SetModificationDate(time.Unix(0, 0).UTC())
	doc.SetTitle(p.opt.Title, true)
	doc.SetSubject(p.summary, true)
	doc.SetMargins(0, 0, 0)
	doc.SetAutoPageBreak(false, 0)
	doc.AddPage()
	doc.AddUTF8FontFromBytes("liberation", "", bytes.Clone(p.fonts.ttf[0]))
	doc.AddUTF8FontFromBytes("liberation", "B", bytes.Clone(p.fonts.ttf[1]))
	doc.SetLineJoinStyle("miter")
	p.paint(penCanvas{&pdfCanvas{doc, k, p.fonts}})
	return doc.Output(w)
}

// begin sets colors, width and dashes, which PDF needs before the path.
func (c *pdfCanvas) begin(s style) {
	if s.fill.A != 0 {
		c.doc.SetFillColor(int(s.fill.R), int(s.fill.G), int(s.fill.B))
	}
	if s.stroke.A != 0 {
		c.doc.SetDrawColor(int(s.stroke.R), int(s.stroke.G), int(s.stroke.B))
		c.doc.SetLineWidth(s.width * c.k)
		d := make([]float64, len(s.dashes))
		for i, v := range s.dashes {
			d[i] = v * c.k
		}
		c.doc.SetDashPattern(d, 0)
	}
}

func (c *pdfCanvas) photo(r rect, f *photo) {
	name, how := fmt.Sprintf("%x", sha256.Sum256(f.jpeg)), fpdf.ImageOptions{ImageType: "JPG"}
	c.doc.RegisterImageOptionsReader(name, how, bytes.NewReader(f.jpeg))
	c.doc.ImageOptions(name, r.X0*c.k, r.Y0*c.k, r.w()*c.k, r.h()*c.k, false, how, 0, "")
}

func (c *pdfCanvas) paint(s style) {
	how := ""
	if s.fill.A != 0 {
		how += "F"
	}
	if s.stroke.A != 0 {
		how += "D"
	}
	c.doc.DrawPath(how)
}

func (c *pdfCanvas) move(q point) { c.doc.MoveTo(q.X*c.k, q.Y*c.k) }
func (c *pdfCanvas) line(q point) { c.doc.LineTo(q.X*c.k, q.Y*c.k) }
func (c *pdfCanvas) cube(a, b, q point) {
	c.doc.CurveBezierCubicTo(a.X*c.k, a.Y*c.k, b.X*c.k, b.Y*c.k, q.X*c.k, q.Y*c.k)
}

func (c *pdfCanvas) close() { c.doc.ClosePath() }

func (c *pdfCanvas) text(t line) {
	weight := ""
	if t.bold {
		weight = "B"
	}
	c.doc.SetFont("liberation", weight, t.size*c.k)
	c.doc.SetTextColor(int(t.color.R), int(t.color.G), int(t.color.B))
	text := c.fonts.drawable(t.text, t.bold)
	c.doc.Text(t.left(c.fonts.width(text, t.size, t.bold))*c.k, t.at.Y*c.k, text)
}
