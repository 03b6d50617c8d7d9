package missing

import (
	"slices"

	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/gemm"
)

const (
	// extendLevel is the expected number of parents that extend adds by chance to all columns with categories. A parent too many of such a
	// column has many parameters, and its drawn values confirm an edge that is not there.
	extendLevel = 0.01
	// mostAdded limits the parents that extend adds to a column with categories.
	mostAdded = 3
	// numberLevel is the expected number of parents that extend adds by chance to each numeric column, and mostNumbers limits them. A parent
	// too few costs more there: with 30 % missing values 20 curved columns lost 6.8 of 40 edges at a level of 0.0005 and 2.9 at this one.
	numberLevel = 1
	mostNumbers = 8
	// extendWork limits the pairs of columns times rows: about 2,000 rows of 500 columns. Of longer tables evenly spaced rows are tested.
	extendWork = 1 << 28
)

// extend adds parents to columns that depend on earlier columns of the causal order given their parents. A relation that is not in the
// network is lost in the drawn values, so that a graph learned from them does not have it either. The dependence is measured in the
// rows that have both values. It returns whether a column has new parents.
//
// rows are the coded rows, and state the same rows with drawn values.
func (g *Network) extend(rows, state []float64, threads int) bool {
	d := len(g.nodes)
	classes, levels := make([][]int16, d), make([]int, d)
	for v := range d {
		classes[v], levels[v] = classesOf(rows, d, v, 1, &g.columns[v])
	}
	parents := make([][]int, d)
	step := 1 + len(rows)*d/2/extendWork
	gemm.ShareBy(max(1, threads), d, func(_, at int) {
		v := g.causal[at]
		x := &extension{g: g, v: v, state: state, node: g.nodes[v], gibbs: newGibbs(g)}
		for i := v; i < len(rows); i += d * step {
			if rows[i] == rows[i] {
				x.there = append(x.there, int32(i/d))
			}
		}
		level, most := extendLevel/float64(d*(d-1)/2), mostAdded
		if g.columns[v].levels == nil {
			level, most = numberLevel/float64(d-1), mostNumbers
		}
		for range most {
			x.residuals()
			best, least, largest := -1, level, 0.0
			for _, p := range g.causal[:at] {
				if slices.Contains(x.node.parents, p) || !x.fits(p) {
					continue
				}
				if sum, df := x.dependence(classes[p], levels[p]); df > 0 {
					if chance := independence.ChiSquared(sum, df); chance < least || chance == least && best >= 0 && sum > largest {
						best, least, largest = p, chance, sum
					}
				}
			}
			if best < 0 {
				break
			}
			x.node.parents = append(slices.Clip(x.node.parents), best)
			x.node.fit(state, d, v, g.columns)
		}
		parents[v] = x.node.parents
	})
	changed := false
	for v := range parents {
		changed = changed || len(parents[v]) > len(g.nodes[v].parents)
	}
	if changed {
		g.connect(parents)
	}
	return changed
}

// An extension looks for further parents of column v.
type extension struct {
	g     *Network
	v     int
	state []float64
	there []int32 // rows that have v
	node  node
	gibbs *gibbs
	left  []float64 // residuals of v in these rows, scaled to unit variance; width values a row
	width int
}

// fits reports whether the probability table with one more parent has no more cells than rows.
func (x *extension) fits(p int) bool {
	columns, cells := x.g.columns, 1
	for _, u := range append([]int{x.v, p}, x.node.parents...) {
		if columns[u].levels == nil {
			return true
		}
		cells *= len(columns[u].levels)
		if cells > len(x.state)/len(x.g.nodes) {
			return false
		}
	}
	return true
}

// residuals computes the residuals of v given its parents: indicators of the levels but the first less their probabilities, or the
// number less its mean.
func (x *extension) residuals() {
	g, d := x.g, len(x.g.nodes)
	x.width = max(1, len(g.columns[x.v].levels)-1)
	x.left = make([]float64, len(x.there)*x.width)
	scatter := make([]float64, x.width*x.width)
	for at, i := range x.there {
		row, r := x.state[int(i)*d:int(i+1)*d], x.left[at*x.width:(at+1)*x.width]
		if g.columns[x.v].levels == nil {
			x.node.model.predict(x.gibbs.out, row, g.columns, -1)
			r[0] = row[x.v] - x.gibbs.out[0]
		} else {
			for k, q := range x.gibbs.own(row, x.v, &x.node)[1:] {
				r[k] = -q
			}
			if k := int(row[x.v]); k > 0 {
				r[k-1]++
			}
		}
		for a := range r {
			for b := range a + 1 {
				scatter[a*x.width+b] += r[a] * r[b]
			}
		}
	}
	var f chol.Factor
	f.Reset(x.width)
	for a := range x.width {
		row := f.Next()
		for b := range row {
			row[b] = scatter[a*x.width+b] / float64(len(x.there))
		}
		row[a] += 1e-6
		f.Add(row[a])
	}
	for at := 0; at < len(x.left); at += x.width {
		f.Forward(x.left[at:at+x.width], 0)
	}
}

// dependence compares the mean residuals in the classes of another column. Without dependence the sum of squares has a χ² distribution.
func (x *extension) dependence(classes []int16, levels int) (sum, df float64) {
	w := x.width
	total, count := make([]float64, levels*w), make([]float64, levels)
	for at, i := range x.there {
		if c := int(classes[i]); c >= 0 {
			count[c]++
			to := total[c*w : (c+1)*w]
			for k, r := range x.left[at*w : (at+1)*w] {
				to[k] += r
			}
		}
	}
	all, n, used := make([]float64, w), 0.0, -1.0
	for c, m := range count {
		if m < 5 {
			continue
		}
		used++
		n += m
		for k, t := range total[c*w : (c+1)*w] {
			all[k] += t
			sum += t * t / m
		}
	}
	for _, t := range all {
		sum -= t * t / max(n, 1)
	}
	return sum, max(0, used) * float64(w)
}
