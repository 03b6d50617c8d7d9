// Package gemm multiplies dense row-major matrices in float64 and float32,
//
//	gemm.Gemm(false, false, m, n, k, 1, a, k, b, n, 0, c, n, 1) // C = A·B, on one thread
//
// with kernels in Go assembly for AVX-512 and for AVX2 with FMA, chosen at run time from
// what the CPU and the operating system support, and a twin in plain Go for everything
// else. The build tag noasm leaves only the twin.
//
// # Design
//
// A tile of C, 8 rows by 3 vectors (4 by 3 with AVX2), stays in registers while the k loop
// runs; B passes through a panel of 3 vectors by at most blockK rows that fits the first
// cache and is copied by the first tile that reads it; A is read where it lies, by two
// strides, so that Aᵀ costs nothing more. Rows and vectors are split evenly over the tiles,
// and the last vector of a row is masked.
//
// # Same bytes
//
// Every entry of C is one chain of fused multiply-adds over k, cut into blocks by k alone.
// Neither the number of threads nor the position of an entry in C changes its bits.
// Different kernels may differ in the last bits: they block k differently, and the plain
// twin may not fuse.
package gemm

//go:generate go run -C internal/asm . -dir ../..
