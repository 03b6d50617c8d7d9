//go:build !amd64 || noasm

package gemm

import "runtime"

// pause is one turn of a loop that waits for another thread.
func pause() { runtime.Gosched() }
