package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}

const masks = "masksAVX2"

// masksAVX2 emits 32 bytes of ones and 32 of zeros: the mask of the first n lanes of s
// bytes starts at byte 32-n·s, which is what tile.mask holds for these kernels.
func masksAVX2(c *build.Context) {
	c.StaticGlobal(masks)
	c.DataAttributes(attr.RODATA | attr.NOPTR)
	for range 4 {
		c.AppendDatum(operand.U64(1<<64 - 1))
	}
	for range 4 {
		c.AppendDatum(operand.U64(0))
	}
}

// tileAVX2 emits the kernel for a tile of C of `rows` rows and `vecs` ymm columns; see
// tileAVX512 for what it computes. No register is left to hold the mask, so the kernel that
// packs loads it in each step; a whole last vector of C is stored without it, since a
// masked store is slow on some CPUs.
func tileAVX2(c *build.Context, p precision, rows, vecs int, pack bool) {
	broadcast, mul, fma, move, moveMasked := c.VBROADCASTSD, c.VMULPD, c.VFMADD231PD, c.VMOVUPD, c.VMASKMOVPD
	if p.size == 4 {
		broadcast, mul, fma, move, moveMasked = c.VBROADCASTSS, c.VMULPS, c.VFMADD231PS, c.VMOVUPS, c.VMASKMOVPS
	}
	acc := func(r, v int) reg.VecPhysical { return ymm[r*vecs+v] }
	vb, va := ymm[12:15], ymm[15]
	maskAt := operand.Mem{Base: reg.R12} // row3, which 4 rows do without

	c.Function(nameTile("avx2", p, rows, vecs, pack))
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(t *byte)")
	mode := flush(c)
	q := newRegisters()
	q.load(c, rows, pack)
	c.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(masks), 0), reg.R12)
	c.ADDQ(q.field(offMask), reg.R12)
	for r := range rows {
		for v := range vecs {
			c.VXORPS(acc(r, v), acc(r, v), acc(r, v))
		}
	}

	q.loop(c, rows, 32*vecs, pack, func() {
		for v := range vecs {
			m := operand.Mem{Base: q.b, Disp: 32 * v}
			if pack && v == vecs-1 {
				c.VMOVDQU(maskAt, vb[v])
				moveMasked(m, vb[v], vb[v])
			} else {
				move(m, vb[v])
			}
		}
		for r := range rows {
			broadcast(q.entryA(r), va)
			for v := range vecs {
				fma(va, vb[v], acc(r, v))
			}
		}
		if pack {
			for v := range vecs {
				move(vb[v], operand.Mem{Base: q.pack, Disp: 32 * v})
			}
		}
	})

	alpha, beta, old, lanes := ymm[12], ymm[13], ymm[14], ymm[15]
	q.ifAlphaOne(c, p, "scaled")
	broadcast(q.field(offAlpha), alpha)
	for r := range rows {
		for v := range vecs {
			mul(alpha, acc(r, v), acc(r, v))
		}
	}
	c.Label("scaled")
	q.loadC(c, rows)
	c.VMOVDQU(maskAt, lanes)
	q.ifBetaZero(c, p, "store")
	broadcast(q.field(offBeta(p)), beta)
	for r := range rows {
		for v := range vecs {
			m := q.entryC(r).Offset(32 * v)
			if v == vecs-1 {
				moveMasked(m, lanes, old)
			} else {
				move(m, old)
			}
			fma(beta, old, acc(r, v))
		}
	}
	c.Label("store")
	c.CMPQ(q.field(offMask), operand.Imm(0))
	c.JNE(operand.LabelRef("masked"))
	for r := range rows {
		for v := range vecs {
			move(acc(r, v), q.entryC(r).Offset(32*v))
		}
	}
	c.VZEROUPPER()
	restore(c, mode)
	c.RET()
	c.Label("masked")
	for r := range rows {
		for v := range vecs - 1 {
			move(acc(r, v), q.entryC(r).Offset(32*v))
		}
		moveMasked(acc(r, vecs-1), lanes, q.entryC(r).Offset(32*(vecs-1)))
	}
	c.VZEROUPPER()
	restore(c, mode)
	c.RET()
}
