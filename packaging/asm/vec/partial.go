package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// group is the number of columns that partial handles at once: four registers of AVX-512.
const group = 32

// partial emits the screening kernel of order searches, in double precision only. Four vectors of columns go
// through the small triangular solve together; the z of each row stay in scratch, which fits in the L1 cache.
// If n is not a multiple of 32, the last group overlaps the one before it and computes the same numbers again.
func partial(t target) {
	if t.single {
		return
	}
	function(t, "partial", "the masks, c and q of Partial for n ≥ 32 columns",
		"func(mask *uint32, c, q *float64, t float64, y *float64, rows **float64, k int, a, b, scratch *float64, n int)")
	// Registers are short: what only the outer loop needs is read again each time.
	p := pointers("rows", "k", "b", "scratch")
	rows, k, b, scratch := p[0], p[1], p[2], p[3]
	lanes := t.lanes()
	x := GP64()
	XORQ(x, x)
	Label("group")
	word := GP32()
	XORL(word, word)
	for part := range group / (vectors * lanes) {
		at := func(base Register, u int) Mem {
			return Mem{Base: base, Index: x, Scale: 8, Disp: (part*vectors + u) * lanes * 8}
		}
		var cv, qv, z [vectors]VecVirtual
		y := pointers("y")[0]
		for u := range vectors {
			cv[u], qv[u], z[u] = t.full(), t.full(), t.full()
			VMOVUPD(at(y, u), cv[u])
			VBROADCASTSD(t.one, qv[u])
		}
		multiply := func(row Register, u int, f, z VecVirtual) { VMULPD(at(row, u), f, z) }
		f := t.solveRows(rows, k, b, scratch, part, multiply, cv, qv, z)
		VBROADCASTSD(argument("t"), f)
		bits := GP32()
		for u := range vectors {
			const greater = U8(30) // ordered, quiet
			right := t.full()
			VMULPD(cv[u], cv[u], z[u])
			VMULPD(qv[u], f, right)
			if t.wide {
				m := K()
				VCMPPD(greater, right, z[u], m)
				KMOVB(m, bits)
			} else {
				VCMPPD(greater, right, z[u], right)
				VMOVMSKPD(right, bits)
			}
			if shift := (part*vectors + u) * lanes; shift > 0 {
				SHLL(U8(shift), bits)
			}
			ORL(bits, word)
		}
		out := pointers("c", "q")
		for u := range vectors {
			VMOVUPD(cv[u], at(out[0], u))
			VMOVUPD(qv[u], at(out[1], u))
		}
	}
	// x is a multiple of 32, or less than 32 before one.
	mask, index := pointers("mask")[0], GP64()
	LEAQ(Mem{Base: x, Disp: group - 1}, index)
	SHRQ(U8(5), index)
	MOVL(word, Mem{Base: mask, Index: index, Scale: 4})
	last, next := GP64(), GP64()
	MOVQ(argument("n"), last)
	SUBQ(I8(group), last)
	CMPQ(x, last)
	JGE(LabelRef("end"))
	LEAQ(Mem{Base: x, Disp: group}, next)
	CMPQ(next, last)
	CMOVQGT(last, next)
	MOVQ(next, x)
	JMP(LabelRef("group"))
	Label("end")
	VZEROUPPER()
	RET()
}

// vectors is the number of vectors of columns that pass the triangular solve together.
const vectors = 4

// solveRows emits the loop over the rows of partial and coarse for some vectors of columns. multiply sets z to the part
// of a row times f. It returns a register that is free afterwards.
func (t target) solveRows(rows, k, b, scratch Register, part int, multiply func(row Register, u int, f, z VecVirtual), cv, qv, z [vectors]VecVirtual) VecVirtual {
	label := func(s string) string { return fmt.Sprintf("%s%d", s, part) }
	width := t.lanes() * t.size()
	i, j, ap, zp, row := GP64(), GP64(), GP64(), GP64(), GP64()
	f := t.full()
	XORQ(i, i)
	MOVQ(argument("a"), ap)
	Label(label("row"))
	CMPQ(i, k)
	JGE(LabelRef(label("compare")))
	MOVQ(Mem{Base: rows, Index: i, Scale: 8}, row)
	t.spread(Mem{Base: ap}, f)
	ADDQ(I8(t.size()), ap)
	for u := range vectors {
		multiply(row, u, f, z[u])
	}
	MOVQ(scratch, zp)
	MOVQ(i, j)
	TESTQ(j, j)
	JZ(LabelRef(label("solved")))
	Label(label("solve"))
	t.spread(Mem{Base: ap}, f)
	for u := range vectors {
		t.fma(Mem{Base: zp, Disp: u * width}, f, z[u])
	}
	ADDQ(I8(t.size()), ap)
	ADDQ(I32(vectors*width), zp)
	DECQ(j)
	JNZ(LabelRef(label("solve")))
	Label(label("solved"))
	t.spread(Mem{Base: b, Index: i, Scale: uint8(t.size())}, f)
	for u := range vectors {
		t.store(z[u], Mem{Base: zp, Disp: u * width}, t.lanes())
		t.fma(z[u], f, cv[u])
		t.fnma(z[u], z[u], qv[u])
	}
	INCQ(i)
	JMP(LabelRef(label("row")))
	Label(label("compare"))
	return f
}

// oneConstant is 1.0.
func oneConstant() Mem {
	m := GLOBL("one", RODATA|NOPTR)
	DATA(0, F64(1))
	return m
}
