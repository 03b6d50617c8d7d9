package counts_test

import (
	"fmt"

	"github.com/polydag/polydag/internal/counts"
)

// Example counts how often it rains, and how often the grass is wet when it rains. On the last two mornings the
// grass was watered, an intervention that has no information about the causes of wet grass.
func Example() {
	rain := []int{1, 1, 0, 0, 0, 0}
	wet := []int{1, 1, 0, 0, 1, 1}
	t, err := counts.New([][]int{rain, wet}, counts.Rows{
		Environments: []int{0, 0, 0, 0, 1, 1},
		Targets:      [][]int{{}, {1}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := t.Counter()
	cells, _ := c.Family(0, nil)
	fmt.Println(cells)
	cells, configs := c.Family(1, []int{0})
	fmt.Println(cells, configs)
	// Output:
	// [4 2]
	// [2 0 0 2] [2 2]
}
