package study

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/lab/internal/timing"
)

// costTables show the median time of one evaluation with gradient by d and constraint, in milliseconds and in
// products, with fitted exponents.
func (v *View) costTables(e *Experiment) []*TextTable {
	recs := v.recordsOf(e)
	ms := &TextTable{Name: e.Name + "-time", Title: e.Title + ": median milliseconds of one evaluation with gradient", Timed: true}
	products := &TextTable{Name: e.Name + "-products-time", Title: "The same in units of one d × d product, timed in turns", Timed: true}
	names := costNames(recs)
	ms.Header = append([]string{"d", "product"}, names...)
	products.Header = append([]string{"d"}, names...)
	for _, r := range recs {
		a, b := []string{strconv.Itoa(r.Point.Nodes), costText(r, "product")}, []string{strconv.Itoa(r.Point.Nodes)}
		for _, n := range names {
			a, b = append(a, costText(r, n)), append(b, "–")
			if c, ok := r.Cost[n]; ok {
				b[len(b)-1] = significant(c.Products, 3)
			}
		}
		ms.Rows, products.Rows = append(ms.Rows, a), append(products.Rows, b)
	}
	fits := []string{"exponent"}
	for _, n := range append([]string{"product"}, names...) {
		x, y := costSeries(recs, n)
		if _, b, ok := timing.PowerLaw(x, y); ok {
			fits = append(fits, "**"+strconv.FormatFloat(b, 'f', 2, 64)+"**")
		} else {
			fits = append(fits, "–")
		}
	}
	ms.Rows = append(ms.Rows, fits)
	ms.Notes = []string{"The exponent is the slope of log time on log d over the sizes of the table."}
	return []*TextTable{ms, products}
}

func costText(r *Record, name string) string {
	c, ok := r.Cost[name]
	if !ok {
		return "–"
	}
	return significant(1e3*c.Seconds, 3)
}

func costNames(recs []*Record) []string {
	seen := map[string]bool{}
	for _, r := range recs {
		for n := range r.Cost {
			seen[n] = true
		}
	}
	delete(seen, "product")
	return slices.Sorted(maps.Keys(seen))
}

func costSeries(recs []*Record, name string) (d, seconds []float64) {
	for _, r := range recs {
		if c, ok := r.Cost[name]; ok {
			d, seconds = append(d, float64(r.Point.Nodes)), append(seconds, c.Seconds)
		}
	}
	return d, seconds
}

// cycleTable shows h of one directed cycle by length and constraint.
func (v *View) cycleTable(e *Experiment) *TextTable {
	t := &TextTable{Name: e.Name, Title: e.Title, Header: []string{"nodes of the cycle"}}
	recs := v.recordsOf(e)
	seen := map[string]bool{}
	for _, r := range recs {
		for n := range r.Cycle {
			seen[n] = true
		}
	}
	names := slices.Sorted(maps.Keys(seen))
	t.Header = append(t.Header, names...)
	for _, r := range recs {
		row := []string{strconv.Itoa(r.Point.Nodes)}
		for _, n := range names {
			if h, ok := r.Cycle[n]; ok {
				row = append(row, strconv.FormatFloat(h, 'g', 4, 64))
			} else {
				row = append(row, "–")
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// edgeTables list the learned edges of given data: one table per data set and protocol, one column per method.
func (v *View) edgeTables(e *Experiment, groups []*Group) []*TextTable {
	var out []*TextTable
	for i := 0; i < len(groups); {
		j := i
		for j < len(groups) && groups[j].Protocol == groups[i].Protocol && groups[j].Point.same(groups[i].Point) {
			j++
		}
		if t := v.edgeTable(e, groups[i:j]); t != nil {
			t.Name = fmt.Sprintf("%s-edges-%d", e.Name, len(out)+1)
			out = append(out, t)
		}
		i = j
	}
	return out
}

func (v *View) edgeTable(e *Experiment, groups []*Group) *TextTable {
	cells := map[graph.Link]map[int]string{}
	best := map[graph.Link]float64{}
	t := &TextTable{Header: []string{"edge"}}
	for k, g := range groups {
		t.Header = append(t.Header, v.st.Label(g.Method))
		if len(g.Records) == 0 {
			continue
		}
		for _, w := range g.Records[0].Graph {
			p := w.Link
			if cells[p] == nil {
				cells[p] = map[int]string{}
			}
			text := strconv.FormatFloat(w.Weight, 'f', 2, 64)
			if w.Weight == 0 && w.Gain != 0 { // the effect is not a slope
				text = significant(w.Gain, 2) + " bit"
			}
			if w.edge().Verdict == polydag.Undirected || w.Verdict == polydag.Weak {
				text += " ↔"
			}
			cells[p][k] = text
			best[p] = max(best[p], w.edge().Size())
		}
	}
	if len(cells) == 0 {
		return nil
	}
	pairs := slices.SortedFunc(maps.Keys(cells), func(a, b graph.Link) int {
		return cmp.Or(cmp.Compare(best[b], best[a]), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	const most = 30
	for i, p := range pairs {
		if i == most {
			t.Notes = append(t.Notes, fmt.Sprintf("The %d strongest of %d edges; all are in the records.", most, len(pairs)))
			break
		}
		row := []string{p.From + " → " + p.To}
		for k := range groups {
			row = append(row, orDash(cells[p][k]))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Title = fmt.Sprintf("Edges: %s, %s (weights with unit variances, or score gains in bits per row where there is no slope; ↔: the direction is not stated)", groups[0].Point.Label(), groups[0].Protocol)
	return t
}
