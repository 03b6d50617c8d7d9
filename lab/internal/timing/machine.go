// Package timing holds what every measurement of time reports: the processor, and how time grows with size.
package timing

import (
	"math"
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

// PowerLaw fits log y = a + b·log x by least squares and returns a and b; ok is false for fewer than two different x.
func PowerLaw(x, y []float64) (a, b float64, ok bool) {
	var mx, my, sxx, sxy float64
	n := float64(len(x))
	for i := range x {
		mx += math.Log(x[i]) / n
		my += math.Log(y[i]) / n
	}
	for i := range x {
		dx := math.Log(x[i]) - mx
		sxx += dx * dx
		sxy += dx * (math.Log(y[i]) - my)
	}
	if !(sxx > 0) {
		return 0, 0, false
	}
	b = sxy / sxx
	return my - b*mx, b, true
}
