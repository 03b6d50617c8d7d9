package command

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/command/internal/edgelist"
	"github.com/polydag/polydag/internal/series"
	"github.com/polydag/polydag/knowledge"
)

// knowledgeFlags are the sources of prior knowledge, which are combined.
type knowledgeFlags struct {
	require, forbid    []string
	prior              []string
	tierOdds           float64
	roots, leaves      []string
	order, tiers, file string

	last knowledge.Spec // the last spec
	// origins has, by the start of an error about an entry of last, a start that names the flag or file.
	origins map[string]string
}

func (k *knowledgeFlags) bind(f *pflag.FlagSet) {
	f.StringArrayVar(&k.require, "require", nil, "require this edge, as a->b; repeatable")
	f.StringArrayVar(&k.forbid, "forbid", nil, "forbid this edge, as a->b; * matches any name; repeatable")
	f.StringArrayVar(&k.prior, "prior", nil, "probability, before seeing the data, that a directly causes b, as a->b=0.8; the rest is split equally between b->a and no edge, so that 1/3 says nothing; repeatable")
	f.StringSliceVar(&k.roots, "roots", nil, "columns that nothing in the table drives, comma-separated")
	f.StringSliceVar(&k.leaves, "leaves", nil, "columns that drive nothing in the table, comma-separated")
	f.StringVar(&k.order, "order", "", "order in time, as 'a,b < c < d': no edge may point from a later to an earlier column; columns that are not named are free")
	f.StringVar(&k.tiers, "tiers", "", `file with temporal tiers, as JSON [["a","b"],["c"]]; no edge may point from a later to an earlier tier`)
	f.Float64Var(&k.tierOdds, "tier-odds", 0, "prior odds that an edge between two tiers points to the later one; the order or tiers are then not enforced (default: enforced)")
	f.StringVar(&k.file, "knowledge", "", "file with prior knowledge: JSON (require, forbid, prior, tiers, tier_odds, groups), or a graph whose edges are required")
}

// spec reads the files and combines all knowledge.
func (k *knowledgeFlags) spec() (knowledge.Spec, error) {
	spec := knowledge.Spec{Require: slices.Clone(k.require), Forbid: slices.Clone(k.forbid), Prior: slices.Clone(k.prior), TierOdds: k.tierOdds}
	k.origins = map[string]string{}
	k.from("--", spec)
	for _, name := range k.roots {
		spec.Forbid = append(spec.Forbid, knowledge.Root(name))
		k.origins[fmt.Sprintf("forbid %q: ", knowledge.Root(name))] = "--roots: "
	}
	for _, name := range k.leaves {
		spec.Forbid = append(spec.Forbid, knowledge.Leaf(name))
		k.origins[fmt.Sprintf("forbid %q: ", knowledge.Leaf(name))] = "--leaves: "
	}
	if k.order != "" {
		tiers, err := knowledge.ParseOrder(k.order)
		if err != nil {
			return spec, usageError{fmt.Errorf("--order: %w", err)}
		}
		spec.Tiers = tiers
		for i := range tiers {
			k.origins[fmt.Sprintf("tiers[%d]: ", i)] = "--order: "
		}
	}
	for _, from := range []struct {
		path string
		read func(io.Reader) (knowledge.Spec, error)
	}{{k.tiers, knowledge.ReadSpec}, {k.file, readKnowledge}} {
		if from.path == "" {
			continue
		}
		f, err := os.Open(from.path)
		if err != nil {
			return spec, fmt.Errorf("cannot read %s: %w; check the path and its permissions", from.path, Cause(err))
		}
		more, err := from.read(f)
		f.Close()
		if err != nil {
			return spec, fmt.Errorf("%s: %w", from.path, err)
		}
		k.from(from.path+": ", more)
		if spec, err = spec.Merge(more); err != nil {
			return spec, err
		}
	}
	k.last = spec
	return spec, nil
}

// from records that entries come from a flag or file; the first origin of an entry counts.
func (k *knowledgeFlags) from(origin string, spec knowledge.Spec) {
	add := func(start string) {
		if k.origins[start] == "" {
			k.origins[start] = origin + start
		}
	}
	for word, list := range map[string][]string{"require": spec.Require, "forbid": spec.Forbid, "prior": spec.Prior, "group": slices.Collect(maps.Keys(spec.Groups))} {
		for _, entry := range list {
			add(fmt.Sprintf("%s %q: ", word, entry))
		}
	}
	for i := range spec.Tiers {
		add(fmt.Sprintf("tiers[%d]: ", i))
	}
}

// originated is an error whose text names the flag or file.
type originated struct {
	error
	text string
}

func (e originated) Error() string { return e.text }
func (e originated) Unwrap() error { return e.error }

// check looks the names of the last spec up in a table. Excluded columns have an error of their own when the table is learned from.
func (k *knowledgeFlags) check(t *polydag.Table) error {
	columns := slices.Clone(t.Moments.Names)
	for _, x := range t.Source.Excluded {
		columns = append(columns, x.Name)
	}
	_, err := series.Present(k.last).Resolve(columns)
	list := []error{err}
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		list = all.Unwrap()
	}
	for i, err := range list {
		if err == nil {
			continue
		}
		text := err.Error()
		for start, origin := range k.origins {
			if rest, ok := strings.CutPrefix(text, start); ok {
				text = origin + rest
				break
			}
		}
		list[i] = usageError{originated{err, text}}
	}
	return errors.Join(list...)
}

// readKnowledge reads a Spec, or a graph in any format of a true graph. The edges of a graph become required.
// It forbids no other edges, because such graphs are rarely complete.
func readKnowledge(r io.Reader) (knowledge.Spec, error) {
	text := bufio.NewReader(r)
	begin, _ := text.Peek(1 << 12) // an error occurs again at the next read
	begin = bytes.TrimSpace(bytes.TrimPrefix(begin, []byte("\ufeff")))
	if len(begin) == 0 || bytes.IndexByte([]byte("{[/"), begin[0]) >= 0 && !bytes.HasPrefix(begin, []byte("//")) && !bytes.HasPrefix(begin, []byte("/*")) {
		return knowledge.ReadSpec(text)
	}
	edges, err := edgelist.Read(text, nil)
	switch {
	case errors.Is(err, edgelist.ErrHeader):
		return knowledge.Spec{}, usagef("neither knowledge, which begins with { or [, nor a graph: %w", err)
	case err != nil:
		return knowledge.Spec{}, usageError{err}
	case len(edges) == 0:
		return knowledge.Spec{}, usagef("the graph has no edges; a graph given as --knowledge requires its edges, so give one with edges")
	}
	var spec knowledge.Spec
	for _, e := range edges {
		if e.Undirected {
			continue // it says nothing about the direction
		}
		spec.Require = append(spec.Require, knowledge.EdgeBetween(e.From, e.To))
	}
	if len(spec.Require) == 0 {
		return knowledge.Spec{}, usagef("the graph has no directed edge; a graph given as --knowledge requires its directed edges")
	}
	return spec, nil
}
