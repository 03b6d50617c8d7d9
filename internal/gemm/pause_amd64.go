//go:build !noasm

package gemm

// pause is one iteration of a spin loop.
//
//go:noescape
func pause()
