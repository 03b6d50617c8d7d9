package cuda

import (
	"fmt"

	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/gpu/internal/cuda/internal/ptx"
	"github.com/polydag/polydag/solve"
)

func (s *session) respond(q *device.Request) (*device.Reply, error) {
	if s.search != nil && q.Op != device.OpData {
		return s.search.answer(q)
	}
	switch q.Op {
	case device.OpLoad:
		if len(q.Blobs) != 3 || q.Index < 0 || q.Index >= s.Batch {
			return nil, fmt.Errorf("load wants three matrices of a problem of %d, got %d of problem %d", s.Batch, len(q.Blobs), q.Index)
		}
		return &device.Reply{}, s.load(q.Index, q.Blobs[0], q.Blobs[1], q.Blobs[2], q.Taken, q.Halved)
	case device.OpData:
		want := 1
		if s.Masked {
			want = 2
		}
		if len(q.Blobs) != want || q.Index < 0 || q.Index >= s.Batch {
			return nil, fmt.Errorf("data wants %d matrices of a problem of %d, got %d of problem %d", want, s.Batch, len(q.Blobs), q.Index)
		}
		err := s.put(q.Index, s.at[ptx.FrameS], q.Blobs[0])
		if err == nil && s.Masked {
			err = s.put(q.Index, s.at[ptx.FrameMask], q.Blobs[1])
		}
		return &device.Reply{}, err
	case device.OpPoint:
		return outcome(s.points())
	case device.OpAdvance:
		if len(q.Now) != s.Batch || len(q.Rest) != s.Batch {
			return nil, fmt.Errorf("advance wants weights of %d problems", s.Batch)
		}
		rest := make([]solve.Weights, s.Batch)
		for i, r := range q.Rest {
			rest[i] = solve.Weights{Score: r[0], A: r[1], B: r[2]}
		}
		return outcome(s.advance(&command{now: q.Now, rest: rest}, q.Steps))
	case device.OpFetch:
		reply := &device.Reply{}
		if q.Index < 0 || q.Index >= s.Batch {
			return nil, fmt.Errorf("there is no problem %d", q.Index)
		}
		wanted := s.kept[:3]
		if q.Only {
			wanted = s.kept[:1]
		}
		for _, m := range wanted {
			b, err := s.get(q.Index, m)
			if err != nil {
				return nil, err
			}
			reply.Blobs = append(reply.Blobs, b)
		}
		return reply, nil
	case device.OpProfile:
		shares, err := s.profile()
		return &device.Reply{Shares: shares}, err
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
