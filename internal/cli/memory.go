package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/polydag/polydag/internal/memory"
)

// bytesFlag is a number of bytes with a unit: 500M, 2G, 1.5GB, 1GiB.
type bytesFlag int64

func (b *bytesFlag) Type() string { return "bytes" }

func (b *bytesFlag) String() string {
	if *b == 0 {
		return "0"
	}
	return size(int64(*b))
}

func (b *bytesFlag) Set(s string) error {
	t := strings.ToUpper(strings.TrimSpace(s))
	t = strings.TrimSuffix(strings.TrimSuffix(t, "IB"), "B")
	unit := 1.0
	for i, u := range []string{"K", "M", "G", "T"} {
		if rest, ok := strings.CutSuffix(t, u); ok {
			t, unit = rest, math.Pow(1024, float64(i+1))
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
	if err != nil || !(v >= 0) || v*unit > 1<<60 {
		return fmt.Errorf("%q: want a number of bytes such as 500M or 2G", s)
	}
	*b = bytesFlag(v * unit)
	return nil
}

func size(b int64) string {
	v, unit := float64(b), "B"
	for _, u := range []string{"kB", "MB", "GB", "TB"} {
		if v < 1024 {
			break
		}
		v, unit = v/1024, u
	}
	digits := 0
	for scale := 100.0; digits < 2 && v < scale && v != math.Trunc(v); scale /= 10 {
		digits++
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + unit
}

// fits refuses work that would need more memory than limit; 0 means the free memory. If that is unknown,
// nothing is refused.
func fits(what string, need, limit int64) error {
	if limit == 0 {
		free, ok := memory.Available()
		if !ok {
			return nil
		}
		limit = free
	}
	if need <= limit {
		return nil
	}
	return fmt.Errorf("%s needs about %s of memory, and there are %s; choose fewer columns (--columns, --drop), or raise the limit with --max-memory",
		what, size(need), size(limit))
}
