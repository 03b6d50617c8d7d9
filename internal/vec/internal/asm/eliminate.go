package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// eliminate adds a multiple of x to each of some rows of 16 numbers. The factor of a row is one of its own numbers, which is
// read before the row is written.
func eliminate(t target) {
	T := t.goType()
	function(t, "eliminate", "y_i += y_ik·x for rows of 16 numbers; a is y_0k",
		fmt.Sprintf("func(y, a, x *%s, rows int)", T))
	p := pointers("y", "a", "x", "rows")
	y, a, x, rows := p[0], p[1], p[2], p[3]
	const width = 16
	lanes := t.lanes()
	at := func(base Register, vector int) Mem { return Mem{Base: base, Disp: vector * lanes * t.size()} }
	row := make([]VecVirtual, width/lanes)
	for i := range row {
		row[i] = t.full()
		t.load(at(x, i), row[i], lanes)
	}
	TESTQ(rows, rows)
	JLE(LabelRef("done"))
	Label("loop")
	f := t.full()
	if t.single {
		VBROADCASTSS(Mem{Base: a}, f)
	} else {
		VBROADCASTSD(Mem{Base: a}, f)
	}
	for i, xv := range row {
		v := t.full()
		t.load(at(y, i), v, lanes)
		t.fma(xv, f, v)
		t.store(v, at(y, i), lanes)
	}
	ADDQ(I32(width*t.size()), y)
	ADDQ(I32(width*t.size()), a)
	DECQ(rows)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
