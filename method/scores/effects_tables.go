package scores

import (
	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/method"
)

// tables describes the effects of the parents of v under a discrete model. With z a configuration of the other parents,
//
//	P(c | p) = Σ_z n(z)·n(c,p,z)/n(p,z) / Σ_z n(z),
//
// summed over the z that occur together with p, where n counts the rows without an intervention on v. With one parent this is the
// share of c among the rows with p. It costs a pass over the rows for each parent of v, and another over the configurations.
func (t *ScoredTable) tables(v int, parents []int) map[int]*method.Effect {
	out := make(map[int]*method.Effect, len(parents))
	if len(parents) == 0 {
		return out
	}
	f := familyOf(t.Counts, v, parents)
	child := t.scale(v, t.values[t.Order[v]], f.levels(len(parents)))
	for i, p := range parents {
		parent := t.scale(p, t.values[t.Order[p]], f.levels(i))
		e := &method.Effect{Form: method.EffectTable, FromLevels: parent.labels, ToLevels: child.labels}
		e.Counts, e.Rows = grid[int](len(parent.labels), len(child.labels)), make([]int, len(parent.labels))
		e.P = f.averaged(i, parent, child)
		for k, config := range f.configs {
			row := parent.place[config[i]]
			for c, n := range f.cells[k] {
				e.Counts[row][child.place[c]] += n
				e.Rows[row] += n
			}
		}
		rounded(e.P)
		out[p] = e
	}
	return out
}

// A family is a variable with its parents: the configurations of the parents that occur, and the number of rows of each by the
// level of the variable.
type family struct {
	configs [][]int // codes, in the order of the parents
	cells   [][]int
}

// familyOf counts the rows of a family. Configurations are numbered parent by parent, in their order of occurrence.
func familyOf(t *counts.Data, v int, parents []int) *family {
	id := make([]int, t.Rows())
	configs := [][]int{nil}
	for _, p := range parents {
		next := newNumbering(len(configs), t.Levels(p), t.Rows())
		var longer [][]int
		for i := range id {
			before, level := id[i], t.Level(p, i)
			k, fresh := next.of(before, level)
			if fresh {
				longer = append(longer, append(append(make([]int, 0, len(parents)), configs[before]...), level))
			}
			id[i] = k
		}
		configs = longer
	}
	f := &family{configs: configs, cells: grid[int](len(configs), t.Levels(v))}
	targets := t.HasTargets()
	for i, k := range id {
		if !targets || !t.Excluded(v, i) {
			f.cells[k][t.Level(v, i)] += int(t.Weight(i))
		}
	}
	return f
}

// A numbering numbers pairs of a configuration and a level in their order of occurrence, by an array if that is not much larger
// than the rows, and by a map otherwise.
type numbering struct {
	levels int
	direct []int // number + 1, by configuration·levels + level
	sparse map[int]int
	count  int
}

func newNumbering(configs, levels, rows int) *numbering {
	n := &numbering{levels: levels}
	if size := configs * levels; size <= 1<<16+4*rows {
		n.direct = make([]int, size)
	} else {
		n.sparse = make(map[int]int)
	}
	return n
}

// of returns the number of a pair, and whether the pair is new.
func (n *numbering) of(config, level int) (number int, fresh bool) {
	key := config*n.levels + level
	if n.direct != nil {
		number = n.direct[key]
	} else {
		number = n.sparse[key]
	}
	if number > 0 {
		return number - 1, false
	}
	n.count++
	if n.direct != nil {
		n.direct[key] = n.count
	} else {
		n.sparse[key] = n.count
	}
	return n.count - 1, true
}

// levels counts the rows with each level of parent i, or of the variable itself if i is the number of parents.
func (f *family) levels(i int) []int {
	var out []int
	add := func(code, n int) {
		for len(out) <= code {
			out = append(out, 0)
		}
		out[code] += n
	}
	for k, config := range f.configs {
		for c, n := range f.cells[k] {
			if i < len(config) {
				add(config[i], n)
			} else {
				add(c, n)
			}
		}
	}
	return out
}

// averaged returns P(child | parent i), averaged over the configurations of the other parents. Merged levels count as one level.
func (f *family) averaged(i int, parent, child scale) [][]float64 {
	type stratum struct {
		total float64
		cells [][]float64 // by the levels of parent and child
	}
	index := map[string]int{}
	var strata []stratum // in their order of occurrence, so that sums do not depend on the order of a map
	for k, config := range f.configs {
		key := make([]byte, 0, 4*len(config))
		for j, code := range config {
			if j != i {
				key = append(key, byte(code), byte(code>>8), byte(code>>16), byte(code>>24))
			}
		}
		at, seen := index[string(key)]
		if !seen {
			at = len(strata)
			index[string(key)] = at
			strata = append(strata, stratum{cells: grid[float64](len(parent.labels), len(child.labels))})
		}
		for c, n := range f.cells[k] {
			strata[at].cells[parent.place[config[i]]][child.place[c]] += float64(n)
			strata[at].total += float64(n)
		}
	}
	p := grid[float64](len(parent.labels), len(child.labels))
	for row := range p {
		weight := 0.0
		for _, s := range strata {
			n := 0.0
			for _, x := range s.cells[row] {
				n += x
			}
			if n == 0 {
				continue
			}
			weight += s.total
			for c, x := range s.cells[row] {
				p[row][c] += s.total * x / n
			}
		}
		for c := range p[row] {
			if weight > 0 {
				p[row][c] = min(p[row][c]/weight, 1)
			}
		}
	}
	return p
}
