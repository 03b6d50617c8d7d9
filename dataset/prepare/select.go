package prepare

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
	match "github.com/polydag/polydag/internal/names"
)

// A chosenColumn is a selected column.
type chosenColumn struct {
	dataset.Column
	index int  // in the file, from 0
	log   bool // take its logarithm
	keep  bool // do not exclude it
	// context reports that the column is not a variable but identifies environments.
	context bool
}

// chooseColumns returns the columns that the options select, in the order of the file.
func chooseColumns(all []dataset.Column, opt *options) ([]chosenColumn, error) {
	names := make([]string, len(all))
	for j, c := range all {
		names[j] = c.Name
	}
	var errs []error
	match := func(setting string, patterns, names []string) []bool {
		hit, err := matchNames(setting, patterns, names)
		if err != nil {
			errs = append(errs, err)
		}
		return hit
	}
	context := -1
	if name, setting, ok := opt.environmentColumn(); ok {
		if context = slices.Index(names, name); context < 0 {
			errs = append(errs, unknownColumn(setting, name, names))
		}
	}
	take, drop, keep := match("columns", opt.Columns, names), match("drop", opt.Drop, names), match("keep", opt.Keep, names)
	opt.place = map[string]int{}
	for j, name := range names {
		opt.place[name] = j
	}
	var chosen []chosenColumn
	var left []string
	var place []int // index of each of them in the file
	for j, c := range all {
		if j == context {
			chosen = append(chosen, chosenColumn{Column: c, index: j, context: true})
			continue
		}
		if c.Unreadable != "" && !slices.Contains(opt.Columns, c.Name) {
			continue
		}
		if (len(opt.Columns) == 0 || take[j]) && !drop[j] {
			chosen = append(chosen, chosenColumn{Column: c, index: j, keep: keep[j]})
			left, place = append(left, c.Name), append(place, j)
		}
	}
	logs := match("log", opt.Log, left)
	if err := errors.Join(errs...); err != nil {
		if opt.File != "" {
			err = fmt.Errorf("%s: %w", opt.File, err)
		}
		return nil, err
	}
	for i, variable := 0, 0; i < len(chosen); i++ {
		if !chosen[i].context {
			chosen[i].log = logs[variable]
			variable++
		}
	}
	if len(all) > 0 && len(left) == 0 {
		take, drop := fault.Use("columns"), fault.Use("drop")
		return nil, &dataset.ParseError{File: opt.File, Err: &fault.Error{Err: dataset.ErrOneColumn, Text: fmt.Sprintf("%v and %v leave none of %d columns", take, drop, len(all)),
			Way: "a graph needs at least two", Remedies: []fault.Remedy{take, drop}}}
	}
	if err := dataset.CheckNames(left, opt.File); err != nil {
		var e *dataset.ParseError
		if errors.As(err, &e) {
			e.Column = place[e.Column-1] + 1
		}
		return nil, err
	}
	return chosen, nil
}

// unreadable lists the columns that were excluded because they cannot be read.
func unreadable(all []dataset.Column, chosen []chosenColumn, drop []string) []dataset.Excluded {
	read := map[int]bool{}
	for _, c := range chosen {
		read[c.index] = true
	}
	var list []dataset.Excluded
	for j, c := range all {
		if c.Unreadable != "" && !read[j] && !slices.Contains(drop, c.Name) {
			list = append(list, dataset.Excluded{Name: c.Name, Reason: reasonUnreadable, Detail: "type " + strings.TrimPrefix(c.Unreadable, "type ") + " is not supported"})
		}
	}
	return list
}

// checkWidth returns an error if there are too few columns for a graph or too many for memory. text lists the excluded text
// columns, of which single have one level.
func checkWidth(names, text []string, single int, opt *options) error {
	switch {
	case len(names) < 2 && !opt.Lenient:
		return &dataset.ParseError{File: opt.File, Err: tooNarrow(names, text, single)}
	case len(names) > opt.MaxColumns:
		return &dataset.ParseError{File: opt.File, Detail: fmt.Sprintf("%d, limit %d", len(names), opt.MaxColumns), Err: dataset.ErrTooWide}
	}
	d := len(names)
	need := dataset.AccumulatorBytes(d)
	if dataset.WideRows(d) > 0 {
		need = dataset.WideBytes(1, d) // if there are few rows; checkScatter follows if there are more
	}
	return checkMemory(d, need, opt)
}

// checkScatter returns an error if the covariance matrix of d columns exceeds the allowed memory.
func checkScatter(d int, opt *options) error { return checkMemory(d, dataset.AccumulatorBytes(d), opt) }

func checkMemory(d int, need int64, opt *options) error {
	if opt.MaxMemory > 0 && need > opt.MaxMemory {
		return &dataset.ParseError{File: opt.File, Err: fault.New(memory.ErrLimit,
			fmt.Sprintf("the covariance matrix of %d columns needs %s, and %s are allowed", d, memorySize(need), memorySize(opt.MaxMemory)),
			"choose fewer columns (%s, %s) or allow more memory", fault.Use("columns"), fault.Use("drop"))}
	}
	return nil
}

// tooNarrow returns an error that lists the remaining columns and the text columns, with remedies.
func tooNarrow(names, text []string, single int) error {
	left := "no numeric column is left"
	if len(names) == 1 {
		left = fmt.Sprintf("only one numeric column is left (%s)", names[0])
	}
	if len(text) == 0 {
		return fault.New(dataset.ErrOneColumn, left, "choose at least two columns")
	}
	list := shortList(text)
	if single == len(text) {
		return fault.New(dataset.ErrOneColumn, fmt.Sprintf("%s; constant text columns: %s", left, list), "choose at least two columns that vary")
	}
	return fault.New(dataset.ErrOneColumn, fmt.Sprintf("%s; dropped text columns: %s", left, list), "encode text with %s or %s", fault.Set("encode", "onehot"), fault.Set("encode", "ordinal"))
}

// matchNames returns which names match one of the patterns: by equality, or by * and ?. A pattern without a match is an error that
// suggests the nearest name.
func matchNames(setting string, patterns, names []string) ([]bool, error) {
	hit := make([]bool, len(names))
	index := match.Index(names)
	var errs []error
	for _, p := range match.Separate(patterns, func(p string) bool { _, ok := index[p]; return ok }) {
		if j, ok := index[p]; ok {
			hit[j] = true
			continue
		}
		found := false
		if match.IsPattern(p) {
			for j, name := range names {
				if match.Match([]rune(p), []rune(name)) {
					hit[j], found = true, true
				}
			}
		}
		if !found {
			errs = append(errs, unknownColumn(setting, p, names))
		}
	}
	return hit, errors.Join(errs...)
}

func unknownColumn(setting, pattern string, names []string) error {
	way := "the columns are " + shortList(names)
	if near, ok := match.Nearest(pattern, match.IsPattern(pattern), names); ok {
		way = fmt.Sprintf("did you mean %q?", near)
	}
	use := fault.Use(setting)
	return &fault.Error{Err: ErrUnknownColumn, Text: fmt.Sprintf("%v: %v %q", use, ErrUnknownColumn, pattern), Way: way, Remedies: []fault.Remedy{use}}
}

// memorySize formats a number of bytes in whole megabytes, or in kilobytes below one.
func memorySize(b int64) string {
	if b < 1<<20 {
		return fmt.Sprintf("%d kB", (b+1023)>>10)
	}
	return fmt.Sprintf("%d MB", b>>20)
}
