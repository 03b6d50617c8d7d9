package grandag

import (
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/matrix"
)

// away computes the loss of batches on a device and divides the likelihood by the number of columns.
type away struct {
	deep    *device.Deep
	columns int
	grad    []float64
}

// eval returns the loss of a batch at theta and adds weight times its gradient to grad.
func (a *away) eval(batch *matrix.Dense[float64], grad, theta []float64, weight float64) (float64, error) {
	if len(a.grad) != len(theta) {
		a.grad = make([]float64, len(theta))
	}
	v, err := a.deep.Eval(a.grad, theta, batch)
	if err != nil {
		return 0, network.Away(err)
	}
	share := 1 / float64(a.columns)
	for k, g := range a.grad {
		grad[k] += weight * share * g
	}
	return v * share, nil
}
