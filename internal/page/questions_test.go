package page

import (
	"strings"
	"testing"
)

// TestQuestions checks that a page of one result lists what its reader could tell, and that one of two results does not.
func TestQuestions(t *testing.T) {
	r := result("a b c d", "a>b", "a>c", "a>d")
	r.Method = "order"
	one := Labelled{Label: "r", Result: r}
	list := dataOf(t, write(t, Input{Results: []Labelled{one}})).Results[0].Questions
	if len(list) == 0 || !strings.Contains(list[0], "before a: b, c, d") {
		t.Errorf("questions %q, want the first about the neighbours of a", list)
	}
	for k, r := range dataOf(t, write(t, Input{Results: []Labelled{one, one}})).Results {
		if r.Questions != nil {
			t.Errorf("result %d of two has questions %q", k, r.Questions)
		}
	}
}
