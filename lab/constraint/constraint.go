// Package constraint names acyclicity constraints for methods that have the choice.
package constraint

import (
	"fmt"

	"github.com/polydag/polydag/acyclic"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method/param"
	"github.com/polydag/polydag/method/weighted"
	"github.com/polydag/polydag/solve"
)

// A Name is the name of an acyclicity constraint.
type Name string

// These are the constraints. A method offers some of them.
const (
	Exponential Name = "exp"    // tr exp(A) - d
	PowerSum    Name = "poly"   // h_poly, term by term
	Geometric   Name = "geo"    // h_geo, the same value with fewer products
	Binomial    Name = "bin"    // tr((I + A/d)^d) - d
	LogDet      Name = "logdet" // -log det(I - A)
)

// Param describes the setting constraint of a published method whose own constraint is published.
func Param(s *param.Set, c *Name, published Name) {
	words := []Name{published}
	if published != Exponential {
		words = append(words, Exponential)
	}
	param.Word(s, c, "constraint", fmt.Sprintf("acyclicity constraint: %s as published, or poly or geo (the paper polyDAG)", published), append(words, PowerSum, Geometric)...)
}

// Work returns the number of products of one evaluation for the given number of columns, and of the matrices that
// it works in.
func (c Name) Work(columns int) (products float64, matrices int) {
	switch c {
	case PowerSum:
		return float64(columns), 4
	case Geometric:
		return float64((&acyclic.Geometric[float64]{}).Products(columns)), weighted.GeometricMatrices(columns)
	}
	return 9, 6
}

// New returns the constraint.
func (c Name) New() solve.Constraint[float64] { return New[float64](c, 1) }

// New returns the constraint in one precision, with this many threads per product.
func New[T matrix.Float](c Name, threads int) (h solve.Constraint[T]) {
	switch h := any(&h).(type) {
	case *solve.Constraint[float32]:
		*h = make32(c, threads)
	case *solve.Constraint[float64]:
		*h = make64(c, threads)
	}
	return h
}

// Variables, so that only this package compiles the constraints and not every method that has the choice.
var make32, make64 = newOf[float32], newOf[float64]

func newOf[T matrix.Float](c Name, threads int) solve.Constraint[T] {
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
