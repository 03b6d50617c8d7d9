package solve

import (
	"context"

	"github.com/polydag/polydag/matrix"
)

// An Accelerator runs descents elsewhere than on the processor, such as on a GPU.
type Accelerator interface {
	Name() string // results record it
	// Reserve is told that up to n descents of one kind will run at once, and returns how many of them can.
	Reserve(n int) int
	// Used reports whether a descent ran there since the accelerator was put into its context.
	Used() bool
	// Run32 and Run64 are Run for one precision. They run on the processor what they cannot run elsewhere.
	Run32(ctx context.Context, p Problem[float32], sched Schedule, desc Descent[float32], s Settings, observe Observer) (*Result[float32], error)
	Run64(ctx context.Context, p Problem[float64], sched Schedule, desc Descent[float64], s Settings, observe Observer) (*Result[float64], error)
}

type acceleratorKey struct{}

// WithAccelerator returns a context whose descents by RunAccelerated run on a.
func WithAccelerator(ctx context.Context, a Accelerator) context.Context {
	return context.WithValue(ctx, acceleratorKey{}, a)
}

// AcceleratorOf returns the accelerator of a context, or nil.
func AcceleratorOf(ctx context.Context) Accelerator {
	a, _ := ctx.Value(acceleratorKey{}).(Accelerator)
	return a
}

// RunAccelerated is Run on the accelerator of the context, or on the processor if the context has none.
func RunAccelerated[T matrix.Float](ctx context.Context, p Problem[T], sched Schedule, desc Descent[T], s Settings, observe Observer) (*Result[T], error) {
	var out any
	var err error
	switch p := any(p).(type) {
	case Problem[float32]:
		desc, _ := any(desc).(Descent[float32])
		if a := AcceleratorOf(ctx); a != nil {
			out, err = a.Run32(ctx, p, sched, desc, s, observe)
		} else {
			out, err = runBy32(ctx, nil, p, sched, desc, s, observe)
		}
	case Problem[float64]:
		desc, _ := any(desc).(Descent[float64])
		if a := AcceleratorOf(ctx); a != nil {
			out, err = a.Run64(ctx, p, sched, desc, s, observe)
		} else {
			out, err = runBy64(ctx, nil, p, sched, desc, s, observe)
		}
	}
	return out.(*Result[T]), err
}
