package study

import "slices"

// A Group is one row of a table: the runs that differ only in their seed.
type Group struct {
	Point    Point
	Protocol string
	Method   string // its name in the study
	Records  []*Record

	aggregate bool // over all data of the experiment
	missing   int  // runs without a record
	quick     bool // belongs to the quick form
}

// A View is a study with its records.
type View struct {
	st      *Study
	sel     Select
	records map[string]*Record
}

// NewView returns the study with these records. Of two records with one key the first counts, unless its run
// reached the time limit.
func NewView(st *Study, sel Select, recs []*Record) *View {
	v := &View{st: st, sel: sel, records: map[string]*Record{}}
	for _, r := range recs {
		if old := v.records[r.Key]; old == nil || r.better(old) {
			v.records[r.Key] = r
		}
	}
	return v
}

// chosen lists the selected experiments that have runs.
func (v *View) chosen() []*Experiment {
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
func (v *View) groups(e *Experiment) []*Group {
	var out []*Group
	for _, r := range v.st.runs(e, v.sel.Quick) {
		var g *Group
		if n := len(out); n > 0 && out[n-1].Method == r.MethodName && out[n-1].Protocol == r.Protocol && out[n-1].Point.same(r.Point) {
			g = out[n-1]
		} else {
			g = &Group{Point: r.Point, Protocol: r.Protocol, Method: r.MethodName, quick: v.sel.Quick}
			out = append(out, g)
		}
		if rec := v.records[r.Key]; rec != nil {
			g.Records = append(g.Records, rec)
		} else {
			g.missing++
		}
	}
	return out
}

// aggregated joins the groups of each protocol and method over all data. It omits methods that were skipped
// somewhere because of their size.
func aggregated(groups []*Group) []*Group {
	var out []*Group
	parts := map[*Group]int{}
	most := 0
	for _, g := range groups {
		i := slices.IndexFunc(out, func(a *Group) bool { return a.Protocol == g.Protocol && a.Method == g.Method })
		if i < 0 {
			i = len(out)
			out = append(out, &Group{Protocol: g.Protocol, Method: g.Method, aggregate: true, quick: g.quick})
		}
		a := out[i]
		a.Records, a.missing = append(a.Records, g.Records...), a.missing+g.missing
		parts[a]++
		most = max(most, parts[a])
	}
	return slices.DeleteFunc(out, func(a *Group) bool { return parts[a] < most })
}

func (p Point) same(q Point) bool {
	return p.Generator == q.Generator && p.Graph == q.Graph && p.Nodes == q.Nodes && p.Degree == q.Degree && p.Mechanism == q.Mechanism && p.Samples == q.Samples && p.Weights == q.Weights &&
		p.Dataset == q.Dataset && p.File == q.File && p.Jitter == q.Jitter && slices.Equal(p.Columns, q.Columns) && slices.Equal(p.Truth, q.Truth)
}

// Groups lists the rows of the named experiment in the order of its grid, or none if it does not exist.
func (v *View) Groups(experiment string) []*Group {
	e := v.st.experiment(experiment)
	if e == nil {
		return nil
	}
	return v.groups(e)
}

// Find returns the group of an experiment with a data size, protocol and method, or nil without a record. Size
// 0 matches any.
func (v *View) Find(experiment string, nodes int, protocol, method string) *Group {
	for _, g := range v.Groups(experiment) {
		if (nodes == 0 || g.Point.Nodes == nodes) && g.Protocol == protocol && g.Method == method && len(g.Records) > 0 {
			return g
		}
	}
	return nil
}

// Label returns the label of a method.
func (v *View) Label(method string) string { return v.st.Label(method) }

// Published returns the text of a metric from a source for a group of an experiment, or "".
func (v *View) Published(experiment string, g *Group, source, metric string) string {
	e := v.st.experiment(experiment)
	if e == nil {
		return ""
	}
	return v.st.published(e, g, source, metric)
}

// References returns the published numbers of the study.
func (v *View) References() []Reference { return v.st.References }

// stat returns the statistics of a metric over the group.
func (g *Group) stat(metric string) stat { return columnNamed(metric).of(g.Records) }

// Mean returns the mean of a metric over the group.
func (g *Group) Mean(metric string) float64 { return g.stat(metric).mean }

// Count returns the number of records of the group with the metric.
func (g *Group) Count(metric string) int { return g.stat(metric).n }
