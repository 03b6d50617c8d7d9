package pictures

import (
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
)

const (
	// fewValues is the largest number of different numbers that are shown one by one. More are shown as low and high.
	fewValues = 6
	// mostGroups and mostInGrid are the largest numbers of groups of a variable alone and of each variable of an edge.
	// The rarest categories are joined.
	mostGroups, mostInGrid = 6, 4
)

// noGroup is the code of a row without a group: its value is missing or neither low nor high.
const noGroup = math.MaxUint8

// grouping assigns rows to groups of values of one variable.
type grouping struct {
	labels []string
	codes  []uint8 // for each row an index into labels, or noGroup
}

// groups returns the groups of a variable for pictures of the variable alone and for the grid of an edge. Both are
// nil for a variable with fewer than two values or too many categories.
func (v *variable) groups() (alone, grid *grouping) {
	levels := v.levels()
	v.attribute = present(levels)
	switch {
	case len(levels) < 2 || len(v.words) >= dataset.DistinctLimit:
		return nil, nil
	case v.continuous(levels):
		return v.quarters(), v.halves()
	}
	return v.byLevel(levels, mostGroups), v.byLevel(levels, mostInGrid)
}

// continuous reports whether the column has numbers that are shown as low and high.
func (v *variable) continuous(levels []dataset.Level) bool {
	return v.texts == nil && !v.categorical && len(levels) > fewValues
}

// levels returns the distinct values that are not missing, sorted. It stops after DistinctLimit of them.
func (v *variable) levels() []dataset.Level {
	seen := map[float64]bool{}
	for _, x := range v.values {
		if x == x && !seen[x] {
			if seen[x] = true; len(seen) > dataset.DistinctLimit {
				break
			}
		}
	}
	list := make([]dataset.Level, 0, len(seen)+len(v.words))
	for x := range seen {
		list = append(list, dataset.Level{Number: x})
	}
	for _, w := range v.words {
		list = append(list, dataset.Level{Word: w, IsWord: true})
	}
	slices.SortFunc(list, func(a, b dataset.Level) int {
		if i, j := slices.Index(v.order, a.Word), slices.Index(v.order, b.Word); a.IsWord && b.IsWord && i != j {
			return i - j
		}
		return a.Compare(b)
	})
	return list
}

// level returns the value of a row; ok is false if it is missing.
func (v *variable) level(row int) (l dataset.Level, ok bool) {
	if v.texts != nil && v.texts[row] >= 0 {
		if int(v.texts[row]) >= len(v.words) {
			return l, false
		}
		return dataset.Level{Word: v.words[v.texts[row]], IsWord: true}, true
	}
	x := v.values[row]
	return dataset.Level{Number: x}, x == x
}

// codes returns the index of the value of each row among levels, or -1 if it is missing.
func (v *variable) codes(levels []dataset.Level) []int32 {
	place := make(map[dataset.Level]int32, len(levels))
	for k, l := range levels {
		place[l] = int32(k)
	}
	at := make([]int32, len(v.values))
	for i := range at {
		at[i] = -1
		if l, ok := v.level(i); ok {
			at[i] = place[l]
		}
	}
	return at
}

// byLevel has one group for each value. If there are more than most, the rarest values share the last group.
func (v *variable) byLevel(levels []dataset.Level, most int) *grouping {
	at := v.codes(levels)
	counts := make([]int, len(levels))
	for _, k := range at {
		if k >= 0 {
			counts[k]++
		}
	}
	shown := make([]int, len(levels)) // indices of the levels with a group of their own, in order
	for k := range shown {
		shown[k] = k
	}
	if len(levels) > most {
		slices.SortStableFunc(shown, func(a, b int) int { return counts[b] - counts[a] })
		shown = shown[:most-1]
		slices.Sort(shown)
	}
	if present(levels) { // examples with the attribute come first
		slices.Reverse(shown)
	}
	g := &grouping{codes: make([]uint8, len(at))}
	code := make([]uint8, len(levels))
	for k := range code {
		code[k] = uint8(len(shown)) // the group of the rest
	}
	for c, k := range shown {
		code[k] = uint8(c)
		g.labels = append(g.labels, label(levels, k))
	}
	if rest := len(levels) - len(shown); rest > 0 {
		g.labels = append(g.labels, fmt.Sprintf("%d other values", rest))
	}
	for i, k := range at {
		g.codes[i] = noGroup
		if k >= 0 {
			g.codes[i] = code[k]
		}
	}
	return g
}

// present reports whether the values are those of an attribute that a row has or lacks: 0 or −1, and 1.
func present(levels []dataset.Level) bool {
	return len(levels) == 2 && !levels[0].IsWord && !levels[1].IsWord && levels[1].Number == 1 && (levels[0].Number == 0 || levels[0].Number == -1)
}

func label(levels []dataset.Level, k int) string {
	switch l := levels[k]; {
	case present(levels) && k == 1:
		return "yes"
	case present(levels):
		return "no"
	case l.IsWord:
		return l.Word
	default:
		return dataset.FormatFloat(l.Number)
	}
}

// quarters has the lowest and the highest quarter of the rows.
func (v *variable) quarters() *grouping {
	sorted := v.sorted()
	n := len(sorted)
	return v.split(sorted[(n-1)/4], sorted[n-1-(n-1)/4])
}

// halves has the rows up to the median and those above.
func (v *variable) halves() *grouping {
	sorted := v.sorted()
	n := len(sorted)
	low := sorted[(n-1)/2]
	above, _ := slices.BinarySearch(sorted, math.Nextafter(low, math.Inf(1)))
	if above == n { // the median is the largest value
		first, _ := slices.BinarySearch(sorted, low)
		return v.split(sorted[first-1], low)
	}
	return v.split(low, sorted[above])
}

// split has the rows up to low and those from high on. If these would share rows, it is halves.
func (v *variable) split(low, high float64) *grouping {
	if low >= high {
		return v.halves()
	}
	g := &grouping{codes: make([]uint8, len(v.values)), labels: []string{"high (≥ " + brief(high) + ")", "low (≤ " + brief(low) + ")"}}
	for i, x := range v.values {
		switch {
		case x >= high:
			g.codes[i] = 0
		case x <= low:
			g.codes[i] = 1
		default:
			g.codes[i] = noGroup
		}
	}
	return g
}

// brief formats a number with four digits.
func brief(x float64) string { return fmt.Sprintf("%.4g", x) }

// sorted returns the numbers of a column in ascending order.
func (v *variable) sorted() []float64 {
	out := make([]float64, 0, len(v.values))
	for _, x := range v.values {
		if x == x {
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return out
}
