package cli

import (
	"testing"

	"github.com/spf13/pflag"
)

// TestMaxMemoryBindsReaders checks that --max-memory also limits readers.
func TestMaxMemoryBindsReaders(t *testing.T) {
	for _, c := range []struct {
		flag string
		want int64
	}{{"300M", 300 << 20}, {"10", 1 << 20}, {"8G", 8 << 30}} {
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		r := newReading(f)
		if err := f.Parse([]string{"--max-memory", c.flag}); err != nil {
			t.Fatal(err)
		}
		if err := r.check(1); err != nil {
			t.Fatal(err)
		}
		if got := r.options.MaxMemory; got != c.want {
			t.Errorf("--max-memory %s: readers may take %d bytes, want %d", c.flag, got, c.want)
		}
	}
}
