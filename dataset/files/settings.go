package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// Table formats. Compression is not a format: it is detected from the first bytes of CSV, TSV, JSON lines and NPY.
const (
	CSV       = "csv"
	TSV       = "tsv"
	JSONLines = "jsonl" // consecutive objects, or one array of objects
	Parquet   = "parquet"
	Arrow     = "arrow" // IPC file, IPC stream, Feather 2
	NPY       = "npy"
	NPZ       = "npz"
	XLSX      = "xlsx"    // Excel
	Moments   = "moments" // written by WriteMoments, an NPZ with covariance, n and names, or a Tetrad covariance file
	Counts    = "counts"  // written by WriteCounts
)

// Formats returns the valid values of Settings.Format, sorted.
func Formats() []string {
	return []string{Arrow, Counts, CSV, JSONLines, Moments, NPY, NPZ, Parquet, TSV, XLSX}
}

// Settings holds the settings for reading a file. Start from DefaultSettings, for which the zero value stands.
type Settings struct {
	// Format is one of Formats, or empty to detect it from the first bytes and then the extension.
	Format string
	// Sheet selects the sheet of an Excel file that has several.
	Sheet string
	// Array selects the member of an NPZ file that has several 2-D arrays.
	Array string
	// CSV applies to CSV and TSV. Its MaxLine also limits a JSON record and a text value of any format. Open sets or ignores File,
	// Threads and Progress.
	CSV CSVSettings
	// Threads is the largest number of decoding goroutines. The batches do not depend on it.
	Threads int
	// MaxColumns limits the columns of a file before selection.
	MaxColumns int
	// MaxMemory limits the bytes that a reader keeps: shared texts, pages, dictionaries, arrays, windows, long lines.
	MaxMemory int64
	// MaxSpool limits the bytes decompressed to a temporary file, if a format needs one.
	MaxSpool int64
}

// DefaultSettings returns the defaults of DefaultCSVSettings, all processors, 2^20 columns, 1 GiB of memory and 64 GiB
// of temporary file.
func DefaultSettings() Settings {
	return Settings{
		CSV: DefaultCSVSettings(), Threads: runtime.GOMAXPROCS(0),
		MaxColumns: 1 << 20, MaxMemory: 1 << 30, MaxSpool: 64 << 30,
	}
}

// Validate reports every error in the settings.
func (o Settings) Validate() error {
	var errs []error
	if o.Format != "" && !slices.Contains(Formats(), o.Format) {
		errs = append(errs, fmt.Errorf("setting Format = %q, want one of %s", o.Format, strings.Join(Formats(), ", ")))
	}
	if o.Threads < 1 {
		errs = append(errs, fmt.Errorf("setting Threads = %d, want at least 1", o.Threads))
	}
	if o.MaxColumns < 1 {
		errs = append(errs, fmt.Errorf("MaxColumns = %d, want at least 1", o.MaxColumns))
	}
	if o.MaxMemory < 1<<20 {
		errs = append(errs, fmt.Errorf("MaxMemory = %d, want at least %d", o.MaxMemory, 1<<20))
	}
	if o.MaxSpool < 1 {
		errs = append(errs, fmt.Errorf("MaxSpool = %d, want at least 1", o.MaxSpool))
	}
	return errors.Join(append(errs, o.CSV.Validate())...)
}

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
