//go:build js

package files

import (
	"context"

	"github.com/polydag/polydag/dataset"
)

// openSQLite refuses: the library that reads SQLite files has no port to WebAssembly.
func (in *Input) openSQLite(context.Context) (dataset.Source, error) {
	return nil, located(in.Name, ErrFormat, "SQLite files are not read in a browser: save the table as Parquet or CSV")
}
