package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sweepWidth is the number of columns of the rows that sweep works on.
const sweepWidth = 32

// unitTable is sweepWidth zeros, a one and sweepWidth - 1 zeros: read k elements before the one, they are
// column k of the identity.
func unitTable(single bool) Mem {
	size := target{single: single}.size()
	m := GLOBL(fmt.Sprintf("units%d", 8*size), RODATA|NOPTR)
	for i := range 2 * sweepWidth {
		unit := 0.0
		if i == sweepWidth {
			unit = 1
		}
		if single {
			DATA(size*i, F32(unit))
		} else {
			DATA(size*i, F64(unit))
		}
	}
	return m
}

// sweep eliminates one pivot after the other. Rows below the pivot come before those above it, because the next
// pivot is the first of them and its division overlaps with the others.
func sweep(t target) {
	function(t, "sweep", "the inverse of s·I - y in place, rest = 1 - s, and returns the number of positive pivots",
		"func(y, taken *T, s, rest T, n int) int")
	p := pointers("y", "taken", "n")
	y, taken, n := p[0], p[1], p[2]
	lanes, size := t.lanes(), t.size()
	vectors := sweepWidth / lanes
	part := func(base Register, i int) Mem { return Mem{Base: base, Disp: i * lanes * size} }

	s, rest, none := XMM(), t.full(), XMM()
	t.load(argument("s"), s, 1)
	t.spread(argument("rest"), rest)
	zero(none)

	k, top, column, unit := GP64(), GP64(), GP64(), GP64()
	XORQ(k, k)
	MOVQ(y, top)
	MOVQ(y, column) // the factor of row 0
	LEAQ(t.units, unit)
	ADDQ(I32(sweepWidth*size), unit)
	one := XMM()
	t.load(Mem{Base: unit}, one, 1)

	Label("pivot")
	CMPQ(k, n)
	JGE(LabelRef("done"))
	v := XMM()
	t.load(Mem{Base: top, Index: k, Scale: uint8(size)}, v, 1)
	t.store(v, Mem{Base: taken, Index: k, Scale: uint8(size)}, 1)
	t.sub(s, v, v)
	pick(t, VUCOMISS, VUCOMISD)(none, v)
	JLS(LabelRef("done")) // not above zero
	t.div(one, v, v)
	factor := t.full()
	t.spread(v, factor)
	row := make([]VecVirtual, vectors)
	for i := range row {
		row[i] = t.full()
		e := t.full()
		t.load(part(unit, i), e, lanes)
		t.load(part(top, i), row[i], lanes)
		t.fma(e, rest, row[i])
		t.mul(factor, row[i], row[i])
	}
	at, from, left := GP64(), GP64(), GP64()
	rows := func(name string) {
		TESTQ(left, left)
		JLE(LabelRef(name + "End"))
		Label(name)
		f := t.full()
		t.spread(Mem{Base: from}, f)
		for i := range row {
			v := t.full()
			t.load(part(at, i), v, lanes)
			t.fma(row[i], f, v)
			t.store(v, part(at, i), lanes)
		}
		ADDQ(I32(sweepWidth*size), at)
		ADDQ(I32(sweepWidth*size), from)
		DECQ(left)
		JNZ(LabelRef(name))
		Label(name + "End")
	}
	offset := GP64()
	MOVQ(top, offset)
	SUBQ(y, offset)
	LEAQ(Mem{Base: top, Disp: sweepWidth * size}, at)
	LEAQ(Mem{Base: column, Index: offset, Scale: 1, Disp: sweepWidth * size}, from)
	LEAQ(Mem{Base: n, Disp: -1}, left)
	SUBQ(k, left)
	rows("below")
	MOVQ(y, at)
	MOVQ(column, from)
	MOVQ(k, left)
	rows("above")
	for i := range row {
		e := t.full()
		t.load(part(unit, i), e, lanes)
		t.add(e, row[i], row[i])
		t.store(row[i], part(top, i), lanes)
	}
	INCQ(k)
	ADDQ(I32(sweepWidth*size), top)
	ADDQ(I32(size), column)
	SUBQ(I32(size), unit)
	JMP(LabelRef("pivot"))

	Label("done")
	VZEROUPPER()
	Store(k, ReturnIndex(0))
	RET()
}
