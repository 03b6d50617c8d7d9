package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// pace limits the time of an upload. Otherwise a few slow visitors could block every upload slot.
type pace struct {
	pause time.Duration // longest time without a byte
	grace time.Duration // time before rate applies
	rate  int64         // smallest average bytes per second after that
	total time.Duration // longest total time
}

// uploadPace allows a table of 256 MB over a 2 Mbit/s line.
var uploadPace = pace{pause: 20 * time.Second, grace: 20 * time.Second, rate: 64 << 10, total: 30 * time.Minute}

// errSlow is the error of an upload that is too slow.
var errSlow = errors.New("it came too slowly")

// deadline returns the time by which the next byte must arrive.
func (p pace) deadline(start, now time.Time, received int64) time.Time {
	allowed := min(p.total, p.grace+time.Duration(float64(received)/float64(p.rate)*float64(time.Second)))
	if pause := now.Add(p.pause); pause.Before(start.Add(allowed)) {
		return pause
	}
	return start.Add(allowed)
}

// paced reads a body and fails if it is too slow.
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
	p.control.SetReadDeadline(limit) // fails only for writers without deadlines, as in tests
	n, err := p.ReadCloser.Read(b)
	p.received += int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) || err == nil && p.now().After(limit) {
		return n, fmt.Errorf("%w: at least %d kB per second are expected, and at most %s in all; use polydag learn", errSlow, p.rate>>10, p.total)
	}
	return n, err
}
