// Package files reads tables from files in common formats as a dataset.Source:
//
//	in, err := files.Open("people.parquet", nil, files.DefaultSettings())
//	if err != nil {
//		return err
//	}
//	defer in.Close()
//	table, err := polydag.Prepare(ctx, in, polydag.DefaultPreparation())
//
// The format is detected from the first bytes, then from the extension: CSV and TSV, JSON lines, Parquet, Arrow IPC (file, stream,
// Feather 2), NPY, NPZ, Excel, saved moments, aggregated counts and Tetrad covariance files. Text may be compressed with
// gzip, zstd or bzip2. Every reader works in blocks, so memory does not grow with the rows. A file that claims absurd sizes gives
// an error before they are allocated. The same numbers give the same moments, bit for bit, in every format.
//
// Values are converted as follows:
//
//   - Missing values are null and NaN, and in every format texts such as NA and ? (see CSVSettings).
//   - Booleans are 0 and 1. Dates and times are seconds since 1970-01-01 UTC, times of day and durations are seconds.
//     Decimals are rounded once, to the nearest float64.
//   - Text stays text even if it looks like a number, except in CSV: a quoted number in JSON lines is a text
//     cell.
//   - Nested columns, blobs and other non-numeric types are an error if they are selected, and skipped
//     otherwise. polydag.Prepare excludes them, with a note, unless they are requested by name.
//   - An NPY array has no names: its columns are x0, x1, …; an NPZ file may have them in an array "names" or "columns".
package files
