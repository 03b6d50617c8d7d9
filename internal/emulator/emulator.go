// Package emulator runs the kernels of internal/cuda without a card, for tests: it interprets their PTX, and answers the calls of the card's
// driver that the program makes. It knows the instructions that the kernels use and no others; a module with another one is refused with its
// line.
//
// It is stricter than a card. An access outside an allocation, a misaligned one, a word of shared memory that nobody wrote, a barrier
// that not all threads reach, a shuffle that not all lanes take part in, and two accesses to one word of which one writes and that nothing
// orders are errors with kernel and line, also where a card happens to give the right bytes.
//
// The threads of a block go on together, one instruction for all that stand at it: those at the lowest instruction first, so that threads
// which parted meet again where their ways do. Every register is a row with a number for each thread; immediates, parameters and the
// machine's own registers are rows, too, so that an operation knows nothing but rows. Blocks run one after the other, in any order that a
// test wants.
package emulator

import (
	"fmt"
	"slices"
)

// A Fault is what a kernel did wrong.
type Fault struct {
	Kernel string
	Line   int    // of the module
	What   string // instruction, thread and what it did
}

func (f *Fault) Error() string { return fmt.Sprintf("%s, line %d: %s", f.Kernel, f.Line, f.What) }

// A launch is one start of a kernel.
type launch struct {
	kernel  *kernel
	grid    [3]uint32
	threads int
	params  []uint64
}

func (e *Emulator) run(l launch) error {
	k := l.kernel
	if l.threads < 1 || l.threads > k.maxThreads {
		return &Fault{k.name, k.line, fmt.Sprintf("it is launched with %d threads, and takes at most %d", l.threads, k.maxThreads)}
	}
	k.bind(l.threads)
	for i, v := range l.params {
		fill(k.row(k.params[i].row), v)
	}
	for i, v := range l.grid {
		k.set(fmt.Sprintf("%%nctaid.%c", "xyz"[i]), v)
	}
	n := int(l.grid[0] * l.grid[1] * l.grid[2])
	e.epoch++
	b := &block{kernel: k, memory: e.memory, shared: e.sharedOf(k), launch: e.epoch, epoch: e.epoch}
	for _, i := range e.order(n) {
		at := [3]uint32{uint32(i) % l.grid[0], uint32(i) / l.grid[0] % l.grid[1], uint32(i) / l.grid[0] / l.grid[1]}
		b.start(at)
		if b.follow(); b.fault != nil {
			return b.fault
		}
		e.epoch = b.epoch
	}
	e.Launches[k.name]++
	return nil
}

func (e *Emulator) order(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	if e.Order != nil {
		e.Order(all)
	}
	return all
}

func (e *Emulator) sharedOf(k *kernel) *piece {
	if len(e.shared.data) < k.sharedBytes {
		e.shared = newPiece(0, k.sharedBytes)
	}
	out := *e.shared
	out.data = out.data[:k.sharedBytes]
	return &out
}

// Reverse is an Order in which the last block runs first.
func Reverse(blocks []int) { slices.Reverse(blocks) }

func fill(row []uint64, v uint64) {
	for i := range row {
		row[i] = v
	}
}
