package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// tilesAVX512 emits the kernels of one precision: each computes a tile of C of `rows` rows
// and `vecs` zmm columns, the last of them under a mask,
//
//	C = alpha·Σ_l A(i,l)·B(l,j) + beta·C, l = 0 … k-1 in this order, one FMA each,
//
// so that an entry has the same bits whichever kernel computes it. The packing variants
// also copy B into a contiguous panel on the way, which costs store slots only.
func tilesAVX512(c *build.Context, p precision) {
	for rows := 1; rows <= rowsAVX512; rows++ {
		for vecs := 1; vecs <= vectors; vecs++ {
			tileAVX512(c, p, rows, vecs, false)
			if rows >= packRows(rowsAVX512) {
				tileAVX512(c, p, rows, vecs, true)
			}
		}
	}
}

func nameAVX512(p precision, rows, vecs int, pack bool) string {
	name := fmt.Sprintf("avx512%sr%dv%d", p.short, rows, vecs)
	if pack {
		name += "pack"
	}
	return name
}

func tileAVX512(c *build.Context, p precision, rows, vecs int, pack bool) {
	broadcast, mul, fma := c.VBROADCASTSD, c.VMULPD, c.VFMADD231PD
	load, store := c.VMOVUPD, c.VMOVUPD
	loadMasked, storeMasked := c.VMOVUPD_Z, c.VMOVUPD
	if p.size == 4 {
		broadcast, mul, fma = c.VBROADCASTSS, c.VMULPS, c.VFMADD231PS
		load, store = c.VMOVUPS, c.VMOVUPS
		loadMasked, storeMasked = c.VMOVUPS_Z, c.VMOVUPS
	}
	acc := func(r, v int) reg.VecPhysical { return zmm[r*vecs+v] }
	vb := zmm[24:27]
	va := zmm[27:32]

	c.Function(nameAVX512(p, rows, vecs, pack))
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(t *byte)")
	q := newPointers()
	q.load(c, rows, pack)
	c.KMOVW(field(q, offMask), reg.K1)
	for r := range rows {
		for v := range vecs {
			c.VPXORQ(acc(r, v), acc(r, v), acc(r, v))
		}
	}

	q.loop(c, rows, 64*vecs, pack, func() {
		for v := range vecs {
			m := operand.Mem{Base: q.b, Disp: 64 * v}
			if v == vecs-1 {
				loadMasked(m, reg.K1, vb[v])
			} else {
				load(m, vb[v])
			}
		}
		for r := range rows {
			broadcast(q.entryA(r), va[r%len(va)])
			for v := range vecs {
				fma(va[r%len(va)], vb[v], acc(r, v))
			}
		}
		if pack {
			for v := range vecs {
				store(vb[v], operand.Mem{Base: q.pack, Disp: 64 * v})
			}
		}
	})

	q.loadC(c, rows)
	alpha, beta, old := zmm[24], zmm[25], zmm[26]
	broadcast(field(q, offAlpha), alpha)
	broadcast(field(q, offBeta(p)), beta)
	for r := range rows {
		for v := range vecs {
			mul(alpha, acc(r, v), acc(r, v))
		}
	}
	q.betaZero(c, p)
	c.JEQ(operand.LabelRef("store"))
	for r := range rows {
		for v := range vecs {
			m := q.entryC(r).Offset(64 * v)
			if v == vecs-1 {
				loadMasked(m, reg.K1, old)
			} else {
				load(m, old)
			}
			fma(beta, old, acc(r, v))
		}
	}
	c.Label("store")
	for r := range rows {
		for v := range vecs {
			m := q.entryC(r).Offset(64 * v)
			if v == vecs-1 {
				storeMasked(acc(r, v), reg.K1, m)
			} else {
				store(acc(r, v), m)
			}
		}
	}
	c.VZEROUPPER()
	c.RET()
}
