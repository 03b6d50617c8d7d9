package cuda

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/solve"
)

type server struct {
	driver   Driver
	card     *card
	sessions map[int]*session
	others   map[int]responder // sessions that handle their own requests
	next     int
}

// Serve handles requests from in and writes replies to out until in ends.
func Serve(driver Driver, in io.Reader, out io.Writer) error {
	runtime.LockOSThread() // a context belongs to a thread
	defer runtime.UnlockOSThread()
	s := &server{driver: driver, sessions: map[int]*session{}, others: map[int]responder{}}
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
	if other := s.others[q.Session]; other != nil {
		if q.Op == device.OpClose {
			delete(s.others, q.Session)
			return &device.Reply{}, other.close()
		}
		return other.respond(q)
	}
	se := s.sessions[q.Session]
	if se == nil {
		return nil, fmt.Errorf("there is no session %d", q.Session)
	}
	if se.search != nil && !slices.Contains([]string{device.OpData, device.OpClose}, q.Op) {
		return se.search.answer(q)
	}
	switch q.Op {
	case device.OpLoad:
		if len(q.Blobs) != 3 || q.Index < 0 || q.Index >= se.Batch {
			return nil, fmt.Errorf("load wants three matrices of a problem of %d, got %d of problem %d", se.Batch, len(q.Blobs), q.Index)
		}
		return &device.Reply{}, se.load(q.Index, q.Blobs[0], q.Blobs[1], q.Blobs[2], q.Taken, q.Halved)
	case device.OpData:
		want := 1
		if se.Masked {
			want = 2
		}
		if len(q.Blobs) != want || q.Index < 0 || q.Index >= se.Batch {
			return nil, fmt.Errorf("data wants %d matrices of a problem of %d, got %d of problem %d", want, se.Batch, len(q.Blobs), q.Index)
		}
		err := se.put(q.Index, se.at[ptx.FrameS], q.Blobs[0])
		if err == nil && se.Masked {
			err = se.put(q.Index, se.at[ptx.FrameMask], q.Blobs[1])
		}
		return &device.Reply{}, err
	case device.OpPoint:
		return outcome(se.points())
	case device.OpAdvance:
		if len(q.Now) != se.Batch || len(q.Rest) != se.Batch {
			return nil, fmt.Errorf("advance wants weights of %d problems", se.Batch)
		}
		rest := make([]solve.Weights, se.Batch)
		for i, r := range q.Rest {
			rest[i] = solve.Weights{Score: r[0], A: r[1], B: r[2]}
		}
		return outcome(se.advance(&command{now: q.Now, rest: rest}, q.Steps))
	case device.OpFetch:
		reply := &device.Reply{}
		if q.Index < 0 || q.Index >= se.Batch {
			return nil, fmt.Errorf("there is no problem %d", q.Index)
		}
		wanted := se.kept[:3]
		if q.Only {
			wanted = se.kept[:1]
		}
		for _, m := range wanted {
			b, err := se.get(q.Index, m)
			if err != nil {
				return nil, err
			}
			reply.Blobs = append(reply.Blobs, b)
		}
		return reply, nil
	case device.OpProfile:
		shares, err := se.profile()
		return &device.Reply{Shares: shares}, err
	case device.OpClose:
		delete(s.sessions, q.Session)
		return &device.Reply{}, se.close()
	}
	return nil, fmt.Errorf("%q is no request", q.Op)
}

// outcome converts the result of steps to a reply.
func outcome(points [][]solve.Point, stuck []bool, err error) (*device.Reply, error) {
	if err != nil {
		return nil, err
	}
	reply := &device.Reply{Stuck: stuck, Points: make([][][3]float64, len(points))}
	for p, of := range points {
		reply.Points[p] = make([][3]float64, len(of))
		for i, at := range of {
			reply.Points[p][i] = [3]float64{at.Score, at.Penalty, at.H}
		}
	}
	return reply, nil
}

func (s *server) open(q *device.Request) (*device.Reply, error) {
	if s.card == nil {
		return nil, errors.New("no card is open")
	}
	if q.Problem == nil {
		return nil, errors.New("open wants a problem")
	}
	var err error
	s.next++
	switch p := *q.Problem; {
	case p.Rows != nil:
		err = opened(s.others, s.next, func() (responder, error) { return newRowSession(s.card, p) })
	case p.Coder != nil:
		err = opened(s.others, s.next, func() (responder, error) { return newCoderSession(s.card, p) })
	default:
		err = opened(s.sessions, s.next, func() (*session, error) { return newSession(s.card, p) })
	}
	return &device.Reply{Session: s.next}, err
}

func opened[S any](in map[int]S, number int, open func() (S, error)) error {
	s, err := open()
	if err == nil {
		in[number] = s
	}
	return err
}
