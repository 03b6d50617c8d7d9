package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
)

// scan reads the header and then every row of a table. It calls sink with runs of whole
// rows in the order of the file, from one goroutine at a time; the rows are valid during
// the call only. It returns the names of the columns.
//
// opt.Threads workers each take the next run of bytes (under one lock), parse it on their
// own, and wait for their turn to deliver it. So the sink sees the file's order, the first
// fault of the file is the one reported, and at most one run a worker is in memory.
func scan(ctx context.Context, r io.Reader, opt CSVOptions, sink func(names []string, rows []float64) error) ([]string, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	src := &source{r: r, maxLine: opt.MaxLine}
	names, lines, err := readHeader(src, opt)
	if err != nil {
		return nil, err
	}
	s := &scanner{
		ctx: ctx, src: src, opt: opt, sink: sink,
		parser: rowParser{names: names, delim: opt.Delimiter},
		lines:  lines,
	}
	s.turnChanged.L = &s.turnLock
	var workers sync.WaitGroup
	for range opt.Threads - 1 {
		workers.Go(s.work)
	}
	s.work()
	workers.Wait()
	switch {
	case s.err != nil:
		return nil, s.err
	case s.rows == 0:
		return nil, &ParseError{File: opt.File, Err: ErrNoRows}
	case s.rows == 1:
		return nil, &ParseError{File: opt.File, Err: ErrOneRow}
	}
	return names, nil
}

type scanner struct {
	ctx    context.Context
	opt    CSVOptions
	sink   func([]string, []float64) error
	parser rowParser

	srcLock sync.Mutex
	src     *source
	taken   int // runs handed out

	turnLock    sync.Mutex
	turnChanged sync.Cond
	turn        int   // the run whose delivery is due
	rows, lines int   // delivered
	ended       bool  // the source is used up or err is set; ends all workers
	err         error // the first fault
}

// work takes, parses and delivers runs until the source ends or something fails.
func (s *scanner) work() {
	var buf []byte
	var rows []float64
	for {
		var err error
		s.srcLock.Lock()
		ticket := s.taken
		s.taken++
		buf, err = s.src.next(buf)
		bytes := s.src.taken
		s.srcLock.Unlock()
		if err == nil {
			err = s.ctx.Err()
		}
		lines := 0
		if err == nil {
			rows, lines, err = s.parser.parse(rows[:0], buf)
		}
		if !s.deliver(ticket, rows, lines, bytes, err) {
			return
		}
	}
}

// deliver waits for the ticket's turn, passes the rows on, and reports whether to go on.
func (s *scanner) deliver(ticket int, rows []float64, lines int, bytes int64, err error) bool {
	s.turnLock.Lock()
	defer s.turnLock.Unlock()
	for s.turn != ticket && !s.ended {
		s.turnChanged.Wait()
	}
	if s.ended {
		return false
	}
	defer s.turnChanged.Broadcast()
	if err == nil {
		err = s.sink(s.parser.names, rows)
	} else {
		err = s.place(err)
	}
	if err != nil {
		s.ended = true
		if err != io.EOF {
			s.err = err
		}
		return false
	}
	s.turn++
	s.rows += len(rows) / len(s.parser.names)
	s.lines += lines
	if s.opt.Progress != nil {
		s.opt.Progress(bytes, s.rows)
	}
	return true
}

// place turns what a worker met into the error of scan; io.EOF stays what it is. Rows and
// lines of a fault count from the start of its run; what was delivered before makes them
// absolute.
func (s *scanner) place(err error) error {
	var e *ParseError
	switch {
	case err == io.EOF:
		return err
	case errors.As(err, &e):
		e.Row += s.rows
		e.Line += s.lines
	case errors.Is(err, ErrLineTooLong):
		e = &ParseError{Row: s.rows + 1, Line: s.lines + 1, Detail: fmt.Sprintf("limit %d bytes", s.opt.MaxLine), Err: err}
	case s.ctx.Err() != nil:
		return fmt.Errorf("dataset: reading stopped after %d rows: %w", s.rows, err)
	default:
		e = &ParseError{Row: s.rows + 1, Line: s.lines + 1, Err: err}
	}
	e.File = s.opt.File
	return e
}
