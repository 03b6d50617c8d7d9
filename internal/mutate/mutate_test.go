package main

import (
	"bytes"
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"
)

const source = `package p

var outside = 1 + 2 // not in a function

func f(a, b int, s string) (n int, err error) {
	if a < b && s != "" {
		n = a + 1
	}
	for n > 0 {
		n--
		if n == 7 {
			break
		}
	}
	n += b * 2
	s = "x" + s
	g(s)
	_ = s
	if err != nil {
		panic(a - b)
	}
	return n, nil
}
`

func TestMutants(t *testing.T) {
	all, err := mutants("p.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, m := range all {
		changed := string(m.apply())
		if changed == source {
			t.Errorf("%+v changes nothing", m)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "p.go", changed, 0); err != nil {
			t.Errorf("%s: %v", m.what, err)
		}
		fmt.Fprintf(&got, "%d: %s\n", m.pos.Line, m.what)
	}
	want := `6: the condition became its opposite
6: < became <=
6: && became ||
6: != became ==
7: left out: n = a + 1
7: + became -
7: 1 became 0
9: the condition became its opposite
9: > became >=
9: 0 became 1
10: -- became ++
11: == became !=
11: 7 became 8
12: left out: break
15: left out: n += b * 2
15: += became -=
15: * became /
15: 2 became 3
16: left out: s = "x" + s
17: left out: g(s)
19: != became ==
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// The one change of the sample that its test cannot see survives, besides that of a tie, which cannot be seen at all.
func TestMutate(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package once for each change; not with -short")
	}
	t.Chdir("testdata/sample")
	var out bytes.Buffer
	s := settings{seed: 1, timeout: time.Minute, files: "*.go"}
	n, err := mutate(context.Background(), &out, ".", s)
	if err != nil {
		t.Fatal(err)
	}
	want := `./sample.go:6:7: > became >=
./sample.go:14:11: + became -
.: 3 of 3 changes tried: 2 survived, 1 noticed, 0 too slow, 0 did not compile
`
	if out.String() != want || n != (count{tried: 3, survived: 2, noticed: 1}) {
		t.Errorf("got\n%s%+v\nwant\n%s", out.String(), n, want)
	}
	s.limit = 1
	if n, err := mutate(context.Background(), &out, ".", s); err != nil || n.tried != 1 {
		t.Errorf("with a limit of 1: %+v, %v", n, err)
	}
}
