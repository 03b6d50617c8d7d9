package main

import (
	"fmt"

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

// tilesAVX2 emits the kernels of one precision, as tilesAVX512 does. A mask costs an extra
// load a step here, since no register is left to hold it, so full tiles have kernels of
// their own.
func tilesAVX2(c *build.Context, p precision) {
	for rows := 1; rows <= rowsAVX2; rows++ {
		for vecs := 1; vecs <= vectors; vecs++ {
			for _, mask := range []bool{false, true} {
				tileAVX2(c, p, rows, vecs, mask, false)
				if rows >= packRows(rowsAVX2) {
					tileAVX2(c, p, rows, vecs, mask, true)
				}
			}
		}
	}
}

func nameAVX2(p precision, rows, vecs int, mask, pack bool) string {
	name := fmt.Sprintf("avx2%sr%dv%d", p.short, rows, vecs)
	if mask {
		name += "mask"
	}
	if pack {
		name += "pack"
	}
	return name
}

func tileAVX2(c *build.Context, p precision, rows, vecs int, mask, pack bool) {
	broadcast, mul, fma, move, moveMasked := c.VBROADCASTSD, c.VMULPD, c.VFMADD231PD, c.VMOVUPD, c.VMASKMOVPD
	if p.size == 4 {
		broadcast, mul, fma, move, moveMasked = c.VBROADCASTSS, c.VMULPS, c.VFMADD231PS, c.VMOVUPS, c.VMASKMOVPS
	}
	acc := func(r, v int) reg.VecPhysical { return ymm[r*vecs+v] }
	vb, va := ymm[12:15], ymm[15]
	// A tile of 4 rows does not use row3 of A.
	maskAt := operand.Mem{Base: reg.R12}

	c.Function(nameAVX2(p, rows, vecs, mask, pack))
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(t *byte)")
	q := newPointers()
	q.load(c, rows, pack)
	if mask {
		c.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(masks), 0), reg.R12)
		c.ADDQ(field(q, offMask), reg.R12)
	}
	for r := range rows {
		for v := range vecs {
			c.VXORPS(acc(r, v), acc(r, v), acc(r, v))
		}
	}

	q.loop(c, rows, 32*vecs, pack, func() {
		for v := range vecs {
			m := operand.Mem{Base: q.b, Disp: 32 * v}
			if mask && v == vecs-1 {
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

	q.loadC(c, rows)
	alpha, beta, old, lanes := ymm[12], ymm[13], ymm[14], ymm[15]
	broadcast(field(q, offAlpha), alpha)
	broadcast(field(q, offBeta(p)), beta)
	if mask {
		c.VMOVDQU(maskAt, lanes)
	}
	for r := range rows {
		for v := range vecs {
			mul(alpha, acc(r, v), acc(r, v))
		}
	}
	q.betaZero(c, p)
	c.JEQ(operand.LabelRef("store"))
	for r := range rows {
		for v := range vecs {
			m := q.entryC(r).Offset(32 * v)
			if mask && v == vecs-1 {
				moveMasked(m, lanes, old)
			} else {
				move(m, old)
			}
			fma(beta, old, acc(r, v))
		}
	}
	c.Label("store")
	for r := range rows {
		for v := range vecs {
			m := q.entryC(r).Offset(32 * v)
			if mask && v == vecs-1 {
				moveMasked(acc(r, v), lanes, m)
			} else {
				move(acc(r, v), m)
			}
		}
	}
	c.VZEROUPPER()
	c.RET()
}
