package confidence_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/polydag/polydag/internal/study/figure"
)

// drawing has the pairs of one panel of the figure.
type drawing struct {
	model                 string
	frequency, confidence bins
}

// curve has a point for every class with at least five pairs, with the standard error of the observed share.
func (b *bins) curve(label string, color int) figure.Series {
	s := figure.Series{Label: label, Color: color, Points: true}
	for _, c := range b {
		if c.pairs >= 5 {
			s.X, s.Y, s.Err = append(s.X, c.sum/c.pairs), append(s.Y, c.right/c.pairs), append(s.Err, c.spread())
		}
	}
	return s
}

// draw writes the share that is right against the confidence, a panel a model.
func draw(t *testing.T, path string, drawings map[string]*drawing) {
	t.Helper()
	chart := figure.Lines{
		X: figure.Axis{Label: "frequency or confidence of an edge", Min: 0.1, Max: 1, At: []float64{0.1, 0.3, 0.5, 0.7, 0.9}},
		Y: figure.Axis{Label: "share that is right", Min: -0.02, Max: 1.02, At: []float64{0, 0.2, 0.4, 0.6, 0.8, 1}},
	}
	for _, model := range slices.Sorted(maps.Keys(drawings)) {
		d := drawings[model]
		ideal := figure.Series{Label: "as it should be", Color: 7, Dash: figure.Dotted, X: []float64{0.1, 1}, Y: []float64{0.1, 1}}
		chart.Panels = append(chart.Panels, figure.Panel{Title: model, Series: []figure.Series{ideal, d.frequency.curve("frequency", 1), d.confidence.curve("confidence", 0)}})
	}
	saveChart(t, path, chart)
}

func saveChart(t *testing.T, path string, chart figure.Lines) {
	t.Helper()
	page := figure.NewPage(170, 80)
	chart.Draw(page, page.Area())
	var svg bytes.Buffer
	if err := errors.Join(page.Write(&svg, io.Discard), os.WriteFile(path, svg.Bytes(), 0o644)); err != nil {
		t.Fatal(err)
	}
}
