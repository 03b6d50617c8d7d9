package edgelist_test

import (
	"fmt"
	"strings"

	"github.com/polydag/polydag/command/internal/edgelist"
)

func ExampleRead() {
	edges, err := edgelist.Read(strings.NewReader("from,to\nsmoking,tar\ntar,canser\n"), []string{"smoking", "tar", "cancer"})
	fmt.Println(edges, err)
	// Output:
	// [] line 3, row 2, column 2 (to): "canser" is not a column of the table; check the spelling
}
