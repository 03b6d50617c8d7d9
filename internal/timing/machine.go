// Package timing holds what every measurement of time reports: the processor, and how time grows with size.
package timing

import (
	"os"
	"strings"
)

// CPU returns the name of the processor, or "unknown".
func CPU() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}
