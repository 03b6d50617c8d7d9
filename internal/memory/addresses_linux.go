package memory

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// arena is the number of bytes of addresses by which Go's heap grows at least.
const arena = 64 << 20

// Addresses returns how many bytes the process may still allocate under its limit of addresses (ulimit -v), and false without a limit.
// A quarter of the addresses that are left is for freed memory, which keeps its addresses.
func Addresses() (left int64, limited bool) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_AS, &limit) != nil || limit.Cur > 1<<46 {
		return 0, false
	}
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, false
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseInt(pages, 10, 64)
	return max(0, int64(limit.Cur)-n*int64(os.Getpagesize())-arena) * 3 / 4, err == nil
}
