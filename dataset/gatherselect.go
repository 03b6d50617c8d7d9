package dataset

import (
	"errors"
	"fmt"
	"strings"
)

// A chosenColumn is a column that was asked for.
type chosenColumn struct {
	Column
	index int  // in the file, from 0
	log   bool // take the logarithm
}

// chooseColumns returns the columns that the options leave, in the order of the file.
func chooseColumns(all []Column, opt *GatherOptions) ([]chosenColumn, error) {
	names := make([]string, len(all))
	for j, c := range all {
		names[j] = c.Name
	}
	var errs []error
	match := func(flag string, patterns, names []string) []bool {
		hit, err := matchNames(flag, patterns, names)
		if err != nil {
			errs = append(errs, err)
		}
		return hit
	}
	take, drop := match("--columns", opt.Columns, names), match("--drop", opt.Drop, names)
	var chosen []chosenColumn
	var left []string
	for j, c := range all {
		if (len(opt.Columns) == 0 || take[j]) && !drop[j] {
			chosen = append(chosen, chosenColumn{Column: c, index: j})
			left = append(left, c.Name)
		}
	}
	logs := match("--log", opt.Log, left)
	if err := errors.Join(errs...); err != nil {
		if opt.File != "" {
			err = fmt.Errorf("%s: %w", opt.File, err)
		}
		return nil, fmt.Errorf("dataset: %w", err)
	}
	for i := range chosen {
		chosen[i].log = logs[i]
	}
	if len(all) > 0 && len(chosen) == 0 {
		return nil, &ParseError{File: opt.File, Err: &advice{ErrOneColumn, fmt.Sprintf("--columns and --drop leave none of %d columns", len(all)), "a graph needs at least two"}}
	}
	if err := checkNames(left, opt.File); err != nil {
		var e *ParseError
		if errors.As(err, &e) {
			e.Column = chosen[e.Column-1].index + 1
		}
		return nil, err
	}
	return chosen, nil
}

// checkWidth reports whether there are enough columns for a graph, and not too many for memory.
func checkWidth(names []string, opt *GatherOptions) error {
	switch {
	case len(names) < 2:
		return &ParseError{File: opt.File, Detail: strings.Join(names, ""), Err: ErrOneColumn}
	case len(names) > opt.MaxColumns:
		return &ParseError{File: opt.File, Detail: fmt.Sprintf("%d, limit %d", len(names), opt.MaxColumns), Err: ErrTooWide}
	}
	d := int64(len(names))
	if need := 8 * d * d * int64(laneCount(len(names))); opt.MaxMemory > 0 && need > opt.MaxMemory {
		return &ParseError{File: opt.File, Err: &advice{ErrMemory,
			fmt.Sprintf("the moments of %d columns need %d MB, and %d MB are allowed", d, need>>20, opt.MaxMemory>>20),
			"choose fewer columns (--columns, --drop) or allow more memory"}}
	}
	return nil
}

// matchNames says which names one of the patterns means: the name itself, or else a pattern with *. A pattern
// that means none is an error that says which name is nearest.
func matchNames(flag string, patterns, names []string) ([]bool, error) {
	hit := make([]bool, len(names))
	index := make(map[string]int, len(names))
	for j, name := range names {
		index[name] = j
	}
	var errs []error
	for _, p := range patterns {
		if j, ok := index[p]; ok {
			hit[j] = true
			continue
		}
		found := false
		if strings.Contains(p, "*") {
			for j, name := range names {
				if glob(p, name) {
					hit[j], found = true, true
				}
			}
		}
		if !found {
			errs = append(errs, unknownColumn(flag, p, names))
		}
	}
	return hit, errors.Join(errs...)
}

// glob reports whether name is pattern with some letters in the place of each *. The parts between the stars are
// found from left to right, each at its first place, which is right if any is.
func glob(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	first, last := parts[0], parts[len(parts)-1]
	if !strings.HasPrefix(name, first) || len(name) < len(first)+len(last) || !strings.HasSuffix(name, last) {
		return false
	}
	name = name[len(first) : len(name)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(name, part)
		if !ok {
			return false
		}
		name = after
	}
	return true
}

func unknownColumn(flag, pattern string, names []string) error {
	const show = 8
	list := strings.Join(names[:min(len(names), show)], ", ")
	if len(names) > show {
		list += fmt.Sprintf(" and %d more", len(names)-show)
	}
	way := "the columns are " + list
	if near, ok := nearestName(pattern, names); ok {
		way = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Errorf("%s: %w %q; %s", flag, ErrUnknownColumn, pattern, way)
}

// nearestName returns the first name at the least Levenshtein distance from s, case aside, if at most a third of
// the letters, rounded up, differ. O(Σ len(s)·len(name)).
func nearestName(s string, names []string) (string, bool) {
	p := []rune(strings.ToLower(s))
	if len(p) > 200 {
		return "", false
	}
	limit := (len(p) + 2) / 3
	best, found := limit+1, ""
	for _, name := range names {
		q := []rune(strings.ToLower(name))
		if max(len(p)-len(q), len(q)-len(p)) >= best {
			continue
		}
		row := make([]int, len(q)+1) // row[j] is the distance of p[:i] from q[:j]
		for j := range row {
			row[j] = j
		}
		for i, r := range p {
			diagonal := row[0]
			row[0] = i + 1
			for j := 1; j < len(row); j++ {
				replace := diagonal
				if r != q[j-1] {
					replace++
				}
				diagonal = row[j]
				row[j] = min(replace, row[j]+1, row[j-1]+1)
			}
		}
		if row[len(q)] < best {
			best, found = row[len(q)], name
		}
	}
	return found, best <= limit
}
