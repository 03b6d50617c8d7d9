package page

import (
	"context"
	"errors"
	"io"
	"math"
	"testing"
)

// several is a page of three methods, one without a result.
func several() Input {
	one := 1.0
	return Input{
		Results: []Labelled{{Label: "first", Result: result("a b c", "a>b", "b>c")}, {Label: "second", Result: result("a b c", "c>b")}, {Label: "third", Result: result("a b c", "a>c")}},
		Truth:   truth("a>b"),
		Methods: &Methods{
			Figures:  []Figure{{Title: "Edges", About: "edges"}},
			Rows:     []MethodRow{{"first", 0, "", []*float64{&one}}, {"second", 1, "", []*float64{nil}}, {"refused", -1, "no room", []*float64{nil}}, {"third", 2, "", []*float64{&one}}},
			Skeleton: [][]float64{{1, 0.5, 0}, {0.5, 1, 0}, {0, 0, 1}}, Marks: [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, Notes: []string{"a note"},
		},
	}
}

// TestSeveralMethods checks that a page of methods has all results, a verdict on each, and the
// given table.
func TestSeveralMethods(t *testing.T) {
	c := dataOf(t, write(t, several()))
	if len(c.Results) != 3 || len(c.Truth.Verdicts) != 3 || c.Comparison != nil || len(c.Methods.Rows) != 4 || *c.Methods.Rows[0].Values[0] != 1 || c.Methods.Rows[2].Why != "no room" {
		t.Errorf("%+v", c)
	}
}

// TestMethodsAreChecked checks that invalid tables are refused.
func TestMethodsAreChecked(t *testing.T) {
	bad := math.NaN()
	for name, spoil := range map[string]func(*Input){
		"no table":         func(in *Input) { in.Methods = nil },
		"no such result":   func(in *Input) { in.Methods.Rows[0].Result = 3 },
		"too few figures":  func(in *Input) { in.Methods.Rows[0].Values = nil },
		"no number":        func(in *Input) { in.Methods.Rows[0].Values[0] = &bad },
		"a square too few": func(in *Input) { in.Methods.Skeleton = in.Methods.Skeleton[:2] },
		"a ragged square":  func(in *Input) { in.Methods.Marks[1] = in.Methods.Marks[1][:2] },
		"no share":         func(in *Input) { in.Methods.Marks[1][0] = 1.5 },
	} {
		in := several()
		spoil(&in)
		if err := Write(context.Background(), io.Discard, in); !errors.Is(err, ErrInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
