package score

import (
	"errors"
	"fmt"
	"math"

	"github.com/polydag/polydag/matrix"
)

// ErrBlocks is matched if a Gram matrix does not fit its blocks.
var ErrBlocks = errors.New("the Gram matrix does not fit its blocks")

// Blocks has d variables, each expanded into a block of basis functions, and the second moments of all functions. Scores with
// nonlinear effects and categorical variables need nothing else, whatever the number of rows. Memory is 8·D² bytes for D functions.
// Package basis makes Blocks from rows.
type Blocks struct {
	N int // number of rows
	// Start has d+1 entries: variable v owns the functions Start[v] … Start[v+1]-1.
	Start []int
	// Levels marks the categorical variables, whose functions are the indicators of all categories except one. The first function
	// of any other variable is the variable itself, in any unit; the rest are nonlinear functions, the smoothest first, each with a
	// variance of about 1. A numeric variable without nonlinear functions is straight, and one with them is curved.
	Levels []bool
	// Crossed is the number of nonlinear functions of each curved variable whose products with those of every other one follow the
	// functions of all variables: for each pair a < b of curved variables, by b and then by a, Crossed² products. 0 means none.
	Crossed int
	// Gram is the covariance matrix of the functions and products, divided by N.
	Gram *matrix.Dense[float64]
	// Mean has the mean of every function and product. No score needs it.
	Mean []float64
}

// Variables returns d.
func (b *Blocks) Variables() int { return len(b.Levels) }

// Validate reports every inconsistency of the blocks.
func (b *Blocks) Validate() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrBlocks))
	}
	d := len(b.Levels)
	if b.N < 1 {
		fail("%d rows, want at least 1", b.N)
	}
	if len(b.Start) != d+1 || b.Start[0] != 0 {
		fail("%d starts for %d variables, want %d, the first 0", len(b.Start), d, d+1)
		return errors.Join(errs...)
	}
	for v := range d {
		if b.Start[v+1] < b.Start[v] || b.Start[v+1] == b.Start[v] && !b.Levels[v] {
			fail("variable %d owns the functions %d to %d", v+1, b.Start[v], b.Start[v+1]-1)
		}
	}
	for v := range d {
		if size := b.Start[v+1] - b.Start[v]; b.Crossed < 0 || b.Curved(v) && size <= b.Crossed {
			fail("%d functions of variable %d are crossed, of %d beside itself", b.Crossed, v+1, size-1)
		}
	}
	switch all := b.size(); {
	case b.Gram == nil:
		fail("no Gram matrix")
	case b.Gram.Rows != all || b.Gram.Cols != all:
		fail("the Gram matrix is %d×%d, want %d×%d", b.Gram.Rows, b.Gram.Cols, all, all)
	case !b.Gram.Finite():
		fail("the Gram matrix has an entry that is not finite")
	}
	return errors.Join(errs...)
}

// size returns the number of functions and products.
func (b *Blocks) size() int {
	curved := 0
	for v := range b.Levels {
		if b.Curved(v) {
			curved++
		}
	}
	return b.Start[b.Variables()] + b.Crossed*b.Crossed*curved*(curved-1)/2
}

// Curved reports whether variable v is numeric and has nonlinear functions.
func (b *Blocks) Curved(v int) bool { return !b.Levels[v] && b.Start[v+1]-b.Start[v] > 1 }

// unit returns the Gram matrix with every numeric variable and every indicator standardized. A constant gets zeros. Nonlinear
// functions have no unit.
func (b *Blocks) unit() *matrix.Dense[float64] {
	g := b.Gram.Clone()
	for v := range b.Variables() {
		standardized := b.Start[v+1] - b.Start[v]
		if !b.Levels[v] {
			standardized = 1
		}
		for j := b.Start[v]; j < b.Start[v]+standardized; j++ {
			scale := 0.0
			if s := b.Gram.At(j, j); s > 0 {
				scale = 1 / math.Sqrt(s)
			}
			for i := range g.Rows {
				g.Set(i, j, g.At(i, j)*scale)
			}
			for i, x := range g.Row(j) {
				g.Row(j)[i] = x * scale
			}
		}
	}
	return g
}
