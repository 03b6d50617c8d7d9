// Package inputtest makes inputs for the tests of methods.
package inputtest

import (
	"fmt"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// Names returns x0, x1, and so on.
func Names(columns int) []string {
	names := make([]string, columns)
	for j := range names {
		names[j] = fmt.Sprint("x", j)
	}
	return names
}

// Moments returns the moments of the rows of x.
func Moments(t testing.TB, names []string, x *matrix.Dense[float64]) *dataset.Moments {
	t.Helper()
	m, err := dataset.MomentsOf(names, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Of returns the input of a table with the rows of x, read at once.
func Of(t testing.TB, names []string, x *matrix.Dense[float64]) *method.Input {
	t.Helper()
	return &method.Input{
		Moments: Moments(t, names, x), Seed: 1, Threads: 1,
		Rows: dataset.RowBatch{Values: x.Data}.Rows(x.Cols),
	}
}

// Simulated returns the input of a table drawn from a random model.
func Simulated(t testing.TB, rows int, change func(*sim.Settings)) (*method.Input, *sim.Model) {
	t.Helper()
	c := sim.Default()
	change(&c)
	m, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return Of(t, m.Names(), m.Sample(sim.Stream(c.Seed, sim.StreamNoise), rows)), m
}

// Known adds prior knowledge to an input, unless it is empty.
func Known(t testing.TB, in *method.Input, spec knowledge.Spec) *method.Input {
	t.Helper()
	if !spec.Empty() {
		var err error
		if in.Knowledge, err = spec.Resolve(in.Names()); err != nil {
			t.Fatal(err)
		}
	}
	return in
}

// InEnvironments adds the environment of each row of x, and environments "", "a", "b" and so on with the given targets.
func InEnvironments(t testing.TB, in *method.Input, x *matrix.Dense[float64], of []int, targets [][]int) {
	t.Helper()
	in.Environments = &dataset.Environments{Column: "k", Targets: targets}
	for k := range targets {
		var own []float64
		for i, r := range of {
			if r == k {
				own = append(own, x.Row(i)...)
			}
		}
		name := ""
		if k > 0 {
			name = string(rune('a' + k - 1))
		}
		in.Environments.Names = append(in.Environments.Names, name)
		in.Environments.Moments = append(in.Environments.Moments, Moments(t, in.Names(), matrix.Of(len(own)/x.Cols, x.Cols, own)))
	}
	in.Rows = dataset.RowBatch{Values: x.Data, Environments: of}.Rows(x.Cols)
}
