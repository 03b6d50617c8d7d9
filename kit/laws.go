package kit

import (
	"errors"
	"fmt"
)

// laws collects the laws that an implementation breaks, each with its first witness.
type laws struct {
	errs []error
	seen map[string]bool
}

// broken notes that a law does not hold.
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

// verdict joins what is broken; nil where nothing is.
func (l *laws) verdict() error { return errors.Join(l.errs...) }
