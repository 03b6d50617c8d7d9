package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A reduction works on sumLanes elements at once, the number of float64 lanes of the widest
// register, in either precision. Its rest is masked.

func (t target) sumLanes() int {
	if t.wide {
		return 8
	}
	return 4
}

// part allocates a register for sumLanes elements.
func (t target) part() VecVirtual { return t.reg(t.sumLanes()) }

// A mask selects the first elements of a part. The zero mask selects all.
type mask struct {
	k   Register // AVX-512
	vec Register // AVX2
}

// maskTable is eight dwords of ones followed by eight of zeros: loaded n elements before
// its middle it gives the AVX2 mask of n elements, whatever their size.
func maskTable() Mem {
	m := GLOBL("masks", RODATA|NOPTR)
	for i, v := range [8]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64} {
		DATA(8*i, U64(v))
	}
	return m
}

// firstOf makes the mask of the first n elements, 0 < n < sumLanes.
func (t target) firstOf(n Register) mask {
	if t.wide {
		bits := GP64()
		k := K()
		MOVQ(I32(-1), bits)
		BZHIQ(n, bits, bits)
		KMOVW(bits.As32(), k)
		return mask{k: k}
	}
	base, back := GP64(), GP64()
	v := t.part()
	LEAQ(t.masks, base)
	MOVQ(n, back)
	NEGQ(back)
	VMOVUPS(Mem{Base: base, Disp: 32, Index: back, Scale: uint8(t.size())}, v)
	return mask{vec: v}
}

// loadPart reads the elements of the mask and clears the others.
func (t target) loadPart(m Mem, v Op, k mask) {
	switch {
	case k.k != nil:
		pick(t, VMOVUPS_Z, VMOVUPD_Z)(m, k.k, v)
	case k.vec != nil:
		pick(t, VMASKMOVPS, VMASKMOVPD)(m, k.vec, v)
	default:
		t.load(m, v, t.sumLanes())
	}
}

func (t target) storePart(v Op, m Mem, k mask) {
	switch {
	case k.k != nil:
		pick(t, VMOVUPS, VMOVUPD)(v, k.k, m)
	case k.vec != nil:
		pick(t, VMASKMOVPS, VMASKMOVPD)(v, k.vec, m)
	default:
		t.store(v, m, t.sumLanes())
	}
}

// widen converts a part to float64; in double precision v itself is returned.
func (t target) widen(v Register) Register {
	if !t.single {
		return v
	}
	w := t.full()
	VCVTPS2PD(v, w)
	return w
}

func (t target) loadWide(m Mem, k mask) Register {
	w := t.full()
	switch {
	case !t.single:
		t.loadPart(m, w, k)
	case k.k != nil:
		VCVTPS2PD_Z(m, k.k, w)
	case k.vec != nil:
		v := t.part()
		t.loadPart(m, v, k)
		VCVTPS2PD(v, w)
	default:
		VCVTPS2PD(m, w)
	}
	return w
}
