package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// flush makes the processor take denormal numbers for zero, results and operands, until restore. A product of small
// matrices, and the powers of one above all, is full of them, and each costs over a hundred cycles. saved holds
// the caller's mode; it must come before the arguments are loaded, since it uses their first register.
func flush(c *build.Context) (saved operand.Mem) {
	const zeroResults, zeroOperands = 1 << 15, 1 << 6
	saved = c.AllocLocal(8)
	c.STMXCSR(saved)
	c.MOVL(saved, reg.EAX)
	c.ORL(operand.U32(zeroResults|zeroOperands), reg.EAX)
	c.MOVL(reg.EAX, saved.Offset(4))
	c.LDMXCSR(saved.Offset(4))
	return saved
}

func restore(c *build.Context, saved operand.Mem) { c.LDMXCSR(saved) }
