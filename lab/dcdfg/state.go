package dcdfg

import (
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/method/stage"
)

// layout is the format version of Encode.
const layout = "dcdfg/1"

func (l *learner) Encode() []byte { return network.Encode(layout, l.fields) }

func (l *learner) Decode(b []byte) error {
	if err := network.Decode(layout, b, l.fields); err != nil {
		return err
	}
	l.measure()
	return nil
}

func (l *learner) fields(c *network.Codec) {
	c.Int(&l.step, &l.patience, &l.changed)
	c.Float(&l.rho, &l.alpha, &l.value, &l.heldOut, &l.before, &l.half, &l.lastH, &l.best)
	network.Floats(c, l.w, l.v)
	network.Floats(c, l.in, l.out, l.vIn, l.vOut)
}

func (l *learner) Progress() stage.Progress {
	return stage.Progress{Step: l.step, Score: l.value, H: l.now, Rho: l.rho, Alpha: l.alpha}
}
