package main

import (
	"math"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// registers are the general registers of a tile kernel. Those of C serve the prefetches
// during the k loop and are loaded anew after it.
type registers struct {
	args                     reg.GPPhysical
	a, a3, rowA, row3, stepA reg.GPPhysical // a3 = a + 3·rowA, row3 = 3·rowA
	b, stepB, pack           reg.GPPhysical
	k                        reg.GPPhysical // steps to the next round of prefetches
	c, c3, rowC, row3C       reg.GPPhysical
	left, rounds, next       reg.GPPhysical
}

func newRegisters() registers {
	return registers{
		args: reg.RAX,
		a:    reg.RSI, a3: reg.RDX, rowA: reg.R8, row3: reg.R12, stepA: reg.R9,
		b: reg.RBX, stepB: reg.R10, pack: reg.R14,
		k: reg.RCX,
		c: reg.RDI, c3: reg.R13, rowC: reg.R11, row3C: reg.R15,
		left: reg.R13, rounds: reg.R15, next: reg.R11,
	}
}

func (q registers) field(off int) operand.Mem { return operand.Mem{Base: q.args, Disp: off} }

// load fetches the arguments that the k loop needs.
func (q registers) load(c *build.Context, rows int, pack bool) {
	c.Load(c.Param("t"), q.args)
	c.MOVQ(q.field(offA), q.a)
	c.MOVQ(q.field(offRowA), q.rowA)
	c.MOVQ(q.field(offStepA), q.stepA)
	c.MOVQ(q.field(offB), q.b)
	c.MOVQ(q.field(offStepB), q.stepB)
	c.MOVQ(q.field(offC), q.c)
	c.MOVQ(q.field(offNext), q.next)
	c.MOVQ(q.field(offK), q.left)
	c.MOVQ(q.field(offRounds), q.rounds)
	if rows > 3 {
		c.LEAQ(operand.Mem{Base: q.rowA, Index: q.rowA, Scale: 2}, q.row3)
		c.LEAQ(operand.Mem{Base: q.a, Index: q.row3, Scale: 1}, q.a3)
	}
	if pack {
		c.MOVQ(q.field(offPack), q.pack)
	}
}

// loadC fetches what addresses C, after the k loop.
func (q registers) loadC(c *build.Context, rows int) {
	c.MOVQ(q.field(offC), q.c)
	c.MOVQ(q.field(offRowC), q.rowC)
	if rows > 3 {
		c.LEAQ(operand.Mem{Base: q.rowC, Index: q.rowC, Scale: 2}, q.row3C)
		c.LEAQ(operand.Mem{Base: q.c, Index: q.row3C, Scale: 1}, q.c3)
	}
}

func (q registers) entryA(r int) operand.Mem { return rowOf(q.a, q.a3, q.rowA, q.row3, r) }

func (q registers) entryC(r int) operand.Mem { return rowOf(q.c, q.c3, q.rowC, q.row3C, r) }

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

// stretch is how many steps of the k loop go by between two rounds of prefetches. All at
// once they would take every line fill buffer and stall the loads of A and B.
const stretch = 16

// loop writes the k loop around body. Before each of the first blocks it prefetches a row of the C tile, bytes
// long, and two lines from next, to the L2 cache.
func (q registers) loop(c *build.Context, rows, bytes int, pack bool, body func()) {
	c.Label("stretch")
	c.MOVQ(q.left, q.k)
	c.TESTQ(q.rounds, q.rounds)
	c.JZ(operand.LabelRef("enter"))
	for off := 0; off < bytes; off += 64 {
		c.PREFETCHT0(operand.Mem{Base: q.c, Disp: off})
	}
	c.PREFETCHT0(operand.Mem{Base: q.c, Disp: bytes - 1})
	c.PREFETCHT1(operand.Mem{Base: q.next})
	c.PREFETCHT1(operand.Mem{Base: q.next, Disp: 64})
	c.ADDQ(q.field(offRowC), q.c)
	c.ADDQ(q.field(offStepNext), q.next)
	c.DECQ(q.rounds)
	c.CMPQ(q.left, operand.I32(stretch))
	c.JLE(operand.LabelRef("enter"))
	c.MOVQ(operand.I32(stretch), q.k)
	c.Label("enter")
	c.SUBQ(q.k, q.left)

	c.Label("loop")
	body()
	if pack {
		c.ADDQ(operand.I32(bytes), q.pack)
	}
	c.ADDQ(q.stepB, q.b)
	c.ADDQ(q.stepA, q.a)
	if rows > 3 {
		c.ADDQ(q.stepA, q.a3)
	}
	c.DECQ(q.k)
	c.JNZ(operand.LabelRef("loop"))
	c.TESTQ(q.left, q.left)
	c.JNZ(operand.LabelRef("stretch"))
}

// ifAlphaOne jumps to label if alpha is 1, because the product would not change any bit.
func (q registers) ifAlphaOne(c *build.Context, p precision, label string) {
	if p.size == 4 {
		c.CMPL(q.field(offAlpha), operand.U32(math.Float32bits(1)))
	} else {
		c.MOVQ(operand.U64(math.Float64bits(1)), q.k)
		c.CMPQ(q.field(offAlpha), q.k)
	}
	c.JEQ(operand.LabelRef(label))
}

// ifBetaZero jumps to label if beta is +0 or -0: its bits without the sign are zero.
func (q registers) ifBetaZero(c *build.Context, p precision, label string) {
	if p.size == 4 {
		c.MOVL(q.field(offBeta(p)), reg.ECX)
		c.SHLL(operand.Imm(1), reg.ECX)
	} else {
		c.MOVQ(q.field(offBeta(p)), reg.RCX)
		c.SHLQ(operand.Imm(1), reg.RCX)
	}
	c.JEQ(operand.LabelRef(label))
}
