package pictures

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/internal/parallel"
)

const (
	// mostPairs is the largest number of pairs of a match, and mostTriedPairs the number that may be tried for them.
	mostPairs, mostTriedPairs = 8, 24
	// caliper is the largest difference at which numbers agree, in standard deviations. Propensity score matching has the same
	// default. Reference: Austin, "Optimal caliper widths for propensity-score matching", 2011.
	caliper = 0.2
)

// An Effect is a cause and an outcome in the graph of a result.
type Effect struct {
	Result         int // index of the result
	Cause, Outcome string
	Set            []string // adjustment set
	After          []string // columns that descend from the cause
}

// A Match has pairs of pictures that differ in a cause and agree on the adjustment set of its effects.
type Match struct {
	Result   int      `json:"result"`
	Cause    string   `json:"cause"`
	Set      []string `json:"set"`
	Outcomes []string `json:"outcomes"` // the outcomes with this adjustment set
	Pairs    []Pair   `json:"pairs"`    // nearest first
	// Near are the columns of the set whose numbers agree within the caliper. Unread are those that the table does not have.
	Near   []string `json:"near,omitempty"`
	Unread []string `json:"unread,omitempty"`
	// Rows is the number of rows with an image, and Compared the number of those that were compared with each other.
	Rows     int `json:"rows"`
	Compared int `json:"compared"`

	show   []*variable // the columns of Pair.Values
	set    []*variable // the columns of Set that the table has
	ranked []pairing
	next   int // index into ranked
}

// Pair has two pictures. Differ are the columns of the adjustment set on which they do not agree. Values are those of the cause,
// the set and the outcomes, in this order, for each of the two; a missing value is empty.
type Pair struct {
	Pictures [2]int      `json:"pictures"`
	Differ   []string    `json:"differ,omitempty"`
	Values   [2][]string `json:"values"`
}

// matches adds the matches of effects with their pairs of rows.
func (b *builder) matches(effects []Effect, alone, grid []*grouping) []*Match {
	place := map[string]int{}
	for j, v := range b.rows.variables {
		place[v.name] = j
	}
	list := []*Match{}
	known := map[string]*Match{}
	var tasks []func()
	covariates := map[*variable]*covariate{}
	for _, e := range effects {
		cause, ok := place[e.Cause]
		if !ok {
			continue
		}
		key := fmt.Sprintf("%d %q %q", e.Result, e.Cause, e.Set)
		m := known[key]
		if m == nil {
			m = b.newMatch(e, place)
			known[key] = m
			list = append(list, m)
			var others []*grouping
			for j, g := range grid {
				if g != nil && j != cause && !slices.Contains(e.Set, b.rows.variables[j].name) && !slices.Contains(e.After, b.rows.variables[j].name) {
					others = append(others, g)
				}
			}
			for _, v := range m.set {
				covariates[v] = nil
			}
			if alone[cause] != nil {
				tasks = append(tasks, func() { b.pair(m, alone[cause], covariates, others) })
			}
		}
		m.Outcomes = append(m.Outcomes, e.Outcome)
		if j, ok := place[e.Outcome]; ok {
			m.show = append(m.show, &b.rows.variables[j])
		} else {
			m.show = append(m.show, nil)
		}
	}
	var used []*variable
	for j := range b.rows.variables {
		v := &b.rows.variables[j]
		if _, ok := covariates[v]; ok {
			used = append(used, v)
		}
	}
	made := make([]*covariate, len(used))
	parallel.For(len(used), b.set.Threads, func(k int) { made[k] = newCovariate(used[k]) })
	for k, v := range used {
		covariates[v] = made[k]
	}
	parallel.For(len(tasks), b.set.Threads, func(k int) { tasks[k]() })
	return list
}

// newMatch returns a match without pairs and outcomes.
func (b *builder) newMatch(e Effect, place map[string]int) *Match {
	m := &Match{Result: e.Result, Cause: e.Cause, Set: append([]string{}, e.Set...), Outcomes: []string{}, Pairs: []Pair{}}
	m.show = []*variable{&b.rows.variables[place[e.Cause]]}
	for _, name := range e.Set {
		j, ok := place[name]
		if !ok {
			m.Unread = append(m.Unread, name)
			m.show = append(m.show, nil)
			continue
		}
		m.set = append(m.set, &b.rows.variables[j])
		m.show = append(m.show, &b.rows.variables[j])
	}
	return m
}

