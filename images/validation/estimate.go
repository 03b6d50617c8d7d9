package validation

import (
	"fmt"
	"math"

	"github.com/polydag/polydag/internal/resample"
	"github.com/polydag/polydag/internal/splitmix"
)

// A Confusion counts the errors of one column.
type Confusion struct {
	Column string
	// Counts[t][l] is the number of rows with the true value t and the label l.
	Counts [2][2]int
	// Sensitivity is the probability of label 1 if 1 is true, Specificity that of label 0 if 0 is true. Half a row is added to
	// each count (Jeffreys prior), so that few rows do not give 0 or 1.
	Sensitivity, Specificity float64
}

// Rows returns the number of rows that people labelled.
func (c Confusion) Rows() int {
	return c.Counts[0][0] + c.Counts[0][1] + c.Counts[1][0] + c.Counts[1][1]
}

// j is Youden's index: 1 without errors, 0 for labels that do not depend on the truth.
func (c Confusion) j() float64 { return c.Sensitivity + c.Specificity - 1 }

// Errors are the errors of several columns.
type Errors struct {
	Columns []Confusion
	joint   [][]span // of pairs of columns

	labels, human [][]float64 // a slice per column
}

// span is the covariance of the errors of two columns with its standard error.
type span struct{ cov, se float64 }

const (
	leastRows = 20  // rows that people labelled
	leastJ    = 0.2 // least Youden's index: below it, the corrected moments are mostly noise
)

// Estimate compares labels with those of people: a slice per column, a value per row, 0 or 1. NaN is a value that
// nobody gave.
func Estimate(names []string, labels, human [][]float64) (*Errors, error) {
	e := &Errors{labels: labels, human: human}
	residual := make([][]float64, len(names))
	for j, name := range names {
		c := Confusion{Column: name}
		residual[j] = make([]float64, len(labels[j]))
		for i, l := range labels[j] {
			h := human[j][i]
			residual[j][i] = l - h
			if math.IsNaN(l) || math.IsNaN(h) {
				continue
			}
			for _, v := range []float64{l, h} {
				if v != 0 && v != 1 {
					return nil, fmt.Errorf("column %s has the value %v; validation needs decisions, 0 or 1", name, v)
				}
			}
			c.Counts[int(h)][int(l)]++
		}
		share := func(yes, no int) float64 { return (float64(yes) + 0.5) / (float64(yes+no) + 1) }
		c.Sensitivity, c.Specificity = share(c.Counts[1][1], c.Counts[1][0]), share(c.Counts[0][0], c.Counts[0][1])
		switch {
		case c.Rows() < leastRows:
			return nil, fmt.Errorf("column %s: %d rows with human labels, want at least %d", name, c.Rows(), leastRows)
		case c.j() < leastJ:
			return nil, fmt.Errorf("column %s: sensitivity %.2f and specificity %.2f; such labels say too little, drop the column", name, c.Sensitivity, c.Specificity)
		}
		e.Columns = append(e.Columns, c)
	}
	e.joint = make([][]span, len(names))
	for i := range names {
		e.joint[i] = make([]span, len(names))
		for j := range i {
			e.joint[i][j] = covariance(residual[i], residual[j])
			e.joint[j][i] = e.joint[i][j]
		}
	}
	return e, nil
}

// Redrawn returns the errors in a bootstrap sample of the validated rows, or in half of them, so that replicates include the
// uncertainty of the errors. The draw is independent of that of the table with the same seed.
func (e *Errors) Redrawn(d resample.Draw) (*Errors, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	d.Seed = splitmix.Mix(d.Seed ^ seedOfRows)
	n := len(e.labels[0])
	stream := d.Start([]int{n})
	var rows []int
	for i := range n {
		for range stream.Next(0) {
			rows = append(rows, i)
		}
	}
	drawn := func(columns [][]float64) [][]float64 {
		out := make([][]float64, len(columns))
		for j, c := range columns {
			for _, i := range rows {
				out[j] = append(out[j], c[i])
			}
		}
		return out
	}
	names := make([]string, len(e.Columns))
	for j, c := range e.Columns {
		names[j] = c.Column
	}
	return Estimate(names, drawn(e.labels), drawn(e.human))
}

// seedOfRows makes the draws of validated rows differ from those of the table.
const seedOfRows = 0x76616c6964

// covariance returns the covariance of two slices over the rows that have both.
func covariance(x, y []float64) span {
	n, sx, sy := 0.0, 0.0, 0.0
	for i := range x {
		if both := x[i] + y[i]; both == both {
			n, sx, sy = n+1, sx+x[i], sy+y[i]
		}
	}
	if n < 2 {
		return span{0, math.Inf(1)}
	}
	sum, square := 0.0, 0.0
	for i := range x {
		if both := x[i] + y[i]; both == both {
			p := (x[i] - sx/n) * (y[i] - sy/n)
			sum, square = sum+p, square+p*p
		}
	}
	cov := sum / n
	return span{cov, math.Sqrt(max(0, square/n-cov*cov) / n)}
}
