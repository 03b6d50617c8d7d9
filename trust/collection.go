package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/kind"
)

const (
	// leastLabels is the number of columns of 0 and 1 from which they are taken for the labels of a collection.
	leastLabels = 3
	// leastUnlabelled is the expected number of rows without a label, if labels were independent, from which their absence is no chance.
	leastUnlabelled = 20
	// leastTogether is the expected number of rows with both labels, and mostTogether the share of it that labels that exclude each other may
	// have: annotators make errors.
	leastTogether, mostTogether = 10, 0.02
	// shownDependence is the number of standard errors from which two labels depend on each other.
	shownDependence = 3.3
)

// A collection is a table of labels, with how its rows were chosen.
type collection struct {
	labels    []int // columns of two values
	present   [][]bool
	selected  bool    // no row is without a label
	expected  float64 // rows without a label, if labels were independent
	exclusive [][]int // groups of labels of which a row has at most one
}

// newCollection looks at the sample of a table. It is nil without labels, and for rows with interventions or in a time order.
func newCollection(e Evidence, model Model) *collection {
	if e.Sample == nil || model.Kinds == nil || model.Inputs != nil || e.Environments != nil || e.Sample.Weight > 0 {
		return nil
	}
	c := &collection{}
	for v, k := range model.Kinds {
		if k.Kind == kind.Binary && e.Moments.Max[v] > e.Moments.Min[v] {
			c.labels = append(c.labels, v)
		}
	}
	if len(c.labels) < leastLabels || len(c.labels) > exchangeColumns {
		return nil
	}
	n := e.Sample.Rows()
	share, empty := make([]float64, len(c.labels)), 0
	for i := range n {
		row, any := make([]bool, len(c.labels)), false
		for k, v := range c.labels {
			if row[k] = e.Sample.Row(i)[v] == e.Moments.Max[v]; row[k] {
				share[k], any = share[k]+1/float64(n), true
			}
		}
		if c.present = append(c.present, row); !any {
			empty++
		}
	}
	c.expected = float64(n)
	for _, p := range share {
		c.expected *= 1 - p
	}
	c.selected = len(c.labels) == len(model.Kinds) && empty == 0 && c.expected >= leastUnlabelled
	c.exclude(e.Moments.Names, share)
	return c
}

// exclude finds groups of three or more labels that exclude each other. Labels join groups in the order of their names.
func (c *collection) exclude(names []string, share []float64) {
	n := len(c.present)
	apart := func(a, b int) bool {
		both, want := 0.0, float64(n)*share[a]*share[b]
		if want < leastTogether {
			return false
		}
		for _, row := range c.present {
			if row[a] && row[b] {
				both++
			}
		}
		return both <= mostTogether*want
	}
	order := make([]int, len(c.labels))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int {
		if names[c.labels[a]] < names[c.labels[b]] {
			return -1
		}
		return 1
	})
	used := make([]bool, len(order))
	for i, a := range order {
		if used[a] {
			continue
		}
		group := []int{a}
		for _, b := range order[i+1:] {
			if !used[b] && !slices.ContainsFunc(group, func(o int) bool { return !apart(o, b) }) {
				group = append(group, b)
			}
		}
		if len(group) < leastLabels {
			continue
		}
		for _, b := range group {
			used[b] = true
		}
		c.exclusive = append(c.exclusive, group)
	}
	if len(c.exclusive) > 0 { // each row has one of these, so that no row is without a label for this reason
		c.selected = false
	}
}

// check reports how the rows were chosen. ok is false if nothing was found.
func (c *collection) check(names []string) (a Assumption, ok bool) {
	if c == nil || !c.selected && len(c.exclusive) == 0 {
		return a, false
	}
	of := func(labels []int) (list []string) {
		for _, k := range labels {
			list = append(list, names[c.labels[k]])
		}
		return list
	}
	var against []Finding
	if c.selected {
		all := make([]int, len(c.labels))
		for k := range all {
			all[k] = k
		}
		against = append(against, newFinding(OnlyLabelled, Warning, of(all), fmt.Sprintf("no row is without a label; about %.0f of %d would be if labels were independent", c.expected, len(c.present)),
			fault.Out("rows seem to be in the table because they have a label, which makes independent labels exclude each other; add rows without any label")))
	}
	for _, group := range c.exclusive {
		against = append(against, newFinding(Exclusive, Warning, of(group), fmt.Sprintf("%s exclude each other", list(of(group), 6)),
			fault.Out("they are categories of one variable, so that edges among them are arithmetic; merge them to one column")))
	}
	return newAssumption(Collection, "rows and labels were chosen independently of the labels", against, "", ""), true
}

// explains reports whether the choice of the rows or labels explains that two columns depend on each other. Where another label is present, a
// row is in the table whatever these two are.
func (c *collection) explains(from, to int) bool {
	if c == nil {
		return false
	}
	a, b := slices.Index(c.labels, from), slices.Index(c.labels, to)
	if a < 0 || b < 0 {
		return false
	}
	for _, group := range c.exclusive {
		if slices.Contains(group, a) && slices.Contains(group, b) {
			return true
		}
	}
	if !c.selected {
		return false
	}
	var n, na, nb, both float64
	for _, row := range c.present {
		other := false
		for k, on := range row {
			other = other || on && k != a && k != b
		}
		if !other {
			continue
		}
		n++
		if row[a] {
			na++
		}
		if row[b] {
			nb++
		}
		if row[a] && row[b] {
			both++
		}
	}
	scale := na * nb * (n - na) * (n - nb)
	return !(scale > 0) || math.Abs(both*n-na*nb)*math.Sqrt(n/scale) < shownDependence
}
