package sim_test

import (
	"fmt"

	"github.com/polydag/polydag/lab/sim"
)

func Example() {
	cfg := sim.Default()
	cfg.Nodes, cfg.Degree, cfg.Seed = 5, 2, 7
	model, err := sim.New(cfg)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range model.Edges() {
		fmt.Printf("%d → %d %.2f\n", e.From, e.To, e.Weight)
	}
	x := model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000)
	fmt.Println(x.Rows, "rows,", x.Cols, "columns, causal order", model.Order())
	// Output:
	// 1 → 2 -1.01
	// 1 → 3 -1.93
	// 2 → 0 1.16
	// 3 → 0 -1.32
	// 3 → 4 1.35
	// 4 → 0 -1.27
	// 4 → 2 0.87
	// 1000 rows, 5 columns, causal order [1 3 4 2 0]
}

func ExampleSettings_Validate() {
	cfg := sim.Default()
	cfg.Nodes, cfg.Degree, cfg.SDLow = 10, 12, -1
	fmt.Println(cfg.Validate())
	// Output:
	// Degree = 12 with 10 nodes, want at most 9: a node has no more neighbours
	// standard deviations on [-1, 1], want 0 < low <= high
}
