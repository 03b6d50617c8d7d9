package kit

import (
	"bytes"
	"encoding"

	"github.com/polydag/polydag/solve"
)

// resumes saves at every step and resumes from some of the states.
func (k *solverCheck[T]) resumes() {
	sched, desc := k.make()
	var states [][]byte
	res, trail, err := k.run(sched, desc, nil, solve.Settings{Pause: func(state func() []byte) { states = append(states, state()) }})
	if err != nil || !k.same(res, trail) {
		k.Broken("resumes", "saving changes the run (error %v)", err)
		return
	}
	for at := 1; at < len(states); at += 1 + len(states)/20 {
		if states[at] == nil {
			return // one of the two does not support saving
		}
		sched, desc := k.make()
		res, trail, err := k.run(sched, desc, nil, solve.Settings{Resume: states[at]})
		if err != nil || !k.same(res, append(k.trail[:at+1:at+1], trail...)) {
			k.Broken("resumes", "taken up before step %d the run ends elsewhere (error %v)", at, err)
			return
		}
	}
}

// refuses passes damaged states to the parts that support saving.
func (k *solverCheck[T]) refuses(parts ...any) {
	for _, part := range parts {
		m, ok := part.(encoding.BinaryMarshaler)
		u, also := part.(encoding.BinaryUnmarshaler)
		if !ok || !also {
			continue
		}
		state, err := m.MarshalBinary()
		if err != nil {
			k.Broken("refuses", "%T cannot be saved when new: %v", part, err)
			continue
		}
		type damage struct {
			what string
			b    []byte
		}
		damaged := []damage{{"an empty state", nil}, {"a state with bytes to spare", append(bytes.Clone(state), 0)}}
		if n := len(state); n > 0 {
			flipped := bytes.Clone(state)
			flipped[n/2] ^= 0x10
			damaged = append(damaged, damage{"a state that is cut off", state[:n-1]}, damage{"a state with another bit", flipped})
		}
		for _, d := range damaged {
			if u.UnmarshalBinary(d.b) == nil {
				k.Broken("refuses", "%T took %s", part, d.what)
			}
		}
	}
}
