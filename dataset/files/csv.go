package files

import (
	"context"
	"io"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/csv"
)

// CSVSettings describes the format of a text table. Start from DefaultCSVSettings.
type CSVSettings = dataset.CSVSettings

// DefaultCSVSettings detects the delimiter and the decimal sign, uses all processors, and accepts lines of at most 64 MiB and at
// most 20,000 columns of moments (3.2 GB).
func DefaultCSVSettings() CSVSettings { return csv.DefaultSettings().CSVSettings }

// ReadCSV reads a numeric text table from a stream and returns its moments, in memory that does not grow with the rows. Missing
// values, infinities and text are errors: use Open and polydag.Prepare for tables that have them, and for other formats.
func ReadCSV(ctx context.Context, r io.Reader, s CSVSettings) (*dataset.Moments, error) {
	return csv.Read(ctx, r, csv.Settings{CSVSettings: s})
}
