package files

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Formats of tables. Compression is no format: it is found by its first bytes, around CSV, TSV, JSON lines and NPY.
const (
	CSV       = "csv"
	TSV       = "tsv"
	JSONLines = "jsonl" // objects one after another, or one array of objects
	Parquet   = "parquet"
	Arrow     = "arrow" // IPC file, IPC stream, Feather 2
	NPY       = "npy"
	NPZ       = "npz"
	SQLite    = "sqlite"
	XLSX      = "xlsx"    // Excel
	Moments   = "moments" // written by WriteMoments, an NPZ with covariance, n and names, or a covariance file of Tetrad
	Counts    = "counts"  // written by WriteCounts
)

// Formats returns the words that Settings.Format takes, sorted.
func Formats() []string {
	return []string{Arrow, Counts, CSV, JSONLines, Moments, NPY, NPZ, Parquet, SQLite, TSV, XLSX}
}

// Settings say how a file is read. Start from DefaultSettings.
type Settings struct {
	// Format is one of Formats, or empty for what the first bytes and then the extension say.
	Format string
	// Table is the table or view of an SQLite file that has several; Query, a single SELECT, takes its place.
	Table, Query string
	// Sheet is the sheet of an Excel file that has several.
	Sheet string
	// Array is the member of an NPZ file that has several 2-D arrays.
	Array string
	// CSV holds for CSV and TSV; its MaxLine also bounds a JSON record and a text value of any format. File, Threads and
	// Progress are set by Open, or not used.
	CSV CSVSettings
	// Threads is the most goroutines that decode. The batches do not depend on it.
	Threads int
	// MaxColumns bounds the columns of a file, before any are selected.
	MaxColumns int
	// MaxMemory bounds the bytes that a reader holds: shared texts, pages, dictionaries, arrays, windows, long lines.
	MaxMemory int64
	// MaxSpool bounds the bytes unpacked to a temporary file, where a format needs it.
	MaxSpool int64
	// CreateTemp makes the temporary file of a stream whose format needs one that can be opened by its name. Whoever sets it can
	// remove the file when the process ends before Close. os.CreateTemp if nil.
	CreateTemp func(dir, pattern string) (*os.File, error)
}

// DefaultSettings returns the defaults of DefaultCSVSettings, all processors, 2^20 columns, 1 GiB of memory and 64 GiB
// of temporary file.
func DefaultSettings() Settings {
	return Settings{
		CSV: DefaultCSVSettings(), Threads: runtime.GOMAXPROCS(0),
		MaxColumns: 1 << 20, MaxMemory: 1 << 30, MaxSpool: 64 << 30,
	}
}

// Validate reports every fault of the options.
func (o Settings) Validate() error {
	var errs []error
	if o.Format != "" && !slices.Contains(Formats(), o.Format) {
		errs = append(errs, fmt.Errorf("setting Format = %q, want one of %s", o.Format, strings.Join(Formats(), ", ")))
	}
	if o.Table != "" && o.Query != "" {
		errs = append(errs, fmt.Errorf("Table and Query both choose the rows; give one of them"))
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
