// Package csv reads tables of text. It detects the delimiter, the decimal sign and the header, parses numbers on several threads,
// and reports the line of every fault.
//
// Experimental: the API of this package may change before 1.0.
package csv

import (
	"runtime"

	"github.com/polydag/polydag/dataset"
)

// Settings are the public settings of a text table and the forms of its columns. Start from DefaultSettings.
type Settings struct {
	dataset.CSVSettings
	// Forms describe how the cells of a column are written, by column name. A Survey detects them.
	Forms map[string]Form
}

// DefaultSettings detects the delimiter and the decimal sign, uses all processors, and accepts lines of at most 64 MiB and at most
// 80,000 columns.
func DefaultSettings() Settings {
	return Settings{CSVSettings: dataset.CSVSettings{Threads: runtime.GOMAXPROCS(0), MaxLine: 64 << 20, MaxColumns: 80_000}}
}
