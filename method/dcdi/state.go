package dcdi

import (
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/method/stage"
)

// layout is the format version of Encode.
const layout = "dcdi/1"

// numbers are the floats of the state.
func (l *learner) numbers() []*float64 {
	return []*float64{&l.rho, &l.alpha, &l.now, &l.value, &l.heldOut, &l.before, &l.half, &l.lastH, &l.best}
}

// Encode writes the state between two steps.
func (l *learner) Encode() []byte {
	w := wire.NewWriter(layout)
	w.Int(l.step)
	w.Int(l.patience)
	w.Int(l.pass)
	for _, v := range l.numbers() {
		w.Float(*v)
	}
	wire.Floats(w, l.v)
	wire.Floats(w, l.vTarget)
	for _, c := range l.columns {
		wire.Floats(w, c.edge)
		wire.Floats(w, c.target)
		wire.Floats(w, c.w)
		wire.Floats(w, c.v)
	}
	return w.Seal()
}

// Decode restores what Encode wrote.
func (l *learner) Decode(b []byte) error {
	r := wire.NewReader(layout, b)
	l.step, l.patience, l.pass = r.Int(), r.Int(), r.Int()
	for _, v := range l.numbers() {
		*v = r.Float()
	}
	wire.ReadFloats(r, l.v)
	wire.ReadFloats(r, l.vTarget)
	for _, c := range l.columns {
		wire.ReadFloats(r, c.edge)
		wire.ReadFloats(r, c.target)
		wire.ReadFloats(r, c.w)
		wire.ReadFloats(r, c.v)
	}
	return r.Close()
}

// Progress describes the last step.
func (l *learner) Progress() stage.Progress {
	return stage.Progress{Step: l.step, Score: l.value, H: l.now, Rho: l.rho, Alpha: l.alpha}
}
