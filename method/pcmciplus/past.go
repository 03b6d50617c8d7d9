package pcmciplus

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method"
)

// past has the selected past values.
type past struct {
	inputs []bool // past values, by column
	// conditions has the selected past of each column. That of a past value is shifted in time, as far as the table has it.
	conditions [][]int
	near       [][]int // adjacencies to begin with: selected past values, and all pairs of the same time
}

func (p *past) present(v int) bool { return !p.inputs[v] }

// selectPast runs the first phase of PCMCI+ (Runge 2020) for every column of the present.
func selectPast(ctx context.Context, in *method.Input, test independence.Test, alpha float64) (*past, error) {
	columns := in.Names()
	d := len(columns)
	p := &past{inputs: in.Inputs(), conditions: make([][]int, d), near: make([][]int, d)}
	if p.inputs == nil {
		p.inputs = make([]bool, d)
	}
	workers := max(1, in.Threads)
	faults := make([]error, d)
	parallel.Each(ctx, d, workers, func(int) func(int) {
		w := independence.WorkerOf(test)
		return func(v int) {
			if !p.inputs[v] {
				var from []int
				for x, input := range p.inputs {
					if input && !in.Forbidden(x, v) {
						from = append(from, x)
					}
				}
				p.conditions[v], faults[v] = lagged(ctx, w, v, from, alpha)
			}
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	join := func(x, y int) { p.near[x], p.near[y] = append(p.near[x], y), append(p.near[y], x) }
	for v := range d {
		for _, x := range p.conditions[v] {
			join(x, v)
		}
		for u := range v {
			if p.present(u) && p.present(v) && !(in.Forbidden(u, v) && in.Forbidden(v, u)) {
				join(u, v)
			}
		}
	}
	for _, e := range in.Required() {
		join(e.From, e.To)
	}
	for v := range p.near {
		slices.Sort(p.near[v])
		p.near[v] = slices.Compact(p.near[v])
	}
	at := names.Index(columns)
	for v, input := range p.inputs {
		name, lag, _ := names.CutLag(columns[v])
		if now, ok := at[name]; input && ok {
			for _, x := range p.conditions[now] {
				cause, before, _ := names.CutLag(columns[x])
				if u, ok := at[names.Lagged(cause, before+lag)]; ok {
					p.conditions[v] = append(p.conditions[v], u)
				}
			}
		}
	}
	return p, nil
}

// lagged returns the past values that v depends on given each number of the strongest others.
func lagged(ctx context.Context, test independence.Test, v int, from []int, alpha float64) ([]int, error) {
	least := make(map[int]float64, len(from)) // smallest dependence so far
	for _, x := range from {
		least[x] = math.Inf(1)
	}
	for size := 0; size < len(from); size++ {
		var kept []int
		for i, x := range from {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			given := slices.Delete(slices.Clone(from), i, i+1)[:size]
			r, err := test.Independent(x, v, given)
			if errors.Is(err, independence.ErrRows) {
				kept = append(kept, x)
				continue
			}
			if err != nil {
				return nil, err
			}
			least[x] = min(least[x], r.Statistic)
			if r.P <= alpha {
				kept = append(kept, x)
			}
		}
		from = kept
		slices.SortStableFunc(from, func(a, b int) int { return cmp.Or(cmp.Compare(least[b], least[a]), cmp.Compare(a, b)) })
	}
	slices.Sort(from)
	return from, nil
}

// momentary is the test of momentary conditional independence: the conditions of both ends are added to the given set.
type momentary struct {
	test independence.Test
	past [][]int
}

func (m *momentary) Columns() int { return m.test.Columns() }

func (m *momentary) Worker() independence.Test {
	return &momentary{test: independence.WorkerOf(m.test), past: m.past}
}

func (m *momentary) Independent(x, y int, given []int) (independence.Result, error) {
	all := slices.Concat(given, m.past[x], m.past[y])
	slices.Sort(all)
	all = slices.DeleteFunc(slices.Compact(all), func(v int) bool { return v == x || v == y })
	return m.test.Independent(x, y, all)
}
