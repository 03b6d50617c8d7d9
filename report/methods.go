package report

import (
	"io"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/sentence"
)

// Methods writes how the graph was learned, as the methods section of a paper does: a paragraph with citations and the list of
// references.
func Methods(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, sentence.Methods(r))
		return err
	}
}
