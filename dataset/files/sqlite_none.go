//go:build js

package files

import (
	"context"

	"github.com/polydag/polydag/dataset"
)

// openSQLite returns an error, because the SQLite library does not support WebAssembly.
func (in *Input) openSQLite(context.Context) (dataset.Source, error) {
	return nil, located(in.Name, ErrFormat, "SQLite files are not read in a browser: save the table as Parquet or CSV")
}
