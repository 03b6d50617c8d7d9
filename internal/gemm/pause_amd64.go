//go:build !noasm

package gemm

// pause is one turn of a loop that waits for another thread.
//
//go:noescape
func pause()
