package relations

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
)

// widestGap is the largest distance of two classes of a cut, as a share of the range. A wider one lies between groups that differ, such
// as species, and is no threshold.
const widestGap = 0.02

// A cut is a column whose values are classes of a numeric column, divided by thresholds.
type cut struct {
	y, x    int
	words   []string
	unit    float64 // unit of the last decimal of x
	classes map[float64]*class
}

// A class has the rows of one value of the column y, and their extremes.
type class struct {
	value, low, high float64
	rows             int
}

func (c *cut) columns() (int, []int) { return c.y, []int{c.x} }

func (c *cut) fresh() candidate {
	return &cut{y: c.y, x: c.x, words: c.words, unit: c.unit, classes: map[float64]*class{}}
}

func (c *cut) add(row []float64) bool {
	y, x := row[c.y], row[c.x]
	if y != y || x != x {
		return true
	}
	k := c.classes[y]
	if k == nil {
		k = &class{y, x, x, 0}
		c.classes[y] = k
	}
	k.rows++
	if x >= k.low && x <= k.high && k.rows > 1 {
		return true
	}
	k.low, k.high = min(k.low, x), max(k.high, x)
	for _, other := range c.classes {
		if other != k && k.low <= other.high && other.low <= k.high {
			return false
		}
	}
	return true
}

func (c *cut) formula(names []string) string {
	list := slices.SortedFunc(maps.Values(c.classes), func(a, b *class) int { return cmp.Compare(a.low, b.low) })
	if len(list) < 2 {
		return ""
	}
	rows, widest := 0, max(widestGap*(list[len(list)-1].high-list[0].low), c.unit*(1+1e-9))
	var at []string
	for i, k := range list {
		if rows += k.rows; k.rows < classRows {
			return ""
		}
		if i > 0 {
			if k.low-list[i-1].high > widest {
				return ""
			}
			at = append(at, dataset.FormatFloat(between(list[i-1].high, k.low)))
		}
	}
	switch {
	case rows < computedRows:
		return ""
	case len(list) > 2:
		return fmt.Sprintf("%s is computed from %s (classes from %s on)", names[c.y], names[c.x], strings.Join(at, ", "))
	case list[0].value > list[1].value: // the code 1, or the second word
		return fmt.Sprintf("%s is computed from %s (%s < %s%s)", names[c.y], names[c.x], names[c.x], at[0], c.word(list[0].value))
	}
	return fmt.Sprintf("%s is computed from %s (%s ≥ %s%s)", names[c.y], names[c.x], names[c.x], at[0], c.word(list[1].value))
}

// word names a class of text.
func (c *cut) word(value float64) string {
	if int(value) < len(c.words) && value >= 0 {
		return ": " + c.words[int(value)]
	}
	return ""
}

// between returns the number with the fewest digits that is above low and at most high.
func between(low, high float64) float64 {
	for unit := math.Pow(10, math.Ceil(math.Log10(max(math.Abs(low), math.Abs(high))))); unit > (high-low)/1e3; unit /= 10 {
		if v := math.Floor(high/unit+1e-9) * unit; v > low && v <= high {
			return math.Round(v*1e9) / 1e9
		}
	}
	return high
}

// An indicator is a column of two values that a category of another column decides: one value for this category, the other for the rest.
type indicator struct {
	y, x       int
	own, words []string
	value      map[float64]float64 // value of y by category
	rows       map[float64]int     // rows by value of y
}

func (c *indicator) columns() (int, []int) { return c.y, []int{c.x} }

func (c *indicator) fresh() candidate {
	return &indicator{y: c.y, x: c.x, own: c.own, words: c.words, value: map[float64]float64{}, rows: map[float64]int{}}
}

func (c *indicator) add(row []float64) bool {
	y, x := row[c.y], row[c.x]
	if y != y || x != x {
		return true
	}
	c.rows[y]++
	v, ok := c.value[x]
	c.value[x] = y
	return !ok || v == y
}

func (c *indicator) formula(names []string) string {
	total := 0
	for _, n := range c.rows {
		if total += n; n < classRows {
			return ""
		}
	}
	if total < computedRows || len(c.rows) != 2 {
		return ""
	}
	for _, value := range slices.Backward(slices.Sorted(maps.Keys(c.rows))) {
		var of []float64
		for x, y := range c.value {
			if y == value {
				of = append(of, x)
			}
		}
		if len(of) == 1 && int(of[0]) < len(c.words) {
			word := ""
			if int(value) < len(c.own) {
				word = ": " + c.own[int(value)]
			}
			return fmt.Sprintf("%s is computed from %s (%s = %s%s)", names[c.y], names[c.x], names[c.x], c.words[int(of[0])], word)
		}
	}
	return ""
}
