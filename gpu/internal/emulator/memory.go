package emulator

import (
	"fmt"
	"slices"
	"sort"
)

// A piece is one allocation, with the last accesses of its words.
type piece struct {
	start uint64
	data  []byte
	marks []mark // by word of four bytes
}

func newPiece(start uint64, bytes int) *piece {
	p := &piece{start: start, data: make([]byte, bytes), marks: make([]mark, (bytes+3)/4)}
	for i := range p.data {
		p.data[i] = 0xa5 // uninitialized memory has arbitrary contents
	}
	return p
}

// memory is the memory of the GPU: allocations in the order of their addresses.
type memory struct {
	pieces []*piece
	next   uint64
	last   *piece // the last result of find
}

// gap is the space between allocations, so that an overrun does not reach another one.
const gap = 1 << 16

func (m *memory) allocate(bytes int) uint64 {
	p := newPiece(m.next, bytes)
	m.pieces = append(m.pieces, p)
	m.next += (uint64(bytes) + gap + 255) / 256 * 256
	return p.start
}

func (m *memory) release(at uint64) bool {
	i := slices.IndexFunc(m.pieces, func(p *piece) bool { return p.start == at })
	if i < 0 {
		return false
	}
	m.pieces, m.last = slices.Delete(m.pieces, i, i+1), nil
	return true
}

// find returns the allocation that contains all bytes, or nil.
func (m *memory) find(at, bytes uint64) *piece {
	p := m.last
	if p == nil || at-p.start >= uint64(len(p.data)) {
		i := sort.Search(len(m.pieces), func(i int) bool { return m.pieces[i].start > at }) - 1
		if i < 0 {
			return nil
		}
		p = m.pieces[i]
		m.last = p
	}
	if off := at - p.start; off >= uint64(len(p.data)) || bytes > uint64(len(p.data))-off {
		return nil
	}
	return p
}

func (m *memory) slice(at, bytes uint64) ([]byte, error) {
	p := m.find(at, bytes)
	if p == nil {
		return nil, fmt.Errorf("%d bytes at %#x are in no allocation", bytes, at)
	}
	return p.data[at-p.start:][:bytes], nil
}

// pieces finds the allocations that threads access, each within one allocation and aligned to its size, a power
// of two. It calls visit for the threads of each allocation together; b.places are the positions.
func (b *block) pieces(shared bool, from []uint64, offset, bytes uint64, on []int32, visit func(p *piece, on []int32)) {
	for p := b.shared; len(on) > 0; {
		if at := from[on[0]] + offset; !shared {
			if p = b.memory.find(at, bytes); p == nil {
				b.fail(on[0], "%d bytes at %#x are in no allocation", bytes, at)
				return
			}
		}
		start, n, end := p.start, uint64(len(p.data)), len(on)
		for i, t := range on {
			off := from[t] + offset - start
			if off&(bytes-1) != 0 {
				b.fail(t, "the address %#x is no multiple of %d", from[t]+offset, bytes)
				return
			}
			if off >= n || bytes > n-off {
				if shared {
					b.fail(t, "%d bytes at %d are outside the %d of shared memory", bytes, off, n)
					return
				}
				end = i
				break
			}
			b.places[i] = off
		}
		visit(p, on[:end])
		on = on[end:]
	}
}
