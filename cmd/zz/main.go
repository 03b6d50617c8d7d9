package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/device"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/sim"
	"github.com/polydag/polydag/solve"
)

func main() {
	mode := os.Args[1]
	t0 := time.Now()
	dev, err := device.Open(0)
	if err != nil {
		fmt.Println("open:", err)
		os.Exit(1)
	}
	fmt.Printf("open %.3fs %+v\n", time.Since(t0).Seconds(), dev.Info)
	for _, a := range os.Args[2:] {
		d, _ := strconv.Atoi(a)
		cfg := sim.Default()
		cfg.Nodes, cfg.Seed = d, 1
		model, err := sim.New(cfg)
		if err != nil {
			panic(err)
		}
		data, err := dataset.FromRows(model.Names(), model.Sample(sim.Stream(cfg.Seed, sim.StreamNoise), 1000), 2)
		if err != nil {
			panic(err)
		}
		switch mode {
		case "geo32":
			geo[float32](dev, d, data)
		case "geo64":
			geo[float64](dev, d, data)
		case "batch":
			for _, n := range []int{16, 64, 256} {
				batch(dev, d, n, data)
			}
		case "free":
			free[float32](dev, d, data)
		}
	}
}

func geo[T matrix.Float](dev *device.Device, d int, data *dataset.Moments) {
	p := func() solve.Problem[T] {
		return solve.Problem[T]{D: d, Score: score.NewLeastSquares[T](data.Covariance(), 2), Constraint: &acyclic.Geometric[T]{K: 16, Threads: 2}, Penalty: solve.L1[T]{Lambda: 0.01}}
	}
	for _, steps := range []int{1, 5, 50} {
		if d > 500 {
			break
		}
		a, err1 := solve.Run(context.Background(), p(), solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: steps}, nil)
		b, err2 := device.Run(device.Use(context.Background(), dev), p(), solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: steps}, nil)
		fmt.Println(d, "steps", steps, err1, err2)
		if a != nil && b != nil {
			fmt.Printf("  diff %g  cpu %+v gpu %+v\n", diff(a.W, b.W), a.Last.Point, b.Last.Point)
		}
	}
	for r := range 4 {
		t := time.Now()
		b, err := device.Run(device.Use(context.Background(), dev), p(), solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: 2000}, nil)
		took := time.Since(t)
		fmt.Printf("%d run %d: %.3fs err %v", d, r, took.Seconds(), err)
		if b != nil {
			fmt.Printf(" %v %+v", b.Status, b.Last.Point)
		}
		fmt.Println()
	}
	if d <= 200 {
		t := time.Now()
		a, _ := solve.Run(context.Background(), p(), solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: 2000}, nil)
		b, _ := device.Run(device.Use(context.Background(), dev), p(), solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: 2000}, nil)
		fmt.Printf("  2000 steps: diff %g, cpu %.3fs (incl. one device run) %+v gpu %+v\n", diff(a.W, b.W), time.Since(t).Seconds(), a.Last.Point, b.Last.Point)
	}
}

func free[T matrix.Float](dev *device.Device, d int, data *dataset.Moments) {
	p := func() solve.Problem[T] {
		return solve.Problem[T]{D: d, Score: score.NewGaussian[T](data.Correlation(), false, 2), Constraint: &acyclic.Geometric[T]{K: 16, Threads: 2}, Penalty: solve.MCP[T]{Lambda: 0.2, Width: 0.6}}
	}
	run := func(dv *device.Device, stage int) (*solve.Result[T], float64, error) {
		path := solve.NewRising(solve.RisingSettings{First: 1e-3, Last: 100, Stages: 15, StageSteps: stage})
		adam := solve.NewAdam[T](0.006)
		adam.Beta1, adam.Beta2 = 0.95, 0.99
		t := time.Now()
		r, err := device.Run(device.Use(context.Background(), dv), p(), path, adam, solve.Settings{Steps: path.Steps()}, nil)
		return r, time.Since(t).Seconds(), err
	}
	for _, n := range []int{1, 5, 20, 800} {
		var a *solve.Result[T]
		var ta float64
		var e1 error
		if n < 800 || os.Getenv("NS") == "2" {
			a, ta, e1 = run(nil, n)
		}
		b, tb, e2 := run(dev, n)
		fmt.Println(d, "NS", os.Getenv("NS"), "stage steps", n, "cpu", ta, "gpu", tb, e1, e2)
		if a != nil && b != nil {
			fmt.Printf("  diff %g  cpu %+v gpu %+v\n", diff(a.W, b.W), a.Last.Point, b.Last.Point)
		}
	}
}

func diff[T matrix.Float](a, b *matrix.Dense[T]) float64 {
	m := 0.0
	for i := range a.Data {
		m = max(m, math.Abs(float64(a.Data[i]-b.Data[i])))
	}
	return m
}

func batch(dev *device.Device, d, n int, data *dataset.Moments) {
	dev.Expect(n)
	for range 2 {
		t := time.Now()
		var wg sync.WaitGroup
		out := make([]*solve.Result[float32], n)
		errs := make([]error, n)
		for i := range n {
			wg.Add(1)
			go func() {
				defer wg.Done()
				p := solve.Problem[float32]{D: d, Score: score.NewLeastSquares[float32](data.Covariance(), 1), Constraint: &acyclic.Geometric[float32]{K: 16, Threads: 1}, Penalty: solve.L1[float32]{Lambda: 0.01}}
				out[i], errs[i] = device.Run(device.Use(context.Background(), dev), p, solve.NewReleased(1, 200), solve.NewAdam[float32](0.01), solve.Settings{Steps: 2000}, nil)
			}()
		}
		wg.Wait()
		took := time.Since(t)
		worst := 0.0
		for i := range n {
			if errs[i] != nil {
				fmt.Println(errs[i])
				return
			}
			worst = max(worst, diff(out[0].W, out[i].W))
		}
		fmt.Printf("batch %d of d=%d: %.3fs, differences %g, %+v\n", n, d, took.Seconds(), worst, out[0].Last.Point)
	}
	dev.Expect(1)
}
