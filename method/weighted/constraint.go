package weighted

import (
	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/solve"
)

// Constraint is the name of an acyclicity constraint.
type Constraint string

// These are the constraints. A method offers some of them.
const (
	Exponential Constraint = "exp"  // tr exp(A) - d
	PowerSum    Constraint = "poly" // h_poly, term by term
	Geometric   Constraint = "geo"  // h_geo, the same value with fewer products
	Binomial    Constraint = "bin"  // tr((I + A/d)^d) - d
)

// GeometricMatrices is the number of matrices that h_geo of order k works in: 8 with the scheme for K = 16, at most 13
// with any other.
func GeometricMatrices(k int) int {
	if k == 16 {
		return 8
	}
	return 13
}

// New returns the constraint.
func (c Constraint) New() solve.Constraint[float64] {
	switch c {
	case PowerSum:
		return &acyclic.Poly[float64]{}
	case Geometric:
		return &acyclic.Geometric[float64]{}
	case Binomial:
		return &acyclic.Binomial[float64]{}
	}
	return &acyclic.Exp[float64]{}
}
