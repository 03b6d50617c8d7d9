package report

import (
	"encoding/json"
	"io"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
)

// JSON writes the result as indented JSON with a newline at the end. The same result gives the same bytes.
func JSON(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
}

// WeightsCSV writes W before thresholding, with the names as header: row i, column j is the edge
// Names[i] → Names[j], on the scale that the solver worked on.
func WeightsCSV(r *polydag.Result) func(io.Writer) error {
	return func(w io.Writer) error { return dataset.WriteCSV(w, r.Names, dataset.RowsOf(r.W)) }
}
