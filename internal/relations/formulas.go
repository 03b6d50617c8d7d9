package relations

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
)

const (
	// mostFormulas bounds the columns of the search for products and ratios, whose cost grows with their square.
	mostFormulas = 300
	// coarse is the largest rounding error of a formula, as a share of the standard deviation of the column that it gives.
	coarse = 0.05
)

// An expression is a column y = a + b·g(x), or y = b·x^p·z^q.
type expression struct {
	y       int
	of      []int
	g       func(x float64) float64 // of one source; nil for powers
	p       [2]float64              // powers of two sources
	a, b    float64
	unit    []float64 // of the last decimal, by column
	text    string    // with %s for the sources
	place   int       // of its form among those of the same columns: a smaller one is more likely the way of the computation
	inexact bool      // some row differs by more than the rounding of y, so that the sources were rounded after the computation
	rows    int
	sum, sq float64 // of y
	error   float64 // of rounding
}

func (f *expression) columns() (int, []int) { return f.y, f.of }

func (f *expression) fresh() candidate {
	out := *f
	out.rows, out.sum, out.sq, out.error, out.inexact = 0, 0, 0, 0, false
	return &out
}

// value returns g(x) or x^p·z^q.
func (f *expression) value(x, z float64) float64 {
	if f.g != nil {
		return f.g(x)
	}
	return math.Pow(x, f.p[0]) * math.Pow(z, f.p[1])
}

// at returns y, the value, and half a unit of rounding in y, by the rounding of y and of the sources.
func (f *expression) at(row []float64) (y, v, half float64, ok bool) {
	y = row[f.y]
	x, z := row[f.of[0]], 1.0
	if len(f.of) > 1 {
		z = row[f.of[1]]
	}
	v = f.value(x, z)
	if y-y != 0 || v-v != 0 {
		return 0, 0, 0, false
	}
	half = f.unit[f.y] / 2
	dx := f.unit[f.of[0]] / 2
	half += math.Abs(f.b) * math.Abs(f.value(x+dx, z)-v)
	if len(f.of) > 1 {
		half += math.Abs(f.b) * math.Abs(f.value(x, z+f.unit[f.of[1]]/2)-v)
	}
	return y, v, half, half-half == 0
}

func (f *expression) add(row []float64) bool {
	y, v, half, ok := f.at(row)
	if !ok {
		return true
	}
	f.rows++
	f.sum, f.sq, f.error = f.sum+y, f.sq+y*y, f.error+half
	off, float := math.Abs(y-f.a-f.b*v), 1e-9*(math.Abs(y)+math.Abs(f.a)+math.Abs(f.b*v))
	f.inexact = f.inexact || off > 0.55*f.unit[f.y]+float
	return off <= 1.1*half+float
}

// likely orders the expressions of the same columns, such as b = w / h² and w = b · h²: first those that hold up to the rounding of the
// computed column alone, then those whose column has all decimals while the sources are rounded, then by their form and name.
func (f *expression) likely(names []string) []string {
	full := f.unit[f.y] == 0 && slices.ContainsFunc(f.of, func(v int) bool { return f.unit[v] > 0 })
	ratio := slices.ContainsFunc(f.of, func(v int) bool { return ratioName(names[v]) })
	return []string{fmt.Sprint(f.inexact), fmt.Sprint(!full), fmt.Sprint(ratio), fmt.Sprint(f.place)}
}

// ratioName reports whether a name says that a column is a ratio.
func ratioName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"per", "ratio", "rate", "density", "index", "bmi", "share", "percent", "pct", "mean", "avg", "average", "intensity"}, func(w string) bool {
		return strings.Contains(name, w)
	})
}

func (f *expression) formula(names []string) string {
	n := float64(f.rows)
	if f.rows < computedRows || f.error/n > coarse*math.Sqrt(max(0, f.sq/n-f.sum/n*f.sum/n)) {
		return ""
	}
	var of []any
	for _, v := range f.of {
		of = append(of, names[v])
	}
	plain := make([]string, len(of))
	for i, name := range of {
		plain[i] = name.(string)
	}
	return fmt.Sprintf("%s is computed from %s (", names[f.y], strings.Join(plain, " and ")) + fmt.Sprintf(f.text, of...) + ")"
}

