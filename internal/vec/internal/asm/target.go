package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A target is one instruction set and one precision. Its methods emit the instruction of
// that precision; widths follow from the registers passed.
type target struct {
	wide   bool // AVX-512, otherwise AVX2+FMA
	single bool // float32, otherwise float64
	masks  Mem
	one    Mem
	units  Mem // units of this precision
}

func (t target) name(kernel string) string {
	isa, precision := "AVX2", 64
	if t.wide {
		isa = "AVX512"
	}
	if t.single {
		precision = 32
	}
	return fmt.Sprintf("%sF%d%s", kernel, precision, isa)
}

func (t target) goType() string {
	if t.single {
		return "float32"
	}
	return "float64"
}

// size is the number of bytes of an element.
func (t target) size() int {
	if t.single {
		return 4
	}
	return 8
}

// full allocates the widest register, and lanes returns its number of elements.
func (t target) full() VecVirtual {
	if t.wide {
		return ZMM()
	}
	return YMM()
}

func (t target) lanes() int {
	if t.wide {
		return 64 / t.size()
	}
	return 32 / t.size()
}

func (t target) reg(elements int) VecVirtual {
	switch bytes := elements * t.size(); {
	case bytes > 32:
		return ZMM()
	case bytes > 16:
		return YMM()
	default:
		return XMM()
	}
}

// as is v at the width of that many elements.
func (t target) as(v VecVirtual, elements int) Op {
	switch bytes := elements * t.size(); {
	case bytes > 32:
		return v
	case bytes > 16:
		return v.AsY()
	default:
		return v.AsX()
	}
}

// load reads a power of two of elements into a register of their width and clears the
// rest of it.
func (t target) load(m Mem, v Op, elements int) {
	switch bytes := elements * t.size(); {
	case bytes == 4:
		VMOVSS(m, v)
	case bytes == 8:
		VMOVSD(m, v)
	case t.single:
		VMOVUPS(m, v)
	default:
		VMOVUPD(m, v)
	}
}

func (t target) store(v Op, m Mem, elements int) {
	switch bytes := elements * t.size(); {
	case bytes == 4:
		VMOVSS(v, m)
	case bytes == 8:
		VMOVSD(v, m)
	case t.single:
		VMOVUPS(v, m)
	default:
		VMOVUPD(v, m)
	}
}

func (t target) broadcast(param string, v Op) {
	if t.single {
		VBROADCASTSS(argument(param), v)
	} else {
		VBROADCASTSD(argument(param), v)
	}
}

// argument is the stack slot of a scalar argument.
func argument(param string) Mem {
	b, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

func (t target) mul(a, b, dst Op) { // dst = a*b
	if t.single {
		VMULPS(a, b, dst)
	} else {
		VMULPD(a, b, dst)
	}
}

func (t target) add(a, b, dst Op) { // dst = a+b
	if t.single {
		VADDPS(a, b, dst)
	} else {
		VADDPD(a, b, dst)
	}
}

func (t target) max(a, b, dst Op) { // dst = max(a, b), a if one is NaN
	if t.single {
		VMAXPS(a, b, dst)
	} else {
		VMAXPD(a, b, dst)
	}
}

func (t target) min(a, b, dst Op) { // dst = min(a, b), a if one is NaN
	if t.single {
		VMINPS(a, b, dst)
	} else {
		VMINPD(a, b, dst)
	}
}

func (t target) sub(a, b, dst Op) { // dst = a-b
	if t.single {
		VSUBPS(b, a, dst)
	} else {
		VSUBPD(b, a, dst)
	}
}

func (t target) div(a, b, dst Op) { // dst = a/b
	if t.single {
		VDIVPS(b, a, dst)
	} else {
		VDIVPD(b, a, dst)
	}
}

func (t target) sqrt(a, dst Op) {
	if t.single {
		VSQRTPS(a, dst)
	} else {
		VSQRTPD(a, dst)
	}
}

func (t target) fma(a, b, acc Op) { // acc += a*b
	if t.single {
		VFMADD231PS(a, b, acc)
	} else {
		VFMADD231PD(a, b, acc)
	}
}

func (t target) xor(a, b, dst Op) {
	if t.single {
		VXORPS(a, b, dst)
	} else {
		VXORPD(a, b, dst)
	}
}

func (t target) and(a, b, dst Op) {
	if t.single {
		VANDPS(a, b, dst)
	} else {
		VANDPD(a, b, dst)
	}
}

func zero(v VecVirtual) { VXORPS(v.AsX(), v.AsX(), v.AsX()) }
