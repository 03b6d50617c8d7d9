package main

import (
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

// tileAVX512 emits the kernel for a tile of C of `rows` rows and `vecs` zmm columns,
//
//	C = alpha·Σ_l A(i,l)·B(l,j) + beta·C, l = 0 … k-1 in this order, one FMA each,
//
// so that an entry has the same bits whichever kernel computes it. The last vector of C is
// masked. The kernel that packs masks B too, and copies it to a panel with zeros in the
// masked lanes, which costs store slots only; the other reads whole vectors, since a mask
// takes one of the two FMA ports, 4 % of the time of a tile of 3 vectors.
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
	vb, va := zmm[24:27], zmm[27:32]

	c.Function(nameTile("avx512", p, rows, vecs, pack))
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(t *byte)")
	mode := flush(c)
	q := newRegisters()
	q.load(c, rows, pack)
	c.KMOVW(q.field(offMask), reg.K1)
	for r := range rows {
		for v := range vecs {
			c.VPXORQ(acc(r, v), acc(r, v), acc(r, v))
		}
	}

	q.loop(c, rows, 64*vecs, pack, func() {
		for v := range vecs {
			m := operand.Mem{Base: q.b, Disp: 64 * v}
			if pack && v == vecs-1 {
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

	alpha, beta, old := zmm[24], zmm[25], zmm[26]
	q.ifAlphaOne(c, p, "scaled")
	broadcast(q.field(offAlpha), alpha)
	for r := range rows {
		for v := range vecs {
			mul(alpha, acc(r, v), acc(r, v))
		}
	}
	c.Label("scaled")
	q.loadC(c, rows)
	q.ifBetaZero(c, p, "store")
	broadcast(q.field(offBeta(p)), beta)
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
	restore(c, mode)
	c.RET()
}
