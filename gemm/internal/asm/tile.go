package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pointers are the general registers of a tile kernel. Those of C serve the prefetches
// during the k loop and are loaded anew after it.
type pointers struct {
	args                     reg.GPPhysical
	a, a3, rowA, row3, stepA reg.GPPhysical
	b, stepB, pack           reg.GPPhysical
	k                        reg.GPPhysical // steps to the end of this stretch
	c, c3, rowC, row3C       reg.GPPhysical
	left, stretches, next    reg.GPPhysical
}

func newPointers() pointers {
	return pointers{
		args: reg.RAX,
		a:    reg.RSI, a3: reg.RDX, rowA: reg.R8, row3: reg.R12, stepA: reg.R9,
		b: reg.RBX, stepB: reg.R10, pack: reg.R14,
		k: reg.RCX,
		c: reg.RDI, c3: reg.R13, rowC: reg.R11, row3C: reg.R15,
		left: reg.R13, stretches: reg.R15, next: reg.R11,
	}
}

func field(p pointers, off int) operand.Mem { return operand.Mem{Base: p.args, Disp: off} }

// load fetches the arguments that the k loop needs.
func (p pointers) load(c *build.Context, rows int, pack bool) {
	c.Load(c.Param("t"), p.args)
	c.MOVQ(field(p, offA), p.a)
	c.MOVQ(field(p, offRowA), p.rowA)
	c.MOVQ(field(p, offStepA), p.stepA)
	c.MOVQ(field(p, offB), p.b)
	c.MOVQ(field(p, offStepB), p.stepB)
	c.MOVQ(field(p, offC), p.c)
	c.MOVQ(field(p, offNext), p.next)
	c.MOVQ(field(p, offK), p.left)
	c.MOVQ(operand.I32(rows), p.stretches)
	if rows > 3 {
		c.LEAQ(operand.Mem{Base: p.rowA, Index: p.rowA, Scale: 2}, p.row3)
		c.LEAQ(operand.Mem{Base: p.a, Index: p.row3, Scale: 1}, p.a3)
	}
	if pack {
		c.MOVQ(field(p, offPack), p.pack)
	}
}

// loadC fetches what addresses C, after the k loop.
func (p pointers) loadC(c *build.Context, rows int) {
	c.MOVQ(field(p, offC), p.c)
	c.MOVQ(field(p, offRowC), p.rowC)
	if rows > 3 {
		c.LEAQ(operand.Mem{Base: p.rowC, Index: p.rowC, Scale: 2}, p.row3C)
		c.LEAQ(operand.Mem{Base: p.c, Index: p.row3C, Scale: 1}, p.c3)
	}
}

// rowOf addresses row r (0..7) of a matrix at base with the given row stride; base3 is
// base + 3·row and row3 is 3·row.
func rowOf(base, base3, row, row3 reg.GPPhysical, r int) operand.Mem {
	switch r {
	case 0:
		return operand.Mem{Base: base}
	case 1, 2, 4:
		return operand.Mem{Base: base, Index: row, Scale: uint8(r)}
	case 3:
		return operand.Mem{Base: base3}
	case 5, 7:
		return operand.Mem{Base: base3, Index: row, Scale: uint8(r - 3)}
	case 6:
		return operand.Mem{Base: base, Index: row3, Scale: 2}
	}
	panic("row out of tile")
}

func (p pointers) entryA(r int) operand.Mem { return rowOf(p.a, p.a3, p.rowA, p.row3, r) }

func (p pointers) entryC(r int) operand.Mem { return rowOf(p.c, p.c3, p.rowC, p.row3C, r) }

// stretch is how many steps of the k loop go by between two rounds of prefetches. All at
// once they would take every line fill buffer and stall the loads of A.
const stretch = 8

// loop writes the k loop around body. Before each of the first stretches it prefetches a row
// of the C tile, and a row of the next panel of B to the second cache: where B is not
// packed its rows are pages apart and the hardware does not foresee them.
func (p pointers) loop(c *build.Context, rows, bytes int, pack bool, body func()) {
	c.Label("stretch")
	c.MOVQ(p.left, p.k)
	c.TESTQ(p.stretches, p.stretches)
	c.JZ(operand.LabelRef("enter"))
	for off := 0; off < bytes; off += 64 {
		c.PREFETCHT0(operand.Mem{Base: p.c, Disp: off})
	}
	c.PREFETCHT0(operand.Mem{Base: p.c, Disp: bytes - 1})
	for off := 0; off < bytes; off += 64 {
		c.PREFETCHT1(operand.Mem{Base: p.next, Disp: off})
	}
	c.PREFETCHT1(operand.Mem{Base: p.next, Disp: bytes - 1})
	c.ADDQ(field(p, offRowC), p.c)
	c.ADDQ(field(p, offStepNext), p.next)
	c.DECQ(p.stretches)
	c.CMPQ(p.left, operand.I32(stretch))
	c.JLE(operand.LabelRef("enter"))
	c.MOVQ(operand.I32(stretch), p.k)
	c.Label("enter")
	c.SUBQ(p.k, p.left)

	c.Label("loop")
	body()
	if pack {
		c.ADDQ(operand.I32(bytes), p.pack)
	}
	c.ADDQ(p.stepB, p.b)
	c.ADDQ(p.stepA, p.a)
	if rows > 3 {
		c.ADDQ(p.stepA, p.a3)
	}
	c.DECQ(p.k)
	c.JNZ(operand.LabelRef("loop"))
	c.TESTQ(p.left, p.left)
	c.JNZ(operand.LabelRef("stretch"))
}

// betaZero sets the zero flag if beta is +0 or -0: its bits without the sign.
func (p pointers) betaZero(c *build.Context, prec precision) {
	if prec.size == 4 {
		c.MOVL(field(p, offBeta(prec)), reg.ECX)
		c.SHLL(operand.Imm(1), reg.ECX)
		return
	}
	c.MOVQ(field(p, offBeta(prec)), reg.RCX)
	c.SHLQ(operand.Imm(1), reg.RCX)
}
