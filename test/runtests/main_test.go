package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestSummary checks what is printed of a package that passes, one that fails, and skipped tests.
func TestSummary(t *testing.T) {
	const events = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestFine"}
{"Action":"output","Package":"m/a","Test":"TestFine","Output":"=== RUN   TestFine\n"}
{"Action":"output","Package":"m/a","Test":"TestFine","Output":"    a_test.go:3: a note\n"}
{"Action":"output","Package":"m/a","Test":"TestFine","Output":"--- PASS: TestFine (0.00s)\n"}
{"Action":"pass","Package":"m/a","Test":"TestFine"}
{"Action":"output","Package":"m/a","Test":"TestLong","Output":"=== RUN   TestLong\n"}
{"Action":"output","Package":"m/a","Test":"TestLong","Output":"    a_test.go:12: no dot on\n"}
{"Action":"output","Package":"m/a","Test":"TestLong","Output":"        the PATH: install it\n"}
{"Action":"output","Package":"m/a","Test":"TestLong","Output":"--- SKIP: TestLong (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestLong"}
{"Action":"output","Package":"m/a","Output":"PASS\n"}
{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t0.1s\n"}
{"Action":"pass","Package":"m/a"}
{"Action":"output","Package":"m/b","Test":"TestWrong/one","Output":"    b_test.go:9: 1, want 2\n"}
{"Action":"fail","Package":"m/b","Test":"TestWrong/one"}
{"Action":"output","Package":"m/b","Test":"TestOther","Output":"--- SKIP: TestOther (0.00s)\n"}
{"Action":"skip","Package":"m/b","Test":"TestOther"}
{"Action":"output","Package":"m/b","Test":"TestEnds","Output":"    b_test.go:1: running\n"}
{"Action":"output","Package":"m/b","Output":"FAIL\tm/b\t0.2s\n"}
{"Action":"fail","Package":"m/b"}
{"ImportPath":"m/c","Action":"build-output","Output":"c.go:1: syntax error\n"}
{"Action":"output","Package":"m/d","Output":"?   \tm/d\t[no test files]\n"}
{"Action":"skip","Package":"m/d"}
panic: not an event
`
	var out strings.Builder
	must.Succeed(t, summarize(&out, strings.NewReader(events)))
	must.Same(t, out.String(), `ok  	m/a	0.1s
    b_test.go:9: 1, want 2
FAIL	m/b	0.2s
    b_test.go:1: running
c.go:1: syntax error
panic: not an event

Skipped tests, by reason:
  no dot on the PATH: install it
      a.TestLong
  no reason given
      b.TestOther
`)
}

func TestFlags(t *testing.T) {
	for _, c := range [][2]string{{"-vet=off ./...", "-json -vet=off ./..."}, {"-C test ./...", "-C test -json ./..."}, {"", "-json"}} {
		if got := strings.Join(flags(strings.Fields(c[0])), " "); got != c[1] {
			t.Errorf("%q became %q, want %q", c[0], got, c[1])
		}
	}
	if got := flags(slices.Clip([]string{"-C"})); len(got) != 2 {
		t.Errorf("%q", got)
	}
}
