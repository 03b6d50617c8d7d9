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

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

// An isa is an instruction set with its vector registers. The accumulators of the largest tile come first.
type isa struct {
	name  string
	file  []reg.VecPhysical
	bytes int // bytes of a vector
	rows  int // most rows of a tile
}

// The tile heights follow from the registers: AVX-512 has 32: 8×3 accumulators, 3 for B, 5 to rotate the broadcast
// entries of A. AVX2 has 16: 4×3, 3 and 1.
var (
	avx512 = isa{"avx512", zmm, 64, 8}
	avx2   = isa{"avx2", ymm, 32, 4}
)

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

// tile emits the kernel for a tile of C of `rows` rows and `vecs` vectors,
//
//	C = alpha·Σ_l A(i,l)·B(l,j) + beta·C, l = 0 … k-1 in this order, one FMA each,
//
// so that an entry has the same bits whichever kernel computes it. The last vector of C is
// masked. The kernel that packs masks B too, and copies it to a panel with zeros in the
// masked lanes, which costs store slots only; the other reads whole vectors, since a mask
// takes one of the two FMA ports, 4 % of the time of a tile of 3 vectors.
//
// With AVX2 no register is left to hold the mask, so the kernel that packs loads it in each
// step; a whole last vector of C is stored without it, since a masked store is slow on some CPUs.
func tile(c *build.Context, s isa, p precision, rows, vecs int, pack bool) {
	broadcast, mul, fma, move := c.VBROADCASTSD, c.VMULPD, c.VFMADD231PD, c.VMOVUPD
	loadMasked, moveMasked := c.VMOVUPD_Z, c.VMASKMOVPD // of AVX-512 and of AVX2
	if p.size == 4 {
		broadcast, mul, fma, move = c.VBROADCASTSS, c.VMULPS, c.VFMADD231PS, c.VMOVUPS
		loadMasked, moveMasked = c.VMOVUPS_Z, c.VMASKMOVPS
	}
	wide, zero := s.bytes == 64, c.VXORPS
	if wide {
		zero = c.VPXORQ
	}
	rest := s.file[s.rows*vectors:]
	vb, va := rest[:vectors], rest[vectors:]
	maskAt := operand.Mem{Base: reg.R12} // row3, which 4 rows do without
	each := func(visit func(r int, acc reg.VecPhysical, v int, last bool)) {
		for r := range rows {
			for v := range vecs {
				visit(r, s.file[r*vecs+v], v, v == vecs-1)
			}
		}
	}

	c.Function(nameTile(s.name, p, rows, vecs, pack))
	c.Attributes(attr.NOSPLIT)
	c.SignatureExpr("func(t *byte)")
	mode := flush(c)
	q := newRegisters()
	q.load(c, rows, pack)
	if wide {
		c.KMOVW(q.field(offMask), reg.K1)
	} else {
		c.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol(masks), 0), reg.R12)
		c.ADDQ(q.field(offMask), reg.R12)
	}
	each(func(_ int, acc reg.VecPhysical, _ int, _ bool) { zero(acc, acc, acc) })

	q.loop(c, rows, s.bytes*vecs, pack, func() {
		for v := range vecs {
			m := operand.Mem{Base: q.b, Disp: s.bytes * v}
			switch {
			case !pack || v < vecs-1:
				move(m, vb[v])
			case wide:
				loadMasked(m, reg.K1, vb[v])
			default:
				c.VMOVDQU(maskAt, vb[v])
				moveMasked(m, vb[v], vb[v])
			}
		}
		for r := range rows {
			broadcast(q.entryA(r), va[r%len(va)])
			for v := range vecs {
				fma(va[r%len(va)], vb[v], s.file[r*vecs+v])
			}
		}
		if pack {
			for v := range vecs {
				move(vb[v], operand.Mem{Base: q.pack, Disp: s.bytes * v})
			}
		}
	})

	alpha, beta, old, lanes := vb[0], vb[1], vb[2], va[0]
	q.ifAlphaOne(c, p, "scaled")
	broadcast(q.field(offAlpha), alpha)
	each(func(_ int, acc reg.VecPhysical, _ int, _ bool) { mul(alpha, acc, acc) })
	c.Label("scaled")
	q.loadC(c, rows)
	if !wide {
		c.VMOVDQU(maskAt, lanes)
	}
	q.ifBetaZero(c, p, "store")
	broadcast(q.field(offBeta(p)), beta)
	each(func(r int, acc reg.VecPhysical, v int, last bool) {
		m := q.entryC(r).Offset(s.bytes * v)
		switch {
		case !last:
			move(m, old)
		case wide:
			loadMasked(m, reg.K1, old)
		default:
			moveMasked(m, lanes, old)
		}
		fma(beta, old, acc)
	})
	end := func() {
		c.VZEROUPPER()
		restore(c, mode)
		c.RET()
	}
	c.Label("store")
	if !wide {
		c.CMPQ(q.field(offMask), operand.Imm(0))
		c.JNE(operand.LabelRef("masked"))
		each(func(r int, acc reg.VecPhysical, v int, _ bool) { move(acc, q.entryC(r).Offset(s.bytes*v)) })
		end()
		c.Label("masked")
	}
	each(func(r int, acc reg.VecPhysical, v int, last bool) {
		m := q.entryC(r).Offset(s.bytes * v)
		switch {
		case !last:
			move(acc, m)
		case wide:
			move(acc, reg.K1, m)
		default:
			moveMasked(acc, lanes, m)
		}
	})
	end()
}
