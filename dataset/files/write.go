package files

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/fault"
)

// ErrNotWritten is matched if a file name requests a format that can only be read.
var ErrNotWritten = fault.Kind("not-written", "tables cannot be written in this format; use the extension .csv, .csv.gz, .csv.zst, .tsv, .parquet, .npy or .npz")

// A Writer writes tables of numbers and text in one format. WriterFor returns one.
type Writer struct {
	Format      string // CSV, TSV, Parquet, NPY or NPZ
	Compression string // gz, zst or empty; only for CSV and TSV
	// Raw writes text to CSV and TSV unchanged, even if a spreadsheet would run it as a formula. Otherwise such text gets an
	// apostrophe in front, which Open removes.
	Raw bool
}

// WriterFor returns the writer for the format of a file name's extension, with the same rules as Open: the default is CSV. A format
// or compression that can only be read is an error matching ErrNotWritten.
func WriterFor(path string) (Writer, error) {
	name := strings.ToLower(filepath.Base(path))
	w := Writer{Format: byExtension(name)}
	for _, p := range packings {
		if strings.HasSuffix(name, "."+p.word) {
			w.Compression = p.word
		}
	}
	refuse := func(what string) (Writer, error) { return Writer{}, located(path, ErrNotWritten, "%s", what) }
	switch ext := filepath.Ext(name); ext {
	case ".xlsx", ".xlsm", ".xls", ".xz", ".lz4", ".zip", ".br", ".h5", ".h5ad", ".hdf5", ".rds", ".rdata", ".pkl", ".mat", ".orc", ".avro", ".dta", ".sav", ".db", ".sqlite", ".sqlite3":
		return refuse(strings.TrimPrefix(ext, "."))
	}
	switch {
	case w.Compression == "bz2":
		return refuse(w.Compression)
	case w.Format == CSV || w.Format == TSV:
		return w, nil
	case w.Compression != "":
		return refuse(w.Format + " in " + w.Compression)
	case w.Format == Parquet || w.Format == NPY || w.Format == NPZ:
		return w, nil
	}
	return refuse(w.Format)
}

// Text reports whether the format supports text columns.
func (w Writer) Text() bool { return w.Format != NPY && w.Format != NPZ }

// Content is the table that a Writer writes.
type Content struct {
	Names []string
	Count int // number of rows that Rows yields, which NPY stores before the rows
	// Rows yields each row; it may reuse one slice.
	Rows iter.Seq[[]float64]
	// Words, if not nil, has an entry per column: if Words[j] is not nil, a number k in column j means the text
	// Words[j][k]. NPY and NPZ support only numbers and reject Words.
	Words [][]string
}

// Write writes a table, with memory that does not grow with its rows. The same table gives the same bytes. NPY
// has no names; NPZ stores them as array names next to x.
func (w Writer) Write(to io.Writer, t Content) error {
	counted := t
	n := 0
	var fault error
	counted.Rows = func(yield func([]float64) bool) {
		for row := range t.Rows {
			if n++; n > t.Count || len(row) != len(t.Names) {
				fault = fmt.Errorf("row %d has %d values; the table was to have %d rows of %d", n, len(row), t.Count, len(t.Names))
				return
			}
			if !yield(row) {
				return
			}
		}
	}
	err := w.write(to, counted)
	switch {
	case fault != nil:
		return fault
	case err == nil && n < t.Count:
		return fmt.Errorf("the table ended after %d rows, it was to have %d", n, t.Count)
	}
	return err
}

func (w Writer) write(to io.Writer, t Content) error {
	if !w.Text() && slices.ContainsFunc(t.Words, func(words []string) bool { return words != nil }) {
		return fmt.Errorf("%s holds numbers only, and the table has text; write it as CSV or Parquet", w.Format)
	}
	switch w.Format {
	case Parquet:
		return writeParquet(to, t)
	case NPY:
		return writeNPY(to, t)
	case NPZ:
		return writeNPZ(to, t)
	}
	delim := byte(',')
	if w.Format == TSV {
		delim = '\t'
	}
	text := func(to io.Writer) error { return csv.WriteWords(to, delim, t.Names, t.Words, t.Rows, w.Raw) }
	switch w.Compression {
	case "gz":
		z := gzip.NewWriter(to) // without time or name, so that the bytes depend only on the content
		return errors.Join(text(z), z.Close())
	case "zst":
		z, err := zstd.NewWriter(to, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return err
		}
		return errors.Join(text(z), z.Close())
	}
	return text(to)
}

// writeNPY writes little-endian float64 in C order.
func writeNPY(to io.Writer, t Content) error {
	b := bufio.NewWriterSize(to, 1<<16)
	b.Write(npyHead("<f8", []int{t.Count, len(t.Names)}))
	if err := writeFloats(b, t.Rows); err != nil {
		return err
	}
	return b.Flush()
}

func writeFloats(to io.Writer, rows iter.Seq[[]float64]) error {
	var buf []byte
	for row := range rows {
		buf = buf[:0]
		for _, v := range row {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		if _, err := to.Write(buf); err != nil {
			return err
		}
	}
	return nil
}
