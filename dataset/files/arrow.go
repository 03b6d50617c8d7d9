package files

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/polydag/polydag/dataset"
)

// arSource reads an Arrow IPC file, which has a footer, or an IPC stream. It reads and decompresses the buffers of a record batch
// in pieces, so the size of a batch does not matter; only dictionaries are kept in memory. It skips the buffers of columns that
// were not selected.
//
// Like the Parquet decoder it is written for this package: it checks each size before it allocates, and keeps only a few rows of a
// record batch in memory.
type arSource struct {
	frame
	file   string
	at     origin
	opt    Settings
	memory budget
	fields []arField
	dicts  map[int64]*arDict

	pos     int64     // position of the next message of a stream
	blocks  []arBlock // record batches of a file not yet read
	firsts  []arBlock // dictionaries of a file not yet read
	isFile  bool
	left    int64 // rows left in the record batch
	readers []*arReader
	rows    *interleave
	read    int64 // bytes read
}

// arBlock locates a message of a file.
type arBlock struct{ pos, size int64 }

func openArrow(file string, at origin, opt Settings) (*arSource, error) {
	s := &arSource{file: file, at: at, opt: opt, memory: budget{file: file, limit: opt.MaxMemory}, dicts: map[int64]*arDict{}}
	if err := s.open(); err != nil {
		return nil, s.damaged(err)
	}
	columns := make([]dataset.Column, len(s.fields))
	for j := range columns {
		columns[j] = dataset.Column{Name: s.fields[j].name, Kind: s.fields[j].kind(), Categories: s.fields[j].category, Order: s.fields[j].order}
		if s.fields[j].fault(file, j) != nil {
			columns[j].Unreadable = s.fields[j].what
		}
	}
	var err error
	s.frame, err = newFrame(file, columns, opt)
	return s, err
}

func (s *arSource) damaged(err error) error {
	var e *dataset.ParseError
	if errors.As(err, &e) {
		e.File = s.file
		return err
	}
	return located(s.file, ErrDamaged, "%v", noEOF(err))
}

var errArrowShort = errors.New("it ends within a message")

func (s *arSource) open() error {
	var mark [8]byte
	if n, _ := s.at.ReadAt(mark[:], 0); n < len(mark) {
		return errArrowShort
	}
	if string(mark[:6]) == "ARROW1" {
		return s.openFooter()
	}
	m, err := s.message(0, -1)
	if err != nil {
		return err
	}
	if m.kind != arSchemaMessage {
		return errors.New("it does not start with a schema")
	}
	s.pos = m.next
	s.fields, err = readArrowSchema(m.meta, m.header, s.opt.MaxColumns)
	return err
}

// openFooter reads the schema and the positions of all messages from the end of a file.
func (s *arSource) openFooter() error {
	s.isFile = true
	size, err := s.at.Size()
	if err != nil {
		return err
	}
	var tail [10]byte
	if size < 24 {
		return errArrowShort
	}
	if n, err := s.at.ReadAt(tail[:], size-10); n < len(tail) {
		return err
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail[:])))
	if string(tail[4:]) != "ARROW1" {
		return errors.New("the Arrow mark is missing at its end")
	}
	if n <= 0 || n > size-18 || n > s.opt.MaxMemory/8 {
		return fmt.Errorf("the footer claims %d bytes of %d", n, size)
	}
	foot := make([]byte, n)
	if k, err := s.at.ReadAt(foot, size-10-n); k < len(foot) {
		return err
	}
	f := &flat{b: foot}
	root := f.root()
	if s.fields, err = readArrowSchema(f, f.table(root, 1), s.opt.MaxColumns); err != nil {
		return err
	}
	for k, list := range []*[]arBlock{&s.firsts, &s.blocks} {
		pos, n := f.vector(root, 2+k, 24)
		for i := range n {
			b := arBlock{pos: f.i64(pos + 24*i), size: int64(f.i32(pos+24*i+8)) + f.i64(pos+24*i+16)}
			if b.pos < 8 || b.size < 8 || b.pos > size || b.size > size-b.pos {
				return errors.New("a message lies outside the file")
			}
			*list = append(*list, b)
		}
	}
	if f.bad {
		return errFlat
	}
	return nil
}

// Kinds of messages.
const (
	arSchemaMessage     = 1
	arDictionaryMessage = 2
	arRecordMessage     = 3
)

type arMessage struct {
	meta       *flat
	kind       int
	header     table
	body, size int64 // position and size of the body
	next       int64
}

