package scores

import (
	"slices"

	"github.com/polydag/polydag/internal/basis"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/score"
)

// grams are the moments of functions in each group of regimes.
type grams struct {
	d      int
	member [][]bool // by group: the regimes that count
	by     []*basis.Gram
	rows   []int
	part   []float64
}

func newGrams(f *basis.Functions, in *method.Input, groups [][]int) *grams {
	g := &grams{d: len(in.Names()), rows: make([]int, len(groups))}
	for _, regimes := range groups {
		var member []bool
		if in.Regimes != nil {
			member = make([]bool, len(in.Regimes.Names))
			for _, k := range regimes {
				member[k] = true
			}
		}
		g.member, g.by = append(g.member, member), append(g.by, f.NewGram(in.Threads))
	}
	return g
}

// add adds rows to the groups that they count for.
func (g *grams) add(rows []float64, regimes []int) error {
	for k, gram := range g.by {
		part := rows
		if g.member[k] != nil && slices.Contains(g.member[k], false) {
			part = g.part[:0]
			for i, of := range regimes {
				if g.member[k][of] {
					part = append(part, rows[i*g.d:(i+1)*g.d]...)
				}
			}
			g.part = part
		}
		g.rows[k] += len(part) / g.d
		if err := gram.Add(part); err != nil {
			return err
		}
	}
	return nil
}

// blocks returns the blocks of each group, nil for a group without enough rows.
func (g *grams) blocks() ([]*score.Blocks, error) {
	out := make([]*score.Blocks, len(g.by))
	for k, gram := range g.by {
		if g.rows[k] < leastRows {
			continue
		}
		var err error
		if out[k], err = gram.Blocks(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// leastRows is the smallest number of rows with which a column may have parents.
const leastRows = 3
