package classify

import (
	"slices"
	"testing"
)

// TestGroupsByPixels: the limit is a difference of 5 of 255 levels, a chain of near duplicates is one group, and images that all differ have
// none.
func TestGroupsByPixels(t *testing.T) {
	at := func(levels ...byte) (thumbs [][]byte) {
		for _, l := range levels {
			thumbs = append(thumbs, slices.Repeat([]byte{l, 200}, 3*thumbSide*thumbSide/2))
		}
		return thumbs
	}
	for _, c := range []struct {
		levels []byte
		want   []int
	}{
		{[]byte{100, 107, 114, 122}, []int{1, 1, 1, 2}}, // 7/255/√2 = 0.0194 and 8/255/√2 = 0.0222
		{[]byte{100, 0, 100}, []int{1, 2, 1}},
		{[]byte{0, 100, 200}, nil},
	} {
		if got := groups(at(c.levels...), 0.02, 1); !slices.Equal(got, c.want) {
			t.Errorf("%v: groups %v, want %v", c.levels, got, c.want)
		}
	}
}
