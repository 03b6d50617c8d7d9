package emulator

import (
	"fmt"
	"math"
	"slices"
)

const lanes = 32

// A block runs the threads of one block of a launch. Epochs are counted over all blocks and launches. A new one
// begins with every block and every barrier, so accesses of a block in different epochs are ordered.
type block struct {
	*kernel
	memory *memory
	shared *piece
	place  [3]uint32

	launch, first, epoch uint32 // epochs at the start of launch and block, and the current one
	fenced               bool   // a thread executed a fence
	acquired             access // and then an atomic operation
	released             []span // spans released by this and earlier blocks

	pc               int // index of the current instruction
	running, waiting []group
	scratch          []int32
	places           []uint64 // positions in a piece, for the accessing threads
	steps            int
	fault            *Fault
}

// A group is a list of threads, in order, at the same instruction.
type group struct {
	pc int
	on []int32
}

// longest is the largest number of instructions of a block, counted once per group, after which it is assumed
// not to terminate.
const longest = 1 << 24

func (b *block) start(place [3]uint32) {
	b.epoch++
	b.place, b.first, b.fenced, b.acquired, b.steps = place, b.epoch, false, 0, 0
	for i, v := range place {
		b.set(fmt.Sprintf("%%ctaid.%c", "xyz"[i]), v)
	}
	for _, row := range b.written {
		fill(b.row(row), poison)
	}
	all := make([]int32, b.threads)
	for t := range all {
		all[t] = int32(t)
	}
	b.running, b.waiting = append(b.running[:0], group{0, all}), nil
	b.scratch, b.places = make([]int32, 0, b.threads), make([]uint64, b.threads)
}

// follow runs all threads to their end or to a fault.
func (b *block) follow() {
	for b.fault == nil {
		if len(b.running) == 0 {
			if len(b.waiting) == 0 {
				return
			}
			b.pass()
			continue
		}
		g := b.lowest()
		next := len(b.body)
		for _, other := range b.running {
			next = min(next, other.pc)
		}
		b.together(g, next)
	}
}

// lowest returns the threads at the lowest instruction.
func (b *block) lowest() group {
	g := group{pc: math.MaxInt}
	for _, r := range b.running {
		g.pc = min(g.pc, r.pc)
	}
	b.running = slices.DeleteFunc(b.running, func(r group) bool {
		if r.pc != g.pc {
			return false
		}
		if g.on == nil {
			g.on = r.on
		} else {
			g.on = slices.Concat(g.on, r.on)
			slices.Sort(g.on)
		}
		return true
	})
	return g
}

// together runs a group until it diverges, waits, ends or reaches other threads.
func (b *block) together(g group, others int) {
	for g.pc < others {
		in := &b.body[g.pc]
		b.pc = g.pc
		if b.steps++; b.steps > longest {
			b.fail(g.on[0], "%d instructions, and no end", b.steps)
			return
		}
		at := g.on
		if in.guarded {
			at = b.scratch[:0]
			for _, t := range g.on {
				if in.guard[t] == in.wanted {
					at = append(at, t)
				} else if in.guard[t] > 1 {
					b.fail(t, "its truth value was never set")
					return
				}
			}
		}
		switch in.flow {
		case on:
			if len(at) > 0 {
				in.run(b, in, at)
			}
			if b.fault != nil {
				return
			}
			g.pc++
		case jump:
			switch len(at) {
			case len(g.on):
				g.pc = in.target
			case 0:
				g.pc++
			default:
				rest := make([]int32, 0, len(g.on)-len(at))
				for _, t := range g.on {
					if in.guard[t] != in.wanted {
						rest = append(rest, t)
					}
				}
				b.running = append(b.running, group{in.target, slices.Clone(at)}, group{g.pc + 1, rest})
				return
			}
		case barrier:
			b.waiting = append(b.waiting, g)
			return
		case exit:
			return
		}
	}
	b.running = append(b.running, g)
}

// pass releases the threads from a barrier.
func (b *block) pass() {
	at, n := b.waiting[0].pc, 0
	for _, g := range b.waiting {
		if g.pc != at {
			b.pc = at
			b.fail(b.waiting[0].on[0], "it waits at this barrier, and thread %d at that of line %d", g.on[0], b.body[g.pc].line)
			return
		}
		n += len(g.on)
	}
	if n != b.threads {
		b.pc = at
		b.fail(b.waiting[0].on[0], "it waits at a barrier that %d of %d threads reach", n, b.threads)
		return
	}
	b.epoch++
	for _, g := range b.waiting {
		b.running = append(b.running, group{g.pc + 1, g.on})
	}
	b.waiting = b.waiting[:0]
}

func (b *block) fail(thread int32, format string, args ...any) {
	if b.fault != nil {
		return
	}
	in := &b.body[b.pc]
	b.fault = &Fault{b.name, in.line, fmt.Sprintf("%s: thread %d of block %d: %s", in.name, thread, b.place, fmt.Sprintf(format, args...))}
}
