package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// block is the number of words of a row that countBits handles at once: one register of AVX2.
const block = 4

// countBits emits the kernel of CountBits with AVX2, which AVX-512 processors use too. Eight rows go through full adders at a time.
// The counts of the lowest four planes stay in registers; carries beyond them are rare and go through memory. If width is not a
// multiple of block, the last block overlaps the one before it and computes the same counts again.
func countBits() {
	TEXT("countBitsAVX2", NOSPLIT, "func(planes, table *uint64, width int, rows *uint32, n, depth int)")
	Pragma("noescape")
	Doc("countBitsAVX2 computes the planes of CountBits for width ≥ 4.")
	p := pointers("planes", "table", "width")
	planes, table, stride := p[0], p[1], p[2]
	g, end := GP64(), GP64() // in bytes
	SHLQ(U8(3), stride)
	XORQ(g, g)
	MOVQ(stride, end)
	SUBQ(I8(8*block), end)

	Label("block")
	ones, twos, fours, eights := YMM(), YMM(), YMM(), YMM()
	for _, v := range []VecVirtual{ones, twos, fours, eights} {
		zero(v)
	}
	at, left := GP64(), GP64()
	LEAQ(Mem{Base: planes, Index: g, Scale: 1}, at)
	MOVQ(argument("depth"), left)
	SUBQ(I8(4), left)
	LEAQ(Mem{Base: at, Index: stride, Scale: 4}, at)
	Label("clear")
	JLE(LabelRef("cleared"))
	VMOVDQU(ones, Mem{Base: at})
	ADDQ(stride, at)
	SUBQ(I8(1), left)
	JMP(LabelRef("clear"))
	Label("cleared")

	from, rows, n := GP64(), GP64(), GP64()
	LEAQ(Mem{Base: table, Index: g, Scale: 1}, from)
	MOVQ(argument("rows"), rows)
	MOVQ(argument("n"), n)

	row := func(i int) Mem {
		r := GP64()
		MOVL(Mem{Base: rows, Disp: 4 * i}, r.As32())
		IMULQ(stride, r)
		return Mem{Base: from, Index: r, Scale: 1}
	}
	// add sets sum to the sum bit of sum, a and b, and returns the carry, in the register of a.
	add := func(sum, a VecVirtual, b Op) VecVirtual {
		u, v := YMM(), YMM()
		VPXOR(sum, a, u)
		VPAND(sum, a, a)
		VPAND(b, u, v)
		VPXOR(b, u, sum)
		VPOR(v, a, a)
		return a
	}
	pair := func(i int) VecVirtual {
		a, b := YMM(), YMM()
		VMOVDQU(row(i), a)
		VMOVDQU(row(i+1), b)
		return add(ones, a, b)
	}
	// carry adds c to eights and what is beyond to the planes in memory.
	carry := func(c VecVirtual, label string) {
		u, w := YMM(), YMM()
		VPAND(c, eights, w)
		VPXOR(c, eights, eights)
		VPTEST(w, w)
		JZ(LabelRef(label + "Done"))
		LEAQ(Mem{Base: planes, Index: g, Scale: 1}, at)
		LEAQ(Mem{Base: at, Index: stride, Scale: 4}, at)
		Label(label + "Ripple")
		VMOVDQU(Mem{Base: at}, u)
		VPXOR(u, w, c)
		VPAND(u, w, w)
		VMOVDQU(c, Mem{Base: at})
		ADDQ(stride, at)
		VPTEST(w, w)
		JNZ(LabelRef(label + "Ripple"))
		Label(label + "Done")
	}

	SUBQ(I8(8), n)
	JLT(LabelRef("rest"))
	Label("eight")
	twoA := pair(0)
	fourA := add(twos, twoA, pair(2))
	twoB := pair(4)
	fourB := add(twos, twoB, pair(6))
	carry(add(fours, fourA, fourB), "eight")
	ADDQ(I8(32), rows)
	SUBQ(I8(8), n)
	JGE(LabelRef("eight"))

	Label("rest")
	ADDQ(I8(8), n)
	JZ(LabelRef("store"))
	Label("one")
	c, u := YMM(), YMM()
	VMOVDQU(row(0), c)
	for _, v := range []VecVirtual{ones, twos, fours} {
		VPAND(c, v, u)
		VPXOR(c, v, v)
		VMOVDQA(u, c)
	}
	carry(c, "one")
	ADDQ(I8(4), rows)
	DECQ(n)
	JNZ(LabelRef("one"))

	Label("store")
	LEAQ(Mem{Base: planes, Index: g, Scale: 1}, at)
	for _, v := range []VecVirtual{ones, twos, fours, eights} {
		VMOVDQU(v, Mem{Base: at})
		ADDQ(stride, at)
	}
	CMPQ(g, end)
	JGE(LabelRef("done"))
	ADDQ(I8(8*block), g)
	CMPQ(g, end)
	JLE(LabelRef("block"))
	MOVQ(end, g)
	JMP(LabelRef("block"))
	Label("done")
	VZEROUPPER()
	RET()
}

// spreadBits emits the kernel of SpreadBits with AVX2. Each byte of the result is doubled and gets the next lower bit, plane by plane.
func spreadBits() {
	TEXT("spreadBitsAVX2", NOSPLIT, "func(dst *uint8, planes *uint64, width, depth int)")
	Pragma("noescape")
	Doc("spreadBitsAVX2 computes the bytes of SpreadBits.")
	p := pointers("dst", "planes", "width", "depth")
	dst, planes, stride, depth := p[0], p[1], p[2], p[3]
	which := GLOBL("bytes", RODATA|NOPTR)
	for i := range 32 {
		DATA(i, U8(i/8))
	}
	single := GLOBL("singles", RODATA|NOPTR)
	for i := range 32 {
		DATA(i, U8(1<<(i%8)))
	}
	shuffle, bit := YMM(), YMM()
	VMOVDQU(which, shuffle)
	VMOVDQU(single, bit)
	SHLQ(U8(3), stride)
	top, end := GP64(), GP64()
	MOVQ(planes, end)
	ADDQ(stride, end)
	MOVQ(depth, top)
	DECQ(top)
	IMULQ(stride, top)
	ADDQ(planes, top) // highest plane

	Label("word")
	const chunks = 2 // of 32 bits
	var sum [chunks]VecVirtual
	for i := range sum {
		sum[i] = YMM()
		zero(sum[i])
	}
	at, b := GP64(), GP64()
	MOVQ(top, at)
	MOVQ(depth, b)
	Label("plane")
	for i := range sum {
		v := YMM()
		VPBROADCASTD(Mem{Base: at, Disp: 4 * i}, v)
		VPSHUFB(shuffle, v, v)
		VPAND(bit, v, v)
		VPCMPEQB(bit, v, v) // -1 where the bit is set
		VPADDB(sum[i], sum[i], sum[i])
		VPSUBB(v, sum[i], sum[i])
	}
	SUBQ(stride, at)
	DECQ(b)
	JNZ(LabelRef("plane"))
	for i := range sum {
		VMOVDQU(sum[i], Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(I8(64), dst)
	ADDQ(I8(8), top)
	ADDQ(I8(8), planes)
	CMPQ(planes, end)
	JLT(LabelRef("word"))
	VZEROUPPER()
	RET()
}
