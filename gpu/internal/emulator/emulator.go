// Package emulator runs the kernels of gpu/internal/cuda without a GPU, for tests. It interprets their PTX and
// emulates the driver calls of the program. It supports only the instructions that the kernels use; any other
// is an error with its line.
//
// It is stricter than a GPU. It reports accesses outside an allocation, misaligned ones, reads of uninitialized
// shared memory, barriers and shuffles that not all threads reach, and data races. Each is an error with kernel
// and line, even if a GPU would give the right bytes.
//
// The threads of a block run together, one instruction for all threads at it, those at the lowest instruction
// first, so that diverged threads converge again. Every register is a row with one value per thread.
// Immediates, parameters and special registers are rows too, so operations only use rows. Blocks run one after
// the other, in any order that a test chooses.
package emulator

import (
	"fmt"
	"slices"
)

// A Fault is an error of a kernel.
type Fault struct {
	Kernel string
	Line   int    // line of the module
	What   string // instruction, thread and error
}

func (f *Fault) Error() string { return fmt.Sprintf("%s, line %d: %s", f.Kernel, f.Line, f.What) }

// A launch is one launch of a kernel.
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
