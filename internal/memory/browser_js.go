package memory

import "runtime"

// most is what WebAssembly can address.
const most = 4 << 30

// Available returns the remaining bytes of the WebAssembly address space. No browser reports whether the
// machine has them.
func Available() (bytes int64, ok bool) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return max(0, most-int64(m.Sys)), true
}
