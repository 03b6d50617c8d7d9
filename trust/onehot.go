package trust

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// categorical reports whether column j has categories, whose codes are not quantities.
func (e *examination) categorical(j int) bool {
	c := e.column[j]
	return e.refuse.Levels && c.Kind == dataset.Text.String() && c.From == ""
}

// oneHots finds columns of 0 and 1 that one-hot encode a text column. With category codes 0 … k-1, a column b that is 1 exactly at
// category v has cov(b, c) = mean(b)·(v - mean(c)). Such columns encode c if c = Σ v·b_v in every row.
func (e *examination) oneHots() {
	if e.m.N < leastRows {
		return
	}
	d := e.m.Dim()
	for c := range d {
		k := e.column[c].Distinct
		if !e.categorical(c) || !(e.std[c] > 0) {
			continue
		}
		of := make([]int, k) // indicator column of each category, or -1
		for v := range of {
			of[v] = -1
		}
		for _, b := range e.varying {
			if !e.twoValued(b) || e.m.Min[b] != 0 || e.m.Max[b] != 1 {
				continue
			}
			at := e.m.At(b, c)/float64(e.m.N)/e.m.Mean[b] + e.m.Mean[c]
			if v := math.Round(at); math.Abs(at-v) < 1e-6 && v >= 0 && int(v) < k && of[int(v)] < 0 {
				of[int(v)] = b
			}
		}
		if e.encodes(of, c) {
			columns := slices.DeleteFunc(of, func(b int) bool { return b < 0 })
			slices.Sort(columns)
			e.addOneHot(c, columns)
		}
	}
}

// encodes reports whether the indicator columns determine the codes of c: the variance of c - Σ v·b_v is 0. The first category
// needs no column. With two categories the column of the first is enough.
func (e *examination) encodes(of []int, c int) bool {
	columns, weight := []int{c}, []float64{1}
	for v, b := range of {
		if v == 0 {
			continue
		}
		if b < 0 && len(of) == 2 && of[0] >= 0 {
			columns, weight = append(columns, of[0]), append(weight, 1)
			break
		}
		if b < 0 {
			return false
		}
		columns, weight = append(columns, b), append(weight, -float64(v))
	}
	left := 0.0
	for a, i := range columns {
		for b, j := range columns {
			left += weight[a] * weight[b] * e.m.At(i, j)
		}
	}
	return math.Abs(left) <= 1e-9*e.m.At(c, c)
}

func (e *examination) addOneHot(c int, columns []int) {
	names := e.names(columns)
	prefix := names[0]
	for _, name := range names[1:] {
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	said, verb := list(names, 6), "one-hot encode"
	if len(names) == 1 {
		verb = "encodes"
	} else if prefix != "" {
		said, verb = prefix+"*", "one-hot encodes"
	}
	for _, b := range columns {
		e.onehot[b] = true
	}
	e.add(Duplicate, Warning, append([]string{e.m.Names[c]}, names...), fmt.Sprintf("%s %s %s", said, verb, e.m.Names[c]),
		fault.Out("keep one of both: %s, or %s", fault.Columns("drop", names...), fault.Columns("drop", e.m.Names[c])))
}

// mostWorded is the number of findings with one code that are listed separately.
const mostWorded = 3

// joinFindings replaces several findings with the same code by one with a count. more lists the columns to drop of further
// findings.
func (e *examination) joinFindings(code, what string, more []string) {
	var all []Finding
	for _, f := range e.out.Findings {
		if f.Code == code && f.Severity == Warning {
			all = append(all, f)
		}
	}
	if len(all) <= mostWorded {
		return
	}
	var said, columns, drop []string
	for _, f := range all {
		said = append(said, f.Sentence)
		columns = appendNew(columns, f.Columns)
		for _, r := range f.Remedies {
			drop = appendNew(drop, r.Columns)
		}
	}
	drop = append(drop, more...)
	text := fmt.Sprintf("%d %s, such as: %s", len(all)+len(more), what, strings.Join(said[:mostWorded], "; "))
	way := fault.Out("%s; otherwise edges among them reflect arithmetic, not causation", fault.Columns("drop", drop...))
	joined := newFinding(code, Warning, append(columns, more...), text, way)
	e.out.Findings = append(slices.DeleteFunc(e.out.Findings, func(f Finding) bool { return f.Code == code && f.Severity == Warning }), joined)
}

// appendNew appends the names that are not in the list.
func appendNew(list, names []string) []string {
	for _, name := range names {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
