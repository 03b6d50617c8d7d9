package emulator

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// A piece is memory that was asked for at once, with what was done last to each of its words.
type piece struct {
	start uint64
	data  []byte
	marks []mark // of each word of four bytes
}

// A mark is the last write of a word and its last read.
type mark struct{ wrote, read access }

// An access is an epoch, and the thread and the instruction that made it.
type access struct {
	epoch  uint32
	thread uint16
	pc     uint16
}

// several stands for a thread where more than one read a word in an epoch.
const several = 1<<16 - 1

func newPiece(start uint64, bytes int) *piece {
	p := &piece{start: start, data: make([]byte, bytes), marks: make([]mark, (bytes+3)/4)}
	for i := range p.data {
		p.data[i] = 0xa5 // nobody may rely on what is found there
	}
	return p
}

// memory is that of the card: pieces in the order of their addresses.
type memory struct {
	pieces []*piece
	next   uint64
	last   *piece // that was found last
}

// A gap lies between any two pieces, so that what runs over the end of one is in none.
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

// find returns the piece that has all those bytes, or nil.
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

// slice returns bytes for a copy.
func (m *memory) slice(at, bytes uint64) ([]byte, error) {
	p := m.find(at, bytes)
	if p == nil {
		return nil, fmt.Errorf("%d bytes at %#x are in no allocation", bytes, at)
	}
	return p.data[at-p.start:][:bytes], nil
}

func load(p *piece, off uint64, bytes int) uint64 {
	if bytes == 4 {
		return uint64(binary.LittleEndian.Uint32(p.data[off:]))
	}
	return binary.LittleEndian.Uint64(p.data[off:])
}

func store(p *piece, off uint64, bytes int, v uint64) {
	if bytes == 4 {
		binary.LittleEndian.PutUint32(p.data[off:], uint32(v))
	} else {
		binary.LittleEndian.PutUint64(p.data[off:], v)
	}
}

// locate finds what a thread accesses, which has to be in one piece and aligned to its size.
func (b *block) locate(t int32, shared bool, at uint64, bytes int) (*piece, uint64) {
	if at%uint64(bytes) != 0 {
		b.fail(t, "the address %#x is no multiple of %d", at, bytes)
		return nil, 0
	}
	if shared {
		if n := uint64(len(b.shared.data)); at >= n || uint64(bytes) > n-at {
			b.fail(t, "the address %d is outside the %d bytes of shared memory", at, n)
			return nil, 0
		}
		return b.shared, at
	}
	p := b.memory.find(at, uint64(bytes))
	if p == nil {
		b.fail(t, "%d bytes at %#x are in no allocation", bytes, at)
		return nil, 0
	}
	return p, at - p.start
}

// reads checks and marks that a thread reads words, and writes that it writes them. Two accesses to a word, one of which writes, are ordered where they are
// of one thread; of one block, with a barrier between them; of two launches; or of two blocks of which the first released its own by an atomic
// operation after a fence, before the second took part in one. What another block of the launch wrote has to be read past the cache.
func (b *block) reads(t int32, p *piece, off uint64, bytes int, volatile bool) {
	for i := off / 4; i < (off+uint64(bytes))/4; i++ {
		m := &p.marks[i]
		if m.wrote.epoch >= b.launch {
			if m.wrote.epoch == b.epoch && m.wrote.thread != uint16(t) {
				b.fail(t, "it reads what thread %d wrote in line %d, and no barrier lies between", m.wrote.thread, b.lineOf(m.wrote))
			} else if m.wrote.epoch < b.first && p != b.shared && !(volatile && b.ordered(m.wrote, t)) {
				b.fail(t, "it reads what thread %d of another block wrote in line %d, and nothing orders the two", m.wrote.thread, b.lineOf(m.wrote))
			}
		}
		if p == b.shared && m.wrote.epoch < b.first {
			b.fail(t, "it reads shared memory at %d, where nobody wrote", 4*i)
		}
		if m.read.epoch == b.epoch && m.read.thread != uint16(t) {
			m.read.thread = several
		} else {
			m.read = access{b.epoch, uint16(t), uint16(b.pc)}
		}
	}
}

func (b *block) writes(t int32, p *piece, off uint64, bytes int) {
	for i := off / 4; i < (off+uint64(bytes))/4; i++ {
		m := &p.marks[i]
		for _, before := range []struct {
			access
			did string
		}{{m.wrote, "wrote"}, {m.read, "read"}} {
			if before.epoch < b.launch {
				continue
			}
			if before.epoch == b.epoch && before.thread != uint16(t) {
				who := fmt.Sprintf("thread %d", before.thread)
				if before.thread == several {
					who = "several threads"
				}
				b.fail(t, "it writes what %s %s in line %d, and no barrier lies between", who, before.did, b.lineOf(before.access))
			} else if before.epoch < b.first && p != b.shared && !b.ordered(before.access, t) {
				b.fail(t, "it writes what a thread of another block %s in line %d, and nothing orders the two", before.did, b.lineOf(before.access))
			}
		}
		m.wrote = access{b.epoch, uint16(t), uint16(b.pc)}
	}
}

func (b *block) lineOf(a access) int { return b.body[a.pc].line }

// A span is the epochs of a block that are done, up to the atomic operation by which a thread released them; of its last epoch only what that thread did.
type span struct {
	from, to uint32
	thread   uint16
}

// ordered says whether an access of another block of the launch comes before what a thread does now.
func (b *block) ordered(a access, t int32) bool {
	if b.acquired.epoch < b.first || b.acquired.epoch == b.epoch && b.acquired.thread != uint16(t) {
		return false
	}
	return slices.ContainsFunc(b.released, func(s span) bool {
		return s.from <= a.epoch && (a.epoch < s.to || a.epoch == s.to && a.thread == s.thread)
	})
}

// synchronize is what an atomic operation of a thread after a fence does to the order of accesses.
func (b *block) synchronize(t int32) {
	if b.fenced {
		b.acquired = access{epoch: b.epoch, thread: uint16(t)}
		b.released = append(b.released, span{b.first, b.epoch, uint16(t)})
	}
}
