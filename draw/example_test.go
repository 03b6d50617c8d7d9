package draw_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/draw"
)

func Example() {
	res := &polydag.Result{
		Kind: "dag", Names: []string{"age", "education", "income"},
		Edges: []polydag.Edge{
			{Link: polydag.Link{From: "age", To: "income"}, Mark: "-->", Standardized: 0.21, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
			{Link: polydag.Link{From: "education", To: "income"}, Mark: "-->", Standardized: 0.48, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
		},
	}
	opt := draw.DefaultSettings()
	opt.Width = 85 // millimetres: a column of a paper
	var svg bytes.Buffer
	if err := draw.Write(context.Background(), &svg, draw.SVG, res, opt); err != nil {
		fmt.Println(err)
		return
	}
	for line := range strings.Lines(svg.String()) {
		if strings.HasPrefix(line, "<desc>") {
			fmt.Print(line)
		}
	}
	// Output:
	// <desc>A directed acyclic graph of 3 variables and 2 edges, parents above children. Strongest edges, with their standardized weights or score gains: education → income 0.48; age → income 0.21.</desc>
}
