package study

import "slices"

// A group is one row of a table: the runs that differ in their seed only.
type group struct {
	point     Point
	protocol  string
	method    string
	aggregate bool // over all data of the experiment
	records   []*Record
	missing   int  // runs without a record
	quick     bool // of the quick form
}

// view is a study with the records that its tables are made of.
type view struct {
	st      *Study
	sel     Select
	records map[string]*Record
}

func newView(st *Study, sel Select, recs []*Record) *view {
	v := &view{st: st, sel: sel, records: map[string]*Record{}}
	for _, r := range recs {
		if v.records[r.Key] == nil {
			v.records[r.Key] = r
		}
	}
	return v
}

// chosen lists the experiments of the selection that have runs.
func (v *view) chosen() []*Experiment {
	var out []*Experiment
	for i := range v.st.Experiments {
		e := &v.st.Experiments[i]
		if len(v.sel.Only) > 0 && !slices.Contains(v.sel.Only, e.Name) || len(v.st.runs(e, v.sel.Quick)) == 0 {
			continue
		}
		out = append(out, e)
	}
	return out
}

// groups lists the rows of an experiment in the order of its grid.
func (v *view) groups(e *Experiment) []*group {
	var out []*group
	for _, r := range v.st.runs(e, v.sel.Quick) {
		var g *group
		if n := len(out); n > 0 && out[n-1].method == r.MethodName && out[n-1].protocol == r.Protocol && out[n-1].point.same(r.Point) {
			g = out[n-1]
		} else {
			g = &group{point: r.Point, protocol: r.Protocol, method: r.MethodName, quick: v.sel.Quick}
			out = append(out, g)
		}
		if rec := v.records[r.Key]; rec != nil {
			g.records = append(g.records, rec)
		} else {
			g.missing++
		}
	}
	return out
}

// aggregated joins the groups of each protocol and method over all data; methods that were left out somewhere for their size are left out.
func aggregated(groups []*group) []*group {
	var out []*group
	parts := map[*group]int{}
	most := 0
	for _, g := range groups {
		i := slices.IndexFunc(out, func(a *group) bool { return a.protocol == g.protocol && a.method == g.method })
		if i < 0 {
			i = len(out)
			out = append(out, &group{protocol: g.protocol, method: g.method, aggregate: true, quick: g.quick})
		}
		a := out[i]
		a.records, a.missing = append(a.records, g.records...), a.missing+g.missing
		parts[a]++
		most = max(most, parts[a])
	}
	return slices.DeleteFunc(out, func(a *group) bool { return parts[a] < most })
}

func (p Point) same(q Point) bool {
	return p.Generator == q.Generator && p.Graph == q.Graph && p.Nodes == q.Nodes && p.Degree == q.Degree && p.Samples == q.Samples && p.Weights == q.Weights &&
		p.Dataset == q.Dataset && p.File == q.File && p.Jitter == q.Jitter && slices.Equal(p.Columns, q.Columns) && slices.Equal(p.Truth, q.Truth)
}

// find returns the group of an experiment with a data size, protocol and method, nil if it has no record.
func (v *view) find(experiment string, nodes int, protocol, method string) *group {
	e := v.st.experiment(experiment)
	if e == nil {
		return nil
	}
	for _, g := range v.groups(e) {
		if (nodes == 0 || g.point.Nodes == nodes) && g.protocol == protocol && g.method == method && len(g.records) > 0 {
			return g
		}
	}
	return nil
}

// stat returns the statistics of a metric over the group.
func (g *group) stat(metric string) stat { return columnNamed(metric).of(g.records) }
