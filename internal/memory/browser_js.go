package memory

import "runtime"

// most is what WebAssembly can address.
const most = 4 << 30

// Available returns the bytes that are left of those that WebAssembly can address. Whether the machine has them no browser says.
func Available() (bytes int64, ok bool) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return max(0, most-int64(m.Sys)), true
}
