package names

import (
	"maps"
	"testing"
)

func TestIndex(t *testing.T) {
	if got := Index(nil); got == nil || len(got) != 0 {
		t.Errorf("of no names %v, want an empty map", got)
	}
	want := map[string]int{"b": 0, "": 1, "a": 2}
	if got := Index([]string{"b", "", "a", "b", ""}); !maps.Equal(got, want) {
		t.Errorf("%v, want the first places %v", got, want)
	}
}
