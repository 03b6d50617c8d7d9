package command

import (
	"testing"

	"github.com/polydag/polydag/internal/memory"
	"github.com/polydag/polydag/internal/must"
)

func TestBytesFlag(t *testing.T) {
	for in, want := range map[string]int64{"0": 0, "17": 17, "1K": 1024, "500M": 500 << 20, "2G": 2 << 30, "1.5GB": 3 << 29, "1GiB": 1 << 30, "2 gb": 2 << 30} {
		var b bytesFlag
		if err := b.Set(in); err != nil || int64(b) != want {
			t.Errorf("%q: %d, %v, want %d", in, b, err, want)
		}
	}
	for _, in := range []string{"", "many", "-1G", "1X", "1e40G", "NaN"} {
		if err := new(bytesFlag).Set(in); err == nil {
			t.Errorf("%q is taken", in)
		}
	}
}

func TestSize(t *testing.T) {
	for in, want := range map[int64]string{0: "0B", 999: "999B", 1024: "1kB", 1536: "1.50kB", 200 << 20: "200MB", 1234567890: "1.15GB", 1023: "1023B", 1100 << 10: "1.07MB"} {
		must.Same(t, size(in), want, in)
	}
}

func TestFits(t *testing.T) {
	ctx := memory.New(2 << 30).Context(t.Context())
	must.Succeed(t, fits(ctx, "it", 2<<30))
	err := fits(ctx, "the run", 3<<30)
	if want := "the run needs about 3GB of memory, and 2GB are allowed; choose fewer columns (--columns, --drop), or raise the limit with --max-memory"; err == nil || worded(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
