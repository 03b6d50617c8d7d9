package fault_test

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/polydag/polydag/fault"
)

var errText = fault.Kind("not-number", "is not a number; drop the column")

func flag(r fault.Remedy) string {
	if r.Columns != nil {
		return fmt.Sprint("--", r.Setting, r.Columns)
	}
	return fmt.Sprint("--", r.Setting, " ", r.Value)
}

func TestErrorSaysFaultAndWay(t *testing.T) {
	own := fault.New(errText, "", "encode it with %s, or leave it out with %s", fault.Set("encode", "onehot"), fault.Columns("drop", "body mass", "age"))
	if got, want := own.Error(), `is not a number; encode it with encode=onehot, or leave it out with drop="body mass",age`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if bare := (&fault.Error{Err: errText, Text: "is asked twice"}); bare.Error() != "is asked twice" {
		t.Errorf("without a way out it says %q", bare)
	}
	if other := fault.New(errText, "is a word", "correct it"); other.Error() != "is a word; correct it" || other.Remedies != nil {
		t.Errorf("got %q, %v", other, other.Remedies)
	}
	err := fmt.Errorf("t.csv: %w", errors.Join(own, errors.New("disk full")))
	if !errors.Is(err, errText) || fault.Code(err) != "not-number" || fault.Code(errors.New("disk full")) != "" {
		t.Errorf("%v has the code %q", err, fault.Code(err))
	}
	want := []fault.Remedy{{Setting: "encode", Value: "onehot"}, {Setting: "drop", Columns: []string{"body mass", "age"}}}
	if got := fault.Remedies(err); !reflect.DeepEqual(got, want) {
		t.Errorf("the remedies are %v", got)
	}
	if got, want := fault.Text(err, flag), "t.csv: is not a number; encode it with --encode onehot, or leave it out with --drop[body mass age]\ndisk full"; got != want {
		t.Errorf("said as %q, want %q", got, want)
	}
}

// A remedy that is the start of another, or stands twice, is worded as what it is; what was worded is not worded again.
func TestReword(t *testing.T) {
	remedies := []fault.Remedy{fault.Columns("drop", "a"), fault.Columns("drop", "ab"), fault.Use("columns"), fault.Set("x", "y")}
	word := func(r fault.Remedy) string {
		if r.Setting == "x" {
			return "x=y twice"
		}
		return flag(r)
	}
	got := fault.Reword("drop=ab or drop=a, x=y, the setting columns, drop=a", remedies, word)
	if want := "--drop[ab] or --drop[a], x=y twice, --columns , --drop[a]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := fault.Reword("nothing to say", nil, word); got != "nothing to say" {
		t.Errorf("got %q", got)
	}
}
