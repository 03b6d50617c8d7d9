package solve

import (
	"encoding"
	"fmt"
	"math"
	"unsafe"

	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/matrix"
)

// layout is the format version of encode. It changes when the format or the meaning of a step changes.
const layout = "solve/2"

// encode writes the point before a step and the schedule's answer to it, which determine the rest of the run:
// score and constraint are functions of W. It returns nil if the schedule or the descent cannot be encoded.
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

// resume sets W, schedule and descent to the state in s.Resume and returns the step that comes next.
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

// floats returns the numbers of a step in the order of the encoded state.
func (s *Step) floats() []*float64 {
	return []*float64{&s.Score, &s.Penalty, &s.H, &s.ScoreWeight, &s.HWeight, &s.Curvature, &s.Rho, &s.Alpha}
}

// same returns an error unless pt has the values of the saved step. They are identical on the machine that
// saved the state. Another machine may round differently, and larger differences mean another problem.
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
