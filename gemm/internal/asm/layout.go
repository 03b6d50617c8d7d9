package main

// Byte offsets of the fields of gemm.tile, the one argument of every kernel. A test of
// package gemm compares them with unsafe.Offsetof.
const (
	offA        = 0
	offRowA     = 8
	offStepA    = 16
	offB        = 24
	offStepB    = 32
	offC        = 40
	offRowC     = 48
	offK        = 56
	offPack     = 64
	offNext     = 72
	offStepNext = 80
	offMask     = 88
	offAlpha    = 96
)

func offBeta(p precision) int { return offAlpha + p.size }

// Tile heights and widths. AVX-512 has 32 registers: 8×3 accumulators, 3 for B, 5 to
// rotate the broadcast entries of A. AVX2 has 16: 4×3, 3 and 1.
const (
	rowsAVX512 = 8
	rowsAVX2   = 4
	vectors    = 3
)

// packRows is the least height of the first tile of a row block with more than one tile,
// when rows are split evenly over tiles of at most top rows: top+1 rows give
// ceil((top+1)/2). Below it there is nothing to pack for.
func packRows(top int) int { return (top + 2) / 2 }
