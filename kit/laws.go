package kit

import (
	"errors"
	"fmt"
)

// laws collects failed checks, each with its first example.
type laws struct {
	errs []error
	seen map[string]bool
}

// broken records a failed check.
func (l *laws) broken(law, format string, args ...any) {
	if l.seen[law] {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[law] = true
	l.errs = append(l.errs, fmt.Errorf(law+": "+format, args...))
}

// verdict joins the failed checks; nil if there are none.
func (l *laws) verdict() error { return errors.Join(l.errs...) }
