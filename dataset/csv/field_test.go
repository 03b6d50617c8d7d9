package csv

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestSkipFields compares skipFields with cutField: it stops after the requested fields, or earlier at the
// start of a field, and only if it must.
func TestSkipFields(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const signs = "aaaa,,,,0.5;\x80\xac\xff\x2b\x2d\x0b\x09\x23\x21"
	for range 20_000 {
		run := make([]byte, 1+rng.IntN(60))
		for i := range run {
			run[i] = signs[rng.IntN(len(signs))]
		}
		if rng.IntN(2) == 0 {
			run[rng.IntN(len(run))] = "\"\n"[rng.IntN(2)]
		}
		run[len(run)-1] = '\n'
		n := 1 + rng.IntN(12)
		next, left := skipFields(run, 0, n, ',')
		if left < 0 || left > n || bytes.Count(run[:next], []byte{','}) != n-left {
			t.Fatalf("%q, %d fields: up to %d with %d left", run, n, next, left)
		}
		if next > 0 && run[next-1] != ',' || bytes.ContainsAny(run[:next], "\"\n") {
			t.Fatalf("%q, %d fields: up to %d", run, n, next)
		}
		if stop := bytes.IndexAny(run, "\"\n"); left > 0 && bytes.IndexByte(run[next:max(next, stop-7)], ',') >= 0 {
			t.Fatalf("%q, %d fields: stopped at %d with %d left", run, n, next, left)
		}
	}
}

func TestTrimBlanks(t *testing.T) {
	for in, want := range map[string]string{"": "", " ": "", " \t a b\t ": "a b", "x": "x", "\r": "\r", "\u00a0x": "\u00a0x"} {
		if got := trimBlanks([]byte(in)); string(got) != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestSkipBlankLines(t *testing.T) {
	for _, c := range []struct {
		in, rest string
		lines    int
	}{{"", "", 0}, {"a\n", "a\n", 0}, {"\n\r\n\na\n\n", "a\n\n", 3}, {"\r", "\r", 0}, {"\r\r\n", "\r\r\n", 0}, {" \n", " \n", 0}} {
		if rest, lines := skipBlankLines([]byte(c.in)); string(rest) != c.rest || lines != c.lines {
			t.Errorf("%q: %q, %d", c.in, rest, lines)
		}
	}
}
