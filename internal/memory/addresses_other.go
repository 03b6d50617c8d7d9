//go:build !linux

package memory

// Addresses reports that the limit of addresses is not known.
func Addresses() (left int64, limited bool) { return 0, false }
