package figure

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

// TestRows checks that a chart of rows has every label, title and text, proportional bars, and none for missing
// values.
func TestRows(t *testing.T) {
	p := NewPage(120, 60)
	Rows{Labels: []string{"one", "two", "three"}, Columns: []RowColumn{{Title: "height", Values: []float64{2, math.NaN(), 1}, Words: []string{"2 m", "none", "1 m"}}}}.Draw(p, p.Area())
	var svg, png bytes.Buffer
	if err := p.Write(&svg, &png); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"one", "two", "three", "height", "2 m", "none", "1 m"} {
		if !strings.Contains(svg.String(), ">"+word+"<") {
			t.Errorf("the figure does not say %q", word)
		}
	}
	if n := strings.Count(svg.String(), "<path") - 3; n < 2 { // three lines between rows
		t.Errorf("%d bars:\n%s", n, svg.String())
	}
	Rows{}.Draw(p, p.Area()) // draws nothing
}

// TestHeat checks that a heat map has a number in every cell but those of the diagonal, each from its side.
func TestHeat(t *testing.T) {
	p := NewPage(120, 120)
	Heat{Title: "agreement", Labels: []string{"one", "two"}, Below: [][]float64{{1, 0.11}, {0.22, 1}}, Above: [][]float64{{1, 0.33}, {0.44, 1}}}.Draw(p, p.Area())
	var svg, png bytes.Buffer
	if err := p.Write(&svg, &png); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"agreement", "1 one", "2 two", "22", "33"} {
		if !strings.Contains(svg.String(), ">"+word+"<") {
			t.Errorf("the figure does not say %q", word)
		}
	}
	for _, word := range []string{"11", "44", "100"} {
		if strings.Contains(svg.String(), ">"+word+"<") {
			t.Errorf("the figure says %q, which is on the other side", word)
		}
	}
	Heat{}.Draw(p, p.Area())
}
