package knowledge

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/polydag/polydag/internal/names"
)

// guesses limits the number of unknown terms that get a suggestion, because each suggestion compares with all columns.
const guesses = 32

// columns looks terms up among the columns of a table.
type columns struct {
	names   []string
	runes   [][]rune // runes of names, computed at the first pattern
	index   map[string]int
	ones    []set           // ones[i] is the set of column i only
	groups  map[string]*set // nil marks a faulty group that was reported
	cache   map[term]lookup // cache of patterns and unknown terms
	guessed int
}

type lookup struct {
	set *set
	err error
}

func newColumns(list []string) (*columns, []error) {
	c := &columns{
		names: list,
		index: names.Index(list),
		ones:  make([]set, len(list)),
		cache: map[term]lookup{},
	}
	var errs []error
	all := make([]int32, len(list))
	for i, name := range list {
		all[i] = int32(i)
		c.ones[i].at = all[i : i+1 : i+1]
		if first := c.index[name]; first != i {
			errs = append(errs, fault("columns %d and %d are both named %q; rename one", first+1, i+1, name))
		}
	}
	return c, errs
}

// isName reports whether s is the set of a column name.
func (c *columns) isName(s *set) bool { return s == &c.ones[s.at[0]] }

// define resolves the groups, in the order of their names.
func (c *columns) define(groups map[string][]string) []error {
	var errs []error
	resolved := make(map[string]*set, len(groups))
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		bad := func(format string, args ...any) {
			errs = append(errs, fault("group %q: "+format, append([]any{name}, args...)...))
		}
		before := len(errs)
		begin, end := nextArrow(name)
		switch _, column := c.index["@"+name]; {
		case name == "" || strings.TrimSpace(name) != name || strings.HasPrefix(name, "@") || begin != end:
			bad("cannot be used; name it by a plain word, without @, arrows and spaces around it")
		case column:
			bad(`cannot be told from the column "@%s"; rename the group`, name)
		case len(groups[name]) == 0:
			bad("is empty; list its columns or delete it")
		}
		var parts []*set
		for _, entry := range groups[name] {
			part, err := c.entry(entry)
			if err != nil {
				bad("%v", err)
				continue
			}
			parts = append(parts, part)
		}
		if len(errs) == before {
			resolved[name] = joined(parts)
		} else {
			resolved[name] = nil
		}
	}
	// Set last, because a group cannot contain a group.
	c.groups = resolved
	return errs
}

// errReported marks an error that is in the list already.
var errReported = errors.New("uses a faulty group")

// entry looks up an entry of a list.
func (c *columns) entry(s string) (*set, error) {
	if i, ok := c.index[s]; ok {
		return &c.ones[i], nil
	}
	t, err := parseEntry(s)
	if err != nil {
		return nil, err
	}
	return c.term(t)
}

// term looks up t; the set has at least one column.
func (c *columns) term(t term) (*set, error) {
	if i, ok := c.index[t.text]; ok {
		return &c.ones[i], nil
	}
	if group, ok := strings.CutPrefix(t.text, "@"); ok && !t.quoted {
		return c.group(group)
	}
	found, ok := c.cache[t]
	if !ok {
		found.set, found.err = c.search(t)
		c.cache[t] = found
	}
	return found.set, found.err
}

// search looks up a term that is neither a name nor a group.
func (c *columns) search(t term) (*set, error) {
	if t.quoted || !names.IsPattern(t.text) {
		return nil, fmt.Errorf("no column is named %q; %s", t.text, c.hint(t.text, false))
	}
	if s := c.matching(t.text); len(s.at) > 0 {
		return s, nil
	}
	return nil, fmt.Errorf("no column matches %q; %s", t.text, c.hint(t.text, true))
}

func (c *columns) group(name string) (*set, error) {
	if c.groups == nil {
		return nil, fmt.Errorf("@%s is a group, and a group holds names and patterns only; list the columns", name)
	}
	s, ok := c.groups[name]
	switch {
	case ok && s == nil:
		return nil, errReported
	case ok:
		return s, nil
	}
	advice := fmt.Sprintf(`define it in groups, or write "@%s" in double quotes if it is a column`, name)
	if near, ok := names.Nearest(name, false, slices.Sorted(maps.Keys(c.groups))); ok {
		advice = fmt.Sprintf("did you mean @%s?", near)
	}
	return nil, fmt.Errorf("there is no group @%s; %s", name, advice)
}

func (c *columns) matching(pattern string) *set {
	if c.runes == nil {
		c.runes = make([][]rune, len(c.names))
		for i, name := range c.names {
			c.runes[i] = []rune(name)
		}
	}
	p := []rune(pattern)
	s := &set{}
	for i, name := range c.runes {
		if names.Match(p, name) {
			s.at = append(s.at, int32(i))
		}
	}
	return s
}

// hint suggests what an unknown term may mean.
func (c *columns) hint(text string, wild bool) string {
	if c.guessed < guesses {
		c.guessed++
		if near, ok := names.Nearest(text, wild, c.names); ok {
			return fmt.Sprintf("did you mean %q?", near)
		}
	}
	if len(c.names) == 0 {
		return "there are no columns"
	}
	return "the columns are " + names.List(c.names, mostListed)
}

// named returns the names of a set.
func (c *columns) named(s *set) string {
	list := make([]string, len(s.at))
	for n, i := range s.at {
		list[n] = c.names[i]
	}
	return names.List(list, mostListed)
}

// mostListed is the number of names in a message.
const mostListed = 8

// inputs marks the columns that no edge leads to; nil if none is listed.
func inputs(columns, listed []string) (out []bool, errs []error) {
	if len(listed) == 0 {
		return nil, nil
	}
	at := names.Index(columns)
	out = make([]bool, len(columns))
	for _, name := range listed {
		j, ok := at[name]
		if !ok {
			errs = append(errs, fault("inputs: there is no column %q; check the spelling", name))
			continue
		}
		out[j] = true
	}
	return out, errs
}
