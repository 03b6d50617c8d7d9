package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose emits the copy of n rows of src, n the lanes of a vector, to dst with rows and
// columns exchanged,
//
//	dst[l*rowDst + i] = src[i*rowSrc + l], i < n, l < n·blocks, strides in bytes,
//
// an n×n block at a time through registers. Write g for the lanes within 128 bits. First
// every g rows are transposed within each 128 bits, then the 128-bit parts change places.
func transpose(c *build.Context, p precision, set isa) {
	n, g := set.bytes/p.size, 16/p.size
	now, other := set.file[:n], set.file[n:2*n]

	c.Function(set.name + p.short + "transpose")
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(dst *byte, rowDst uintptr, src *byte, rowSrc uintptr, blocks int)")
	dst, rowDst, src, rowSrc, blocks, at := reg.RDI, reg.R8, reg.RSI, reg.R9, reg.RCX, reg.RAX
	c.Load(c.Param("dst"), dst)
	c.Load(c.Param("rowDst"), rowDst)
	c.Load(c.Param("src"), src)
	c.Load(c.Param("rowSrc"), rowSrc)
	c.Load(c.Param("blocks"), blocks)

	c.Label("block")
	c.MOVQ(src, at)
	for i := range n {
		c.VMOVUPS(operand.Mem{Base: at}, now[i])
		if i < n-1 {
			c.ADDQ(rowSrc, at)
		}
	}
	if g == 4 {
		for q := 0; q < n; q += 4 {
			for s := 0; s < 4; s += 2 {
				c.VUNPCKLPS(now[q+s+1], now[q+s], other[q+s])
				c.VUNPCKHPS(now[q+s+1], now[q+s], other[q+s+1])
			}
		}
		now, other = other, now
		for q := 0; q < n; q += 4 {
			for s := range 2 {
				c.VUNPCKLPD(now[q+s+2], now[q+s], other[q+2*s])
				c.VUNPCKHPD(now[q+s+2], now[q+s], other[q+2*s+1])
			}
		}
	} else {
		for q := 0; q < n; q += 2 {
			c.VUNPCKLPD(now[q+1], now[q], other[q])
			c.VUNPCKHPD(now[q+1], now[q], other[q+1])
		}
	}
	now, other = other, now
	// Now part q of now[r·g+s] is part r of row q·g+s of the result.
	for s := range g {
		if set.bytes == 32 {
			c.VPERM2F128(operand.Imm(0x20), now[g+s], now[s], other[s])
			c.VPERM2F128(operand.Imm(0x31), now[g+s], now[s], other[g+s])
			continue
		}
		w := func(v []reg.VecPhysical, r int) reg.VecPhysical { return v[r*g+s] }
		c.VSHUFF64X2(operand.Imm(0x88), w(now, 1), w(now, 0), w(other, 0))
		c.VSHUFF64X2(operand.Imm(0xdd), w(now, 1), w(now, 0), w(other, 1))
		c.VSHUFF64X2(operand.Imm(0x88), w(now, 3), w(now, 2), w(other, 2))
		c.VSHUFF64X2(operand.Imm(0xdd), w(now, 3), w(now, 2), w(other, 3))
		for r := range 2 {
			c.VSHUFF64X2(operand.Imm(0x88), w(other, r+2), w(other, r), w(now, r))
			c.VSHUFF64X2(operand.Imm(0xdd), w(other, r+2), w(other, r), w(now, r+2))
		}
	}
	if set.bytes == 32 {
		now = other
	}
	for i := range n {
		c.VMOVUPS(now[i], operand.Mem{Base: dst})
		c.ADDQ(rowDst, dst)
	}
	c.ADDQ(operand.I32(set.bytes), src)
	c.DECQ(blocks)
	c.JNZ(operand.LabelRef("block"))
	c.VZEROUPPER()
	c.RET()
}
