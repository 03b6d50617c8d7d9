package commands

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/images/pictures"
)

// TestImageOfANode checks that the node of an attribute has an image with the attribute, and none if there is no such image.
func TestImageOfANode(t *testing.T) {
	without := pictures.Cell{Label: "no", Pictures: []int{0}}
	used := map[int]bool{}
	for _, c := range []struct {
		groups []pictures.Cell
		want   []int
	}{{[]pictures.Cell{{Label: "yes", Pictures: []int{1, 2}}, without}, []int{1}}, {[]pictures.Cell{{Label: "yes", Pictures: []int{1, 2}}}, []int{2}},
		{[]pictures.Cell{{Label: "yes", Pictures: []int{1, 2}}}, []int{1}}, {[]pictures.Cell{{Label: "yes"}, without}, nil}, {nil, nil}} {
		if got := ofNode(pictures.Examples{Name: "a", Groups: c.groups}, used); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.groups, got, c.want)
		}
	}
}
