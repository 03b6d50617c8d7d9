package must_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// ended is a test that notes with what it ended.
type ended struct {
	testing.TB
	with []any
	said string
}

func (e *ended) Helper()           {}
func (e *ended) Fatal(with ...any) { e.with = with }

func (e *ended) Errorf(format string, args ...any) { e.said = fmt.Sprintf(format, args...) }

// Get returns the value of a call without an error, and panics with the error.
func TestGet(t *testing.T) {
	if got := must.Get(3, nil); got != 3 {
		t.Errorf("without an error: %v", got)
	}
	wrong := errors.New("wrong")
	defer func() {
		if got := recover(); got != wrong {
			t.Errorf("with an error: %v", got)
		}
	}()
	must.Get(3, wrong)
}

// Succeed ends the test at an error.
func TestSucceed(t *testing.T) {
	e, wrong := &ended{}, errors.New("wrong")
	if must.Succeed(e, nil); e.with != nil {
		t.Errorf("without an error the test ended with %v", e.with)
	}
	if must.Succeed(e, wrong); len(e.with) != 1 || e.with[0] != wrong {
		t.Errorf("with an error the test ended with %v", e.with)
	}
}

// Same and Contain report differences.
func TestDifferences(t *testing.T) {
	e := &ended{}
	must.Same(e, 1, 1, "number")
	if must.Contain(e, "a b", "a", "b"); e.said != "" {
		t.Error(e.said)
	}
	if must.Same(e, 1, 2, "number"); e.said != "[number]: got\n1\nwant\n2" {
		t.Error(e.said)
	}
	if must.Contain(e, "a b", "a", "c"); e.said != "\"c\" is not in\na b" {
		t.Error(e.said)
	}
}

// Near accepts the tolerance itself, and refuses more and NaN.
func TestNear(t *testing.T) {
	for _, c := range []struct{ got, want, tol float64 }{{1.5, 1, 0.5}, {0.5, 1, 0.5}, {1, 1, 0}} {
		e := &ended{}
		if must.Near(e, c.got, c.want, c.tol, "share"); e.said != "" {
			t.Errorf("%+v: %s", c, e.said)
		}
	}
	for _, got := range []float64{1.75, 0.25, math.NaN()} {
		e := &ended{}
		if must.Near(e, got, 1, 0.5, "share of %d", 3); e.said != fmt.Sprintf("share of 3: %v, want 1", got) {
			t.Errorf("%v instead of 1: %q", got, e.said)
		}
	}
}

// TestMutants checks that mutants are the same in every run, differ from each other, and leave the seeds as they are.
func TestMutants(t *testing.T) {
	seeds := [][]byte{[]byte(`{"a": 12, "b": [1.5, 2]}`), nil, {0xff, 0, 7}}
	first, again := must.Mutants(500, seeds...), must.Mutants(500, seeds...)
	distinct := map[string]bool{}
	for i, text := range first {
		if string(text) != string(again[i]) {
			t.Fatalf("mutant %d is %q, then %q", i, text, again[i])
		}
		distinct[string(text)] = true
	}
	if len(first) != 503 || len(distinct) < 300 || string(seeds[0]) != `{"a": 12, "b": [1.5, 2]}` || string(seeds[2]) != "\xff\x00\x07" {
		t.Errorf("%d mutants, %d distinct; the seeds are %q", len(first), len(distinct), seeds)
	}
	if !slices.ContainsFunc(first, func(text []byte) bool { return strings.Contains(string(text), "1000000000000") }) {
		t.Error("no number became another")
	}
}
