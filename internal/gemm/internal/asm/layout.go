package main

// Byte offsets of the fields of gemm.tile, the one argument of every tile kernel. A test of
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
	offRounds   = 88
	offMask     = 96
	offAlpha    = 104
)

func offBeta(p precision) int { return offAlpha + p.size }

// Tile heights and widths. AVX-512 has 32 registers: 8×3 accumulators, 3 for B, 5 to
// rotate the broadcast entries of A. AVX2 has 16: 4×3, 3 and 1.
const (
	rowsAVX512 = 8
	rowsAVX2   = 4
	vectors    = 3
)

// nameTile returns the name of the kernel for a tile; pack means that it also copies B.
func nameTile(kernel string, p precision, rows, vecs int, pack bool) string {
	name := kernel + p.short + "r" + string(rune('0'+rows)) + "v" + string(rune('0'+vecs))
	if pack {
		name += "pack"
	}
	return name
}
