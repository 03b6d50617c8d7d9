package dataset

import (
	"fmt"
	"slices"
)

// Environments are the conditions that the rows of a table were measured under, each with the columns that were intervened on: its
// targets. Rows with an intervention on a column carry no information about that column's causes. Environments are numbered from 0.
type Environments struct {
	// Column is the column that identifies the environments; it is excluded from the graph.
	Column string
	// Setting is the setting that named the column, with the meaning of its values if given.
	Setting string
	// Names are the names of the environments.
	Names []string
	// Targets lists the targets of each environment, ascending; an environment without any is observational.
	Targets [][]int
	// Unknown reports that the intervention targets are unknown; Targets is then empty.
	Unknown bool
	// Moments are the moments of each environment's rows. Those of few rows may be computed on demand; see OnDemandMoments.
	Moments []*Moments
}

// Validate returns an error if the environments do not fit a table with this number of columns.
func (r *Environments) Validate(columns int) error {
	if len(r.Names) != len(r.Targets) || len(r.Moments) != len(r.Targets) {
		return fmt.Errorf("%d names, %d target sets and %d moments of environments; give one of each per environment", len(r.Names), len(r.Targets), len(r.Moments))
	}
	for k, targets := range r.Targets {
		if r.Moments[k] == nil || r.Moments[k].Dim() != columns {
			return fmt.Errorf("environment %d (%s) has not the moments of %d columns", k+1, r.Names[k], columns)
		}
		if !slices.IsSorted(targets) || len(targets) > 0 && (targets[0] < 0 || targets[len(targets)-1] >= columns) {
			return fmt.Errorf("environment %d (%s) has the targets %v, want ascending columns from 0 to %d", k+1, r.Names[k], targets, columns-1)
		}
		if r.Unknown && len(targets) > 0 {
			return fmt.Errorf("environment %d (%s) has targets, and the targets are said to be unknown", k+1, r.Names[k])
		}
	}
	return nil
}

// HasTargets reports whether any environment has a target.
func (r *Environments) HasTargets() bool {
	for k, targets := range r.Targets {
		if len(targets) > 0 && r.Moments[k].N > 0 {
			return true
		}
	}
	return false
}

// Groups returns the distinct sets of environments that count for a column, and the index of each column's set. Columns that are targets
// in the same environments share a group.
func (r *Environments) Groups(columns int) (groups [][]int, of []int) {
	excluded, of := r.excluded(columns)
	for _, out := range excluded {
		groups = append(groups, r.except(out))
	}
	return groups, of
}

// except returns the environments that are not in out, which ascends.
func (r *Environments) except(out []int) []int {
	others := make([]int, 0, len(r.Targets)-len(out))
	for k := range r.Targets {
		if _, is := slices.BinarySearch(out, k); !is {
			others = append(others, k)
		}
	}
	return others
}

// excluded is Groups with the environments that do not count, ascending.
func (r *Environments) excluded(columns int) (sets [][]int, of []int) {
	of = make([]int, columns)
	target := make([][]int, columns)
	for k, targets := range r.Targets {
		for _, v := range targets {
			target[v] = append(target[v], k)
		}
	}
	seen := map[string]int{}
	for v, set := range target {
		key := fmt.Sprint(set)
		at, ok := seen[key]
		if !ok {
			at = len(sets)
			seen[key], sets = at, append(sets, set)
		}
		of[v] = at
	}
	return sets, of
}

// Pooled returns the moments of all rows of the given environments. It pools the rows, not the covariances, so differences between the
// environments' means add to the variance.
func (r *Environments) Pooled(environments []int) (*Moments, error) {
	m := NewMoments(r.Moments[0].Names)
	if err := m.Merge(pick(r.Moments, environments)...); err != nil {
		return nil, err
	}
	return m, nil
}

// Arranged returns the environments with column order[i] in place i, as Moments.Arranged does.
func (r *Environments) Arranged(order []int) *Environments {
	if r == nil {
		return nil
	}
	place := make([]int, len(order))
	for i, v := range order {
		place[v] = i
	}
	out := &Environments{Column: r.Column, Setting: r.Setting, Names: r.Names, Unknown: r.Unknown}
	for k, targets := range r.Targets {
		moved := make([]int, len(targets))
		for i, v := range targets {
			moved[i] = place[v]
		}
		slices.Sort(moved)
		out.Targets, out.Moments = append(out.Targets, moved), append(out.Moments, r.Moments[k].Arranged(order))
	}
	return out
}

// Scaled returns the environments with every column divided by a number.
func (r *Environments) Scaled(by []float64) *Environments {
	if r == nil {
		return nil
	}
	out := &Environments{Column: r.Column, Setting: r.Setting, Names: r.Names, Targets: r.Targets, Unknown: r.Unknown}
	for _, m := range r.Moments {
		d := m.Dim()
		s := unknown(m.Names, m.N)
		for i := range d {
			s.Mean[i], s.low[i], s.Min[i], s.Max[i] = m.Mean[i]/by[i], m.low[i]/by[i], m.Min[i]/by[i], m.Max[i]/by[i]
		}
		out.Moments = append(out.Moments, s)
		if rows, ok := m.onDemand.(*few); ok {
			s.onDemand = rows.scaled(by)
			continue
		}
		s.Scatter = make([]float64, d*d)
		for i := range d {
			for j := range d {
				s.Scatter[i*d+j] = m.At(i, j) / by[i] / by[j]
			}
		}
		s.mirror()
	}
	return out
}

// A Pool has, for each column, the moments of the rows in which it was not intervened on.
type Pool struct {
	// Group is the index into By of each column's moments. Columns that are targets in the same environments share them.
	Group []int
	By    []*Moments
}

// storedPool is the number of values of all scatters up to which a pool stores them: 32 MB.
const storedPool = 4 << 20

// NewPool pools the environments of a table with moments all; nil is one environment without targets. Memory is d² numbers for each distinct
// set of environments if that is little. Otherwise most moments are computed on demand, as those of all rows less a few environments.
func NewPool(all *Moments, r *Environments) (*Pool, error) {
	if r == nil {
		return &Pool{make([]int, all.Dim()), []*Moments{all}}, nil
	}
	excluded, of := r.excluded(all.Dim())
	p := &Pool{Group: of}
	rows := 0
	for _, m := range r.Moments {
		rows += m.N
	}
	lean := rows == all.N && len(excluded)*all.Dim()*all.Dim() > storedPool
	for _, out := range excluded {
		m := all
		if len(out) > 0 {
			var err error
			if m, err = r.without(all, out, lean); err != nil {
				return nil, err
			}
		}
		p.By = append(p.By, m)
	}
	return p, nil
}

// without returns the moments of the rows of all environments but those of out, ascending. lean asks for moments on demand.
func (r *Environments) without(all *Moments, out []int, lean bool) (*Moments, error) {
	if lean {
		if m := all.without(pick(r.Moments, out)); m != nil {
			return m, nil
		}
	}
	return r.Pooled(r.except(out))
}

// Stds returns the standard deviations of each group, 0 for a group without rows.
func (p *Pool) Stds() [][]float64 {
	out := make([][]float64, len(p.By))
	for k, m := range p.By {
		if out[k] = make([]float64, m.Dim()); m.N > 0 {
			out[k] = m.Std()
		}
	}
	return out
}

// Of returns the moments of the rows that count for column v.
func (p *Pool) Of(v int) *Moments { return p.By[p.Group[v]] }
