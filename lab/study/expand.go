package study

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// protocols are the transformations of the columns before learning.
var protocols = []string{"raw", "standardize", "log", "log+standardize"}

// Select selects a part of a study.
type Select struct {
	Only  []string // names of experiments; all if empty
	Quick bool
}

// Expand lists the runs of the selected experiments, each key once. A shared run belongs to its first
// experiment in the file, whatever is selected, so that its record does not depend on the selection.
func (st *Study) Expand(sel Select) ([]Run, error) {
	if err := st.Validate(); err != nil {
		return nil, err
	}
	for _, name := range sel.Only {
		if st.experiment(name) == nil {
			var names []string
			for _, e := range st.Experiments {
				names = append(names, e.Name)
			}
			return nil, fmt.Errorf("no experiment %q; the study has %s", name, strings.Join(names, ", "))
		}
	}
	var out []Run
	at := map[string]int{} // -1 for an experiment that is not selected
	first := map[string]string{}
	for i := range st.Experiments {
		e := &st.Experiments[i]
		chosen := len(sel.Only) == 0 || slices.Contains(sel.Only, e.Name)
		for _, r := range st.runs(e, sel.Quick) {
			if _, ok := first[r.Key]; !ok {
				first[r.Key] = e.Name
			}
			r.Experiment = first[r.Key]
			if j, ok := at[r.Key]; chosen && (!ok || j < 0) {
				at[r.Key] = len(out)
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// runs lists the grid of one experiment in the order of its tables.
func (st *Study) runs(e *Experiment, quick bool) []Run {
	data, methods, seeds := e.Data, e.Methods, e.Seeds
	if quick {
		if e.Quick == nil {
			return nil
		}
		if e.Quick.Data != nil {
			data = e.Quick.Data
		}
		if e.Quick.Methods != nil {
			methods = e.Quick.Methods
		}
		if e.Quick.Seeds != nil {
			seeds = e.Quick.Seeds
		}
	}
	if len(seeds) == 0 {
		seeds = []uint64{1}
	}
	var out []Run
	add := func(r Run) {
		r.Experiment, r.Label, r.Key = e.Name, r.Point.Label(), r.key()
		out = append(out, r)
	}
	for _, d := range data {
		for _, p := range d.points() {
			if e.kind() != KindLearn {
				add(Run{Kind: e.kind(), Point: p, Seed: seeds[0]})
				continue
			}
			for _, proto := range e.protocols() {
				for _, name := range methods {
					m := st.Methods[name]
					if m.MaxNodes > 0 && p.Nodes > m.MaxNodes {
						continue
					}
					for _, seed := range seeds {
						if !p.Simulated() && p.Jitter == 0 && seed != seeds[0] {
							continue // the seed does not change the data
						}
						add(Run{Kind: KindLearn, Point: p, Protocol: proto, MethodName: name, Method: m.Method, Set: m.Set, Seed: seed, Trace: e.Trace, Rows: e.Rows || m.Rows, Halves: e.Halves})
					}
				}
			}
		}
	}
	return out
}

func (e *Experiment) kind() string {
	if e.Kind == "" {
		return KindLearn
	}
	return e.Kind
}

func (e *Experiment) protocols() []string {
	if len(e.Protocols) == 0 {
		return []string{"raw"}
	}
	return e.Protocols
}

// Validate returns all errors of the study at once.
func (st *Study) Validate() error {
	var errs []error
	where := ""
	fault := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf(where+format, args...))
	}
	if len(st.Experiments) == 0 {
		fault("no experiments")
	}
	for name, m := range st.Methods {
		where = "method " + name + ": "
		if _, err := m.config(); err != nil {
			fault("%w", err)
		}
		if _, ok := st.Methods[m.Against]; m.Against != "" && !ok {
			fault("against: method %q is not among the study's methods", m.Against)
		}
	}
	seen := map[string]bool{}
	for i := range st.Experiments {
		e := &st.Experiments[i]
		where = "experiment " + e.Name + ": "
		if e.Name == "" || strings.ContainsAny(e.Name, `/\ .`) {
			fault("the name %q goes into file names: letters, digits and - only", e.Name)
		}
		if seen[e.Name] {
			fault("there are two of this name")
		}
		seen[e.Name] = true
		st.checkExperiment(e, fault)
	}
	return errors.Join(errs...)
}

func (st *Study) checkExperiment(e *Experiment, fault func(string, ...any)) {
	oneOf := func(what, v string, choices []string) {
		if !slices.Contains(choices, v) {
			fault("%s %q is unknown; choose %s", what, v, strings.Join(choices, ", "))
		}
	}
	oneOf("kind", e.kind(), []string{KindLearn, KindCost, KindCycle})
	data, methods := slices.Clone(e.Data), slices.Clone(e.Methods)
	if e.Quick != nil {
		data, methods = append(data, e.Quick.Data...), append(methods, e.Quick.Methods...)
	}
	if len(data) == 0 {
		fault("no data")
	}
	for _, d := range data {
		d.check(fault)
		if d.Targets != "" && !e.Rows {
			fault("targets are told row by row: write rows: true")
		}
		if e.kind() != KindLearn && d.Dataset != "" {
			fault("kind %s draws its own matrices: give nodes, no dataset", e.kind())
		}
	}
	if e.Halves && !e.Rows {
		fault("halves are halves of the rows: write rows: true")
	}
	if e.kind() == KindLearn && len(methods) == 0 {
		fault("no methods")
	}
	for _, name := range methods {
		if _, ok := st.Methods[name]; !ok {
			fault("method %q is not among the study's methods", name)
		}
	}
	for _, p := range e.protocols() {
		oneOf("protocol", p, protocols)
	}
	for _, c := range e.Columns {
		oneOf("column", c, metricNames())
	}
	for _, f := range e.Figures {
		oneOf("figure", f, figureNames())
	}
	for _, m := range e.Draw {
		oneOf("draw: method", m, e.Methods)
	}
}
