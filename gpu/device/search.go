package device

import (
	"context"
	"errors"
	"fmt"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// search is one OWLQN on a device. W, the gradients and all pairs stay there. A request takes one step and
// returns the new point. It has its own session, so other problems do not change its results.
type search[T matrix.Float] struct {
	*place
	at    solve.Point // the current point
	known bool        // whether at is valid
}

func runSearch[T matrix.Float](ctx context.Context, d *Device, problem Problem, moments *matrix.Dense[T], p solve.Problem[T], sched solve.Schedule, desc solve.Descent[T], s solve.Settings, observe solve.Observer) (*solve.Result[T], error) {
	at, err := takePlace(ctx, d, &problem)
	switch {
	case err != nil:
		return nil, err
	case at == nil: // ctx has ended: Run returns at once with the usual status
		return solve.Run(ctx, p, sched, desc, s, observe)
	}
	e := &search[T]{place: at}
	if _, err := e.ask(data(problem, p, moments)); err != nil {
		return nil, errors.Join(err, at.Close())
	}
	out, err := solve.RunOn(ctx, e, p, sched, desc, s, observe)
	return out, errors.Join(err, at.Close())
}

func (e *search[T]) ask(q *Request) (*Reply, error) {
	q.Session = e.session
	return e.device.ask(q)
}

func (e *search[T]) Load(w *matrix.Dense[T], past solve.Past[T]) error {
	q := &Request{Op: OpLoad, Blobs: [][]byte{raw(w.Data)}}
	for _, v := range past.Vectors {
		q.Blobs = append(q.Blobs, raw(v))
	}
	e.known = false
	_, err := e.ask(q)
	return err
}

func (e *search[T]) Point() (solve.Point, error) {
	if e.known {
		return e.at, nil
	}
	err := e.move(&Request{Op: OpPoint})
	return e.at, err
}

// move sends a request whose reply contains a point.
func (e *search[T]) move(q *Request) error {
	reply, err := e.ask(q)
	switch {
	case err != nil:
		return err
	case len(reply.Stuck) == 1 && reply.Stuck[0]:
		return solve.ErrStuck
	case len(reply.Points) != 1 || len(reply.Points[0]) != 1:
		return fmt.Errorf("the device answered without a point: %w", ErrLost)
	}
	v := reply.Points[0][0]
	e.at, e.known = solve.Point{Score: v[0], Penalty: v[1], H: v[2], Still: reply.Still}, true
	return nil
}

func (e *search[T]) Advance(at solve.Step, _ int, _ solve.Weights) ([]solve.Point, error) {
	return nil, e.move(&Request{Op: OpSearch, Now: [][3]float64{{at.ScoreWeight, at.HWeight}}, Bend: at.Curvature})
}

// Most returns 1, because the next trial of a line search depends on the last one.
func (e *search[T]) Most() int { return 1 }

func (e *search[T]) Fetch(w *matrix.Dense[T], past *solve.Past[T]) error {
	reply, err := e.ask(&Request{Op: OpFetch, Only: past == nil})
	if err != nil {
		return err
	}
	wanted := [][]T{w.Data}
	if past != nil {
		past.Vectors = nil
		for range len(reply.Blobs) - 1 {
			past.Vectors = append(past.Vectors, make([]T, len(w.Data)))
		}
		wanted = append(wanted, past.Vectors...)
	}
	return spread(reply.Blobs, wanted)
}
