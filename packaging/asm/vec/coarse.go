package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// coarseGroup is the number of columns that coarse handles at once: four registers of AVX-512.
const coarseGroup = 64

// coarse emits the screening kernel for rows of 16-bit integers, in single precision only. It is partial without the
// values of c and q, with a tolerance in the comparison.
func coarse(t target) {
	if !t.single {
		return
	}
	function(t, "coarse", "the masks of Coarse for n columns, a multiple of 64",
		"func(mask *uint64, t, near, most float32, y *int16, rows **int16, k int, a, b, scratch *float32, n int)")
	p := pointers("rows", "k", "b", "scratch")
	rows, k, b, scratch := p[0], p[1], p[2], p[3]
	lanes := t.lanes()
	x := GP64()
	XORQ(x, x)
	Label("group")
	word := GP64()
	XORQ(word, word)
	for part := range coarseGroup / (vectors * lanes) {
		load := func(base Register, u int, v VecVirtual) {
			VPMOVSXWD(Mem{Base: base, Index: x, Scale: 2, Disp: (part*vectors + u) * lanes * 2}, v)
			VCVTDQ2PS(v, v)
		}
		var cv, qv, z [vectors]VecVirtual
		y := pointers("y")[0]
		for u := range vectors {
			cv[u], qv[u], z[u] = t.full(), t.full(), t.full()
			load(y, u, cv[u])
			VBROADCASTSS(argument("most"), qv[u])
		}
		f := t.solveRows(rows, k, b, scratch, part, func(row Register, u int, f, z VecVirtual) {
			load(row, u, z)
			VMULPS(z, f, z)
		}, cv, qv, z)
		near := t.full()
		VBROADCASTSS(argument("near"), near)
		VBROADCASTSS(argument("t"), f)
		bits := GP64()
		for u := range vectors {
			const notAtMost = U8(22) // also true for NaN, quiet
			VADDPS(near, cv[u], z[u])
			VSUBPS(cv[u], near, cv[u])
			VMAXPS(z[u], cv[u], z[u]) // |c| + near
			VMULPS(z[u], z[u], z[u])
			VMULPS(qv[u], f, qv[u])
			if t.wide {
				m := K()
				VCMPPS(notAtMost, qv[u], z[u], m)
				KMOVW(m, bits.As32())
			} else {
				VCMPPS(notAtMost, qv[u], z[u], z[u])
				VMOVMSKPS(z[u], bits.As32())
			}
			if shift := (part*vectors + u) * lanes; shift > 0 {
				SHLQ(U8(shift), bits)
			}
			ORQ(bits, word)
		}
	}
	mask := pointers("mask")[0]
	index := GP64()
	MOVQ(x, index)
	SHRQ(U8(6), index)
	MOVQ(word, Mem{Base: mask, Index: index, Scale: 8})
	ADDQ(I8(coarseGroup), x)
	CMPQ(x, argument("n"))
	JLT(LabelRef("group"))
	VZEROUPPER()
	RET()
}
