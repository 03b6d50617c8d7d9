package figure

import (
	"bytes"
	"testing"

	"gonum.org/v1/plot/vg"
)

// TestPDF checks that a PDF is reproducible, embeds its fonts, and grows with its content.
func TestPDF(t *testing.T) {
	write := func(y []float64) []byte {
		page := NewPage(100, 80)
		Lines{Y: Axis{Label: "bits a row"}, Panels: []Panel{{Title: "minus: −1", Series: []Series{{Label: "a", Points: true, X: []float64{1, 2, 3}[:len(y)], Y: y}}}}}.Draw(page, page.Area())
		var b bytes.Buffer
		if err := page.WritePDF(&b); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	one := write([]float64{1, -2, 3})
	if !bytes.HasPrefix(one, []byte("%PDF-")) || !bytes.Contains(one, []byte("/FontFile2")) {
		t.Error("no PDF with its own fonts")
	}
	if !bytes.Equal(one, write([]float64{1, -2, 3})) {
		t.Error("the same page has other bytes")
	}
	if bytes.Equal(one, write([]float64{1, -2, 2})) {
		t.Error("another page has the same bytes")
	}
}

// TestPDFTransforms checks that points are rotated and translated as recorded, and that Pop restores the state.
func TestPDFTransforms(t *testing.T) {
	c := &pdfCanvas{height: 100}
	c.Push()
	c.Translate(vg.Point{X: 10, Y: 20})
	c.Rotate(1.5707963267948966)
	if x, y := c.at(vg.Point{X: 5, Y: 1}); x < 8.999 || x > 9.001 || y < 74.999 || y > 75.001 {
		t.Errorf("(5, 1) is at (%v, %v), want (9, 75)", x, y)
	}
	c.Pop()
	if x, y := c.at(vg.Point{X: 5, Y: 1}); x != 5 || y != 99 {
		t.Errorf("(5, 1) is at (%v, %v), want (5, 99)", x, y)
	}
}
