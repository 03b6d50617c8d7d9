package memory

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/polydag/polydag/fault"
)

// ErrLimit is matched where work would take more memory than it may.
var ErrLimit = fault.Kind("memory", "the work exceeds the memory limit; use less data, or allow more memory")

// An Account is the memory that all work of a process may take together. Go cannot recover from a failed allocation, so work states
// its need before it allocates.
type Account struct {
	limit int64

	mu   sync.Mutex
	used int64           // by all shares
	open map[*Share]bool // the shares of Open
}

// New returns an account of this number of bytes; 0 means no limit.
func New(limit int64) *Account {
	if limit <= 0 {
		limit = math.MaxInt64
	}
	return &Account{limit: limit, open: map[*Share]bool{}}
}

// Limit returns the number of bytes of the account, or 0 for no limit.
func (a *Account) Limit() int64 {
	if a.limit == math.MaxInt64 {
		return 0
	}
	return a.limit
}

// A Share is the part of an account that one command, upload or unit of work takes.
type Share struct {
	of    *Account
	limit int64
	need  int64
	stop  context.CancelCauseFunc
}

type key struct{}

// Context returns the context of work that may take the whole account.
func (a *Account) Context(ctx context.Context) context.Context {
	return context.WithValue(ctx, key{}, &Share{of: a, limit: a.limit})
}

// Open opens a share of at most limit bytes, and returns the context of the work with it; 0 means the whole account. The caller closes
// the share.
func (a *Account) Open(ctx context.Context, limit int64) (context.Context, *Share) {
	if limit <= 0 || limit > a.limit {
		limit = a.limit
	}
	ctx, stop := context.WithCancelCause(ctx)
	s := &Share{of: a, limit: limit, stop: stop}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.open[s] = true
	return context.WithValue(ctx, key{}, s), s
}

// Close returns the bytes of the share and ends its context.
func (s *Share) Close() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.of.open[s] {
		delete(s.of.open, s)
		s.of.used -= s.need
	}
	s.stop(nil)
}

// Stop ends the contexts of all shares of Open, because the process took this number of bytes. Their cause matches ErrLimit.
func (a *Account) Stop(used int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for s := range a.open {
		s.stop(a.Exceeded(used))
	}
}

// Exceeded returns the error for work that took this number of bytes, more than its account has.
func (a *Account) Exceeded(used int64) error {
	return fault.New(ErrLimit, fmt.Sprintf("the work took %s of memory, and %s are allowed", Size(used), Size(a.limit)),
		"choose fewer columns (%s, %s) or rows (%s), or allow more with %s", fault.Use("columns"), fault.Use("drop"), fault.Use("rows"), fault.Use("max-memory"))
}

// Need states that the work of ctx takes this number of bytes at its peak. Needs of one share do not add up: the largest counts. The
// error matches ErrLimit, and way says what to do instead, as in fault.New. Work without a share has no limit.
func Need(ctx context.Context, what string, bytes int64, way string, args ...any) error {
	s, _ := ctx.Value(key{}).(*Share)
	if s == nil {
		return nil
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	others := s.of.used - s.need
	switch {
	case bytes < 0, bytes > s.limit: // a negative number of bytes has overflowed
		return Refuse(what, bytes, s.limit, way, args...)
	case bytes > s.of.limit-others:
		return fault.New(ErrLimit, fmt.Sprintf("%s needs about %s of memory, and other work takes %s of %s", what, Size(bytes), Size(others), Size(s.of.limit)), "try again when it has ended")
	case bytes > s.need:
		s.of.used, s.need = others+bytes, bytes
	}
	return nil
}

// Refuse returns the error for work that needs more bytes than allowed.
func Refuse(what string, bytes, allowed int64, way string, args ...any) error {
	need := Size(bytes)
	if bytes < 0 {
		need = "more than " + Size(math.MaxInt64)
	}
	return fault.New(ErrLimit, fmt.Sprintf("%s needs about %s of memory, and %s are allowed", what, need, Size(allowed)), way, args...)
}

// Size formats a number of bytes with three digits.
func Size(b int64) string {
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
