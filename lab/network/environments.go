package network

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/method"
)

// EnvironmentRows are the rows of a table in memory, with the environment of each.
type EnvironmentRows struct {
	N, D        int
	Values      []float64 // row by row
	Environment []int     // environment of each row
	Targets     [][]int   // intervention targets of each environment
}

// ReadEnvironments reads the table. Of a table with more values than most it keeps every second, third, … row.
func ReadEnvironments(ctx context.Context, in *method.Input, most int) (*EnvironmentRows, error) {
	if in.Rows == nil {
		return nil, method.ErrNoRows
	}
	r := &EnvironmentRows{D: len(in.Names()), Targets: [][]int{nil}}
	every := max(1, (in.RowCount()*r.D+most-1)/most)
	if in.Environments != nil {
		r.Targets = make([][]int, len(in.Environments.Names))
		copy(r.Targets, in.Environments.Targets)
	}
	at := 0
	err := in.Rows(ctx, func(b dataset.RowBatch) error {
		for i := range len(b.Values) / r.D {
			if at++; (at-1)%every != 0 {
				continue
			}
			r.Values = append(r.Values, b.Values[i*r.D:(i+1)*r.D]...)
			k := 0
			if b.Environments != nil {
				k = b.Environments[i]
			}
			r.Environment = append(r.Environment, k)
		}
		return ctx.Err()
	})
	r.N = len(r.Environment)
	return r, err
}

// Standardize gives column j a mean of 0 and, on the unit scale, a variance of 1. A column that does not vary is an error with its name.
func (r *EnvironmentRows) Standardize(j int, name string, scale Scale) error {
	mean, square := 0.0, 0.0
	for at := j; at < len(r.Values); at += r.D {
		mean += r.Values[at] / float64(r.N)
	}
	for at := j; at < len(r.Values); at += r.D {
		square += (r.Values[at] - mean) * (r.Values[at] - mean) / float64(r.N)
	}
	if !(square > 0) {
		return fmt.Errorf("column %s does not vary in the %d rows; drop it", name, r.N)
	}
	if scale == Raw {
		square = 1
	}
	for at := j; at < len(r.Values); at += r.D {
		r.Values[at] = (r.Values[at] - mean) / math.Sqrt(square)
	}
	return nil
}

// Standardized returns the values of all columns after Standardize.
func (r *EnvironmentRows) Standardized(names []string, scale Scale) ([]float32, error) {
	for j, name := range names {
		if err := r.Standardize(j, name, scale); err != nil {
			return nil, err
		}
	}
	out := make([]float32, len(r.Values))
	for i, v := range r.Values {
		out[i] = float32(v)
	}
	return out, nil
}

// Identified reports whether interventions identify the direction of an edge: an environment has exactly one of its ends as a target (Hauser and
// Bühlmann 2012; for imperfect interventions, Yang, Katcoff and Uhler 2018).
func Identified(r *dataset.Environments, from, to int) bool {
	return r != nil && slices.ContainsFunc(r.Targets, func(targets []int) bool { return slices.Contains(targets, from) != slices.Contains(targets, to) })
}
