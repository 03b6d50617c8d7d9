package scores

import (
	"fmt"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// grams are the moments of functions in each group of environments. Environments that count for the same groups share one set of moments, so that
// each row is added once; the moments of a group are the sum of its parts.
type grams struct {
	f      *basis.Functions
	d      int
	part   []int // by environment; nil if all rows count for the only group
	by     []*basis.Gram
	groups [][]int // by group: its parts
	rows   [][]float64
}

func newGrams(f *basis.Functions, in *method.Input, groups [][]int) *grams {
	g := &grams{f: f, d: len(in.Names()), groups: make([][]int, len(groups))}
	if in.Environments == nil {
		g.groups[0] = []int{0}
		g.by = f.Parts(1, in.Threads)
		return g
	}
	member := make([][]bool, len(in.Environments.Names)) // by environment and group
	for k := range member {
		member[k] = make([]bool, len(groups))
	}
	for k, environments := range groups {
		for _, r := range environments {
			member[r][k] = true
		}
	}
	known := map[string]int{}
	for _, of := range member {
		key := fmt.Sprint(of)
		part, ok := known[key]
		if !ok {
			part = len(known)
			known[key] = part
			for k, in := range of {
				if in {
					g.groups[k] = append(g.groups[k], part)
				}
			}
		}
		g.part = append(g.part, part)
	}
	g.rows, g.by = make([][]float64, len(known)), f.Parts(len(known), in.Threads)
	return g
}

// add adds rows to their parts.
func (g *grams) add(b dataset.RowBatch) error {
	if g.part == nil {
		return g.by[0].Add(b.Values)
	}
	for i, r := range b.Environments {
		p := g.part[r]
		g.rows[p] = append(g.rows[p], b.Values[i*g.d:(i+1)*g.d]...)
	}
	for p, part := range g.rows {
		if err := g.by[p].Add(part); err != nil {
			return err
		}
		g.rows[p] = part[:0]
	}
	return nil
}

// blocks returns the blocks of each group, nil for a group without enough rows.
func (g *grams) blocks() ([]*score.Blocks, error) {
	parts := make([]*dataset.Moments, len(g.by))
	for p, gram := range g.by {
		var err error
		if parts[p], err = gram.Moments(); err != nil {
			return nil, err
		}
	}
	out := make([]*score.Blocks, len(g.groups))
	for k, of := range g.groups {
		own := make([]*dataset.Moments, len(of))
		for i, p := range of {
			own[i] = parts[p]
		}
		m := dataset.NewMoments(g.f.Names())
		if len(own) == 1 {
			m = own[0]
		} else if err := m.Merge(own...); err != nil {
			return nil, err
		}
		if m.N >= leastRows {
			out[k] = g.f.Blocks(m)
		}
	}
	return out, nil
}

// leastRows is the smallest number of rows with which a column may have parents.
const leastRows = 3
