//go:build !amd64 || noasm

package gemm

import "runtime"

// pause is one iteration of a spin loop.
func pause() { runtime.Gosched() }
