// Package tape differentiates functions of matrices in reverse mode.
//
//	t := tape.New(1)
//	w, x := t.Param(3, 2), t.Input(100, 3)
//	loss := t.SumSquares(t.Sigmoid(t.Product(x, w)))
//	t.Load(theta)             // the parameters, one after the other
//	v, err := t.Forward(loss) // of what x.Value holds
//	t.Backward(loss, 1)       // adds to the gradients of the parameters
//	t.AddGradient(grad)
//
// The operations are written down once and run as often as wanted: a tape of one shape is made for
// the batches of that shape, and no run allocates. Each operation has its formula and its gradient
// in its comment, a slow twin in the tests, and a check of the gradient against finite differences.
// Products run on the kernels of package matrix, whose results do not depend on the number of
// threads.
package tape