// message reads the metadata of the message at pos, which has at most limit bytes unless limit is negative. It returns io.EOF at
// the end of a stream.
func (s *arSource) message(pos, limit int64) (*arMessage, error) {
	var head [8]byte
	n, err := s.at.ReadAt(head[:], pos)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if n == 0 {
		return nil, io.EOF // a stream may end without an end mark
	}
	if n < 4 {
		return nil, errArrowShort
	}
	lead, length := int64(4), int64(int32(binary.LittleEndian.Uint32(head[:])))
	if length == -1 {
		if n < 8 {
			return nil, errArrowShort
		}
		lead, length = 8, int64(int32(binary.LittleEndian.Uint32(head[4:])))
	}
	if length == 0 {
		return nil, io.EOF
	}
	if length < 4 || length > s.opt.MaxMemory/8 || limit >= 0 && length > limit-lead {
		return nil, fmt.Errorf("a message claims %d bytes of metadata", length)
	}
	buf, err := readGrowing(io.NewSectionReader(s.at, pos+lead, length), length)
	if err != nil {
		return nil, err
	}
	f := &flat{b: buf}
	t := f.root()
	m := &arMessage{meta: f, kind: f.int8(t, 1, 0), header: f.table(t, 2), body: pos + lead + length, size: f.int64(t, 3)}
	if f.bad {
		return nil, errFlat
	}
	if m.size < 0 || m.size > 1<<60 || limit >= 0 && m.size > limit-lead-length {
		return nil, fmt.Errorf("a message claims a body of %d bytes", m.size)
	}
	m.next = m.body + m.size
	return m, nil
}

// readGrowing reads n bytes and allocates only as the bytes arrive.
func readGrowing(r io.Reader, n int64) ([]byte, error) {
	if n <= 1<<16 {
		b := make([]byte, n)
		_, err := io.ReadFull(r, b)
		return b, noEOF(err)
	}
	b, err := io.ReadAll(io.LimitReader(r, n))
	if err == nil && int64(len(b)) < n {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// start checks the selected columns and makes their readers.
func (s *arSource) start() error {
	readers := make([]columnReader, len(s.chosen))
	for k, j := range s.chosen {
		if err := s.fields[j].fault(s.file, j); err != nil {
			return err
		}
		r := &arReader{s: s, c: &s.fields[j], column: j}
		s.readers = append(s.readers, r)
		readers[k] = r
	}
	s.rows = newInterleave(s.file, readers, s.opt)
	return nil
}

// Next implements dataset.Source. A batch does not cross record batches.
func (s *arSource) Next(ctx context.Context, b *dataset.Batch) error {
	if err := s.begin(ctx, b); err != nil {
		return err
	}
	if s.rows == nil {
		if err := s.start(); err != nil {
			return err
		}
	}
	for s.left == 0 {
		if err := guarded(s.file, s.advance); err == io.EOF {
			return err
		} else if err != nil {
			return s.damaged(err)
		}
	}
	rows := int(min(int64(batchRows(len(s.chosen))), s.left))
	if err := s.rows.fill(b, rows); err != nil {
		b.Reset()
		return s.damaged(err)
	}
	s.left -= int64(rows)
	b.Bytes = s.read
	return nil
}

// advance reads messages up to the next record batch.
func (s *arSource) advance() error {
	var m *arMessage
	var err error
	switch {
	case !s.isFile:
		m, err = s.message(s.pos, -1)
	case len(s.firsts) > 0:
		m, err = s.message(s.firsts[0].pos, s.firsts[0].size)
		s.firsts = s.firsts[1:]
	case len(s.blocks) > 0:
		m, err = s.message(s.blocks[0].pos, s.blocks[0].size)
		s.blocks = s.blocks[1:]
	default:
		return io.EOF
	}
	if err != nil {
		if err == io.EOF && s.isFile {
			err = errArrowShort
		}
		return err
	}
	s.pos, s.read = m.next, m.next
	switch m.kind {
	case arDictionaryMessage:
		return s.dictionary(m)
	case arRecordMessage:
		return s.record(m)
	}
	return fmt.Errorf("a message of kind %d among the rows", m.kind)
}

// record points the readers to the buffers of a record batch.
func (s *arSource) record(m *arMessage) error {
	l, err := s.layout(m, m.header)
	if err != nil {
		return err
	}
	want := map[int]*arReader{}
	for _, r := range s.readers {
		want[r.column] = r
	}
	for j := range s.fields {
		part, err := l.take(&s.fields[j])
		if err != nil {
			return err
		}
		if r := want[j]; r != nil {
			if part.rows != l.rows {
				return errors.New("a column does not have a value for each row")
			}
			r.dict = s.dicts[r.c.dict]
			if err := r.load(l, part, r.c.typ, r.c.encoded); err != nil {
				return err
			}
		}
	}
	s.left = l.rows
	return nil
}

func (s *arSource) Close() error {
	for _, r := range s.readers {
		r.close()
	}
	return nil
}
