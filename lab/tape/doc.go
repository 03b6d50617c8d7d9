// Package tape differentiates functions of matrices in reverse mode.
//
//	t := tape.New(1)
//	w, x := t.Param(3, 2), t.Input(100, 3)
//	loss := t.SumSquares(t.Sigmoid(t.Product(x, w)))
//	t.Load(theta)             // the parameters, one after the other
//	v, err := t.Forward(loss) // at x.Value
//	t.Backward(loss, 1)       // adds to the gradients of the parameters
//	t.AddGradient(grad)
//
// The operations are recorded once and run repeatedly. A tape serves all batches of one shape, and runs do not
// allocate. Tests compare each operation with a slow version, and its gradient with finite differences.
// Products use package matrix, whose results do not depend on the number of threads.
package tape
