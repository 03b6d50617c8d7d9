package effect

import (
	"context"
	"slices"

	"github.com/polydag/polydag/effect/internal/eliminate"
)

// partsAtOnce is the number of questions between two checks of the remaining work.
const partsAtOnce = 16

// parts computes the effects through mediators, nearest pairs first, until the work limit is reached. A pair that would take more
// than its share has none, and its answer lists the omitted columns.
func (v *surveyor) parts(ctx context.Context) error {
	if len(v.asks) == 0 {
		return nil
	}
	left := (v.MostWork - v.spent - v.least()) / 2
	most := left / partsAtOnce
	for block := range slices.Chunk(v.asks, partsAtOnce) {
		if left <= 0 {
			for _, k := range block {
				k.untold()
			}
			continue
		}
		spent, err := spread(ctx, len(block), v.Threads, nil, func(i int) float64 {
			work := v.part(block[i], most)
			v.tell(work)
			return work
		})
		if err != nil {
			return err
		}
		for _, x := range spent {
			left -= x
			v.spent += x
		}
	}
	return nil
}

// part computes the effects through the mediators of one pair, if that costs at most most, and returns the work done, including
// planning.
func (v *surveyor) part(k *asked, most float64) float64 {
	between := k.between()
	if len(between) == 0 {
		return 0
	}
	work, planning := 0.0, 0.0
	through := make([]func() ([]float64, error), len(between))
	for i, by := range between {
		q := &k.study
		m, ok := v.model.(*discrete)
		if !ok {
			work += 2 * v.evaluations(k)
			through[i] = func() ([]float64, error) { return v.model.through(q.a, q.b, by, q.x0, q.x1) }
		} else {
			n, target := m.between(q.a, q.b, by, q.x0, q.x1)
			if work+planning+planned(n) > most {
				k.untold()
				return planning
			}
			p := eliminate.NewPlan(n, target)
			if planning += planned(n); p == nil {
				k.untold()
				return planning
			}
			work += p.Up
			through[i] = func() ([]float64, error) {
				if err := n.Fit(); err != nil {
					return nil, err
				}
				return p.Answer(n), nil
			}
		}
		if work+planning > most {
			k.untold()
			return planning
		}
	}
	parts := make([][]float64, len(between))
	for i := range between {
		y, err := through[i]()
		if err != nil || y == nil {
			k.untold()
			return work + planning
		}
		parts[i] = k.study.shown.of(y)
		for o := range parts[i] {
			parts[i][o] -= k.start[o]
		}
	}
	k.tell(between, parts)
	return work + planning
}

// untold lists the mediators that are omitted from the answer.
func (k *asked) untold() {
	for _, v := range k.between() {
		k.answer.Between = append(k.answer.Between, k.res.Names[v])
	}
}
