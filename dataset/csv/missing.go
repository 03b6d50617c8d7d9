package csv

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/fault"
)

// ErrNAColumn is returned for a missing-value word with an unknown column.
var ErrNAColumn = fault.Kind("na-column", "does not name a column; write COLUMN=WORD,WORD with a column of the table")

// A missingSet is the set of missing values of a column, besides empty fields.
type missingSet struct {
	words   map[string]bool
	numbers []float64
	literal bool // the words of ParseNumber are ordinary text
}

func (m *missingSet) add(word string, point byte) {
	field := trimBlanks([]byte(word))
	m.words[string(field)] = true
	if v, err := ParseNumber(field, point); err == nil {
		m.numbers = append(m.numbers, v)
	}
}

// Literal reports for each of the named columns whether words such as NA are text in it.
func Literal(names, na []string) ([]bool, error) {
	sets, err := missingSets(names, na, '.')
	if err != nil {
		return nil, err
	}
	literal := make([]bool, len(names))
	for j, m := range sets {
		literal[j] = m.literal
	}
	return literal, nil
}

// missingSets returns the set of each named column. Columns without their own words share one set.
func missingSets(names, na []string, point byte) ([]*missingSet, error) {
	all := &missingSet{words: map[string]bool{}}
	own := map[int]*missingSet{}
	for _, rule := range na {
		column, _, one := strings.Cut(rule, "=")
		switch {
		case rule == "":
			all.literal = true
		case !one:
			all.add(rule, point)
		case slices.Index(names, column) < 0:
			return nil, fmt.Errorf("%q %w", rule, ErrNAColumn)
		}
	}
	for _, rule := range na {
		column, words, one := strings.Cut(rule, "=")
		if !one {
			continue
		}
		j := slices.Index(names, column)
		m := own[j]
		if m == nil {
			m = &missingSet{words: map[string]bool{}, numbers: slices.Clone(all.numbers), literal: all.literal}
			for w := range all.words {
				m.words[w] = true
			}
			own[j] = m
		}
		if words == "" {
			m.literal = true
			continue
		}
		for word := range strings.SplitSeq(words, ",") {
			m.add(word, point)
		}
	}
	sets := slices.Repeat([]*missingSet{all}, len(names))
	for j, m := range own {
		sets[j] = m
	}
	return sets, nil
}
