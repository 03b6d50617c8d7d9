package solve

import (
	"encoding"
	"fmt"
	"math"
	"unsafe"

	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
)

// layout names what encode writes. It changes when the layout, or what a step makes of it, changes.
const layout = "solve/2"

// encode writes the point before a step with the schedule's answer to it, which is all that the rest of the run depends
// on: score and constraint are functions of W. It returns nil where schedule or descent cannot be saved.
func (r *runner[T]) encode(s Settings, last Step, sched Schedule) []byte {
	w := wire.NewWriter(layout)
	w.Grow(3*len(r.w.Data)*bytesOf[T]() + 1<<10)
	w.Int(bytesOf[T]())
	w.Int(r.p.D)
	w.Int(len(r.w.Data))
	w.Int(s.Steps)
	w.Int(s.Retries)
	w.Int(last.Step)
	for _, v := range last.floats() {
		w.Float(*v)
	}
	w.Int(last.Rejected)
	w.Bool(last.Still)
	w.Bool(last.Restart)
	wire.Floats(w, r.w.Data)
	for _, part := range []any{sched, r.desc} {
		m, ok := part.(encoding.BinaryMarshaler)
		if !ok {
			return nil
		}
		b, err := m.MarshalBinary()
		if err != nil {
			return nil
		}
		w.Raw(b)
	}
	return w.Seal()
}

// resume puts W, schedule and descent where s.Resume says, and returns the step that it stands before.
func (r *runner[T]) resume(s Settings, sched Schedule) (Step, error) {
	var last Step
	rd := wire.NewReader(layout, s.Resume)
	for _, have := range []struct {
		what string
		n    int
	}{{"bytes a number", bytesOf[T]()}, {"variables", r.p.D}, {"parameters", len(r.w.Data)}, {"steps", s.Steps}, {"retries", s.Retries}} {
		if n := rd.Int(); rd.Err() == nil && n != have.n {
			return last, fmt.Errorf("setting Resume is the state of another run: %d %s, here %d; take the settings it was made with, or start from the beginning", n, have.what, have.n)
		}
	}
	last.Step = rd.Between(0, s.Steps)
	for _, v := range last.floats() {
		*v = rd.Float()
	}
	last.Rejected = rd.Int()
	last.Still = rd.Bool()
	last.Restart = rd.Bool()
	wire.ReadFloats(rd, r.w.Data)
	for _, part := range []any{sched, r.desc} {
		b := rd.Raw()
		if rd.Err() != nil {
			break
		}
		u, ok := part.(encoding.BinaryUnmarshaler)
		if !ok {
			return last, fmt.Errorf("setting Resume: %T has no UnmarshalBinary; start from the beginning", part)
		}
		if err := u.UnmarshalBinary(b); err != nil {
			return last, fmt.Errorf("setting Resume: %T: %w; start from the beginning", part, err)
		}
	}
	if err := rd.Close(); err != nil {
		return last, fmt.Errorf("setting Resume: %w; start from the beginning", err)
	}
	r.rejected, r.still = last.Rejected, last.Still
	return last, nil
}

// floats are the numbers of a step that a state holds, in its order.
func (s *Step) floats() []*float64 {
	return []*float64{&s.Score, &s.Penalty, &s.H, &s.ScoreWeight, &s.HWeight, &s.Curvature, &s.Rho, &s.Alpha}
}

// same reports an error unless the point has the values that the state has on record. They are the same to the last bit on
// the machine that made the state; another one may round differently, and only another problem differs by more.
func (s Step) same(pt Point) error {
	for _, v := range [][2]float64{{s.Score, pt.Score}, {s.Penalty, pt.Penalty}, {s.H, pt.H}} {
		if !(math.Abs(v[0]-v[1]) <= 1e-3*(1+math.Abs(v[0]))) {
			return fmt.Errorf("setting Resume is the state of another problem: a term of the objective is %g there and %g here; take the data it was made with, or start from the beginning", v[0], v[1])
		}
	}
	return nil
}

func bytesOf[T matrix.Float]() int {
	var one T
	return int(unsafe.Sizeof(one))
}
