package weighted

import (
	"fmt"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/solve"
)

// Constraint is the name of an acyclicity constraint.
type Constraint string

// These are the constraints. A method offers some of them.
const (
	Exponential Constraint = "exp"    // tr exp(A) - d
	PowerSum    Constraint = "poly"   // h_poly, term by term
	Geometric   Constraint = "geo"    // h_geo, the same value with fewer products
	Binomial    Constraint = "bin"    // tr((I + A/d)^d) - d
	LogDet      Constraint = "logdet" // -log det(I - A)
)

// GeometricMatrices is the number of matrices that h_geo of order k works in: 8 with the scheme for K = 16, at most 13
// with any other.
func GeometricMatrices(k int) int {
	if k == 16 {
		return 8
	}
	return 13
}

// ConstraintParam describes the setting constraint of a published method whose own constraint is published.
func ConstraintParam(s *param.Set, c *Constraint, published Constraint) {
	words := []Constraint{published}
	if published != Exponential {
		words = append(words, Exponential)
	}
	param.Word(s, c, "constraint", fmt.Sprintf("acyclicity constraint: %s as published, or poly or geo (the paper polyDAG)", published), append(words, PowerSum, Geometric)...)
}

// Work returns the number of products of one evaluation for the given number of columns, and of the matrices that
// it works in.
func (c Constraint) Work(columns int) (products float64, matrices int) {
	switch c {
	case PowerSum:
		return float64(columns), 4
	case Geometric:
		return float64((&acyclic.Geometric[float64]{}).Products(columns)), GeometricMatrices(columns)
	}
	return 9, 6
}

// New returns the constraint.
func (c Constraint) New() solve.Constraint[float64] { return NewConstraint[float64](c, 1) }

// NewConstraint returns the constraint in one precision, with this many threads per product.
func NewConstraint[T matrix.Float](c Constraint, threads int) solve.Constraint[T] {
	switch c {
	case PowerSum:
		return &acyclic.Poly[T]{Threads: threads}
	case Geometric:
		return &acyclic.Geometric[T]{Threads: threads}
	case Binomial:
		return &acyclic.Binomial[T]{Threads: threads}
	case LogDet:
		return &acyclic.LogDet[T]{Threads: threads}
	}
	return &acyclic.Exp[T]{Threads: threads}
}
