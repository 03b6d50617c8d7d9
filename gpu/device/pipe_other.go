//go:build !linux

package device

import "os"

// Widen does nothing, because GPUs are supported only on Linux.
func Widen(*os.File) {}
