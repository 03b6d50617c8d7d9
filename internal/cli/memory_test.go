package cli

import (
	"strings"
	"testing"

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
	if err := fits("it", 100, 100); err != nil {
		t.Error(err)
	}
	err := fits("the run", 3<<30, 2<<30)
	if err == nil || !strings.Contains(err.Error(), "about 3GB") || !strings.Contains(err.Error(), "2GB") {
		t.Errorf("got %v", err)
	}
	if err := fits("it", 1<<60, 0); err == nil {
		t.Log("this machine does not say how much memory it has")
	}
}
