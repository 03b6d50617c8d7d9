package order

import (
	"context"
	"fmt"
	"slices"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/internal/joint"
	"github.com/polydag/polydag/method/scores"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/search"
)

// jointRows limits the rows of the networks of interacting parents.
const jointRows = 10_000

// jointly drops parents that a joint function of all parents of a column does not need, where parents interact. It records how many. A
// stopped run drops none.
func (l *searcher) jointly(ctx context.Context, at *scores.ScoredTable, required [][2]int, found *search.Result, stageName string) (*search.Result, error) {
	var columns []int
	for v, set := range found.Parents {
		if at.Interact(v, set) {
			columns = append(columns, v)
		}
	}
	if len(columns) == 0 || found.Status == search.Stopped {
		return found, nil
	}
	rows, of, err := l.evenRows(ctx, jointRows)
	if err != nil || len(rows)/len(l.in.Names()) < joint.LeastRows {
		return found, err
	}
	l.run.Tell(stage.Progress{Stage: stageName + ": columns whose parents interact", Untraced: true})
	kept, faults, families := clone(found.Parents), make([]error, len(columns)), make([]*joint.Family, len(columns))
	for i, v := range columns {
		set := found.Parents[v]
		f := &joint.Family{Required: make([]bool, len(set)), Weight: min(1, l.in.Weight())}
		f.Rows, f.Levels = at.Family(rows, of, v, set)
		for k, p := range set {
			f.Required[k] = slices.Contains(required, [2]int{p, v})
		}
		families[i] = f
	}
	parallel.For(len(columns), l.in.Threads, func(i int) {
		v := columns[i]
		if families[i].Rows.Rows < joint.LeastRows {
			return
		}
		set := found.Parents[v]
		needed, err := families[i].Needed(ctx, l.in.Seed+uint64(v))
		if faults[i] = err; err != nil {
			return
		}
		kept[v] = kept[v][:0]
		for _, k := range needed {
			kept[v] = append(kept[v], set[k])
		}
	})
	if ctx.Err() != nil {
		l.answer.Cancel(ctx)
		return found, nil
	}
	if i := slices.IndexFunc(faults, func(err error) bool { return err != nil }); i >= 0 {
		return nil, faults[i]
	}
	out := l.without(at, found, kept)
	if out.Edges == found.Edges {
		return found, nil
	}
	l.answer.Choices = append(l.answer.Choices, method.Choice{Setting: "interacting causes", Requested: "auto",
		Chosen: names.Count(found.Edges-out.Edges, "edge") + " removed", Reason: "networks of all causes of " + names.Count(len(columns), "column") + " do not need them"})
	return out, nil
}

// evenRows returns at most the given number of rows without missing values, spread evenly, with their environments. Each row of a bootstrap
// sample is there once.
func (l *searcher) evenRows(ctx context.Context, most int) (rows []float64, of []int, err error) {
	r, err := scores.NewReader(ctx, l.in)
	if err != nil {
		return nil, nil, err
	}
	all, environments := r.Kept, r.Environments
	if all == nil && l.in.Sample != nil {
		all, environments = l.in.Sample.Values, l.in.Sample.Environments
	}
	d := len(l.in.Names())
	x, seen := matrix.Of(len(all)/d, d, all), map[string]bool{}
	for _, i := range basis.Places(x, most) {
		if l.in.Drawn { // copies of a row would be in both halves
			key := fmt.Sprint(x.Row(i))
			if seen[key] {
				continue
			}
			seen[key] = true
		}
		rows = append(rows, x.Row(i)...)
		if environments != nil {
			of = append(of, environments[i])
		}
	}
	return rows, of, nil
}
