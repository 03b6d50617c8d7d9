package main

import "fmt"

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

// vectors is the largest width of a tile.
const vectors = 3

// nameTile returns the name of the kernel for a tile; pack means that it also copies B.
func nameTile(kernel string, p precision, rows, vecs int, pack bool) string {
	name := fmt.Sprintf("%s%sr%dv%d", kernel, p.short, rows, vecs)
	if pack {
		name += "pack"
	}
	return name
}
