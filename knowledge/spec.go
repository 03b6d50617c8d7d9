package knowledge

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polydag/polydag/graph"
)

// ErrKnowledge is matched by every error of this package.
var ErrKnowledge = errors.New("knowledge")

// Faulty returns err as an error of prior knowledge, which matches ErrKnowledge too.
func Faulty(err error) error { return contradiction{err} }

func fault(format string, args ...any) error {
	return contradiction{fmt.Errorf(format, args...)}
}

// A contradiction is an error that matches ErrKnowledge.
type contradiction struct{ error }

func (c contradiction) Is(target error) bool { return target == ErrKnowledge }

func (c contradiction) Unwrap() error { return c.error }

// A Spec is prior knowledge as a user writes it, by name; the package comment has the syntax. The zero value is empty.
type Spec struct {
	// Require lists edges, "a->b", that every graph must have. Each end is one column.
	Require []string `json:"require,omitempty"`
	// Forbid lists edges that no graph may have: "a->b", "*->male", "hair_*->age", "@hair->@face".
	Forbid []string `json:"forbid,omitempty"`
	// Tiers lists columns, earlier tiers first. No edge leads from a later tier to an
	// earlier one. Columns not listed are free.
	Tiers [][]string `json:"tiers,omitempty"`
	// Prior lists prior probabilities of edges between 0 and 1: "a->b=0.8", "@lab->outcome=0.1". A pattern or group is a statement
	// about each of its edges. See Belief.
	Prior []string `json:"prior,omitempty"`
	// TierOdds, if not 0, are the prior odds that an edge between two tiers leads to the later one. The tiers are then not enforced.
	TierOdds float64 `json:"tier_odds,omitempty"`
	// Groups are named lists of columns: "@hair" means Groups["hair"].
	Groups map[string][]string `json:"groups,omitempty"`
	// Inputs lists columns that no edge leads to, by their exact names, such as lagged values. A graph describes the other columns given
	// the inputs: relations between inputs are no edges.
	Inputs []string `json:"inputs,omitempty"`
	// Sources says which entries come from whom, such as the answers of a language model. It does not change what the entries mean.
	Sources map[string][]string `json:"sources,omitempty"`
}

// An Edge is an edge between two columns, whatever their names contain.
type Edge = graph.Link

// Requiring returns s with these edges required.
func (s Spec) Requiring(edges ...Edge) Spec {
	s.Require = with(s.Require, edges)
	return s
}

// Forbidding returns s with these edges forbidden.
func (s Spec) Forbidding(edges ...Edge) Spec {
	s.Forbid = with(s.Forbid, edges)
	return s
}

func with(entries []string, edges []Edge) []string {
	out := slices.Clone(entries)
	for _, e := range edges {
		out = append(out, EdgeBetween(e.From, e.To))
	}
	return out
}

// Empty reports whether s says nothing about the graph. Groups alone say nothing.
func (s Spec) Empty() bool {
	return len(s.Require) == 0 && len(s.Forbid) == 0 && len(s.Inputs) == 0 && len(s.Prior) == 0 &&
		!slices.ContainsFunc(s.Tiers, func(tier []string) bool { return len(tier) > 0 })
}

// HasPriors reports whether s has prior probabilities or odds of tiers.
func (s Spec) HasPriors() bool { return len(s.Prior) > 0 || s.TierOdds != 0 }

// WithoutPriors returns s without prior probabilities and without tiers that have odds. It shares the rest with s.
func (s Spec) WithoutPriors() Spec {
	if s.TierOdds != 0 {
		s.Tiers = nil
	}
	s.Prior, s.TierOdds = nil, 0
	return s
}

// Named lists the columns that Require, Forbid and Prior name, without patterns and groups.
func (s Spec) Named() []string {
	var out []string
	entries := slices.Concat(s.Require, s.Forbid)
	for _, p := range s.Prior {
		if edge, _, err := parsePrior(p); err == nil {
			entries = append(entries, edge)
		}
	}
	for _, e := range entries {
		for _, end := range strings.Split(e, "->") {
			if end = strings.TrimSpace(end); end != "" && !strings.ContainsAny(end, "*@,") && !slices.Contains(out, end) {
				out = append(out, end)
			}
		}
	}
	return out
}

// Without returns s with these columns removed from the tiers. It shares the rest with s.
func (s Spec) Without(columns []string) Spec {
	tiers := make([][]string, len(s.Tiers))
	for i, tier := range s.Tiers {
		tiers[i] = slices.DeleteFunc(slices.Clone(tier), func(name string) bool { return slices.Contains(columns, name) })
	}
	if len(tiers) > 0 {
		s.Tiers = tiers
	}
	return s
}

// Merge returns the union of s and o and shares nothing with them. Entries of either may use the groups of the other. Two different
// lists of tiers, or two different groups of one name, are an error.
func (s Spec) Merge(o Spec) (Spec, error) {
	var errs []error
	m := Spec{Require: union(s.Require, o.Require), Forbid: union(s.Forbid, o.Forbid), Inputs: union(s.Inputs, o.Inputs),
		Prior: union(s.Prior, o.Prior), TierOdds: cmp.Or(s.TierOdds, o.TierOdds)}
	for _, sources := range []map[string][]string{s.Sources, o.Sources} {
		for name, entries := range sources {
			if m.Sources == nil {
				m.Sources = map[string][]string{}
			}
			m.Sources[name] = union(m.Sources[name], entries)
		}
	}
	if o.TierOdds != 0 && o.TierOdds != m.TierOdds {
		errs = append(errs, fault("tier odds are given twice, and differ; give them in one place"))
	}
	tiers := s.Tiers
	if len(tiers) == 0 {
		tiers = o.Tiers
	} else if len(o.Tiers) > 0 && !slices.EqualFunc(s.Tiers, o.Tiers, slices.Equal) {
		errs = append(errs, fault("tiers are given twice, and differ; give them in one place"))
	}
	for _, tier := range tiers {
		m.Tiers = append(m.Tiers, slices.Clone(tier))
	}
	for _, groups := range []map[string][]string{s.Groups, o.Groups} {
		for _, name := range slices.Sorted(maps.Keys(groups)) {
			if has, ok := m.Groups[name]; ok && !slices.Equal(has, groups[name]) {
				errs = append(errs, fault("group %q is given twice, and differs; rename one", name))
				continue
			}
			if m.Groups == nil {
				m.Groups = map[string][]string{}
			}
			m.Groups[name] = slices.Clone(groups[name])
		}
	}
	if len(errs) > 0 {
		return Spec{}, errors.Join(errs...)
	}
	return m, nil
}

// union returns a followed by the entries that only b has, each once.
func union(a, b []string) []string {
	var all []string
	seen := map[string]bool{}
	for _, list := range [][]string{a, b} {
		for _, s := range list {
			if !seen[s] {
				seen[s] = true
				all = append(all, s)
			}
		}
	}
	return all
}
