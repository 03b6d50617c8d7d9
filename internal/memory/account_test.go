package memory

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestAccount checks that the needs of one share do not add up, that those of several do, and that a closed share returns its bytes.
func TestAccount(t *testing.T) {
	a := New(100)
	one, first := a.Open(t.Context(), 70)
	two, second := a.Open(t.Context(), 0)
	for _, c := range []struct {
		ctx  context.Context
		need int64
		want string
	}{
		{one, 60, ""}, {one, 70, ""}, {one, 10, ""},
		{one, 71, "it needs about 71B of memory, and 70B are allowed; wait"},
		{one, math.MinInt64, "it needs about more than 8388608TB of memory, and 70B are allowed; wait"},
		{two, 30, ""},
		{two, 31, "it needs about 31B of memory, and other work takes 70B of 100B; try again when it has ended"},
		{t.Context(), math.MaxInt64, ""},
		{a.Context(t.Context()), 1, "it needs about 1B of memory, and other work takes 100B of 100B; try again when it has ended"},
	} {
		err := Need(c.ctx, "it", c.need, "wait")
		if c.want == "" != (err == nil) || err != nil && (err.Error() != c.want || !errors.Is(err, ErrLimit)) {
			t.Errorf("%d bytes: %v, want %q", c.need, err, c.want)
		}
	}
	first.Close()
	first.Close()
	must.Succeed(t, Need(two, "it", 100, "wait"))
	a.Stop(500)
	if err := context.Cause(two); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "500B") {
		t.Errorf("stopped by %v", err)
	}
	second.Close()
	if a.used != 0 || len(a.open) != 0 || a.Limit() != 100 || New(0).Limit() != 0 {
		t.Errorf("%d bytes in %d shares are left of %d", a.used, len(a.open), a.Limit())
	}
}

// TestWatch checks that a large array is reported with its size, and that garbage and small arrays are not.
func TestWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reported := make(chan int64, 8)
	ended := make(chan bool)
	go func() {
		Watch(ctx, 64<<20, func(used int64) {
			select {
			case reported <- used:
			default:
			}
		})
		close(ended)
	}()
	for range 40 {
		runtime.KeepAlive(make([]byte, 8<<20))
	}
	select {
	case used := <-reported:
		t.Errorf("garbage of %s is reported", Size(used))
	default:
	}
	large := make([]byte, 512<<20) // never touched
	if used := <-reported; used < 448<<20 || used > 700<<20 {
		t.Errorf("%s are reported", Size(used))
	}
	runtime.KeepAlive(large)
	cancel()
	<-ended
}
