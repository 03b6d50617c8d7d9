// Package device runs the descents of continuous methods on a GPU, and evaluates line searches and networks
// there. Moments or rows are sent once per descent. W comes back at the end and at checkpoints. A separate
// program, polydag-cuda, controls the GPU, and this package starts it and talks to it by pipe. So polydag stays
// a static binary, and a crash of the driver does not end it.
//
// Experimental: the API of this package may change before 1.0.
package device

import (
	"cmp"
	"fmt"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/lab/optimize"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
	"github.com/polydag/polydag/solve"
)

// Score is the name of a score that devices support.
type Score string

// These are the supported scores.
const (
	LeastSquares  Score = "least squares"
	Gaussian      Score = "Gaussian"                      // one variance per column
	GaussianEqual Score = "Gaussian with equal variances" // one variance for all columns
)

// Penalty is the name of a penalty.
type Penalty string

// These are the supported penalties.
const (
	NoPenalty Penalty = ""
	L1        Penalty = "L1"
	MCP       Penalty = "MCP"
)

// Constraint is the name of a constraint.
type Constraint string

// These are the supported constraints.
const (
	Unconstrained  Constraint = ""
	Geometric      Constraint = "geometric" // power sum of a given order
	Exponential    Constraint = "exponential"
	Binomial       Constraint = "binomial"  // power equal to the number of columns
	Truncated      Constraint = "truncated" // power sum whose order depends on W
	LogDeterminant Constraint = "log-determinant"
)

// Problem describes a problem to a device: everything except the matrices.
type Problem struct {
	D     int
	Bits  int // bits of a number, 32 or 64
	Batch int // number of problems of this kind

	Score      Score
	Penalty    Penalty
	Lambda     float64
	Width      float64
	Constraint Constraint
	Order      int     // order of the power sum
	S          float64 // S of the log-determinant
	Least      float64 // the truncated sum continues while an entry of the power is above this
	Masked     bool    // some entries stay zero

	// Rows is set if the score is a sum over rows. The device then computes only its values and gradients,
	// without penalty, constraint and mask.
	Rows *Rows `json:",omitempty"`
	// Coder is set if the score is an autoencoder. The device then computes only its values and gradients.
	Coder *Coder `json:",omitempty"`

	// Search means that the steps are those of OWLQN for a single problem, with the given number of pairs and
	// tolerance.
	Search bool
	Pairs  int
	Tol    float64

	Rate, Beta1, Beta2, Eps float64 // settings of Adam
}

// Describe translates a problem with Adam or OWLQN for a device and returns the moments of its score. The error
// names the part that no device supports.
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
		if out.Constraint == Truncated { // the number of launches depends on W
			return out, nil, fmt.Errorf("the constraint %T is not on the device for steps of Adam", p.Constraint)
		}
		out.Rate, out.Beta1, out.Beta2, out.Eps = desc.Rate, desc.Beta1, desc.Beta2, desc.Eps
		return out, s, nil
	case *optimize.OWLQN[T]:
		out.Search, out.Pairs, out.Tol = true, desc.Memory, desc.Tol
	default:
		return out, nil, fmt.Errorf("the descent %T is not on the device", desc)
	}
	switch {
	case out.Pairs < 1:
		err = fmt.Errorf("OWL-QN without memory is not on the device")
	case out.Score != LeastSquares || out.Constraint == LogDeterminant: // devices track determinants only along Adam steps
		err = fmt.Errorf("a line search with a determinant is not on the device")
	case p.D < 2 || out.Constraint == Geometric && out.Order < 2:
		err = fmt.Errorf("a constraint that is zero everywhere is not on the device")
	}
	return out, s, err
}

// penalize sets the penalty of out and reports whether devices support it.
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

// functions translates the score and the constraint.
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
