package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/fault"
)

// An Input is a file, several files or a stream, whose table can be read more than once. Only one goroutine may use it at a time.
type Input struct {
	// Name is the name in errors.
	Name string
	// Format is one of Formats. Compression is gz, zst, bz2 or empty.
	Format, Compression string

	opt     Settings
	path    string // path of the file; empty for standard input and a stream
	from    origin
	passes  int
	parts   []part // files of a table in several files
	size    int64  // total size of all parts; -1 if one is not a regular file
	moments *dataset.Moments
	profile *dataset.Profile
	counts  *dataset.Counts
	forms   forms
	decimal byte // detected decimal separator of a text table
}

// Open opens the file at path and detects its format; "-" is stdin. A path may have options, as in book.xlsx?sheet=people or
// file.npz?array=x, unless a file of that name exists. The first bytes take precedence over the extension. A directory, or a
// pattern such as part-*.parquet that is not the name of a file, is read as one table: the rows of its files, sorted by name.
//
// A stream (a pipe, or stdin unless Whole reports a file) is copied to a temporary file while it is read, to allow a second pass;
// Close removes it. Formats that are read from their end (Parquet, NPZ, Excel) first read the whole stream.
func Open(path string, stdin io.Reader, opt Settings) (*Input, error) {
	if reflect.ValueOf(opt).IsZero() {
		opt = DefaultSettings()
	}
	path, opt, err := locate(path, opt)
	if err != nil {
		return nil, err
	}
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	opt.CSV.MaxLine = min(opt.CSV.MaxLine, int(max(1<<20, opt.MaxMemory/16)))
	if path != "-" {
		if parts, err := partsOf(path); err != nil || parts != nil {
			if err != nil {
				return nil, err
			}
			return openParts(path, parts, opt)
		}
	}
	in := &Input{Name: path, opt: opt}
	if path == "-" {
		in.Name = "standard input"
		if size, ok := Whole(stdin); ok {
			in.from = regular{stdin.(*os.File), size, true}
		} else {
			in.from = &spool{name: in.Name, src: stdin, limit: math.MaxInt64}
		}
	} else {
		f, st, err := openPath(path)
		if err != nil {
			return nil, err
		}
		if st.Mode().IsRegular() && st.Size() > 0 {
			in.path, in.from = path, regular{f, st.Size(), false}
		} else {
			in.from = &spool{name: path, src: f, owned: f, limit: math.MaxInt64}
		}
	}
	if err := in.identify(); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// Whole reports whether standard input is a regular file at its first byte, as after < in a shell, and its size. Such an input can
// be read repeatedly like a file and is not copied.
func Whole(stdin io.Reader) (size int64, ok bool) {
	f, ok := stdin.(*os.File)
	if !ok {
		return 0, false
	}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
		return 0, false
	}
	at, err := f.Seek(0, io.SeekCurrent)
	return st.Size(), err == nil && at == 0
}

// identify detects compression and format, and reads moments and counts.
func (in *Input) identify() error {
	head, err := headOf(fromStart(in.from))
	if err != nil {
		return in.readFault(err)
	}
	if word := packing(head); word != "" {
		in.Compression = word
		if head, err = packedHead(in.Name, word, fromStart(in.from), in.opt); err != nil {
			return err
		}
	}
	if in.Format = in.opt.Format; in.Format == "" {
		if what := refusal(head); what != "" {
			if other := hdf5Of(in.Name); what == hdf5Text && other != "" {
				what = other
			}
			return located(in.Name, ErrFormat, "%s", what)
		}
		if in.Format = byMagic(head); in.Format == "" {
			in.Format = byExtension(in.Name)
		}
	}
	if (in.Format == CSV && in.opt.Format == "" || in.Format == Moments) && holdsCovariance(head) {
		in.Format = Moments
		in.moments, err = in.covariance()
		return err
	}
	if slices.Contains([]string{Parquet, Arrow, NPY, NPZ}, in.Format) && isText(head) && bytes.IndexByte(head, '\n') >= 0 {
		return &dataset.ParseError{File: in.Name, Err: fault.New(ErrFormat, "the content is text and not "+in.Format, "read it with %s, or rename it to end in .csv", fault.Set("format", CSV))}
	}
	if in.Compression != "" {
		if !slices.Contains([]string{CSV, TSV, JSONLines, NPY}, in.Format) {
			return located(in.Name, ErrFormat, "a %s file that is packed with %s cannot be read from its end: unpack it first", in.Format, in.Compression)
		}
		return nil
	}
	if in.Format == NPZ || in.Format == Moments || in.Format == Counts {
		return in.openArchive()
	}
	return nil
}

