package main

import (
	"fmt"

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
	at := func(off int) func(Register) Mem {
		return func(base Register) Mem {
			return Mem{Base: base, Index: i, Scale: uint8(t.size()), Disp: off * t.size()}
		}
	}
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
			body(at(u*lanes), lanes)
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
		body(at(0), rest)
		if rest > 1 {
			ADDQ(I32(rest), i)
		}
		Label(skip)
	}
	VZEROUPPER()
	RET()
}

func axpy(t target) {
	T := t.goType()
	function(t, "axpy", "y += a·x", fmt.Sprintf("func(y *%s, a %s, x *%s, n int)", T, T, T))
	p := pointers("y", "x", "n")
	y, x, n := p[0], p[1], p[2]
	a := t.full()
	t.broadcast("a", a)
	each(t, n, 4, func(at func(Register) Mem, e int) {
		xv, yv := t.reg(e), t.reg(e)
		t.load(at(x), xv, e)
		t.load(at(y), yv, e)
		t.fma(xv, t.as(a, e), yv)
		t.store(yv, at(y), e)
	})
}

func scale(t target) {
	T := t.goType()
	function(t, "scale", "dst = a·x", fmt.Sprintf("func(dst *%s, a %s, x *%s, n int)", T, T, T))
	p := pointers("dst", "x", "n")
	dst, x, n := p[0], p[1], p[2]
	a := t.full()
	t.broadcast("a", a)
	each(t, n, 4, func(at func(Register) Mem, e int) {
		v := t.reg(e)
		t.load(at(x), v, e)
		t.mul(v, t.as(a, e), v)
		t.store(v, at(dst), e)
	})
}

func square(t target) {
	T := t.goType()
	function(t, "square", "dst = x∘x", fmt.Sprintf("func(dst, x *%s, n int)", T))
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
	T := t.goType()
	function(t, "clamp", "dst = min(max(x + a, lo), hi)", fmt.Sprintf("func(dst *%s, a %s, x *%s, lo, hi %s, n int)", T, T, T, T))
	p := pointers("dst", "x", "n")
	dst, x, n := p[0], p[1], p[2]
	a, lo, hi := t.full(), t.full(), t.full()
	t.broadcast("a", a)
	t.broadcast("lo", lo)
	t.broadcast("hi", hi)
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
	T := t.goType()
	function(t, "lin3", "dst = a·x + b·y + c·z", fmt.Sprintf(
		"func(dst *%s, a %s, x *%s, b %s, y *%s, c %s, z *%s, n int)", T, T, T, T, T, T, T))
	p := pointers("dst", "x", "y", "z", "n")
	dst, x, y, z, n := p[0], p[1], p[2], p[3], p[4]
	a, b, c := t.full(), t.full(), t.full()
	t.broadcast("a", a)
	t.broadcast("b", b)
	t.broadcast("c", c)
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
	T := t.goType()
	function(t, "ladder", "four rungs a·x + b·y + c·z, each step·(x + y + z) above the last", fmt.Sprintf(
		"func(d0, d1, d2, d3 *%s, a %s, x *%s, b %s, y *%s, c %s, z *%s, step %s, n int)", T, T, T, T, T, T, T, T))
	p := pointers("d0", "d1", "d2", "d3", "x", "y", "z", "n")
	x, y, z, n := p[4], p[5], p[6], p[7]
	a, b, c, step := t.full(), t.full(), t.full(), t.full()
	t.broadcast("a", a)
	t.broadcast("b", b)
	t.broadcast("c", c)
	t.broadcast("step", step)
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
	T := t.goType()
	function(t, "adam", "g = a·x + b·y, m = beta1·m + comp1·g, v = beta2·v + comp2·g², w -= step·m/(root·sqrt(v) + eps)", fmt.Sprintf(
		"func(w, x, y, m, v *%s, n int, a, b, beta1, comp1, beta2, comp2, step, root, eps %s)", T, T))
	p := pointers("w", "x", "y", "m", "v", "n")
	w, x, y, m, v, n := p[0], p[1], p[2], p[3], p[4], p[5]
	constant := map[string]VecVirtual{}
	for _, name := range []string{"a", "b", "beta1", "comp1", "beta2", "comp2", "step", "root", "eps"} {
		constant[name] = t.full()
		t.broadcast(name, constant[name])
	}
	each(t, n, 1, func(at func(Register) Mem, e int) {
		c := func(name string) Op { return t.as(constant[name], e) }
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
