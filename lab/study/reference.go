package study

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Reference is one published row: the runs that it applies to, and its numbers as printed. Empty fields match
// everything.
type Reference struct {
	Experiment string  `yaml:"experiment"`
	Source     string  `yaml:"source"` // heading of the column: paper, released code
	Where      string  `yaml:"where"`  // table or section
	Dataset    string  `yaml:"dataset"`
	Graph      string  `yaml:"graph"`
	Nodes      int     `yaml:"nodes"`
	Degree     float64 `yaml:"degree"`
	Protocol   string  `yaml:"protocol"`
	Method     string  `yaml:"method"`
	Jitter     float64 `yaml:"jitter"`
	// Aggregate makes it a row of the aggregate table.
	Aggregate bool              `yaml:"aggregate"`
	Values    map[string]string `yaml:"values"` // metric → "125.0 ± 18.4", "167 to 186"
}

func (r *Reference) matches(e string, g *Group) bool {
	p := g.Point
	if g.quick && r.Nodes == 0 && r.Dataset == "" { // it may be for another size
		return false
	}
	return r.Experiment == e && r.Aggregate == g.aggregate && (r.Method == "" || r.Method == g.Method) &&
		(r.Protocol == "" || r.Protocol == g.Protocol) && (r.Nodes == 0 || r.Nodes == p.Nodes) &&
		(r.Degree == 0 || r.Degree == p.Degree) && (r.Graph == "" || r.Graph == p.Graph) &&
		(r.Dataset == "" || r.Dataset == p.Dataset) && r.Jitter == p.Jitter
}

// Rows counts the table rows that a reference applies to.
func (v *View) Rows(r *Reference) int {
	groups := v.Groups(r.Experiment)
	if r.Aggregate {
		groups = aggregated(groups)
	}
	rows := 0
	for _, g := range groups {
		if r.matches(r.Experiment, g) {
			rows++
		}
	}
	return rows
}

// published returns the text of a metric from a source for a group, or "".
func (st *Study) published(e *Experiment, g *Group, source, metric string) string {
	for i := range st.References {
		r := &st.References[i]
		if r.Source == source && r.matches(e.Name, g) && r.Values[metric] != "" {
			return r.Values[metric]
		}
	}
	return ""
}

// sources lists the sources of published numbers of a metric of an experiment, in the order of the file.
func (st *Study) sources(e *Experiment, groups []*Group, metric string) []string {
	var out []string
	for i := range st.References {
		r := &st.References[i]
		if r.Values[metric] == "" || slices.Contains(out, r.Source) {
			continue
		}
		if slices.ContainsFunc(groups, func(g *Group) bool { return r.matches(e.Name, g) }) {
			out = append(out, r.Source)
		}
	}
	return out
}

// Number parses the number before ± of a published value, or the first number of a range.
func Number(text string) (float64, error) {
	first, _, _ := strings.Cut(text, "±")
	first, _, _ = strings.Cut(first, " to ")
	v, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(first), "%"), 64)
	if err != nil {
		return 0, fmt.Errorf("reference %q does not start with a number", text)
	}
	if strings.HasSuffix(strings.TrimSpace(first), "%") {
		v /= 100
	}
	return v, nil
}
