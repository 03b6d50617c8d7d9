package basis

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
)

// Settings define the expansion of columns.
type Settings struct {
	// Curves is the number of curved functions of a numeric column; 0 means only the column itself.
	Curves int
	// Bounded takes cosines of ranks alone as Curves. They tell a curve from linear effects with uneven noise better, which bends the
	// tails of the reverse regression, and tests with them have the right p-value with fewer rows.
	Bounded bool
	// Crossed is the number of curves of each column that are multiplied with those of every other column, for
	// interactions: Crossed² products per pair.
	Crossed int
	// CrossedLines replaces the first curve in products by the standardized column itself, which fits products of two
	// columns in their tails too.
	CrossedLines bool
	// CrossedColumns is the largest number of curved columns with products: their number grows with its
	// square, and memory with its fourth power.
	CrossedColumns int
	// MaxLevels is the largest number of categories of a column.
	MaxLevels int
	// Scales are the scales of the columns, which categorical ones ignore; nil if all are raw.
	Scales []dataset.Scale
	// Straight marks numeric columns without curved functions; nil if there are none.
	Straight []bool
}

// DefaultSettings returns 7 curves, products of two of them up to 30 columns (31 MB), and at most 64
// categories.
func DefaultSettings() Settings {
	return Settings{Curves: 7, Crossed: 2, CrossedColumns: 30, MaxLevels: 64}
}

// Validate returns all settings that are out of range.
func (s Settings) Validate() error {
	var errs []error
	if s.Curves < 0 || s.Curves > 64 {
		errs = append(errs, fmt.Errorf("setting Curves = %d, want 0 to 64", s.Curves))
	}
	if s.Crossed < 0 || s.Crossed > s.Curves {
		errs = append(errs, fmt.Errorf("setting Crossed = %d, want 0 to Curves = %d", s.Crossed, s.Curves))
	}
	if s.CrossedColumns < 0 {
		errs = append(errs, fmt.Errorf("CrossedColumns = %d, want at least 0", s.CrossedColumns))
	}
	if s.MaxLevels < 1 {
		errs = append(errs, fmt.Errorf("MaxLevels = %d, want at least 1", s.MaxLevels))
	}
	return errors.Join(errs...)
}

// ErrLevels is matched if a categorical column has too many categories, or a category in the second pass that
// was not in the first.
var ErrLevels = errors.New("the levels of a categorical column")

// A Fit is the first pass: it learns the ranks of numbers and the categories. Memory does not grow with the
// rows beyond the sketches of the columns.
type Fit struct {
	names       []string
	categorical []bool
	sketches    []sketch
	levels      []map[float64]int // count of each category
	rows        int
}

// NewFit returns a fit without rows. categorical marks the columns with categories, coded as any numbers; nil
// means none. The slices are not retained.
func NewFit(names []string, categorical []bool) *Fit {
	f := &Fit{names: slices.Clone(names), categorical: make([]bool, len(names)),
		sketches: make([]sketch, len(names)), levels: make([]map[float64]int, len(names))}
	copy(f.categorical, categorical)
	for j, c := range f.categorical {
		if c {
			f.levels[j] = map[float64]int{}
		}
	}
	return f
}

// Add adds whole rows, which it neither changes nor retains. It returns an error that matches
// dataset.ErrNotFinite for a value that is not finite; the fit is then invalid.
func (f *Fit) Add(rows []float64) error {
	d := len(f.names)
	if d == 0 || len(rows)%d != 0 {
		return fmt.Errorf("%d values are not whole rows of %d columns", len(rows), d)
	}
	for at := 0; at < len(rows); at += d {
		f.rows++
		for j, x := range rows[at : at+d] {
			switch {
			case x-x != 0:
				return fmt.Errorf("row %d, column %d (%s): %v: %w; drop the row or fill in a number",
					f.rows, j+1, f.names[j], x, dataset.ErrNotFinite)
			case f.categorical[j]:
				f.levels[j][x+0]++
			default:
				f.sketches[j].add(x)
			}
		}
	}
	return nil
}

// Functions returns the functions of every column. More rows may be added to the fit afterwards.
func (f *Fit) Functions(s Settings) (*Functions, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if f.rows == 0 {
		return nil, fmt.Errorf("%w", dataset.ErrNoRows)
	}
	out := &Functions{names: f.names, categorical: f.categorical, columns: make([]column, len(f.names)), start: []int{0}}
	for j, name := range f.names {
		c := &out.columns[j]
		if !f.categorical[j] {
			c.ranks, c.curves, c.bounded = f.sketches[j].ranks(), s.Curves, s.Bounded
			if s.Straight != nil && s.Straight[j] {
				c.curves = 0
			}
			if s.Scales != nil {
				c.scale = s.Scales[j]
			}
			c.standardize()
			c.tabulate()
			out.labels = append(out.labels, name)
			for k := range c.curves {
				out.labels = append(out.labels, fmt.Sprintf("%s~curve%d", name, k+1))
			}
		} else {
			if len(f.levels[j]) > s.MaxLevels {
				return nil, fmt.Errorf("column %d (%s) has %d levels, more than %d: %w; leave it out, join rare levels, or take it as a number",
					j+1, name, len(f.levels[j]), s.MaxLevels, ErrLevels)
			}
			c.base, c.levels = split(f.levels[j])
			for _, l := range c.levels {
				out.labels = append(out.labels, fmt.Sprintf("%s=%v", name, l))
			}
		}
		out.start = append(out.start, len(out.labels))
	}
	out.cross(s)
	return out, nil
}

// split returns the most frequent category, the smallest if tied, and the others in ascending order.
func split(times map[float64]int) (base float64, others []float64) {
	all := make([]float64, 0, len(times))
	for l := range times {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b float64) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(a, b))
	})
	base, others = all[0], all[1:]
	slices.Sort(others)
	return base, others
}

// A column is the result of the first pass for one column.
type column struct {
	ranks    ranks
	curves   int
	bounded  bool
	scale    dataset.Scale
	mean, sd float64   // on the scale
	base     float64   // the category without an indicator
	levels   []float64 // the other categories, ascending; nil for numbers
	known    []float64 // the functions at each value of ranks, one value after the other; nil if there are many
}

// mostKnown is the number of distinct values whose functions are computed once.
const mostKnown = 256

// tabulate computes the functions at the distinct values if they are few.
func (c *column) tabulate() {
	if len(c.ranks.x) > mostKnown {
		return
	}
	width := 1 + c.curves
	known := make([]float64, width*len(c.ranks.x))
	for i, x := range c.ranks.x {
		c.expand(known[i*width:(i+1)*width], x, false)
	}
	c.known = known
}

// expand writes the functions of x to dst: for numbers x on its scale and the Curves of its rank; for categories 1 at the category of x and 0
// elsewhere, all zero for the most frequent. It reports whether x is known.
func (c *column) expand(dst []float64, x float64, categorical bool) bool {
	if categorical {
		clear(dst)
		k, ok := slices.BinarySearch(c.levels, x+0)
		if ok {
			dst[k] = 1
		}
		return ok || x == c.base
	}
	if c.known != nil {
		if i, ok := slices.BinarySearch(c.ranks.x, x); ok {
			copy(dst, c.known[i*(1+c.curves):(i+1)*(1+c.curves)])
			return true
		}
	}
	dst[0] = c.scaled(x)
	switch curves := dst[1 : 1+c.curves]; {
	case c.curves == 0:
	case c.bounded:
		cosines(curves, c.ranks.at(x))
	default:
		Curves(curves, c.ranks.at(x))
	}
	return true
}
