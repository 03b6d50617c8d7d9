package bench

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// DeviceReport has the measurements on an accelerator.
type DeviceReport struct {
	Device    device.Info  `json:"device"`
	Precision int          `json:"precision"`
	Batch     int          `json:"batch"`
	Steps     int          `json:"steps"`
	StartUp   float64      `json:"start_up_seconds"` // the program, the context and the kernels, compiled or from the driver's cache
	Sizes     []DeviceSize `json:"sizes"`
}

// DeviceSize has the measurements for d nodes: whole descents of polydag-geo, and its launches one by one.
type DeviceSize struct {
	D       int            `json:"d"`
	Seconds float64        `json:"seconds"`      // median time of all steps of all problems, including transfers
	Step    float64        `json:"step_seconds"` // Seconds over steps and problems
	Flops   float64        `json:"flops_per_second"`
	Shares  []device.Share `json:"launches"`
}

// deviceRuns is the number of descents whose median is taken.
const deviceRuns = 5

// Device measures descents of polydag-geo on an accelerator, batch at a time.
func Device(ctx context.Context, open func() (*device.Device, error), nodes []int, precision, steps, batch int, progress func(d int, what string)) (*DeviceReport, error) {
	began := time.Now()
	on, err := open()
	if err != nil {
		return nil, err
	}
	defer on.Close()
	warm := device.Problem{D: 32, Bits: precision, Batch: 1, Score: device.LeastSquares, Constraint: device.Geometric, Order: 16, Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, Width: 1}
	if _, err := on.Profile(warm); err != nil { // loads the kernels
		return nil, err
	}
	r := &DeviceReport{Device: on.Info, Precision: precision, Batch: batch, Steps: steps, StartUp: time.Since(began).Seconds()}
	on.Expect(batch)
	for _, d := range nodes {
		if progress != nil {
			progress(d, "descents on the device")
		}
		size := DeviceSize{D: d}
		if precision == 32 {
			size.Seconds, err = descents[float32](device.Use(ctx, on), d, steps, batch)
		} else {
			size.Seconds, err = descents[float64](device.Use(ctx, on), d, steps, batch)
		}
		if err != nil {
			return nil, err
		}
		size.Step = size.Seconds / float64(steps*batch)
		p := warm
		p.D, p.Batch = d, batch
		if size.Shares, err = on.Profile(p); err != nil {
			return nil, err
		}
		for _, s := range size.Shares {
			size.Flops += s.Flops
		}
		size.Flops /= float64(batch) * size.Step
		r.Sizes = append(r.Sizes, size)
	}
	return r, nil
}

// descents returns the median time of a batch of descents.
func descents[T matrix.Float](ctx context.Context, d, steps, batch int) (float64, error) {
	data, err := sampled(d, 1)
	if err != nil {
		return 0, err
	}
	ls := make([]*score.LeastSquares[T], batch)
	for i := range ls {
		ls[i] = score.NewLeastSquares[T](data.Covariance(), 1)
	}
	var times []float64
	for range deviceRuns {
		errs := make([]error, batch)
		var all sync.WaitGroup
		began := time.Now()
		for i := range batch {
			all.Go(func() {
				p := solve.Problem[T]{D: d, Score: ls[i], Constraint: &acyclic.Geometric[T]{K: 16}, Penalty: solve.L1[T]{Lambda: 0.01}}
				_, errs[i] = solve.RunAccelerated(ctx, p, solve.NewReleased(1, 200), solve.NewAdam[T](0.01), solve.Settings{Steps: steps}, nil)
			})
		}
		all.Wait()
		times = append(times, time.Since(began).Seconds())
		if i := slices.IndexFunc(errs, func(err error) bool { return err != nil }); i >= 0 {
			return 0, fmt.Errorf("d = %d: %w", d, errs[i])
		}
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
