package solvetest

import (
	"encoding"

	"github.com/polydag/polydag/solve"
)

// resumes saves at every step and takes the run up at some of them.
func (k *kit[T]) resumes() {
	sched, desc := k.make()
	var states [][]byte
	res, trail, err := k.run(sched, desc, nil, solve.Settings{Pause: func(state func() []byte) { states = append(states, state()) }})
	if err != nil || !k.same(res, trail) {
		k.fail("resumes: saving changes the run (error %v)", err)
		return
	}
	for at := 1; at < len(states); at += 1 + len(states)/20 {
		if states[at] == nil {
			return // one of the two cannot be saved, and need not
		}
		sched, desc := k.make()
		res, trail, err := k.run(sched, desc, nil, solve.Settings{Resume: states[at]})
		if err != nil || !k.same(res, append(k.trail[:at+1:at+1], trail...)) {
			k.fail("resumes: taken up before step %d the run ends elsewhere (error %v)", at, err)
			return
		}
	}
}

// refuses hands damaged states to those of the two that can be saved.
func (k *kit[T]) refuses(parts ...any) {
	for _, part := range parts {
		m, ok := part.(encoding.BinaryMarshaler)
		u, also := part.(encoding.BinaryUnmarshaler)
		if !ok || !also {
			continue
		}
		state, err := m.MarshalBinary()
		if err != nil {
			k.fail("refuses: %T cannot be saved when new: %v", part, err)
			continue
		}
		damaged := map[string][]byte{"an empty state": {}, "a state with bytes to spare": append(append([]byte(nil), state...), 0)}
		if n := len(state); n > 0 {
			damaged["a state that is cut off"] = state[:n-1]
			flipped := append([]byte(nil), state...)
			flipped[n/2] ^= 0x10
			damaged["a state with another bit"] = flipped
		}
		for what, b := range damaged {
			if u.UnmarshalBinary(b) == nil {
				k.fail("refuses: %T took %s", part, what)
			}
		}
	}
}
