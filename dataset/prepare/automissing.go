package prepare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
)

const (
	// mostPatterns is the largest number of different sets of missing columns that are counted separately.
	mostPatterns = 4096
	// rowsPerColumn is the number of complete rows per column that is enough to learn from.
	rowsPerColumn = 10
)

// missingPatterns counts which outputs are missing together. A row is complete, has one of the patterns, or counts as lost if there
// are already mostPatterns.
type missingPatterns struct {
	index map[string]int
	sets  [][]int // sets of outputs
	times []int
	lost  int
}

// add counts whole rows of the given width, by the given number of their first values. NaN is a missing value.
func (p *missingPatterns) add(rows []float64, width, outputs int) {
	if p.index == nil {
		p.index = map[string]int{}
	}
	key := make([]byte, (outputs+7)/8)
	for at := 0; at < len(rows); at += width {
		row := rows[at : at+outputs]
		if !anyMissing(row) {
			continue
		}
		clear(key)
		for k, v := range row {
			if v != v {
				key[k/8] |= 1 << (k % 8)
			}
		}
		if i, ok := p.index[string(key)]; ok {
			p.times[i]++
			continue
		}
		if len(p.sets) == mostPatterns {
			p.lost++
			continue
		}
		var set []int
		for k, v := range row {
			if v != v {
				set = append(set, k)
			}
		}
		p.index[string(key)] = len(p.sets)
		p.sets, p.times = append(p.sets, set), append(p.times, 1)
	}
}

// leastPresent is the share of present values below which a column is excluded.
const leastPresent = 0.2

// mostlyMissing returns the columns with less than leastPresent of their values, except those in keep.
func (s *observed) mostlyMissing(gone []dataset.Excluded, keep map[string]bool) []dataset.Excluded {
	var list []dataset.Excluded
	listed := excludedNames(gone)
	for k, c := range s.columns {
		name := s.from[k]
		if float64(s.rows-c.Missing) >= leastPresent*float64(s.rows) || keep[name] || listed[name] {
			continue
		}
		listed[name] = true
		list = append(list, s.excludedFor(name, c.Missing))
	}
	return list
}

// excludedFor describes a column that is excluded for its missing values.
func (s *observed) excludedFor(name string, missing int) dataset.Excluded {
	return dataset.Excluded{Name: name, Reason: reasonMissing, Detail: fmt.Sprintf("%d of %d values are missing (%s)", missing, s.rows, percent(missing, s.rows))}
}

// sacrifice returns the columns to exclude so that enough complete rows are left: the columns with more than half of their values
// missing and, while fewer than half of the rows and fewer than ten per column are complete, the columns that cost the most rows, one
// after the other. Two columns are always left. gone lists columns that are excluded anyway.
func (p *missingPatterns) sacrifice(s *observed, gone []dataset.Excluded, keep map[string]bool) []dataset.Excluded {
	out := map[string]bool{}
	for _, x := range gone {
		out[x.Name] = true
	}
	left := 0 // columns left
	missing := map[string]int{}
	var names []string
	for k, name := range s.from {
		if _, ok := missing[name]; ok {
			continue // another indicator column of the same text
		}
		if missing[name] = s.columns[k].Missing; !out[name] {
			names, left = append(names, name), left+1
		}
	}
	slices.Sort(names)
	// complete returns the number of rows without a missing value and, for each column, the number of rows in which only this
	// column is missing.
	complete := func() (rows int, gain map[string]int) {
		rows, gain = s.rows-p.lost, map[string]int{}
		for i, set := range p.sets {
			alone, several := "", false
			for _, k := range set {
				name := s.from[k]
				switch {
				case out[name] || name == alone:
				case alone == "":
					alone = name
				default:
					several = true
				}
			}
			if alone == "" {
				continue
			}
			if rows -= p.times[i]; !several {
				gain[alone] += p.times[i]
			}
		}
		return rows, gain
	}
	var list []dataset.Excluded
	drop := func(name string) {
		out[name] = true
		left--
		list = append(list, s.excludedFor(name, missing[name]))
	}
	for _, name := range names {
		if !keep[name] && 2*missing[name] > s.rows {
			drop(name)
		}
	}
	for rows, gain := complete(); left > 2 && rows < rowsPerColumn*left && 2*rows < s.rows; rows, gain = complete() {
		worst := ""
		for _, name := range names {
			if out[name] || keep[name] || missing[name] == 0 {
				continue
			}
			if worst == "" || gain[name] > gain[worst] || gain[name] == gain[worst] && missing[name] > missing[worst] {
				worst = name
			}
		}
		if worst == "" {
			break
		}
		drop(worst)
	}
	slices.SortFunc(list, func(a, b dataset.Excluded) int { return strings.Compare(a.Name, b.Name) })
	return list
}
