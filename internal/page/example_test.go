package page_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/page"
)

func Example() {
	res := &polydag.Result{
		Names: []string{"rain", "sprinkler", "wet"},
		Edges: []polydag.Edge{
			{Link: polydag.Link{From: "rain", To: "wet"}, Mark: "-->", Weight: 0.9, Standardized: 0.7, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
			{Link: polydag.Link{From: "sprinkler", To: "wet"}, Mark: "-->", Weight: 0.5, Standardized: 0.4, EdgeFacts: polydag.EdgeFacts{Compelled: true}},
		},
	}
	var html bytes.Buffer
	err := page.Write(context.Background(), &html, page.Input{Results: []page.Labelled{{Label: "garden", Result: res}}})
	fmt.Println(err, bytes.HasPrefix(html.Bytes(), []byte("<!doctype html>")), html.Len() < 1_500_000)
	// Output: <nil> true true
}
