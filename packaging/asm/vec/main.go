// Command asm writes the assembly of package vec. It is a separate module, so that avo is not a dependency of
// polydag. Run it by `go generate` in the folder above.
//
// Every kernel exists for AVX-512 (F, VL, DQ, BW) and for AVX2 with FMA, in both precisions, from one
// description: the two instruction sets perform the same operations on the same element in the same order, so
// their results are equal bit for bit.
package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	table, one, units := maskTable(), oneConstant(), map[bool]Mem{}
	for _, single := range []bool{true, false} {
		units[single] = unitTable(single)
	}
	for _, wide := range []bool{true, false} {
		for _, single := range []bool{true, false} {
			t := target{wide: wide, single: single, masks: table, one: one, units: units[single]}
			axpy(t)
			scale(t)
			square(t)
			clamp(t)
			lin3(t)
			ladder(t)
			adam(t)
			dot(t)
			chainRule(t)
			addL1(t)
			partial(t)
			coarse(t)
			centre(t)
			sweep(t)
		}
	}
	countBits()
	spreadBits()
	Generate()
}

// function opens the kernel's function. The signature is in Go syntax, with T for the element type.
func function(t target, kernel, doc, signature string) {
	TEXT(t.name(kernel), NOSPLIT, strings.ReplaceAll(signature, "T", t.goType()))
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes %s.", t.name(kernel), doc))
}
