package dcdi

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/polydag/polydag/lab/network"
	"github.com/polydag/polydag/method"
)

const (
	// keptValues limits the values in memory. Of a longer table every second, third, … row is used.
	keptValues = 1 << 26
	heldEvery  = 5    // one row in this many is held out, as in the paper
	mostHeld   = 4096 // most rows that are held out
)

// rows are the rows of a table, standardized unless their scale is raw.
type rows struct {
	n, d        int
	values      []float32
	environment []int
	targets     [][]int // intervention targets of each environment
	unknown     bool    // targets are unknown; interventions are relative to the reference environment
	perfect     bool    // interventions remove the parents of their targets
	ref         int     // the environment without interventions if targets are unknown: the one with most rows
	training    []int32
	held        []int32 // by environment
}

// readRows reads the table and sets rows apart.
func readRows(ctx context.Context, in *method.Input, scale network.Scale, perfect bool) (*rows, error) {
	read, err := network.ReadEnvironments(ctx, in, keptValues)
	if err != nil {
		return nil, err
	}
	x := &rows{n: read.N, d: read.D, environment: read.Environment, targets: read.Targets, perfect: perfect}
	x.unknown = in.Environments != nil && in.Environments.Unknown
	if x.values, err = read.Standardized(in.Names(), scale); err != nil {
		return nil, err
	}
	x.divide(max(1, x.n/in.Copied()))
	return x, nil
}

// divide chooses the rows that are held out. The copies of a row with missing values are held out together; copy is their distance.
func (x *rows) divide(copy int) {
	count := make([]int, len(x.targets))
	for i, k := range x.environment {
		if count[k]++; count[k] > count[x.ref] {
			x.ref = k
		}
		if i%copy%heldEvery == heldEvery-1 {
			x.held = append(x.held, int32(i))
		} else {
			x.training = append(x.training, int32(i))
		}
	}
	if len(x.held) == 0 {
		x.held = slices.Clone(x.training)
	}
	if every := (len(x.held) + mostHeld - 1) / mostHeld; every > 1 {
		kept := x.held[:0]
		for i := 0; i < len(x.held); i += every {
			kept = append(kept, x.held[i])
		}
		x.held = kept
	}
	slices.SortStableFunc(x.held, func(a, b int32) int { return x.environment[a] - x.environment[b] })
}

// parts returns the network of a column that each environment uses: 0 without an intervention on the column, -1 if the rows tell nothing about
// the column because a known perfect intervention set it.
func (x *rows) parts(column int) []int {
	parts, next := make([]int, len(x.targets)), 1
	for k, targets := range x.targets {
		switch {
		case x.unknown && k != x.ref, !x.unknown && !x.perfect && slices.Contains(targets, column):
			parts[k] = next
			next++
		case !x.unknown && slices.Contains(targets, column):
			parts[k] = -1
		}
	}
	return parts
}

// row returns row i.
func (x *rows) row(i int) []float32 { return x.values[i*x.d : (i+1)*x.d] }

// A batch has rows of the table by environment, in runs of one environment each.
type batch struct {
	rows []int32
	runs []run
}

type run struct{ environment, lo, hi int }

// draw fills the batch with n random rows of those given, with replacement.
func (b *batch) draw(x *rows, from []int32, n int, rng *rand.PCG) {
	b.rows = b.rows[:0]
	for range n {
		b.rows = append(b.rows, from[(rng.Uint64()>>32)*uint64(len(from))>>32])
	}
	slices.SortFunc(b.rows, func(p, q int32) int { return x.environment[p] - x.environment[q] })
	b.divide(x)
}

// divide finds the runs.
func (b *batch) divide(x *rows) {
	b.runs = b.runs[:0]
	for i, row := range b.rows {
		if k := x.environment[row]; i == 0 || k != b.runs[len(b.runs)-1].environment {
			b.runs = append(b.runs, run{k, i, i + 1})
		} else {
			b.runs[len(b.runs)-1].hi++
		}
	}
}
