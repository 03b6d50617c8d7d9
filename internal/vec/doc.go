// Package vec holds the elementwise kernels of polydag's hot loops, in float32 and float64.
//
//	loss := vec.ChainRule(grad, w, p)      // grad = 2·w∘p, Σ w²·p
//	vec.Adam(w, grad, m, v, vec.AdamParams{Rate: 1e-3, …})
//
// They run in assembly for AVX-512 or AVX2 with FMA, whichever the processor has, and in Go
// elsewhere or with the build tag noasm. Slices of different lengths in one call panic. A
// destination may be the same slice as an argument; slices that overlap in part give an
// unspecified result. NaN and Inf propagate.
//
// Sums are kept in float64 whatever the element type, in a fixed order: the result
// depends on the values alone, not on alignment or threads. The two assembly versions agree bit
// for bit; the Go version does not fuse multiply and add and so differs in the last digits.
//
// The assembly is generated: internal/asm is the generator.
package vec

//go:generate go run -C internal/asm . -out ../../kernels_amd64.s -stubs ../../kernels_amd64.go -pkg vec
//go:generate go run generate.go
