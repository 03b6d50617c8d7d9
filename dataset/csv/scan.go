package csv

import (
	"context"
	"sync"

	"github.com/polydag/polydag/dataset"
)

// A scanner parses the runs of a table on several goroutines and returns them in the order of the file.
//
// A worker takes a free job and the next run of bytes under one lock, which also puts the job in the queue. So
// the queue has the order of the file. Then the worker parses on its own. There are two more jobs than workers,
// and jobs are reused, which limits the number of runs in memory.
type scanner struct {
	parser  *rowParser
	free    chan *job
	queue   chan *job     // has capacity for all jobs, so that workers never wait
	stop    chan struct{} // closed by close
	workers sync.WaitGroup
	first   *job // received from the queue by next, possibly not parsed yet

	take  sync.Mutex // guards src, ended and the order of queue
	src   *runReader
	ended bool // src is at its end
}

// A job is one run with its results.
type job struct {
	text  []byte
	batch dataset.Batch
	lines int   // line ends in the run
	read  int64 // bytes of the file up to its end
	err   error // error that ends the table: io.EOF, an error of the reader, or a *ParseError in the run
	done  chan struct{}
}

// startScanner starts the workers, which end with the file or with close.
func startScanner(src *runReader, parser *rowParser, threads int) *scanner {
	jobs := threads + 2
	s := &scanner{
		parser: parser, src: src,
		free: make(chan *job, jobs), queue: make(chan *job, jobs), stop: make(chan struct{}),
	}
	for range jobs {
		s.free <- &job{done: make(chan struct{}, 1)}
	}
	for range threads {
		s.workers.Go(func() {
			for s.work() {
			}
		})
	}
	return s
}

// work takes one run and parses it. It reports whether to continue.
func (s *scanner) work() bool {
	j := s.takeRun()
	if j == nil {
		return false
	}
	ended := j.err != nil
	if !ended {
		var fault *dataset.ParseError
		if j.lines, fault = s.parser.parse(&j.batch, j.text); fault != nil {
			j.err = fault
		}
	}
	j.done <- struct{}{}
	return !ended
}

// takeRun returns the next queued job with its text, or nil at the end.
func (s *scanner) takeRun() *job {
	s.take.Lock()
	defer s.take.Unlock()
	if s.ended {
		return nil
	}
	var j *job
	select {
	case <-s.stop:
		return nil
	case j = <-s.free:
	}
	j.batch.Reset()
	j.lines = 0
	j.text, j.err = s.src.next(j.text)
	j.read = s.src.taken
	s.ended = j.err != nil
	s.queue <- j
	return j
}

// next waits for the next run of the file or the end of ctx, whose error it returns. The caller returns the job
// to free.
func (s *scanner) next(ctx context.Context) (*job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.first == nil {
		select {
		case s.first = <-s.queue:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	select {
	case <-s.first.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	j := s.first
	s.first = nil
	return j, nil
}

// close ends the workers and waits for them, including a pending Read of the stream.
func (s *scanner) close() {
	close(s.stop)
	s.workers.Wait()
}
