package files

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
)

// A meter counts the bytes that pass, for progress.
type meter struct {
	r io.Reader
	n atomic.Int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n.Add(int64(n))
	return n, err
}

// streamed is a source that reads a stream. It reports the bytes used, before decompression, and closes the layers between file and
// source.
type streamed struct {
	dataset.Source
	used  *meter
	close func() error
}

func (s *streamed) Next(ctx context.Context, b *dataset.Batch) error {
	err := s.Source.Next(ctx, b)
	b.Bytes = s.used.n.Load()
	return once(err)
}

// once removes the duplicate wrapping of a stream's error by a reader and keeps the place.
func once(err error) error {
	outer, ok := err.(*dataset.ParseError)
	var inner *dataset.ParseError
	if !ok || !errors.As(outer.Err, &inner) {
		return err
	}
	e := *inner
	e.Line, e.Row = outer.Line, outer.Row
	return &e
}

func (s *streamed) Notes() []string { return notesOf(s.Source) }

// notesOf returns the notes of a source that has some.
func notesOf(s dataset.Source) []string {
	if n, ok := s.(dataset.Noter); ok {
		return n.Notes()
	}
	return nil
}

func (s *streamed) Close() error { return cmp.Or(s.Source.Close(), s.close()) }

// openStream returns the source for a format that is read sequentially.
func (in *Input) openStream(r io.Reader, found map[string]csv.Form) (dataset.Source, error) {
	switch in.Format {
	case JSONLines:
		return openJSON(in.Name, r, in.opt)
	case NPY:
		return openNPY(in.Name, r, -1, nil, in.opt)
	}
	opt := csv.Settings{CSVSettings: in.opt.CSV}
	opt.File, opt.Threads, opt.Progress = in.Name, in.opt.Threads, nil
	if found != nil {
		opt.Forms = found
	}
	if in.Format == TSV && opt.Delimiter == 0 {
		opt.Delimiter = '\t'
	}
	s, err := csv.Open(r, opt)
	if err != nil {
		return nil, once(err)
	}
	if d := len(s.Columns()); d > in.opt.MaxColumns {
		return nil, errors.Join(s.Close(), located(in.Name, dataset.ErrTooWide, "%d, limit %d", d, in.opt.MaxColumns))
	}
	return s, nil
}
