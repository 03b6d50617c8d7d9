package cuda

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/solve"
)

type server struct {
	driver   Driver
	card     *card
	sessions map[int]responder
	next     int
}

func newServer(driver Driver) *server { return &server{driver: driver, sessions: map[int]responder{}} }

// Serve handles requests from in and writes replies to out until in ends.
func Serve(driver Driver, in io.Reader, out io.Writer) error {
	runtime.LockOSThread() // a context belongs to a thread
	defer runtime.UnlockOSThread()
	s := newServer(driver)
	r, w := bufio.NewReaderSize(in, device.Buffer), bufio.NewWriterSize(out, device.Buffer)
	var blobs [][]byte
	for {
		var q device.Request
		var err error
		blobs, err = device.Receive(r, &q, func() []int { return q.Sizes }, blobs...) // the blobs of the last request are no longer used
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		q.Blobs = blobs
		began := time.Now()
		reply, err := s.answer(&q)
		if err != nil {
			reply = &device.Reply{Error: err.Error(), Full: errors.Is(err, errMemory)}
			if errors.Is(err, solve.ErrStuck) {
				reply = &device.Reply{Stuck: []bool{true}}
			}
		}
		reply.Seconds = time.Since(began).Seconds()
		reply.Sizes = nil
		for _, b := range reply.Blobs {
			reply.Sizes = append(reply.Sizes, len(b))
		}
		if err := device.Send(w, reply, reply.Blobs); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
}

func (s *server) answer(q *device.Request) (*device.Reply, error) {
	if q.Version != device.Version {
		return nil, fmt.Errorf("the command speaks version %d, and this program %d: install both from one release", q.Version, device.Version)
	}
	switch q.Op {
	case device.OpList:
		cards, err := listCards(s.driver)
		return &device.Reply{Cards: cards}, err
	case device.OpCard:
		card, err := openCard(s.driver, q.Card)
		if err != nil {
			return nil, err
		}
		s.card = card
		card.Info.Free, err = card.Free()
		return &device.Reply{Cards: []device.Info{card.Info}}, err
	case device.OpOpen:
		return s.open(q)
	}
	session := s.sessions[q.Session]
	switch {
	case session == nil:
		return nil, fmt.Errorf("there is no session %d", q.Session)
	case q.Op == device.OpClose:
		delete(s.sessions, q.Session)
		return &device.Reply{}, session.close()
	}
	return session.respond(q)
}

func (s *server) open(q *device.Request) (*device.Reply, error) {
	if s.card == nil {
		return nil, errors.New("no card is open")
	}
	if q.Problem == nil {
		return nil, errors.New("open wants a problem")
	}
	var session responder
	var err error
	s.next++
	switch p := *q.Problem; {
	case p.Rows != nil:
		session, err = newRowSession(s.card, p)
	case p.Coder != nil:
		session, err = newCoderSession(s.card, p)
	default:
		session, err = newSession(s.card, p)
	}
	if err == nil {
		s.sessions[s.next] = session
	}
	return &device.Reply{Session: s.next}, err
}
