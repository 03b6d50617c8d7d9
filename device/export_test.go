package device

import (
	"context"

	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/solve"
)

// ValuesOf evaluates a problem on the device, as searches have it that stay here.
func ValuesOf[T matrix.Float](d *Device, p solve.Problem[T]) (solve.Evaluator[T], func() error, error) {
	problem, moments, err := Describe(p, nil)
	if err != nil {
		return nil, nil, err
	}
	v, err := newValues(context.Background(), d, problem, moments, p)
	if err != nil {
		return nil, nil, err
	}
	return v, v.close, nil
}

// WithOnes are rows as they go to a device.
func WithOnes(x *matrix.Dense[float64], before bool) []float64 { return appendOnes(nil, x, before) }

// MaxSearches is maxSearches, for tests.
const MaxSearches = maxSearches
