package emulator

import "slices"

// A mark is the last write and the last read of a word.
type mark struct{ wrote, read access }

// An access is an epoch with its thread and instruction, from the highest bits down: 32, 16 and 16.
type access uint64

func (a access) epoch() uint32  { return uint32(a >> 32) }
func (a access) thread() uint16 { return uint16(a >> 16) }
func (a access) pc() int        { return int(uint16(a)) }

// now returns an access by a thread at the current instruction.
func (b *block) now(t int32) access {
	return access(b.epoch)<<32 | access(uint16(t))<<16 | access(uint16(b.pc))
}

// several is the thread number for several readers of a word in an epoch.
const several = 1<<16 - 1

// reads checks and records reads of words by threads, and writes does so for writes. Two accesses to a word,
// one of them a write, are ordered in these cases: same thread; same block with a barrier in between; different
// launches; or different blocks if the first released its access by a fence and an atomic operation before the
// second executed one. Data written by another block of the launch must be read past the cache.
func (b *block) reads(p *piece, on []int32, bytes uint64, volatile bool) {
	first, now := access(b.first)<<32, b.now(0)
	epoch := access(b.epoch) << 32
	fresh := access(b.launch) << 32 // the launch orders everything older
	if p == b.shared {
		fresh = 0 // nothing was written before
	}
	places := b.places[:len(on)]
	for i, t := range on {
		at := places[i]
		if i > 1 && at == places[i-1] && at == places[i-2] {
			continue // two threads have already read it, and more change nothing
		}
		now := now | access(t)<<16
		words := p.marks[at/4:][:bytes/4]
		for w := range words {
			m := &words[w]
			if m.wrote-first >= epoch-first && m.wrote >= fresh {
				b.readsAfter(t, p, m.wrote, volatile)
			}
			if m.read < epoch {
				m.read = now
			} else if (m.read^now)>>16 != 0 {
				m.read |= several << 16
			}
		}
	}
}

// readsAfter checks a read of data that was not written in an earlier epoch of the block.
func (b *block) readsAfter(t int32, p *piece, wrote access, volatile bool) {
	switch e := wrote.epoch(); {
	case e == b.epoch:
		if wrote.thread() != uint16(t) {
			b.fail(t, "it reads what thread %d wrote in line %d, and no barrier lies between", wrote.thread(), b.lineOf(wrote))
		}
	case p == b.shared:
		b.fail(t, "it reads shared memory where nobody wrote")
	case !b.ordered(wrote, t):
		b.fail(t, "it reads what thread %d of another block wrote in line %d, and nothing orders the two", wrote.thread(), b.lineOf(wrote))
	case !volatile:
		b.fail(t, "it reads what thread %d of another block wrote in line %d, and may find what its cache has; ld.volatile does not", wrote.thread(), b.lineOf(wrote))
	}
}

func (b *block) writes(p *piece, on []int32, bytes uint64) {
	now, fresh := b.now(0), access(b.launch)<<32
	for i, t := range on {
		words := p.marks[b.places[i]/4:][:bytes/4]
		for w := range words {
			m := &words[w]
			if m.wrote >= fresh {
				b.writesAfter(t, p, m.wrote, "wrote")
			}
			if m.read >= fresh {
				b.writesAfter(t, p, m.read, "read")
			}
			m.wrote = now | access(t)<<16
		}
	}
}

// writesAfter checks a write to data that was read or written in this launch.
func (b *block) writesAfter(t int32, p *piece, before access, did string) {
	switch e := before.epoch(); {
	case e == b.epoch:
		if before.thread() == several {
			b.fail(t, "it writes what several threads %s, first in line %d, and no barrier lies between", did, b.lineOf(before))
		} else if before.thread() != uint16(t) {
			b.fail(t, "it writes what thread %d %s in line %d, and no barrier lies between", before.thread(), did, b.lineOf(before))
		}
	case e < b.first && p != b.shared && !b.ordered(before, t):
		b.fail(t, "it writes what a thread of another block %s in line %d, and nothing orders the two", did, b.lineOf(before))
	}
}

func (b *block) lineOf(a access) int { return b.body[a.pc()].line }

// A span is the completed epochs of a block, up to the atomic operation by which a thread released them. In its
// last epoch it covers only that thread.
type span struct {
	from, to uint32
	thread   uint16
}

// ordered reports whether an access of another block of the launch is ordered before the current access of a
// thread.
func (b *block) ordered(a access, t int32) bool {
	if b.acquired.epoch() < b.first || b.acquired.epoch() == b.epoch && b.acquired.thread() != uint16(t) {
		return false
	}
	return slices.ContainsFunc(b.released, func(s span) bool {
		return s.from <= a.epoch() && (a.epoch() < s.to || a.epoch() == s.to && a.thread() == s.thread)
	})
}

// synchronize records the ordering effect of an atomic operation of a thread after a fence.
func (b *block) synchronize(t int32) {
	if b.fenced {
		b.acquired = b.now(t)
		b.released = append(b.released, span{b.first, b.epoch, uint16(t)})
	}
}
