package libcuda

import (
	"fmt"
	"sync"

	"github.com/ebitengine/purego"
)

// Library is the driver, loaded.
type Library struct {
	handle uintptr
	mu     sync.Mutex
	known  map[string]uintptr
}

// names of the driver's library, in the order in which they are tried.
var names = []string{"libcuda.so.1", "libcuda.so", "/usr/lib/wsl/lib/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1"}

// Load finds the driver.
func Load() (*Library, error) {
	var first error
	for _, name := range names {
		handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
		if err == nil {
			return &Library{handle: handle, known: map[string]uintptr{}}, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, fmt.Errorf("the driver of NVIDIA cards is not installed: %w", first)
}

// missing is the code of a function that the driver does not have: it is too old.
const missing = 35

// Call calls a function by name.
func (l *Library) Call(function string, args ...uintptr) int {
	l.mu.Lock()
	f, ok := l.known[function]
	if !ok {
		f, _ = purego.Dlsym(l.handle, function)
		l.known[function] = f
	}
	l.mu.Unlock()
	if f == 0 {
		return missing
	}
	r, _, _ := purego.SyscallN(f, args...)
	return int(int32(r))
}
