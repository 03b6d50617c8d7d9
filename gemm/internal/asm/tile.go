package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// pointers are the general registers of a tile kernel.
type pointers struct {
	args                     reg.GPPhysical
	a, a3, rowA, row3, stepA reg.GPPhysical
	b, stepB                 reg.GPPhysical
	c, c3, rowC, rowC3       reg.GPPhysical
	k, pack                  reg.GPPhysical
}

func newPointers() pointers {
	return pointers{
		args: reg.RAX,
		a:    reg.RSI, a3: reg.RDX, rowA: reg.R8, row3: reg.R12, stepA: reg.R9,
		b: reg.RBX, stepB: reg.R10,
		c: reg.RDI, c3: reg.R13, rowC: reg.R11, rowC3: reg.R15,
		k: reg.RCX, pack: reg.R14,
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
	c.MOVQ(field(p, offRowC), p.rowC)
	c.MOVQ(field(p, offK), p.k)
	if rows > 3 {
		c.LEAQ(operand.Mem{Base: p.rowA, Index: p.rowA, Scale: 2}, p.row3)
		c.LEAQ(operand.Mem{Base: p.a, Index: p.row3, Scale: 1}, p.a3)
		c.LEAQ(operand.Mem{Base: p.rowC, Index: p.rowC, Scale: 2}, p.rowC3)
		c.LEAQ(operand.Mem{Base: p.c, Index: p.rowC3, Scale: 1}, p.c3)
	}
	if pack {
		c.MOVQ(field(p, offPack), p.pack)
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

func (p pointers) entryC(r int) operand.Mem { return rowOf(p.c, p.c3, p.rowC, p.rowC3, r) }

// prefetchC asks for the lines of the C tile while the k loop runs.
func (p pointers) prefetchC(c *build.Context, rows, bytes int) {
	for r := range rows {
		for off := 0; off < bytes; off += 64 {
			c.PREFETCHT0(p.entryC(r).Offset(off))
		}
	}
}

// step moves on to the next l of the k loop and jumps back to label while there is one.
func (p pointers) step(c *build.Context, rows int, pack int, label string) {
	if pack > 0 {
		c.ADDQ(operand.Imm(uint64(pack)), p.pack)
	}
	c.ADDQ(p.stepB, p.b)
	c.ADDQ(p.stepA, p.a)
	if rows > 3 {
		c.ADDQ(p.stepA, p.a3)
	}
	c.DECQ(p.k)
	c.JNZ(operand.LabelRef(label))
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
