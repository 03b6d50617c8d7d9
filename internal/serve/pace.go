package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// pace bounds the time that a table may take on its way. Without it, a few visitors who send a byte now and then hold every upload slot.
type pace struct {
	pause time.Duration // the longest time without a byte
	grace time.Duration // the time before rate counts
	rate  int64         // the least bytes per second after that, on average
	total time.Duration // the longest time in all
}

// uploadPace admits a table of 256 MB over a line of 2 Mbit/s.
var uploadPace = pace{pause: 20 * time.Second, grace: 20 * time.Second, rate: 64 << 10, total: 30 * time.Minute}

// errSlow is the error of a table that comes too slowly.
var errSlow = errors.New("it came too slowly")

// deadline is the time by which the next byte must come.
func (p pace) deadline(start, now time.Time, received int64) time.Time {
	allowed := min(p.total, p.grace+time.Duration(float64(received)/float64(p.rate)*float64(time.Second)))
	if pause := now.Add(p.pause); pause.Before(start.Add(allowed)) {
		return pause
	}
	return start.Add(allowed)
}

// paced reads a body and fails when it falls behind its pace.
type paced struct {
	io.ReadCloser
	pace
	control  *http.ResponseController
	now      func() time.Time
	start    time.Time
	received int64
}

func (p *paced) Read(b []byte) (int, error) {
	limit := p.deadline(p.start, p.now(), p.received)
	p.control.SetReadDeadline(limit) // an error means a writer without deadlines, as in tests
	n, err := p.ReadCloser.Read(b)
	p.received += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) || err == nil && p.now().After(limit) {
		return n, fmt.Errorf("%w: at least %d kB per second are expected, and at most %s in all; use polydag learn", errSlow, p.rate>>10, p.total)
	}
	return n, err
}
