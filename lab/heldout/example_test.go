package heldout_test

import (
	"context"
	"fmt"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/lab/heldout"
)

func ExampleLearnPath() {
	ctx := context.Background()
	in, err := files.Open("../../internal/demo/data.csv", nil, files.DefaultSettings())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer in.Close()
	table, err := polydag.Prepare(ctx, in, polydag.DefaultPreparation())
	if err != nil {
		fmt.Println(err)
		return
	}
	how := heldout.DefaultPathSettings()
	how.Values = []float64{1, 4, 16, 64} // values of --penalty
	path, err := heldout.LearnPath(ctx, table, polydag.DefaultConfig(), how, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, at := range path.Points {
		fmt.Printf("%g: %d edges, %.2f bits a row behind the best\n", *at.Value, at.Edges, *at.Behind)
	}
	fmt.Println(path.Model, path.Setting, *path.Best, path.Recommended == nil)
	// Output:
	// 1: 9 edges, 0.01 bits a row behind the best
	// 4: 9 edges, 0.00 bits a row behind the best
	// 16: 7 edges, 0.52 bits a row behind the best
	// 64: 5 edges, 3.66 bits a row behind the best
	// linear penalty 4 true
}
