// Package gemm multiplies dense row-major matrices in float64 and float32,
//
//	gemm.Gemm(false, false, m, n, k, 1, a, k, b, n, 0, c, n, 1) // C = A·B, on one thread
//
// with kernels in Go assembly for AVX-512 and for AVX2 with FMA, chosen at run time by CPU and operating
// system, and a portable kernel in plain Go. The build tag noasm leaves only the portable kernel.
//
// # Design
//
// A tile of C, 8 rows by 3 vectors (4 by 3 with AVX2), stays in registers while the k loop runs. A block of B,
// packed into panels of 3 vectors by the first tile that reads it, stays in the L2 cache. The panels stream
// past a tile of A, which is read in place with two strides, so that Aᵀ costs nothing more. Rows and vectors
// are split evenly over the tiles, and the last vector of a row of C is masked. During the k loop a tile of C
// and the next tile of A are prefetched, a few lines at a time.
//
// # Threads
//
// Share and Stretches split work between the caller and helpers that stay awake for a while after a product.
// Handing over work then takes a fraction of a microsecond. The caller does not wait for late helpers.
//
// # Denormal numbers
//
// The assembly treats denormal numbers (below 1.2e-38 in float32, 2.2e-308 in float64) as zero, in operands and
// results, and restores the mode on return. Powers of a small matrix have many of them, and each costs over a
// hundred cycles. The portable kernel keeps them.
//
// # Same bytes
//
// Every entry of C is a chain of fused multiply-adds over k, which is cut into blocks by its length alone.
// Neither the number of threads nor, with a vector kernel, the place of an entry in C changes its bits. AVX-512
// and AVX2 give the same bits; the portable kernel may not fuse and then differs in the last bits.
package gemm

//go:generate go run -C ../../packaging/asm ./gemm -dir ../../internal/gemm
