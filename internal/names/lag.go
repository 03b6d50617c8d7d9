package names

import (
	"fmt"
	"strconv"
	"strings"
)

// Lagged returns the name of the value of a column some steps ago, such as sales(t-1), or the name itself for 0.
func Lagged(name string, lag int) string {
	if lag == 0 {
		return name
	}
	return fmt.Sprintf("%s(t-%d)", name, lag)
}

// CutLag splits what Lagged returns. given reports whether the name has a lag; sales(t) has the lag 0.
func CutLag(text string) (name string, lag int, given bool) {
	if name, ok := strings.CutSuffix(text, "(t)"); ok {
		return name, 0, true
	}
	if at := strings.LastIndex(text, "(t-"); at >= 0 && strings.HasSuffix(text, ")") {
		if lag, err := strconv.Atoi(text[at+len("(t-") : len(text)-1]); err == nil && lag > 0 {
			return text[:at], lag, true
		}
	}
	return text, 0, false
}

// WithLags returns the names of the columns and of their lagged values, such as sales(t-1).
func WithLags(columns []string, lags int) []string {
	out := make([]string, 0, len(columns)*(lags+1))
	for k := range lags + 1 {
		for _, name := range columns {
			out = append(out, Lagged(name, k))
		}
	}
	return out
}