// fit estimates a and b by least squares over the sample; without a constant if there are two sources. It reports whether there are
// enough rows.
func (f *expression) fit(s *dataset.Sample) bool {
	var n, sy, sv, svv, svy, first float64
	for i := range s.Rows() {
		y, v, _, ok := f.at(s.Row(i))
		if !ok {
			continue
		}
		if n == 0 && f.g != nil {
			first = v
		}
		v -= first
		n, sy, sv, svv, svy = n+1, sy+y, sv+v, svv+v*v, svy+v*y
	}
	if n < computedRows {
		return false
	}
	if f.g == nil {
		f.b = svy / svv
	} else {
		f.b = (svy - sv*sy/n) / (svv - sv*sv/n)
		f.a = (sy-f.b*sv)/n - f.b*first
	}
	return f.b-f.b == 0 && f.a-f.a == 0 && f.b != 0
}

// A shape is a function of one column.
type shape struct {
	text string
	g    func(float64) float64
}

// shapes has the likely computations first.
var shapes = []shape{
	{"a logarithm of %s", math.Log}, {"a logarithm of 1 + %s", math.Log1p}, {"a square of %s", func(x float64) float64 { return x * x }}, {"an inverse of %s", func(x float64) float64 { return 1 / x }},
	{"a square root of %s", math.Sqrt}, {"an exponential of %s", math.Exp},
}

// A point is a row of the sample with the value x of a column and g(x).
type point struct {
	row  []float64
	x, g float64
}

// fewQuantiles of fewPoints rows of the sample exclude most pairs of columns before all rows are sorted.
const fewQuantiles, fewPoints = 13, 64

// transforms returns the candidates with one source. Some rows of the sample decide which are fitted: the quantiles of the source. The
// quantiles of a few rows exclude almost all columns before.
func transforms(names []string, s *dataset.Sample, numbers []int, unit []float64) (list []candidate) {
	few, all, points := make([]point, min(fewPoints, s.Rows())), make([]point, s.Rows()), make([]point, 0, s.Rows())
	fill := func(to []point, x int) {
		for i := range to {
			row := s.Row(i * s.Rows() / len(to))
			to[i] = point{row: row, x: row[x]}
		}
		slices.SortFunc(to, func(a, b point) int { return cmp.Compare(a.x, b.x) })
	}
	for _, x := range numbers {
		fill(few, x)
		sorted := false
		for place, shape := range shapes {
			left := numbers
			if points = shape.at(points, few); len(points) >= fewQuantiles {
				left = left[:0:0]
				at, rounding := quantiles(points, fewQuantiles), 0.0
				for _, p := range at {
					rounding = max(rounding, math.Abs(shape.g(p.x+unit[x])-p.g)) // NaN, if that has no value, excludes nothing
				}
				for _, y := range numbers {
					if y != x && !differs(at, y, unit[y], rounding) {
						left = append(left, y)
					}
				}
			}
			if len(left) == 0 {
				continue
			}
			if !sorted {
				fill(all, x)
				sorted = true
			}
			if points = shape.at(points, all); len(points) < computedRows {
				continue
			}
			at := quantiles(points, 5)
			for _, y := range left {
				if y == x || differs(at, y, 0, 0) || !follows(points, y) {
					continue
				}
				if f := (&expression{y: y, of: []int{x}, g: shape.g, unit: unit, text: shape.text, place: place}); f.fit(s) {
					list = append(list, f)
				}
			}
		}
	}
	return list
}

// at returns the points whose value of the function is finite, with that value, in the memory of dst.
func (f shape) at(dst, points []point) []point {
	dst = dst[:0]
	for _, p := range points {
		if p.g = f.g(p.x); p.g-p.g == 0 {
			dst = append(dst, p)
		}
	}
	return dst
}

// quantiles returns n of the sorted points, from the first to the last.
func quantiles(points []point, n int) []point {
	at := make([]point, n)
	for k := range at {
		at[k] = points[k*(len(points)-1)/(n-1)]
	}
	return at
}

// farFrom is the largest distance of y from a line in g(x) through its extremes, as a share of the range, for a relation to be fitted.
const farFrom = 0.1

// differs reports whether a column has no missing value at the quantiles and is not linear in g(x) there, beyond the rounding of the
// column and of g(x). It excludes almost all columns.
func differs(at []point, y int, unit, rounding float64) bool {
	last := at[len(at)-1]
	low, span, over := at[0].row[y], last.row[y]-at[0].row[y], last.g-at[0].g
	most := farFrom*math.Abs(span*over) + 2*(unit*math.Abs(over)+rounding*math.Abs(span))
	for _, p := range at[1 : len(at)-1] {
		if math.Abs((p.row[y]-low)*over-(p.g-at[0].g)*span) > most {
			return true
		}
	}
	return false
}

