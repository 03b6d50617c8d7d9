package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// sums is the number of float64 partial sums of a reduction: element i always goes to
// sum i mod 32, so the result depends neither on the instruction set nor on alignment.
const sums = 32

// reduce emits the loop of a reduction over n elements and returns the sum from the function.
// body handles sumLanes elements and adds to acc.
func reduce(t target, n Register, body func(at func(base Register) Mem, acc Register, k mask)) {
	lanes := t.sumLanes()
	acc := make([]VecVirtual, sums/lanes)
	for i := range acc {
		acc[i] = t.full()
		zero(acc[i])
	}
	i, last := GP64(), GP64()
	XORQ(i, i)
	LEAQ(Mem{Base: n, Disp: -sums}, last)
	CMPQ(i, last)
	JGT(LabelRef("rest"))
	Label("loop")
	for u := range acc {
		body(t.indexed(i, u*lanes), acc[u], mask{})
	}
	ADDQ(I32(sums), i)
	CMPQ(i, last)
	JLE(LabelRef("loop"))

	Label("rest")
	SUBQ(i, n)
	JZ(LabelRef("end"))
	for u := range acc {
		if u < len(acc)-1 {
			CMPQ(n, I32(lanes))
			JLT(LabelRef(fmt.Sprintf("tail%d", u)))
			body(t.indexed(i, 0), acc[u], mask{})
			ADDQ(I32(lanes), i)
			SUBQ(I32(lanes), n)
		}
	}
	for u := len(acc) - 1; u >= 0; u-- {
		if u < len(acc)-1 {
			Label(fmt.Sprintf("tail%d", u))
		}
		TESTQ(n, n)
		JZ(LabelRef("end"))
		body(t.indexed(i, 0), acc[u], t.firstOf(n))
		if u > 0 {
			JMP(LabelRef("end"))
		}
	}
	Label("end")
	t.total(acc)
	VZEROUPPER()
	RET()
}

// total adds the partial sums in the order of AVX-512, whose register u holds
// sums 8u to 8u+7: registers (0+1)+(2+3), then lanes j and j+4, j and j+2, j and j+1.
func (t target) total(acc []VecVirtual) {
	var y VecVirtual
	if t.wide {
		VADDPD(acc[1], acc[0], acc[0])
		VADDPD(acc[3], acc[2], acc[2])
		VADDPD(acc[2], acc[0], acc[0])
		y = YMM()
		VEXTRACTF64X4(U8(1), acc[0], y)
		VADDPD(y, acc[0].AsY(), y)
	} else {
		for h := range 2 {
			VADDPD(acc[h+2], acc[h], acc[h])
			VADDPD(acc[h+6], acc[h+4], acc[h+4])
			VADDPD(acc[h+4], acc[h], acc[h])
		}
		y = acc[0]
		VADDPD(acc[1], y, y)
	}
	x := XMM()
	VEXTRACTF128(U8(1), y, x)
	VADDPD(x, y.AsX(), x)
	VUNPCKHPD(x, x, y.AsX())
	VADDSD(y.AsX(), x, x)
	Store(x, ReturnIndex(0))
}

func dot(t target) {
	function(t, "dot", "Σ x·y", "func(x, y *T, n int) float64")
	p := pointers("x", "y", "n")
	x, y, n := p[0], p[1], p[2]
	reduce(t, n, func(at func(Register) Mem, acc Register, k mask) {
		VFMADD231PD(t.loadWide(at(x), k), t.loadWide(at(y), k), acc)
	})
}

func chainRule(t target) {
	function(t, "chainRule", "dst = 2·w∘p and Σ w²·p", "func(dst, w, p *T, n int) float64")
	r := pointers("dst", "w", "p", "n")
	dst, w, p, n := r[0], r[1], r[2], r[3]
	reduce(t, n, func(at func(Register) Mem, acc Register, k mask) {
		wv, g, twice := t.part(), t.part(), t.part()
		t.loadPart(at(w), wv, k)
		t.loadPart(at(p), g, k)
		t.mul(wv, g, g)
		t.add(g, g, twice)
		t.storePart(twice, at(dst), k)
		VFMADD231PD(t.widen(wv), t.widen(g), acc)
	})
}

// addL1 subtracts -lambda·sign(w) rather than adding lambda·sign(w): where w is zero, g - 0 is g
// even for g = -0.
func addL1(t target) {
	function(t, "addL1", "grad += lambda·sign(w) and Σ |w|; negLambda is -lambda", "func(grad *T, negLambda T, w *T, n int) float64")
	r := pointers("grad", "w", "n")
	g, w, n := r[0], r[1], r[2]
	negLambda, sign, abs := t.part(), t.part(), t.part()
	t.spread(argument("negLambda"), negLambda)
	ones := GP64()
	MOVQ(I32(-1), ones)
	VMOVQ(ones, abs.AsX())
	VPBROADCASTQ(abs.AsX(), abs)
	if t.single {
		VPSLLD(U8(31), abs, sign)
		VPSRLD(U8(1), abs, abs)
	} else {
		VPSLLQ(U8(63), abs, sign)
		VPSRLQ(U8(1), abs, abs)
	}
	none := t.part()
	zero(none)
	reduce(t, n, func(at func(Register) Mem, acc Register, k mask) {
		wv, gv, step := t.part(), t.part(), t.part()
		t.loadPart(at(w), wv, k)
		t.loadPart(at(g), gv, k)
		t.and(sign, wv, step)
		t.xor(negLambda, step, step)
		t.onlyNonzero(wv, none, step)
		t.sub(gv, step, gv)
		t.storePart(gv, at(g), k)
		t.and(abs, wv, wv)
		VADDPD(t.widen(wv), acc, acc)
	})
}

// onlyNonzero clears step where w is zero and makes it NaN where w is NaN.
func (t target) onlyNonzero(w, none, step Op) {
	const unordered, notEqual = U8(3), U8(4) // notEqual holds for NaN too
	compare := pick(t, VCMPPS, VCMPPD)
	if t.wide {
		ne, nan := K(), K()
		compare(notEqual, none, w, ne)
		compare(unordered, w, w, nan)
		pick(t, VMOVAPS_Z, VMOVAPD_Z)(step, ne, step)
		pick(t, VMOVAPS, VMOVAPD)(w, nan, step)
		return
	}
	m := t.part()
	compare(notEqual, none, w, m)
	t.and(m, step, step)
	compare(unordered, w, w, m)
	pick(t, VBLENDVPS, VBLENDVPD)(m, w, step, step)
}
