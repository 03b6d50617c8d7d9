// Command asm writes the assembly of package vec. It is a separate module, so that avo is not a dependency of
// polydag. Run it by `go generate` in the folder above.
//
// Every kernel exists for AVX-512 (F, VL, DQ, BW) and for AVX2 with FMA, in both precisions, from one
// description: the two instruction sets perform the same operations on the same element in the same order, so
// their results are equal bit for bit.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	table, one, units := maskTable(), oneConstant(), unitTables()
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

// function opens the kernel's function; params and result are in Go syntax.
func function(t target, kernel, doc, signature string) {
	TEXT(t.name(kernel), NOSPLIT, signature)
	Pragma("noescape")
	Doc(fmt.Sprintf("%s computes %s.", t.name(kernel), doc))
}
