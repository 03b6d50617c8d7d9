package prepare_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/dataset/prepare"
)

// A table with text and a missing value: the text becomes columns of 0 and 1, the row with the hole is left out.
func ExampleGather() {
	const table = "dose,site,healed\n1,north,no\n2,south,yes\n,north,no\n4,south,yes\n3,north,yes\n"
	open := func(context.Context) (dataset.Source, error) {
		return csv.Open(strings.NewReader(table), csv.DefaultSettings())
	}
	opt := prepare.DefaultSettings()
	opt.Encode, opt.Missing, opt.Profile = "onehot", "drop", true
	g, err := prepare.Gather(context.Background(), open, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Moments.N, g.Moments.Names, g.Moments.Mean)
	for _, note := range g.Profile.Notes {
		fmt.Println(note)
	}
	// Output:
	// 4 [dose site=south healed] [2.5 0.5 0.75]
	// Column site was one-hot encoded as 1 column, one for each of 2 categories except the reference "north".
	// Column healed was read as 1 for yes and 0 for no.
	// 1 value is missing (dose 1): 1 row of 5 (20%) with a missing value dropped.
}
