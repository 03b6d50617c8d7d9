package kit

import (
	"errors"
	"fmt"
)

// A List collects failed checks, each with its first example.
type List struct {
	errs []error
	seen map[string]bool
}

// Broken records a failed check.
func (l *List) Broken(law, format string, args ...any) {
	if l.seen[law] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[law] = true
	l.errs = append(l.errs, fmt.Errorf(law+": "+format, args...))
}

// Verdict joins the failed checks; nil if there are none.
func (l *List) Verdict() error { return errors.Join(l.errs...) }