func headOf(r io.Reader) ([]byte, error) {
	head := make([]byte, headSize)
	n, err := io.ReadFull(r, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return head[:n], err
}

// spool returns the spool of a stream, and nil for a file.
func (in *Input) spool() *spool {
	s, _ := in.from.(*spool)
	return s
}

func (in *Input) readFault(err error) error {
	return fmt.Errorf("cannot read %s: %w", in.Name, err)
}

// openArchive detects the content of a zip: arrays, saved moments, counts, a workbook or something else.
func (in *Input) openArchive() error {
	size, err := in.from.Size()
	if err != nil {
		return in.readFault(err)
	}
	if in.Format == NPZ && in.opt.Format == "" && isXLSX(in.from, size) {
		in.Format = XLSX
		return nil
	}
	z, err := openNPZ(in.Name, in.from, size, in.opt)
	if err != nil {
		return err
	}
	if in.Format == Moments || in.opt.Array == "" && z.holdsMoments() {
		in.Format = Moments
		in.moments, in.profile, err = z.moments()
	} else if in.Format == Counts || in.opt.Array == "" && z.holdsCounts() {
		in.Format = Counts
		in.counts, err = z.counts()
	}
	return err
}

// Saved returns the moments in the file and the profile saved with them, if any. It returns nil for a table.
func (in *Input) Saved() (*dataset.Moments, *dataset.Profile) { return in.moments, in.profile }

// Describe returns the name, the format and the size of the file, or the total size of all files. The size of a stream is 0.
func (in *Input) Describe() (name, format string, bytes int64) {
	if in.parts != nil {
		return in.Name, in.Format, max(in.size, 0)
	}
	if f, ok := in.from.(regular); ok {
		bytes = f.size
	}
	return in.Name, in.Format, bytes
}

// SHA256 returns the hash of the file's bytes, before decompression, in hexadecimal. The hash of several files is that of their
// concatenation. For regular files it can be called while the rows are read, for a stream only afterwards. It is "" if a stream was
// not kept.
func (in *Input) SHA256(ctx context.Context) (string, error) {
	h := sha256.New()
	if whole, err := in.hash(ctx, h); err != nil || !whole {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hash writes all bytes to h, and reports whether they are still available.
func (in *Input) hash(ctx context.Context, h io.Writer) (whole bool, err error) {
	for _, p := range in.parts {
		file, closeFile, err := p.open(in.opt)
		if err != nil {
			return false, err
		}
		whole, err := file.hash(ctx, h)
		if err = errors.Join(err, closeFile()); err != nil || !whole {
			return false, err
		}
	}
	if in.parts != nil {
		return true, nil
	}
	var from io.Reader
	if f, ok := in.from.(regular); ok {
		from = io.NewSectionReader(f, 0, f.size)
	} else if s := in.spool(); s != nil {
		if s.again() != nil {
			return false, nil
		}
		from = fromStart(s)
	}
	buf := make([]byte, 1<<20)
	for {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		n, err := from.Read(buf)
		h.Write(buf[:n])
		if err == io.EOF {
			return true, nil
		}
		if err != nil {
			return false, in.readFault(err)
		}
	}
}

// Source returns the table from its first row, for polydag.Prepare. Close the previous source before calling it again. The source
// is valid until the input is closed.
func (in *Input) Source(ctx context.Context) (dataset.Source, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.textTable() {
		return in.surveyed(ctx)
	}
	src, err := in.raw(ctx, in.forms.found)
	if fields, ok := src.(*arFields); ok {
		return in.fields(ctx, fields)
	}
	if err != nil || len(in.opt.CSV.NA) == 0 {
		return src, err
	}
	columns := src.Columns()
	literal, err := csv.Literal(dataset.ColumnNames(columns), in.opt.CSV.NA)
	if err != nil {
		return nil, errors.Join(&dataset.ParseError{File: in.Name, Err: err}, src.Close())
	}
	for j := range columns {
		columns[j].Literal = literal[j]
	}
	return src, nil
}

// raw opens the rows with the given column forms.
func (in *Input) raw(ctx context.Context, found map[string]csv.Form) (dataset.Source, error) {
	if s := in.spool(); s != nil && in.passes > 0 {
		if err := s.again(); err != nil {
			return nil, err
		}
	}
	in.passes++
	if in.parts != nil {
		return openJoined(ctx, in.parts, in.opt, found)
	}
	switch in.Format {
	case Moments:
		return nil, located(in.Name, ErrNoTable, "it holds saved moments, which have no rows")
	case Counts:
		return newCountSource(in.Name, in.counts, in.opt)
	case Arrow:
		src, err := openArrow(in.Name, in.from, in.opt)
		if err != nil {
			return nil, err
		}
		return src.withFields(found)
	case Parquet, NPZ, NPY, XLSX:
		if in.Format == NPY && in.Compression != "" {
			break
		}
		if in.spool() != nil && in.Format == NPY {
			return openNPY(in.Name, fromStart(in.from), -1, nil, in.opt)
		}
		size, err := in.from.Size()
		if err != nil {
			return nil, in.readFault(err)
		}
		switch in.Format {
		case XLSX:
			return openXLSX(in.Name, in.from, size, in.opt, found)
		case Parquet:
			return openParquet(in.Name, in.from, size, in.opt)
		case NPZ:
			z, err := openNPZ(in.Name, in.from, size, in.opt)
			if err != nil {
				return nil, err
			}
			return z.table()
		}
		return openNPY(in.Name, io.NewSectionReader(in.from, 0, size), size, nil, in.opt)
	}
	content, end, err := in.content()
	if err != nil {
		return nil, err
	}
	s, err := in.openStream(content, found)
	if err != nil {
		end()
		return nil, err
	}
	return &streamed{Source: s, used: content.used, close: end}, nil
}

// content is the decompressed text of a file, with a count of the compressed bytes read.
type content struct {
	io.Reader
	used *meter
}

func (in *Input) content() (content, func() error, error) {
	used := &meter{r: fromStart(in.from)}
	if in.Compression == "" {
		return content{used, used}, func() error { return nil }, nil
	}
	z, err := openPacked(in.Name, in.Compression, used, in.opt)
	if err != nil {
		return content{}, nil, err
	}
	return content{z, used}, z.Close, nil
}

// Close closes the file and removes the temporary file of a stream. Standard input stays open.
func (in *Input) Close() error {
	if in.from != nil {
		return in.from.Close()
	}
	var err error
	for _, p := range in.parts { // other parts are opened later, one at a time
		if p.kept != nil {
			err = errors.Join(err, p.kept.Close())
		}
	}
	return err
}
