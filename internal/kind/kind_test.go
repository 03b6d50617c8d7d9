package kind_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/internal/must"
)

func gather(t *testing.T, text string, encode dataset.Encode) *prepare.Gathered {
	t.Helper()
	opt := prepare.DefaultSettings()
	opt.Encode, opt.Profile = encode, true
	g := must.Get(prepare.Gather(context.Background(), func(context.Context) (dataset.Source, error) {
		return csv.Open(strings.NewReader(text), csv.DefaultSettings())
	}, opt))
	return g
}

func sample() string {
	var b strings.Builder
	b.WriteString("real,whole,signed,few,half,two,yes,city,sex\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d.5,%d,%d,%d,%g,%d,%s,%s,%s\n", i*i, i, i-30, i%4, float64(i%5)/2, 7*(i%2), []string{"yes", "no"}[i%2],
			[]string{"Graz", "Linz", "Wien"}[i%3], []string{"f", "m"}[i/7%2])
	}
	return b.String()
}

func TestDecide(t *testing.T) {
	want := []kind.Column{
		{Name: "real", Kind: kind.Continuous, Levels: 60}, {Name: "whole", Kind: kind.Count, Levels: 60}, {Name: "signed", Kind: kind.Continuous, Levels: 60},
		{Name: "few", Kind: kind.Ordinal, Levels: 4}, {Name: "half", Kind: kind.Ordinal, Levels: 5}, {Name: "two", Kind: kind.Binary, Levels: 2},
		{Name: "yes", Kind: kind.Binary, Levels: 2}, {Name: "city", Kind: kind.Categorical, Levels: 3}, {Name: "sex", Kind: kind.Binary, Levels: 2},
	}
	for _, c := range []struct {
		encode dataset.Encode
		city   kind.Kind
	}{{"levels", kind.Categorical}, {"ordinal", kind.Ordinal}} {
		want[7].Kind = c.city
		for j, got := range kind.Decide(gather(t, sample(), c.encode), c.encode == "ordinal") {
			if got.Name != want[j].Name || got.Kind != want[j].Kind || got.Levels != want[j].Levels || got.Reason == "" || (got.Words != nil) != (j > 5) {
				t.Errorf("%s: %+v, want %+v", c.encode, got, want[j])
			}
		}
	}
	if got := kind.Decide(gather(t, sample(), "levels"), false)[6].Words; !slices.Equal(got, []string{"no", "yes"}) {
		t.Errorf("0 and 1 stand for %q", got)
	}
	// An order that the file declares makes text ordinal, and only that column.
	declared := gather(t, sample(), "levels")
	declared.Ordered[7] = true
	if got := kind.Decide(declared, false); got[7].Kind != kind.Ordinal || got[8].Kind != kind.Binary {
		t.Errorf("declared order: %+v", got[7:])
	}
	// Few rows have few values whatever the column is: up to 20 are few.
	for _, rows := range []int{9, 20, 21} {
		want := map[string]kind.Kind{"few": kind.Count, "two": kind.Count}
		if rows > 20 {
			want = map[string]kind.Kind{"few": kind.Ordinal, "two": kind.Binary}
		}
		for _, got := range kind.Decide(gather(t, strings.Join(strings.Split(sample(), "\n")[:rows+1], "\n"), "levels"), false) {
			if k, ok := want[got.Name]; ok && got.Kind != k {
				t.Errorf("%d rows: %+v, want %v", rows, got, k)
			}
		}
	}
}

func TestOverrule(t *testing.T) {
	columns := kind.Decide(gather(t, sample(), "levels"), false)
	got := must.Get(kind.Overrule(columns, []string{"*=ordinal", "w*=count", "real=continuous", "city=categorical"}))
	if got[1].Kind != kind.Count || got[3].Kind != kind.Ordinal || got[7].Kind != kind.Categorical || got[0].Reason != "as asked for" || columns[3].Reason == "as asked for" {
		t.Errorf("%+v", got)
	}
	decided := kind.Decide(gather(t, sample(), "levels"), false)
	decided = must.Get(kind.Overrule(decided, []string{"two=score"}))
	if decided[5].Kind != kind.Binary || decided[5].Reason == "as asked for" {
		t.Errorf("decisions: %+v", decided[5])
	}
	for rule, want := range map[string]string{
		"few=score":       "few has no scores",
		"town=binary":     `no such column "town"; `,
		"zzzzzz*=binary":  `no such column "zzzzzz*"; the columns are real, whole, signed, few, half, two, yes, city and 1 more`,
		"city":            "want NAME=KIND, such as city=categorical",
		"=binary":         "want NAME=KIND",
		"city=colour":     `unknown kind "colour"; choose one of `,
		"few=binary":      "few has ",
		"city=continuous": "city contains text; ordinal uses the alphabetical order",
	} {
		if _, err := kind.Overrule(columns, []string{rule}); !errors.Is(err, kind.ErrRule) || !strings.HasPrefix(err.Error(), fmt.Sprintf("%q: %s", rule, want)) {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if err := kind.Check([]string{"anything=binary"}); err != nil {
		t.Error(err)
	}
}

// TestExact checks that only values within rounding errors of the spread are 0.
func TestExact(t *testing.T) {
	for _, c := range []struct{ x, spread, want float64 }{{-2.776e-17, 0.05, 0}, {-1e-9, 0.05, -1e-9}, {1e-20, 1e-20, 1e-20}, {3, 0, 3}} {
		if got := kind.Exact(c.x, c.spread); got != c.want {
			t.Errorf("Exact(%v, %v) = %v, want %v", c.x, c.spread, got, c.want)
		}
	}
}