// pair finds the pairs of rows of a match.
func (b *builder) pair(m *Match, cause *grouping, known map[*variable]*covariate, others []*grouping) {
	var set []*covariate
	for _, v := range m.set {
		c := known[v]
		set = append(set, c)
		if c.numbers != nil {
			m.Near = append(m.Near, v.name)
		}
	}
	var rows []int32
	for i, p := range b.paths {
		if p != "" && cause.codes[i] != noGroup {
			rows = append(rows, int32(i))
		}
	}
	m.Rows = len(rows)
	rows = thin(rows, cause, set, mostComparedPairs)
	m.Compared = len(rows)
	m.ranked = nearest(rows, cause, set, others)
}

// wanted returns the rows of the next pair.
func (m *Match) wanted() []int32 {
	if m.next == len(m.ranked) || len(m.Pairs) == mostPairs {
		return nil
	}
	p := m.ranked[m.next]
	return []int32{p.a, p.b}
}

// extend adds the next pair.
func (m *Match) extend(b *builder, made map[string]attempt) {
	for rows := m.wanted(); rows != nil; rows = m.wanted() {
		p := m.ranked[m.next]
		m.next++
		first, ok := b.take(p.a, made)
		if !ok || first == failed {
			continue
		}
		second, ok := b.take(p.b, made)
		if !ok || second == failed || second == first {
			continue
		}
		pair := Pair{Pictures: [2]int{first, second}}
		for _, k := range p.differ {
			pair.Differ = append(pair.Differ, m.set[k].name)
		}
		for side, row := range []int32{p.a, p.b} {
			for _, v := range m.show {
				pair.Values[side] = append(pair.Values[side], v.shown(int(row)))
			}
		}
		m.Pairs = append(m.Pairs, pair)
		return
	}
}

// shown returns the value of a row as text, "" if it is missing.
func (v *variable) shown(row int) string {
	if v == nil {
		return ""
	}
	switch l, ok := v.level(row); {
	case !ok:
		return ""
	case l.IsWord:
		return l.Word
	case v.attribute && l.Number == 1:
		return "yes"
	case v.attribute:
		return "no"
	default:
		return brief(l.Number)
	}
}

// covariate compares the values of one column of an adjustment set.
type covariate struct {
	codes   []int32   // index of the value of each row, -1 if it is missing; nil for numbers
	levels  int       // number of values
	numbers []float64 // nil for values that have to be equal
	std     float64
}

func newCovariate(v *variable) *covariate {
	levels := v.levels()
	if !v.continuous(levels) {
		return &covariate{codes: v.codes(levels), levels: len(levels)}
	}
	n, mean, square := 0.0, 0.0, 0.0
	for _, x := range v.values {
		if x == x {
			n++
			d := x - mean
			mean += d / n
			square += d * (x - mean)
		}
	}
	return &covariate{numbers: v.values, std: math.Sqrt(square / n)}
}

// compare reports whether two rows differ, and by how many standard deviations.
func (c *covariate) compare(i, j int32) (differ bool, distance float64) {
	if c.numbers == nil {
		return c.codes[i] != c.codes[j] || c.codes[i] < 0, 0
	}
	d := math.Abs(c.numbers[i]-c.numbers[j]) / c.std
	if d-d != 0 { // missing
		return true, 0
	}
	return d > caliper, d
}

// block returns a number that rows share only if they agree; ok is false for a missing value.
func (c *covariate) block(i int32) (k int64, ok bool) {
	if c.numbers == nil {
		return int64(c.codes[i]), c.codes[i] >= 0
	}
	x := math.Floor(c.numbers[i] / c.std / caliper)
	return int64(x), x-x == 0
}

// pairing is a pair of rows that differ in the cause. a has the group of the cause that is listed first.
type pairing struct {
	a, b     int32
	differ   []int   // indices of the columns of the set that differ
	count    int     // length of differ
	distance float64 // sum over the numbers of the set
	unlike   int     // number of other columns that differ
}

// compare puts the nearer pair first.
func (p pairing) compare(q pairing) int {
	return cmp.Or(p.count-q.count, cmp.Compare(p.distance, q.distance), p.unlike-q.unlike)
}
