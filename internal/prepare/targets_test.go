package prepare

import (
	"errors"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// A word names targets by the names of columns or, if all words are numbers, by their places from 1; 0 and nothing mean none. A target that
// is excluded from the graph is noted once, and an unknown one is an error.
func TestTargetsOfAWord(t *testing.T) {
	var all []dataset.Column
	for _, name := range []string{"a", "b", "left", "c"} {
		all = append(all, dataset.Column{Name: name})
	}
	chosen := []chosenColumn{{Column: all[0]}, {Column: all[1]}, {Column: all[3]}}
	plan := &encodePlan{outputs: []output{{name: "a", from: 0}, {name: "b=x", from: 1}, {name: "b=y", from: 1}, {name: "c", from: 2}}}
	for _, c := range []struct {
		words []string
		want  [][]int
		notes int
	}{
		{[]string{"c; a", "", "b", "b=y"}, [][]int{{0, 3}, nil, {1, 2}, {2}}, 0},
		{[]string{"1;4", "0", "2", "3"}, [][]int{{0, 3}, nil, {1, 2}, nil}, 1},
		{[]string{"left", "left;a", "c;c"}, [][]int{nil, {0}, {3}}, 1},
	} {
		p := newTargets(c.words, plan, chosen, all)
		for i, word := range c.words {
			if got, err := p.parse(word); err != nil || !slices.Equal(got, c.want[i]) {
				t.Errorf("%q: %v, %v; want %v", word, got, err, c.want[i])
			}
		}
		if len(p.left) != c.notes {
			t.Errorf("%q: excluded targets %q", c.words, p.left)
		}
	}
	for _, words := range [][]string{{"5"}, {"a;d"}} {
		if _, err := newTargets(words, plan, chosen, all).parse(words[0]); !errors.Is(err, ErrTarget) {
			t.Errorf("%q: %v", words, err)
		}
	}
}
