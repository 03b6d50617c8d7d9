package polydag_test

import (
	"context"
	"fmt"
	"os"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method/paper"
)

// A run that is cut short, here after 100 steps, goes on from its checkpoint and ends where it would have ended.
func ExampleRun() {
	c := sim.Default()
	c.Nodes = 8
	model, _ := sim.New(c)
	data, _ := dataset.MomentsOf(model.Names(), model.Sample(sim.Stream(1, sim.StreamNoise), 300), 1)

	path, _ := os.MkdirTemp("", "run")
	defer os.RemoveAll(path)
	dir, err := polydag.OpenCheckpoint(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dir.Close()

	ctx, cancel := context.WithCancel(context.Background())
	run := polydag.Run{Store: dir, Every: polydag.SaveEvery, Observe: func(p polydag.Progress) {
		if p.Step == 100 {
			cancel()
		}
	}}
	cfg := polydag.DefaultConfig()
	cfg.Method, cfg.CheckScale = paper.NewGeo(), polydag.CheckScaleNever
	table := polydag.FromMoments(data)
	res, _ := table.Learn(ctx, cfg, run)
	fmt.Println(res.Status, "at step", res.Continuous.Steps)

	run.Observe = nil
	res, _ = table.Learn(context.Background(), cfg, run)
	fmt.Println(res.Status, "at step", res.Continuous.Steps)
	// Output:
	// canceled at step 100
	// completed at step 2000
}
