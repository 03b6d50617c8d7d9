// Package files reads tables from files of any common format as a dataset.Source:
//
//	in, err := files.Open("people.parquet", nil, files.DefaultSettings())
//	if err != nil {
//		return err
//	}
//	defer in.Close()
//	table, err := polydag.Prepare(ctx, in, polydag.DefaultPreparation())
//
// The format is what the first bytes say, then what the extension says: CSV and TSV, JSON lines, Parquet, Arrow IPC
// (file, stream, Feather 2), NPY, NPZ, SQLite, Excel, and saved moments. Text may be compressed with gzip, zstd or bzip2. Every
// reader works by blocks: memory does not grow with the rows, and a file that claims absurd sizes ends in an error
// before they are allocated. All formats of the same numbers give the same moments to the last bit.
//
// What becomes what:
//
//   - Missing: an empty or NA field of CSV (see CSVSettings), null and NaN everywhere else.
//   - Booleans are 0 and 1. Dates and times are seconds since 1970-01-01 UTC, times of day and durations seconds.
//     Decimals are rounded once, to the nearest float64.
//   - Text stays text, also where it looks like a number, except in CSV: a quoted number in JSON lines and a TEXT value
//     in SQLite are text cells.
//   - Nested columns, blobs and other types that have no number are an error where they are selected, and passed over
//     where not. polydag.Prepare leaves them out, with a note, unless they are asked for by name.
//   - An NPY array has no names: its columns are x0, x1, …; an NPZ file may hold them in an array "names" or "columns".
package files
