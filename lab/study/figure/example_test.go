package figure_test

import (
	"bytes"
	"fmt"

	"github.com/polydag/polydag/lab/study/figure"
)

func Example() {
	chart := figure.Lines{
		X: figure.Axis{Label: "number of variables d", Log: true, At: []float64{100, 200, 500}},
		Y: figure.Axis{Label: "seconds", Log: true},
		Panels: []figure.Panel{{Series: []figure.Series{
			{Label: "h_{geo}", Points: true, X: []float64{100, 200, 500}, Y: []float64{0.4, 2.1, 24}},
		}}},
	}
	page := figure.NewPage(120, 80)
	chart.Draw(page, page.Area())
	var svg, png bytes.Buffer
	err := page.Write(&svg, &png)
	fmt.Println(bytes.Contains(svg.Bytes(), []byte("number of variables d")), bytes.HasPrefix(png.Bytes(), []byte("\x89PNG")), err)
	// Output: true true <nil>
}
