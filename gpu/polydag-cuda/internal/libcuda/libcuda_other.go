//go:build !linux

package libcuda

import (
	"fmt"
	"runtime"
)

// Library is never there.
type Library struct{}

// Load says why.
func Load() (*Library, error) {
	return nil, fmt.Errorf("cards are driven on Linux only, and this is %s", runtime.GOOS)
}

// Call is never reached.
func (*Library) Call(string, ...uintptr) int { return 999 }