// follows reports whether a column is linear in g(x) at 17 quantiles. A missing value moves to the next row.
func follows(points []point, y int) bool {
	var at [17]point
	for k, next := range at {
		for i := k * (len(points) - 1) / (len(at) - 1); i < len(points); i++ {
			if next = points[i]; next.row[y] == next.row[y] {
				break
			}
		}
		at[k] = next
	}
	first, last := at[0], at[len(at)-1]
	for _, p := range at[1 : len(at)-1] {
		off := (p.row[y]-first.row[y])/(last.row[y]-first.row[y]) - (p.g-first.g)/(last.g-first.g)
		if math.Abs(off) > farFrom {
			return false
		}
	}
	return true
}

// powers are the products and ratios of two columns, the likely computations first.
var powers = []struct {
	text string
	p    [2]float64
}{{"%s / %s²", [2]float64{1, -2}}, {"%s · %s", [2]float64{1, 1}}, {"%s · %s²", [2]float64{1, 2}}, {"%s / %s", [2]float64{1, -1}}}

// products returns the candidates with two sources, up to a constant factor. The ratios of some rows decide which are fitted.
func products(names []string, s *dataset.Sample, numbers []int, unit []float64) (list []candidate) {
	numbers = slices.DeleteFunc(slices.Clone(numbers), func(v int) bool { return oftenZero(s, v) })
	if len(numbers) > mostFormulas {
		return nil
	}
	rows := pivots(s, numbers)
	if rows == nil {
		return nil
	}
	type quotient struct {
		v    int
		log  float64                 // of the ratio of the last row and the first
		rest [mostPivots - 2]float64 // the same of the other rows
	}
	var sorted []quotient
	for _, v := range numbers {
		to := func(row []float64) float64 { return math.Log(math.Abs(row[v] / rows[0][v])) }
		if q := (quotient{v: v, log: to(rows[len(rows)-1])}); q.log-q.log == 0 {
			for i, row := range rows[1 : len(rows)-1] {
				q.rest[i] = to(row)
			}
			sorted = append(sorted, q)
		}
	}
	slices.SortFunc(sorted, func(a, b quotient) int { return cmp.Compare(a.log, b.log) })
	starts := make([]int, len(powers))
	for _, a := range sorted {
		for _, b := range sorted {
			for k, power := range powers {
				if a.v == b.v || power.p[1] == 1 && names[a.v] > names[b.v] {
					continue
				}
				want := power.p[0]*a.log + power.p[1]*b.log
				const near = 0.05
				from, to := starts[k], len(sorted) // the sum is monotone in b
				for ; from < to && sorted[from].log < want-near; from++ {
				}
				for ; from > 0 && sorted[from-1].log >= want-near; from-- {
				}
				starts[k] = from
				for _, y := range sorted[from:] {
					if y.log > want+near {
						break
					}
					apart := 0
					for i := range y.rest {
						if !(math.Abs(y.rest[i]-power.p[0]*a.rest[i]-power.p[1]*b.rest[i]) <= 2*near) {
							if apart++; 2*apart > len(y.rest) {
								break
							}
						}
					}
					if y.v == a.v || y.v == b.v || 2*apart > len(y.rest) {
						continue
					}
					f := &expression{y: y.v, of: []int{a.v, b.v}, p: power.p, unit: unit, text: power.text, place: k}
					if f.fit(s) {
						list = append(list, f)
					}
				}
			}
		}
	}
	return list
}

// mostPivots is the number of rows that decide which products are fitted.
const mostPivots = 12

// pivots returns complete rows without zeros that differ much: the quantiles of the sum of logarithms. It returns nil if there are fewer
// than two.
func pivots(s *dataset.Sample, numbers []int) (rows [][]float64) {
	type ranked struct {
		sum float64
		row []float64
	}
	var complete []ranked
	for i := range s.Rows() {
		row, sum := s.Row(i), 0.0
		for _, v := range numbers {
			sum += math.Log(math.Abs(row[v]))
		}
		if sum-sum == 0 {
			complete = append(complete, ranked{sum, row})
		}
	}
	if len(complete) < 2 {
		return nil
	}
	slices.SortFunc(complete, func(a, b ranked) int { return cmp.Compare(a.sum, b.sum) })
	for k := range mostPivots {
		rows = append(rows, complete[k*(len(complete)-1)/(mostPivots-1)].row)
	}
	return rows
}

// oftenZero reports whether a column is 0 or missing in more than a fifth of the rows.
func oftenZero(s *dataset.Sample, v int) bool {
	n := 0
	for i := range s.Rows() {
		if x := s.Row(i)[v]; x == 0 || x != x {
			n++
		}
	}
	return 5*n > s.Rows()
}
