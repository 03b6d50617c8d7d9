// Package vec provides elementwise kernels for hot loops, in float32 and float64.
//
//	loss := vec.ChainRule(grad, w, p)      // grad = 2·w∘p, Σ w²·p
//	vec.Adam(w, grad, m, v, vec.AdamParams{Rate: 1e-3, …})
//
// They run in assembly for AVX-512 or AVX2 with FMA, whichever the processor has, and in Go elsewhere or with
// the build tag noasm. Slices of different lengths in one call panic. A destination may be the same slice as an
// argument; slices that overlap in part give an unspecified result. NaN and Inf propagate.
//
// Sums use float64 for both element types, in a fixed order. The result does not depend on alignment or
// threads. The two assembly versions agree bit for bit; the Go version does not fuse multiply and add and so
// differs in the last digits.
//
// packaging/asm/vec generates the assembly.
package vec

//go:generate go run -C ../../packaging/asm ./vec -out ../../internal/vec/kernels_amd64.s -stubs ../../internal/vec/kernels_amd64.go -pkg vec
//go:generate go run ../../packaging/generate/choices.go
