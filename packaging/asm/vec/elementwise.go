package main

import (
	"fmt"
	"slices"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func pointers(names ...string) []Register {
	regs := make([]Register, len(names))
	for i, name := range names {
		regs[i] = Load(Param(name), GP64())
	}
	return regs
}

// each emits the loop over n elements: unroll vectors per iteration, then one, then the rest in halves of a
// vector down to one element. It uses no masks, because a load after a masked store waits for the store to
// retire, and short rows are updated repeatedly. body works on a number of elements at the given position.
func each(t target, n Register, unroll int, body func(at func(base Register) Mem, elements int)) {
	i, last := GP64(), GP64()
	lanes := t.lanes()
	XORQ(i, i)
	turns := []int{unroll, 1}
	if unroll == 1 {
		turns = turns[1:]
	}
	for _, vectors := range turns {
		loop, done := fmt.Sprintf("loop%d", vectors), fmt.Sprintf("done%d", vectors)
		LEAQ(Mem{Base: n, Disp: -vectors * lanes}, last)
		CMPQ(i, last)
		JGT(LabelRef(done))
		Label(loop)
		for u := range vectors {
			body(t.indexed(i, u*lanes), lanes)
		}
		ADDQ(I32(vectors*lanes), i)
		CMPQ(i, last)
		JLE(LabelRef(loop))
		Label(done)
	}
	for rest := lanes / 2; rest > 0; rest /= 2 {
		skip := fmt.Sprintf("skip%d", rest)
		TESTQ(U32(rest), n)
		JZ(LabelRef(skip))
		body(t.indexed(i, 0), rest)
		if rest > 1 {
			ADDQ(I32(rest), i)
		}
		Label(skip)
	}
	VZEROUPPER()
	RET()
}

func axpy(t target) {
	function(t, "axpy", "y += a·x", "func(y *T, a T, x *T, n int)")
	p := pointers("y", "x", "n")
	y, x, n := p[0], p[1], p[2]
	a := t.constants("a")[0]
	each(t, n, 4, func(at func(Register) Mem, e int) {
		xv, yv := t.reg(e), t.reg(e)
		t.load(at(x), xv, e)
		t.load(at(y), yv, e)
		t.fma(xv, t.as(a, e), yv)
		t.store(yv, at(y), e)
	})
}

func scale(t target) {
	function(t, "scale", "dst = a·x", "func(dst *T, a T, x *T, n int)")
	p := pointers("dst", "x", "n")
	dst, x, n := p[0], p[1], p[2]
	a := t.constants("a")[0]
	each(t, n, 4, func(at func(Register) Mem, e int) {
		v := t.reg(e)
		t.load(at(x), v, e)
		t.mul(v, t.as(a, e), v)
		t.store(v, at(dst), e)
	})
}

func square(t target) {
	function(t, "square", "dst = x∘x", "func(dst, x *T, n int)")
	p := pointers("dst", "x", "n")
	dst, x, n := p[0], p[1], p[2]
	each(t, n, 4, func(at func(Register) Mem, e int) {
		v := t.reg(e)
		t.load(at(x), v, e)
		t.mul(v, v, v)
		t.store(v, at(dst), e)
	})
}

func clamp(t target) {
	function(t, "clamp", "dst = min(max(x + a, lo), hi)", "func(dst *T, a T, x *T, lo, hi T, n int)")
	p := pointers("dst", "x", "n")
	dst, x, n := p[0], p[1], p[2]
	c := t.constants("a", "lo", "hi")
	a, lo, hi := c[0], c[1], c[2]
	each(t, n, 4, func(at func(Register) Mem, e int) {
		v := t.reg(e)
		t.load(at(x), v, e)
		t.add(v, t.as(a, e), v)
		t.max(v, t.as(lo, e), v)
		t.min(v, t.as(hi, e), v)
		t.store(v, at(dst), e)
	})
}

func lin3(t target) {
	function(t, "lin3", "dst = a·x + b·y + c·z", "func(dst *T, a T, x *T, b T, y *T, c T, z *T, n int)")
	p := pointers("dst", "x", "y", "z", "n")
	dst, x, y, z, n := p[0], p[1], p[2], p[3], p[4]
	f := t.constants("a", "b", "c")
	a, b, c := f[0], f[1], f[2]
	each(t, n, 2, func(at func(Register) Mem, e int) {
		xv, yv, zv := t.reg(e), t.reg(e), t.reg(e)
		t.load(at(x), xv, e)
		t.load(at(y), yv, e)
		t.load(at(z), zv, e)
		t.mul(xv, t.as(a, e), xv)
		t.fma(yv, t.as(b, e), xv)
		t.fma(zv, t.as(c, e), xv)
		t.store(xv, at(dst), e)
	})
}

// ladder reads each operand once for all four results: at sizes beyond the second cache its time is its traffic.
func ladder(t target) {
	function(t, "ladder", "four rungs a·x + b·y + c·z, each step·(x + y + z) above the last", "func(d0, d1, d2, d3 *T, a T, x *T, b T, y *T, c T, z *T, step T, n int)")
	p := pointers("d0", "d1", "d2", "d3", "x", "y", "z", "n")
	x, y, z, n := p[4], p[5], p[6], p[7]
	f := t.constants("a", "b", "c", "step")
	a, b, c, step := f[0], f[1], f[2], f[3]
	each(t, n, 1, func(at func(Register) Mem, e int) {
		xv, yv, zv, sum := t.reg(e), t.reg(e), t.reg(e), t.reg(e)
		t.load(at(x), xv, e)
		t.load(at(y), yv, e)
		t.load(at(z), zv, e)
		t.add(xv, yv, sum)
		t.add(zv, sum, sum)
		t.mul(xv, t.as(a, e), xv)
		t.fma(yv, t.as(b, e), xv)
		t.fma(zv, t.as(c, e), xv)
		for i := range 4 {
			t.store(xv, at(p[i]), e)
			if i < 3 {
				t.fma(sum, t.as(step, e), xv)
			}
		}
	})
}

// adam needs one division and one square root an element; their latency overlaps
// between vectors without unrolling.
func adam(t target) {
	function(t, "adam", "g = a·x + b·y, m = beta1·m + comp1·g, v = beta2·v + comp2·g², w -= step·m/(root·sqrt(v) + eps)", "func(w, x, y, m, v *T, n int, a, b, beta1, comp1, beta2, comp2, step, root, eps T)")
	p := pointers("w", "x", "y", "m", "v", "n")
	w, x, y, m, v, n := p[0], p[1], p[2], p[3], p[4], p[5]
	params := []string{"a", "b", "beta1", "comp1", "beta2", "comp2", "step", "root", "eps"}
	constants := t.constants(params...)
	each(t, n, 1, func(at func(Register) Mem, e int) {
		c := func(name string) Op { return t.as(constants[slices.Index(params, name)], e) }
		gv, hv, mv, vv := t.reg(e), t.reg(e), t.reg(e), t.reg(e)
		t.load(at(x), gv, e)
		t.load(at(y), hv, e)
		t.load(at(m), mv, e)
		t.load(at(v), vv, e)
		t.mul(c("a"), gv, gv)
		t.fma(c("b"), hv, gv)

		num := t.reg(e)
		t.mul(c("comp1"), gv, num)
		t.fma(c("beta1"), mv, num)
		t.store(num, at(m), e)
		t.mul(c("step"), num, num)

		t.mul(c("comp2"), gv, hv)
		t.mul(hv, gv, hv)
		t.fma(c("beta2"), vv, hv)
		t.store(hv, at(v), e)
		t.sqrt(hv, hv)
		t.mul(c("root"), hv, hv)
		t.add(c("eps"), hv, hv)

		t.div(num, hv, hv)
		t.load(at(w), gv, e)
		t.sub(gv, hv, gv)
		t.store(gv, at(w), e)
	})
}
