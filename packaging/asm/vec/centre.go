package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// centre emits the kernel of Centre, in double precision only. The sums and extrema of a few vectors of columns stay in
// registers while the rows pass by: several, so that their additions overlap.
func centre(t target) {
	if t.single {
		return
	}
	function(t, "centre", "dst = x - ref in n ≥ 1 rows of d columns, with the columns' sums, minima and maxima",
		"func(dst, x, ref, sum, lo, hi *float64, n, d int)")
	vectors := 3 // all that 16 registers hold
	if t.wide {
		vectors = 4
	}
	lanes := t.lanes()
	d, stride, j := Load(Param("d"), GP64()), GP64(), GP64()
	MOVQ(d, stride)
	SHLQ(U8(3), stride)
	XORQ(j, j)
	for _, v := range []int{vectors, 1} {
		loop, done := fmt.Sprintf("group%d", v), fmt.Sprintf("done%d", v)
		last := GP64()
		LEAQ(Mem{Base: d, Disp: -v * lanes}, last)
		CMPQ(j, last)
		JGT(LabelRef(done))
		Label(loop)
		t.centreColumns(j, stride, v, mask{})
		ADDQ(I32(v*lanes), j)
		CMPQ(j, last)
		JLE(LabelRef(loop))
		Label(done)
	}
	SUBQ(j, d)
	JZ(LabelRef("end"))
	t.centreColumns(j, stride, 1, t.firstOf(d))
	Label("end")
	VZEROUPPER()
	RET()
}

// centreColumns emits the loop over the rows for the vectors of columns from j on.
func (t target) centreColumns(j, stride Register, vectors int, k mask) {
	label := fmt.Sprintf("row%d", vectors)
	if k != (mask{}) {
		label = "rowMasked"
	}
	at := func(name string, u int) Mem {
		return Mem{Base: pointers(name)[0], Index: j, Scale: 8, Disp: u * t.lanes() * 8}
	}
	var ref, sum, lo, hi [4]VecVirtual
	for u := range vectors {
		ref[u], sum[u], lo[u], hi[u] = t.full(), t.full(), t.full(), t.full()
		t.loadPart(at("ref", u), ref[u], k)
		t.loadPart(at("sum", u), sum[u], k)
		t.loadPart(at("lo", u), lo[u], k)
		t.loadPart(at("hi", u), hi[u], k)
	}
	p := pointers("x", "dst", "n")
	x, dst, n := p[0], p[1], p[2]
	LEAQ(Mem{Base: x, Index: j, Scale: 8}, x)
	LEAQ(Mem{Base: dst, Index: j, Scale: 8}, dst)
	Label(label)
	for u := range vectors {
		v := t.full()
		t.loadPart(Mem{Base: x, Disp: u * t.lanes() * 8}, v, k)
		VMINPD(lo[u], v, lo[u])
		VMAXPD(hi[u], v, hi[u])
		t.sub(v, ref[u], v)
		t.add(v, sum[u], sum[u])
		t.storePart(v, Mem{Base: dst, Disp: u * t.lanes() * 8}, k)
	}
	ADDQ(stride, x)
	ADDQ(stride, dst)
	DECQ(n)
	JNZ(LabelRef(label))
	for u := range vectors {
		t.storePart(sum[u], at("sum", u), k)
		t.storePart(lo[u], at("lo", u), k)
		t.storePart(hi[u], at("hi", u), k)
	}
}
