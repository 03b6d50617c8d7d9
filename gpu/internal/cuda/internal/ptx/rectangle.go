package ptx

import (
	"fmt"
	"strings"
)

// Side and Slab define the tile of a rectangular product: a block of 256 threads computes Side × Side entries
// and advances along the inner dimension by Slab. A thread computes 4 × 4 of them.
const (
	Side = 64
	Slab = 16
)

// rectangle writes a product of rectangular row-major matrices, each with its own leading dimension: C = AB, or
// AᵀB if transposed.
//
//	parameters: A, B, C, the leading dimensions of A, B and C, depth, part, across
//
// Block (x, 0, z) computes tile (x div across, x mod across) of part z of C, where across is the number of
// tiles per row. (A grid has at most 65535 blocks along y, which tall tables exceed.) Part z is the sum over
// inner indices z·depth … (z+1)·depth - 1 and is stored z·part bytes after C. Rows and columns of C are padded
// to multiples of Side, depth is a multiple of Slab, and the padding of A and B is zero, so no bounds are
// checked. While one slab of both factors is multiplied from shared memory, the next is loaded to registers.
// Sums are in the order of the inner dimension.
func rectangle(p precision, name string, transposed bool) string {
	k := newKernel(p, name, "u64", "u64", "u64", "u32", "u32", "u32", "u32", "u64", "u32")
	a, b, c := k.param(0), k.param(1), k.param(2)
	strideA, strideB, strideC, depth, part, across := k.param(3), k.param(4), k.param(5), k.param(6), k.param(7), k.param(8)
	vec := 16 / p.bytes
	tid, tile, z := k.special("tid.x"), k.special("ctaid.x"), k.special("ctaid.z")
	row0, col0, inner0 := k.reg(word), k.reg(word), k.reg(word)
	k.op("div.u32 %s, %s, %s", row0, tile, across)
	k.op("mul.lo.u32 %s, %s, %d", row0, row0, Side)
	k.op("rem.u32 %s, %s, %s", col0, tile, across)
	k.op("mul.lo.u32 %s, %s, %d", col0, col0, Side)
	k.op("mul.lo.u32 %s, %s, %s", inner0, z, depth)

	k.note("where this thread reads: vectors along a row of either factor")
	padded := Side + vec // the shift avoids bank conflicts if A is stored by columns
	slabA := Slab * padded * p.bytes
	base := k.sharedBase(slabA + Slab*Side*p.bytes)
	type piece struct {
		source, place, forward string // address in global memory, in shared memory, and bytes to the next slab
		values                 []string
	}
	split := func(i, perRow int) (row, col string) {
		index, row, col := k.reg(word), k.reg(word), k.reg(word)
		k.op("add.u32 %s, %s, %d", index, tid, i*Threads)
		k.op("div.u32 %s, %s, %d", row, index, perRow)
		k.op("rem.u32 %s, %s, %d", col, index, perRow)
		k.op("mul.lo.u32 %s, %s, %d", col, col, vec)
		return row, col
	}
	along := func(stride string) string {
		r := k.reg(address)
		k.op("mul.wide.u32 %s, %s, %d", r, stride, Slab*p.bytes)
		return r
	}
	var left, right []piece
	forwardA, forwardB := fmt.Sprint(Slab*p.bytes), along(strideB)
	if transposed {
		forwardA = along(strideA)
	}
	for i := range Side * Slab / vec / Threads {
		q := piece{forward: forwardA, values: k.regs(number, vec)}
		if transposed {
			row, col := split(i, Side/vec)
			q.source = k.element(a, k.mad(k.plus(inner0, row), strideA, k.plus(row0, col)))
			q.place = k.mad(k.mad(row, fmt.Sprint(padded), col), fmt.Sprint(p.bytes), base)
		} else {
			row, col := split(i, Slab/vec)
			q.source = k.element(a, k.mad(k.plus(row0, row), strideA, k.plus(inner0, col)))
			q.place = k.mad(k.mad(col, fmt.Sprint(padded), row), fmt.Sprint(p.bytes), base)
		}
		left = append(left, q)
		row, col := split(i, Side/vec)
		q = piece{forward: forwardB, values: k.regs(number, vec)}
		q.source = k.element(b, k.mad(k.plus(inner0, row), strideB, k.plus(col0, col)))
		q.place = k.mad(k.mad(row, fmt.Sprint(Side), col), fmt.Sprint(p.bytes), base)
		k.op("add.u32 %s, %s, %d", q.place, q.place, slabA)
		right = append(right, q)
	}
	fetch := func() {
		for _, q := range append(left[:len(left):len(left)], right...) {
			k.op("ld.global.v%d.%s %s, [%s]", vec, p.name, vector(q.values), q.source)
			k.op("add.u64 %s, %s, %s", q.source, q.source, q.forward)
		}
	}
	store := func() {
		for _, q := range left {
			if transposed {
				k.op("st.shared.v%d.%s [%s], %s", vec, p.name, q.place, vector(q.values))
				continue
			}
			for v, value := range q.values {
				k.op("st.shared.%s [%s+%d], %s", p.name, q.place, v*padded*p.bytes, value)
			}
		}
		for _, q := range right {
			k.op("st.shared.v%d.%s [%s], %s", vec, p.name, q.place, vector(q.values))
		}
	}

	k.note("which entries this thread makes: groups of neighbours, spread over the tile")
	const each = 4
	tx, ty, readA, readB := k.reg(word), k.reg(word), k.reg(word), k.reg(word)
	k.op("and.b32 %s, %s, %d", tx, tid, Side/each-1)
	k.op("div.u32 %s, %s, %d", ty, tid, Side/each)
	k.op("mad.lo.u32 %s, %s, %d, %s", readA, ty, vec*p.bytes, base)
	k.op("mad.lo.u32 %s, %s, %d, %s", readB, tx, vec*p.bytes, base)
	apart := Side / (each / vec) // distance between groups
	acc := k.regs(number, each*each)
	for _, r := range acc {
		k.op("mov.%s %s, %s", p.name, r, k.imm(0))
	}
	steps, more := k.reg(word), k.reg(truth)
	k.op("div.u32 %s, %s, %d", steps, depth, Slab)
	fetch()
	loop, last := k.label("loop"), k.label("last")
	k.at(loop)
	store()
	k.op("bar.sync 0")
	k.op("setp.gt.u32 %s, %s, 1", more, steps)
	k.op("@!%s bra %s", more, last)
	fetch()
	k.at(last)
	fragA, fragB := k.regs(number, each), k.regs(number, each)
	for i := range Slab {
		for g := 0; g < each; g += vec {
			k.op("ld.shared.v%d.%s %s, [%s+%d]", vec, p.name, vector(fragA[g:g+vec]), readA, (i*padded+g/vec*apart)*p.bytes)
			k.op("ld.shared.v%d.%s %s, [%s+%d]", vec, p.name, vector(fragB[g:g+vec]), readB, slabA+(i*Side+g/vec*apart)*p.bytes)
		}
		for r := range each {
			for s := range each {
				k.op("fma.rn.%s %s, %s, %s, %s", p.name, acc[r*each+s], fragA[r], fragB[s], acc[r*each+s])
			}
		}
	}
	k.op("bar.sync 0")
	k.op("sub.u32 %s, %s, 1", steps, steps)
	k.op("@%s bra %s", more, loop)

	k.note("the entries leave")
	behind := k.reg(address)
	k.op("cvt.u64.u32 %s, %s", behind, z)
	k.op("mad.lo.u64 %s, %s, %s, %s", behind, behind, part, c)
	for r := range each {
		row := k.mad(ty, fmt.Sprint(vec), row0)
		k.op("add.u32 %s, %s, %d", row, row, r/vec*apart+r%vec)
		for s := 0; s < each; s += vec {
			col := k.mad(tx, fmt.Sprint(vec), col0)
			k.op("add.u32 %s, %s, %d", col, col, s/vec*apart)
			k.op("st.global.v%d.%s [%s], %s", vec, p.name, k.element(behind, k.mad(row, strideC, col)), vector(acc[r*each+s:r*each+s+vec]))
		}
	}
	return k.String()
}

// vector formats registers as the operand of one load or store.
func vector(regs []string) string { return "{" + strings.Join(regs, ", ") + "}" }
