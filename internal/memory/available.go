//go:build !js

package memory

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Available returns the bytes that this process could still use without swapping or being killed: the free
// memory of the system, or the rest of the limit of its control group or of its addresses, whichever is least. ok is false if the
// system does not report it.
func Available() (bytes int64, ok bool) {
	free, ok := systemFree("/proc/meminfo")
	if limit, limited := groupLeft("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"); limited && (!ok || limit < free) {
		free, ok = limit, true
	}
	if left, limited := Addresses(); limited && (!ok || left < free) {
		free, ok = left, true
	}
	return free, ok
}

// systemFree reads MemAvailable, which Linux states in kB.
func systemFree(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			kb, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10, err == nil
		}
	}
	return 0, false
}

// groupLeft reads the limit and the use of a control group (version 2); "max" means no limit.
func groupLeft(limitPath, usePath string) (int64, bool) {
	limit, ok := number(limitPath)
	if !ok {
		return 0, false
	}
	used, ok := number(usePath)
	return max(0, limit-used), ok
}

func number(path string) (int64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return v, err == nil
}
