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

// pick returns the instruction of the precision.
func pick[F any](t target, single, double F) F {
	if t.single {
		return single
	}
	return double
}

// move returns the instruction for a power of two of elements in a register of their width.
func (t target) move(elements int) func(...Op) {
	switch elements * t.size() {
	case 4:
		return VMOVSS
	case 8:
		return VMOVSD
	}
	return pick(t, VMOVUPS, VMOVUPD)
}

// load reads elements into a register of their width and clears the rest of it.
func (t target) load(m Mem, v Op, elements int) { t.move(elements)(m, v) }

func (t target) store(v Op, m Mem, elements int) { t.move(elements)(v, m) }

// spread fills v with one number, of memory or the first of a register.
func (t target) spread(from, v Op) { pick(t, VBROADCASTSS, VBROADCASTSD)(from, v) }

// constants returns registers that are filled with scalar arguments.
func (t target) constants(params ...string) []VecVirtual {
	regs := make([]VecVirtual, len(params))
	for i, param := range params {
		regs[i] = t.full()
		t.spread(argument(param), regs[i])
	}
	return regs
}

// argument is the stack slot of a scalar argument.
func argument(param string) Mem {
	b, err := Param(param).Resolve()
	if err != nil {
		panic(err)
	}
	return b.Addr
}

// indexed addresses element i + off of a vector.
func (t target) indexed(i Register, off int) func(base Register) Mem {
	return func(base Register) Mem {
		return Mem{Base: base, Index: i, Scale: uint8(t.size()), Disp: off * t.size()}
	}
}

func (t target) mul(a, b, dst Op)  { pick(t, VMULPS, VMULPD)(a, b, dst) }
func (t target) add(a, b, dst Op)  { pick(t, VADDPS, VADDPD)(a, b, dst) }
func (t target) sub(a, b, dst Op)  { pick(t, VSUBPS, VSUBPD)(b, a, dst) } // dst = a-b
func (t target) div(a, b, dst Op)  { pick(t, VDIVPS, VDIVPD)(b, a, dst) } // dst = a/b
func (t target) max(a, b, dst Op)  { pick(t, VMAXPS, VMAXPD)(a, b, dst) } // a if one is NaN
func (t target) min(a, b, dst Op)  { pick(t, VMINPS, VMINPD)(a, b, dst) } // a if one is NaN
func (t target) sqrt(a, dst Op)    { pick(t, VSQRTPS, VSQRTPD)(a, dst) }
func (t target) fma(a, b, acc Op)  { pick(t, VFMADD231PS, VFMADD231PD)(a, b, acc) }   // acc += a*b
func (t target) fnma(a, b, acc Op) { pick(t, VFNMADD231PS, VFNMADD231PD)(a, b, acc) } // acc -= a*b
func (t target) xor(a, b, dst Op)  { pick(t, VXORPS, VXORPD)(a, b, dst) }
func (t target) and(a, b, dst Op)  { pick(t, VANDPS, VANDPD)(a, b, dst) }

func zero(v VecVirtual) { VXORPS(v.AsX(), v.AsX(), v.AsX()) }
