package dcdfg

import (
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/method/stage"
)

// layout is the format version of Encode.
const layout = "dcdfg/1"

// numbers are the floats of the state.
func (l *learner) numbers() []*float64 {
	return []*float64{&l.rho, &l.alpha, &l.value, &l.heldOut, &l.before, &l.half, &l.lastH, &l.best}
}

// Encode writes the state between two steps.
func (l *learner) Encode() []byte {
	w := wire.NewWriter(layout)
	w.Int(l.step)
	w.Int(l.patience)
	w.Int(l.changed)
	for _, v := range l.numbers() {
		w.Float(*v)
	}
	wire.Floats(w, l.w)
	wire.Floats(w, l.v)
	for _, part := range [][]float64{l.in, l.out, l.vIn, l.vOut} {
		wire.Floats(w, part)
	}
	return w.Seal()
}

// Decode restores what Encode wrote.
func (l *learner) Decode(b []byte) error {
	r := wire.NewReader(layout, b)
	l.step, l.patience, l.changed = r.Int(), r.Int(), r.Int()
	for _, v := range l.numbers() {
		*v = r.Float()
	}
	wire.ReadFloats(r, l.w)
	wire.ReadFloats(r, l.v)
	for _, part := range [][]float64{l.in, l.out, l.vIn, l.vOut} {
		wire.ReadFloats(r, part)
	}
	if err := r.Close(); err != nil {
		return err
	}
	l.measure()
	return nil
}

// Progress describes the last step.
func (l *learner) Progress() stage.Progress {
	return stage.Progress{Step: l.step, Score: l.value, H: l.now, Rho: l.rho, Alpha: l.alpha}
}
