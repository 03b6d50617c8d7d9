package report

import (
	"context"
	"io"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/draw"
	"github.com/polydag/polydag/internal/page"
)

// Picture draws the graph of a result as "svg", "png" or "pdf", with the defaults of polydag draw.
func Picture(ctx context.Context, format string, r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error { return draw.Write(ctx, w, draw.Format(format), r, draw.DefaultSettings()) }
}

// HTML writes a result as one self-contained page. The label names the result on the page.
func HTML(ctx context.Context, label string, r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		return page.Write(ctx, w, page.Input{Results: []page.Labelled{{Label: label, Result: r}}})
	}
}
