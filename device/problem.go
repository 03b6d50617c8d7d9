// Package device runs whole descents of continuous methods on an accelerator, and evaluates what line searches and networks try: moments or rows go there once for each descent, W comes back at the end
// and at checkpoints. The accelerator is driven by a program of its own, polydag-cuda, which this package starts and speaks to by
// pipe: calling a driver makes a program dynamic, and a driver that crashes takes down nothing but itself.
//
// Experimental: the API of this package may change before 1.0.
package device

import (
	"cmp"
	"fmt"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Score names a score that a device knows.
type Score string

// The scores.
const (
	LeastSquares  Score = "least squares"
	Gaussian      Score = "Gaussian"                      // a variance for each column
	GaussianEqual Score = "Gaussian with equal variances" // one for all
)

// Penalty names a penalty.
type Penalty string

// The penalties.
const (
	NoPenalty Penalty = ""
	L1        Penalty = "L1"
	MCP       Penalty = "MCP"
)

// Constraint names a constraint.
type Constraint string

// The constraints.
const (
	Unconstrained  Constraint = ""
	Geometric      Constraint = "geometric" // power sum of an order
	Exponential    Constraint = "exponential"
	Binomial       Constraint = "binomial"  // power of the number of columns
	Truncated      Constraint = "truncated" // power sum of an order that depends on W
	LogDeterminant Constraint = "log-determinant"
)

// Problem is what a device has to know to take steps: everything but the numbers of the matrices.
type Problem struct {
	D     int
	Bits  int // of a number, 32 or 64
	Batch int // problems of this kind at once

	Score      Score
	Penalty    Penalty
	Lambda     float64
	Width      float64
	Constraint Constraint
	Order      int     // of the power sum
	S          float64 // of the log-determinant
	Least      float64 // entry of a power that the truncated sum goes on for
	Masked     bool    // some entries stay zero

	// Rows is set if the score is a sum over rows. The device then computes values and gradients only, without penalty, constraint and mask.
	Rows *Rows `json:",omitempty"`
	// Coder is set if the score is an autoencoder. The device then computes values and gradients only.
	Coder *Coder `json:",omitempty"`

	// Search says that steps are those of OWLQN and no others: one problem, with so many pairs, that stands still at a tolerance.
	Search bool
	Pairs  int
	Tol    float64

	Rate, Beta1, Beta2, Eps float64 // of Adam
}

// Describe translates a problem that Adam or OWLQN descends for a device, and returns the moments of its score. The error names the part
// that no device knows.
func Describe[T matrix.Float](p solve.Problem[T], desc solve.Descent[T]) (Problem, *matrix.Dense[T], error) {
	out, s, err := functions(p)
	if err != nil {
		return out, nil, err
	}
	if !penalize(&out, p.Penalty) {
		return out, nil, fmt.Errorf("the penalty %T is not on the device", p.Penalty)
	}
	out.Masked = p.Forbidden != nil
	switch desc := desc.(type) {
	case *solve.Adam[T]:
		if out.Constraint == Truncated { // its launches depend on W
			return out, nil, fmt.Errorf("the constraint %T is not on the device for steps of Adam", p.Constraint)
		}
		out.Rate, out.Beta1, out.Beta2, out.Eps = desc.Rate, desc.Beta1, desc.Beta2, desc.Eps
		return out, s, nil
	case *solve.OWLQN[T]:
		out.Search, out.Pairs, out.Tol = true, desc.Memory, desc.Tol
	default:
		return out, nil, fmt.Errorf("the descent %T is not on the device", desc)
	}
	switch {
	case out.Pairs < 1:
		err = fmt.Errorf("OWL-QN without memory is not on the device")
	case out.Score != LeastSquares || out.Constraint == LogDeterminant: // a device follows determinants along steps
		err = fmt.Errorf("a line search with a determinant is not on the device")
	case p.D < 2 || out.Constraint == Geometric && out.Order < 2:
		err = fmt.Errorf("a constraint that is zero everywhere is not on the device")
	}
	return out, s, err
}

// penalize says what a penalty is, where the device knows it.
func penalize[T matrix.Float](out *Problem, penalty solve.Penalty[T]) bool {
	switch f := penalty.(type) {
	case nil:
	case solve.L1[T]:
		out.Penalty, out.Lambda, out.Width = L1, f.Lambda, 1
	case solve.MCP[T]:
		out.Penalty, out.Lambda, out.Width = MCP, f.Lambda, f.Width
	default:
		return false
	}
	return true
}

// functions says what score and constraint are.
func functions[T matrix.Float](p solve.Problem[T]) (Problem, *matrix.Dense[T], error) {
	var zero T
	out := Problem{D: p.D, Bits: bitsOf(zero), Batch: 1}
	if p.Parameters != nil {
		return out, nil, fmt.Errorf("a descent over parameters of W is not on the device")
	}
	var s *matrix.Dense[T]
	switch f := p.Score.(type) {
	case *score.LeastSquares[T]:
		out.Score, s = LeastSquares, f.Moments()
	case *score.Gaussian[T]:
		out.Score, s = Gaussian, f.Moments()
		if f.Equal() {
			out.Score = GaussianEqual
		}
	default:
		return out, nil, fmt.Errorf("the score %T is not on the device", p.Score)
	}
	switch h := p.Constraint.(type) {
	case nil:
	case *acyclic.Geometric[T]:
		out.Constraint, out.Order = Geometric, cmp.Or(h.K, p.D)
	case *acyclic.Poly[T]:
		out.Constraint, out.Order = Geometric, p.D
	case *acyclic.Exp[T]:
		out.Constraint = Exponential
	case *acyclic.Binomial[T]:
		out.Constraint = Binomial
	case *acyclic.Truncated[T]:
		out.Constraint, out.Least = Truncated, h.Least()
	case *acyclic.LogDet[T]:
		out.Constraint, out.S = LogDeterminant, cmp.Or(h.S, 1)
	default:
		return out, nil, fmt.Errorf("the constraint %T is not on the device", p.Constraint)
	}
	return out, s, nil
}

func bitsOf(one any) int {
	if _, ok := one.(float32); ok {
		return 32
	}
	return 64
}
