package knowledge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
)

// Resolve looks up the terms of s among the column names, which it copies. It reports every error at once, each matching
// ErrKnowledge: a term that matches no column, a column in two tiers, a required edge that is a self-loop, forbidden or against the
// tiers, required edges that close a cycle, and prior probabilities that contradict each other or the rest. A pair that is forbidden in
// both directions is not an error.
//
// For d columns it takes O(d) memory, d² bits once an edge is forbidden by name, and m² bits for the m columns that required edges
// join.
func (s Spec) Resolve(names []string) (*Knowledge, error) {
	k := &Knowledge{names: slices.Clone(names)}
	if len(s.Require)+len(s.Forbid)+len(s.Tiers)+len(s.Groups)+len(s.Inputs)+len(s.Prior) == 0 && s.TierOdds == 0 {
		return k, nil
	}
	cols, errs := newColumns(k.names)
	errs = append(errs, cols.define(s.Groups)...)

	required, more := cols.required(s.Require)
	errs = append(errs, more...)
	k.forbids, more = cols.forbidden(s.Forbid)
	errs = append(errs, more...)
	k.tiers, more = cols.tiers(s.Tiers)
	errs = append(errs, more...)
	if err := s.oddsFault(); err != nil {
		errs = append(errs, err)
	} else if s.TierOdds > 0 {
		k.tiers, k.softTiers, k.tierOdds = nil, k.tiers, s.TierOdds
	}

	k.inputs, more = inputs(k.names, s.Inputs)
	errs = append(errs, more...)

	k.rows = forbiddenRows(len(names), k.forbids)
	for _, r := range required {
		i, j := r.edge.From, r.edge.To
		if k.explicit(i, j) {
			errs = append(errs, fault("require %q: forbidden by %s; drop one of them", r.text, k.forbiddingTexts(i, j)))
		}
		if k.Input(j) {
			errs = append(errs, fault("require %q: %s is an input, which no edge leads to; drop the entry", r.text, names[j]))
		}
		if k.againstTiers(i, j) {
			errs = append(errs, fault("require %q: leads from tiers[%d] back to tiers[%d]; drop it or move a column", r.text, k.tiers[i], k.tiers[j]))
		}
		k.required = append(k.required, r.edge)
	}
	slices.SortFunc(k.required, graph.Edge.Compare)
	k.required = slices.Compact(k.required)
	k.paths, more = newClosure(k.names, k.required)
	errs = append(errs, more...)
	k.beliefs, more = cols.believed(k, s.Prior)
	errs = append(errs, more...)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return k, nil
}

// A requirement is a required edge and its text.
type requirement struct {
	text string
	edge graph.Edge
}

func (c *columns) required(texts []string) ([]requirement, []error) {
	var all []requirement
	var errs []error
	for _, text := range texts {
		bad := func(format string, args ...any) {
			errs = append(errs, fault("require %q: "+format, append([]any{text}, args...)...))
		}
		from, to, lookups := c.edge(text)
		for _, err := range lookups {
			bad("%v", err)
		}
		if from == nil || to == nil {
			continue
		}
		single := true
		for _, end := range []*set{from, to} {
			if len(end.at) > 1 {
				bad("one end stands for %d columns, %s; write one entry for each edge", len(end.at), c.named(end))
				single = false
			}
		}
		if !single {
			continue
		}
		e := graph.Edge{From: int(from.at[0]), To: int(to.at[0])}
		if e.From == e.To {
			bad("a self-loop, which no DAG has; drop it")
			continue
		}
		all = append(all, requirement{text, e})
	}
	return all, errs
}

// A prohibition is an entry of Forbid: the edges of from × to except self-loops.
type prohibition struct {
	text     string
	from, to *set
}

func (c *columns) forbidden(texts []string) ([]prohibition, []error) {
	var all []prohibition
	var errs []error
	for _, text := range texts {
		from, to, lookups := c.edge(text)
		for _, err := range lookups {
			errs = append(errs, fault("forbid %q: %v", text, err))
		}
		if from == nil || to == nil {
			continue
		}
		if from == to && c.isName(from) {
			errs = append(errs, fault("forbid %q: a self-loop, which no DAG has anyway; name two columns", text))
			continue
		}
		all = append(all, prohibition{text, from, to})
	}
	return all, errs
}

// edge looks up both ends of an edge. An end without columns is nil, and its error is returned unless it was
// already reported.
func (c *columns) edge(text string) (from, to *set, errs []error) {
	a, b, err := parseEdge(text)
	if err != nil {
		return nil, nil, []error{err}
	}
	from, err = c.term(a)
	if err != nil && err != errReported {
		errs = append(errs, err)
	}
	to, err = c.term(b)
	if err != nil && err != errReported && a != b {
		errs = append(errs, err)
	}
	return from, to, errs
}

// tiers returns the tier of each column, -1 for a free column, and nil without tiers.
func (c *columns) tiers(lists [][]string) ([]int, []error) {
	if len(lists) == 0 {
		return nil, nil
	}
	tierOf := make([]int, len(c.names))
	for i := range tierOf {
		tierOf[i] = -1
	}
	var errs []error
	for t, list := range lists {
		for _, entry := range list {
			columns, err := c.entry(entry)
			if err != nil {
				if err != errReported {
					errs = append(errs, fault("tiers[%d]: %v", t, err))
				}
				continue
			}
			twice := map[int]*set{} // by the other tier
			for _, i := range columns.at {
				switch other := tierOf[i]; {
				case other < 0:
					tierOf[i] = t
				case other != t:
					if twice[other] == nil {
						twice[other] = &set{}
					}
					twice[other].at = append(twice[other].at, i)
				}
			}
			for _, other := range slices.Sorted(maps.Keys(twice)) {
				errs = append(errs, fault("tiers[%d]: %q lists again what tiers[%d] has, %s; a column has one tier",
					t, entry, other, c.named(twice[other])))
			}
		}
	}
	return tierOf, errs
}

// forbiddenRows returns, for each i, the bits j of the edges i → j that an entry forbids, nil for none, and nil without entries. An
// entry costs |from| · min(|to|, d/64).
func forbiddenRows(d int, entries []prohibition) [][]uint64 {
	if len(entries) == 0 {
		return nil
	}
	rows := make([][]uint64, d)
	words := (d + 63) / 64
	for _, e := range entries {
		for _, i := range e.from.at {
			if rows[i] == nil {
				rows[i] = make([]uint64, words)
			}
			if len(e.to.at) < words {
				for _, j := range e.to.at {
					setBit(rows[i], int(j))
				}
				continue
			}
			for w, bits := range e.to.bits(d) {
				rows[i][w] |= bits
			}
		}
	}
	return rows
}

// forbiddingTexts quotes the entries of Forbid that contain i → j.
func (k *Knowledge) forbiddingTexts(i, j int) string {
	var texts []string
	for _, f := range k.forbids {
		if f.from.has(i) && f.to.has(j) {
			texts = append(texts, fmt.Sprintf("%q", f.text))
		}
	}
	return strings.Join(texts, ", ")
}
