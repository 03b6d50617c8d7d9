package prepare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	match "github.com/polydag/polydag/internal/names"
)

// targets parses the words of a column of targets.
type targets struct {
	plan    *encodePlan
	chosen  []chosenColumn
	all     []dataset.Column
	byPlace bool     // all words are positions of columns, from 1, and 0 for none
	left    []string // excluded columns that are targets
}

func newTargets(words []string, plan *encodePlan, chosen []chosenColumn, all []dataset.Column) *targets {
	t := &targets{plan: plan, chosen: chosen, all: all, byPlace: true}
	for _, word := range words {
		for _, part := range parts(word) {
			k, err := strconv.Atoi(part)
			named := slices.ContainsFunc(all, func(c dataset.Column) bool { return c.Name == part })
			t.byPlace = t.byPlace && err == nil && k >= 0 && !named
		}
	}
	return t
}

func parts(word string) (list []string) {
	for part := range strings.SplitSeq(word, ";") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// parse returns the columns of the moments that a word names, ascending.
func (t *targets) parse(word string) (list []int, err error) {
	for _, part := range parts(word) {
		if t.byPlace {
			k, _ := strconv.Atoi(part)
			if k == 0 {
				continue
			}
			if k > len(t.all) {
				return nil, fault.New(ErrTarget, fmt.Sprintf("is not a column number: the table has %d columns, and 0 means none", len(t.all)), "write the column name, or its number counted from 1")
			}
			part = t.all[k-1].Name
		}
		before := len(list)
		for j, o := range t.plan.outputs {
			if o.name == part || t.chosen[o.from].Name == part {
				list = append(list, j)
			}
		}
		if len(list) > before {
			continue
		}
		if err := t.leftOut(part); err != nil {
			return nil, err
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// leftOut handles a target that is not a variable. A column that the run excludes is ignored, and any other name is an error.
func (t *targets) leftOut(name string) error {
	var known []string
	for _, c := range t.all {
		if c.Name == name && !slices.ContainsFunc(t.chosen, func(o chosenColumn) bool { return o.context && o.Name == name }) {
			if !slices.Contains(t.left, name) {
				t.left = append(t.left, name)
			}
			return nil
		}
	}
	for _, o := range t.plan.outputs {
		known = append(known, o.name)
	}
	way := fmt.Sprintf("write names of columns with ; between them, and nothing for observational rows; the columns are %s", shortList(known))
	if near, ok := match.Nearest(name, false, known); ok {
		way = fmt.Sprintf("did you mean %q?", near)
	}
	return &fault.Error{Err: ErrTarget, Text: fmt.Sprintf("names the intervention target %q, which is not a column", name), Way: way}
}

// label returns the name of an environment.
func (t *targets) label(word string, list []int, unknown, mapped bool) string {
	if unknown {
		return word
	}
	names := make([]string, len(list))
	for i, v := range list {
		names[i] = t.plan.outputs[v].name
	}
	if mapped && len(list) > 0 {
		return word + "=" + strings.Join(names, ";")
	}
	return strings.Join(names, ";")
}

func shortList(names []string) string { return match.List(names, 8) }
