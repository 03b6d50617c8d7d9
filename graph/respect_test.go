package graph

import (
	"slices"
	"testing"
)

func TestRespect(t *testing.T) {
	for _, c := range []struct {
		required    []Edge
		order, want []int
	}{
		{[]Edge{{From: 0, To: 3}, {From: 2, To: 1}}, []int{3, 1, 0, 2}, []int{0, 3, 2, 1}},
		{nil, []int{2, 0, 3, 1}, []int{2, 0, 3, 1}},
		{[]Edge{{From: 0, To: 1}}, []int{2, 0, 3, 1}, []int{2, 0, 3, 1}},
		{[]Edge{{From: 1, To: 2}}, []int{2, 0, 3, 1}, []int{0, 3, 1, 2}},
		{[]Edge{{From: 3, To: 0}, {From: 0, To: 2}}, []int{2, 0, 3, 1}, []int{3, 0, 2, 1}},
	} {
		if got := Respect(c.order, c.required); !slices.Equal(got, c.want) {
			t.Errorf("%v with %v: %v, want %v", c.order, c.required, got, c.want)
		}
	}
}
