package sim

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
)

// Sample draws n rows; categories are coded 0, 1, …. It takes one number from rng for any n, so the first rows of a larger sample
// are those of a smaller one (unless it is standardized or has several settings).
func (m *Model) Sample(rng *rand.Rand, n int) *matrix.Dense[float64] {
	x, _ := m.SampleSettings(rng, n)
	return x
}

// SampleSettings is Sample that also returns the setting of each row, a number of Targets.
func (m *Model) SampleSettings(rng *rand.Rand, n int) (x *matrix.Dense[float64], settings []int) {
	x, settings = matrix.New[float64](n, m.Dim()), make([]int, 0, n)
	_ = m.SampleRows(context.Background(), rng, n, 1, func(setting int, row []float64) error { // no error to return
		copy(x.Row(len(settings)), row)
		settings = append(settings, setting)
		return nil
	})
	return x, settings
}

// SampleRows draws the rows of Sample one after the other and calls use with each row, valid only during the call, and its setting.
// Threads never change a row. Memory is O(d) plus batchValues numbers: a standardized sample is drawn twice, first for its mean and
// variance. It stops when ctx ends, with its cause, and at the first error of use, and returns it.
func (m *Model) SampleRows(ctx context.Context, rng *rand.Rand, n, threads int, use func(setting int, row []float64) error) error {
	seed := rng.Uint64()
	if !m.cfg.Standardize {
		return m.rows(ctx, seed, n, threads, use)
	}
	mean, scale, err := m.columnScales(ctx, seed, n, threads)
	if err != nil {
		return err
	}
	return m.rows(ctx, seed, n, threads, func(setting int, row []float64) error {
		for j := range row {
			row[j] = (row[j] - mean[j]) * scale[j]
		}
		return use(setting, row)
	})
}

// columnScales returns the mean and 1/standard deviation of each numeric column (Welford 1962). A constant column, as with n = 1,
// has scale 1. Categories have mean 0 and scale 1.
func (m *Model) columnScales(ctx context.Context, seed uint64, n, threads int) (mean, scale []float64, err error) {
	mean, scale = make([]float64, m.Dim()), make([]float64, m.Dim())
	count := 0.0
	err = m.rows(ctx, seed, n, threads, func(_ int, row []float64) error {
		count++
		for j, v := range row {
			delta := v - mean[j]
			mean[j] += delta / count
			scale[j] += delta * (v - mean[j])
		}
		return nil
	})
	for j, s := range scale {
		scale[j] = 1
		if m.levels[j] > 0 {
			mean[j] = 0
		} else if s > 0 {
			scale[j] = math.Sqrt(count / s)
		}
	}
	return mean, scale, err
}

// batchValues limits the numbers that are drawn at a time: 256 kB.
const batchValues = 1 << 15

// rows draws n raw rows. One goroutine draws the noise along the causal order, row after row; the rows of a batch are then computed
// on several threads.
func (m *Model) rows(ctx context.Context, seed uint64, n, threads int, use func(setting int, row []float64) error) error {
	rng, assigned := Stream(seed, StreamNoise), m.assign(seed, n)
	d := m.Dim()
	batch := min(n, max(1, batchValues/d))
	values, settings := make([]float64, batch*d), make([]int, batch)
	for done := 0; done < n; done += batch {
		batch = min(batch, n-done)
		for i := range batch {
			settings[i] = assigned.next()
			row := values[i*d : (i+1)*d]
			for _, j := range m.order {
				row[j] = m.noiseOf(j, rng)
			}
		}
		parallel.Each(ctx, batch, threads, func(int) func(int) {
			return func(i int) { m.fill(values[i*d:(i+1)*d], settings[i]) }
		})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for i := range batch {
			if err := use(settings[i], values[i*d:(i+1)*d]); err != nil {
				return err
			}
		}
	}
	return nil
}

// fill converts a row of noise to a row of values.
func (m *Model) fill(row []float64, at int) {
	changed := m.settings[at].equations
	for _, j := range m.order {
		e := m.equations[j]
		if len(changed) > 0 {
			if other, ok := changed[j]; ok {
				e = other
			}
		}
		row[j] = e.value(row, row[j])
	}
}
