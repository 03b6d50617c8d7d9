package dcdi

import (
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/method/stage"
)

// layout is the format version of Encode.
const layout = "dcdi/1"

func (l *learner) Encode() []byte { return network.Encode(layout, l.fields) }

func (l *learner) Decode(b []byte) error { return network.Decode(layout, b, l.fields) }

func (l *learner) fields(c *network.Codec) {
	c.Int(&l.step, &l.patience, &l.pass)
	c.Float(&l.rho, &l.alpha, &l.now, &l.value, &l.heldOut, &l.before, &l.half, &l.lastH, &l.best)
	network.Floats(c, l.v, l.vTarget)
	for _, own := range l.columns {
		network.Floats(c, own.edge, own.target)
		network.Floats(c, own.w, own.v)
	}
}

func (l *learner) Progress() stage.Progress {
	return stage.Progress{Step: l.step, Score: l.value, H: l.now, Rho: l.rho, Alpha: l.alpha}
}
