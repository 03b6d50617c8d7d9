package files

import (
	"fmt"
	"io"
	"sync"
)

// ahead reads a stream on a goroutine of its own, so that unpacking and parsing go on at the same time. At most
// aheadBlocks blocks are in memory.
type ahead struct {
	full, free chan []byte
	stop       chan struct{}
	once       sync.Once
	err        error // of the stream; set before full is closed
	block      []byte
	rest       []byte
}

const (
	aheadBlocks = 4
	aheadSize   = 1 << 18
)

// readAhead starts to read r. When r ends or the reader is closed, done is called on the same goroutine.
func readAhead(r io.Reader, done func()) *ahead {
	a := &ahead{full: make(chan []byte, aheadBlocks), free: make(chan []byte, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks {
		a.free <- nil // made when it is needed
	}
	go func() {
		defer close(a.full)
		defer done()
		defer func() {
			if p := recover(); p != nil {
				a.err = fmt.Errorf("%v", p)
			}
		}()
		for {
			var buf []byte
			select {
			case buf = <-a.free:
			case <-a.stop:
				a.err = io.ErrClosedPipe
				return
			}
			if buf == nil {
				buf = make([]byte, aheadSize)
			}
			n := 0
			var err error
			for n < aheadSize && err == nil {
				var k int
				k, err = r.Read(buf[n:aheadSize])
				n += k
			}
			if n > 0 {
				select {
				case a.full <- buf[:n]:
				case <-a.stop:
					a.err = io.ErrClosedPipe
					return
				}
			}
			if err != nil {
				a.err = err
				return
			}
		}
	}()
	return a
}

func (a *ahead) Read(p []byte) (int, error) {
	if len(a.rest) == 0 {
		if a.block != nil {
			a.free <- a.block
			a.block = nil
		}
		b, ok := <-a.full
		if !ok {
			return 0, a.err
		}
		a.block, a.rest = b, b
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	return n, nil
}

// Close ends the goroutine, at the latest when the stream returns from its read.
func (a *ahead) Close() error {
	a.once.Do(func() { close(a.stop) })
	return nil
}
