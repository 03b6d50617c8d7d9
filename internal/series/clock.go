// Package series puts the rows of a table in the order of time and adds lagged values to them.
//
//	clock, err := series.Read(ctx, open, series.Settings{Time: "date", Series: "country"})
//	w := series.NewWalker(clock, rows, discrete)
//	err = w.Lagged(2, nil, false)(ctx, func(b dataset.RowBatch) error { … }) // x(t), x(t-1) and x(t-2) of each column
package series

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/names"
)

// RowOrder is the name of the time column if the order of the rows is the order of time.
const RowOrder = "."

// Settings say which columns hold the time and the series of a row.
type Settings struct {
	Time   string // name of the time column, or RowOrder
	Series string // name of the column that identifies the series of a row; empty for one series
	// Break starts a new segment after a gap. Otherwise a gap is an error.
	Break bool
	// Step is the distance of two points, such as 1h, 7d, 1mo or 0.5. If it is empty, it is the median distance of the rows.
	Step string
	// Aggregate averages the rows within a step.
	Aggregate bool
	// FirstRow and LastRow are data rows of the file, from 1; 0 leaves an end open. File is the name in errors.
	FirstRow, LastRow int
	File              string
}

// The faults of a time column.
var (
	ErrColumn    = fault.Kind("time-column", "there is no such column; name the time column and the series column as in the table")
	ErrTime      = fault.Kind("time-value", "is not a time; give numbers or dates such as 2024-01-31")
	ErrStep      = fault.Kind("time-step", "is not a step; give a number, or a duration such as 15min, 1h, 7d or 1mo")
	ErrIrregular = fault.Kind("time-gaps", "the time steps are not equal; break the series at gaps, or aggregate the rows to a longer step")
	ErrRepeated  = fault.Kind("time-repeated", "a time occurs more than once; name the series column, or aggregate the rows")
)

// A Clock has the place of each row in time. Places count the rows by series and then by time.
type Clock struct {
	// Order is the row at each place, or nil if the rows of the table have this order.
	Order []int32
	// Segments are runs of places without a gap, in order.
	Segments []Segment
	// Steps is the step of each place if the rows of a step are averaged; otherwise nil, and each row of a segment is one step.
	Steps []int
	// Series is the number of series, Gaps the number of gaps within them, and Step the distance of two points in words.
	Series, Gaps int
	Step         string
}

// A Segment is a run of equally spaced rows of one series.
type Segment struct {
	Start  int // place of the first row
	Series int
	Step   int // step of the first row, from 0 at the first time of the table
}

// Read reads the time and series columns of a table.
func Read(ctx context.Context, open func(context.Context) (dataset.Source, error), set Settings) (*Clock, error) {
	step, err := ParseStep(set.Step)
	if err != nil {
		return nil, err
	}
	if set.Time == RowOrder && set.Series == "" {
		return &Clock{Segments: []Segment{{}}, Series: 1, Step: "1 row"}, nil
	}
	r := &reader{set: set, labels: map[string]int32{}}
	if err := r.read(ctx, open); err != nil {
		return nil, err
	}
	if step.Size == 0 && set.Series == "" && r.even.n > keptTimes {
		return &Clock{Segments: []Segment{{}}, Series: 1, Step: r.words(r.even.step)}, nil
	}
	if r.even.n > 0 {
		r.times = r.even.list(0)
	}
	return r.clock(step)
}

// keptTimes is the number of times that are kept even if they are evenly spaced.
const keptTimes = 1 << 20

// even counts rising times at equal distances, so that a long series needs no list of them.
type even struct {
	first, step float64
	n           int
}

// add reports whether x is the next time.
func (e *even) add(x float64) bool {
	switch e.n {
	case 0:
		e.first = x
	case 1:
		e.step = x - e.first
	}
	next := e.first + float64(e.n)*e.step
	if e.n == 1 && !(e.step > 0) || math.Abs(x-next) > 1e-6*e.step {
		return false
	}
	e.n++
	return true
}

// list returns the times, with room for more.
func (e *even) list(more int) []float64 {
	out := make([]float64, e.n, e.n+more)
	for i := range out {
		out[i] = e.first + float64(i)*e.step
	}
	return out
}

// reader collects the times and series of the rows.
type reader struct {
	set    Settings
	times  []float64 // nil if the order of the rows counts, and while even.n counts the times
	even   even
	series []int32 // nil for one series
	labels map[string]int32
	names  []string // the names of the series
	dates  bool     // the times are seconds since 1970
	months bool     // the times are months
}

func (r *reader) read(ctx context.Context, open func(context.Context) (dataset.Source, error)) error {
	src, err := open(ctx)
	if err != nil {
		return err
	}
	defer src.Close()
	columns := src.Columns()
	var chosen []int
	find := func(setting, name string) (int, error) {
		at := slices.IndexFunc(columns, func(c dataset.Column) bool { return c.Name == name })
		if at >= 0 {
			chosen = append(chosen, at)
			return len(chosen) - 1, nil
		}
		var all []string
		for _, c := range columns {
			all = append(all, c.Name)
		}
		way := "the columns are " + names.List(all, 8)
		if near, ok := names.Nearest(name, false, all); ok {
			way = fmt.Sprintf("did you mean %q?", near)
		}
		use := fault.Use(setting)
		return -1, &fault.Error{Err: ErrColumn, Text: fmt.Sprintf("%v: the table has no column %q", use, name), Way: way, Remedies: []fault.Remedy{use}}
	}
	at, by := -1, -1
	if r.set.Time != RowOrder {
		at, err = find("time", r.set.Time)
	}
	if r.set.Series != "" {
		var other error
		by, other = find("series", r.set.Series)
		err = errors.Join(err, other)
	}
	if err != nil {
		return err
	}
	if at >= 0 {
		r.dates = columns[chosen[at]].Kind == dataset.Time
	}
	if err := src.Select(chosen); err != nil {
		return err
	}
	var b dataset.Batch
	for row := 0; ; {
		if err := src.Next(ctx, &b); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		cell := 0
		for i := range b.Rows {
			row++
			values := b.Values[i*len(chosen) : (i+1)*len(chosen)]
			text := make([][]byte, len(chosen))
			for ; cell < len(b.Cells) && b.Cells[cell].Row == i; cell++ {
				c := b.Cells[cell]
				text[c.Column] = b.Text[c.Start:c.End]
			}
			if row < r.set.FirstRow || r.set.LastRow > 0 && row > r.set.LastRow {
				continue
			}
			if at >= 0 {
				if err := r.addTime(row, values[at], text[at]); err != nil {
					return err
				}
			}
			if by >= 0 {
				r.addSeries(values[by], text[by])
			}
		}
	}
}

func (r *reader) addTime(row int, value float64, text []byte) error {
	if text != nil {
		x, ok := prepare.Date(text)
		if !ok {
			return &dataset.ParseError{File: r.set.File, Row: row, Name: r.set.Time, Value: dataset.Excerpt(text), Err: ErrTime}
		}
		value, r.dates = x, true
	}
	if value-value != 0 {
		return &dataset.ParseError{File: r.set.File, Row: row, Name: r.set.Time, Value: dataset.FormatFloat(value), Err: ErrTime}
	}
	if r.times == nil && r.even.add(value) {
		return nil
	}
	if r.times == nil {
		r.times = r.even.list(r.even.n + 1024)
		r.even = even{}
	}
	r.times = append(r.times, value)
	return nil
}

func (r *reader) addSeries(value float64, text []byte) {
	label := string(text)
	if text == nil {
		label = dataset.FormatFloat(value)
	}
	k, ok := r.labels[label]
	if !ok {
		k = int32(len(r.labels))
		r.labels[label] = k
		r.names = append(r.names, label)
	}
	r.series = append(r.series, k)
}

func (r *reader) rows() int { return max(len(r.times), len(r.series)) }

// of returns the series of a row.
func (r *reader) of(row int) int32 {
	if r.series == nil {
		return 0
	}
	return r.series[row]
}

// clock sorts the rows and divides them into segments.
func (r *reader) clock(step Step) (*Clock, error) {
	c := &Clock{Series: max(1, len(r.labels))}
	if !r.sorted() {
		c.Order = make([]int32, r.rows())
		for i := range c.Order {
			c.Order[i] = int32(i)
		}
		slices.SortStableFunc(c.Order, func(a, b int32) int {
			if by := cmp.Compare(r.of(int(a)), r.of(int(b))); by != 0 || r.times == nil {
				return by
			}
			return cmp.Compare(r.times[a], r.times[b])
		})
	}
	if r.times == nil {
		c.Step = "1 row"
		for place, last := 0, int32(-1); place < r.rows(); place++ {
			if s := r.of(c.row(place)); s != last {
				c.Segments = append(c.Segments, Segment{Start: place, Series: int(s)})
				last = s
			}
		}
		return c, nil
	}
	r.calendar(step)
	return c, r.segments(c, step)
}

// row returns the row at a place.
func (c *Clock) row(place int) int {
	if c.Order == nil {
		return place
	}
	return int(c.Order[place])
}

// sorted reports whether the rows of each series are consecutive and in the order of time.
func (r *reader) sorted() bool {
	seen := make([]bool, max(1, len(r.labels)))
	for i := range r.rows() {
		s := r.of(i)
		switch {
		case i == 0 || s != r.of(i-1):
			if seen[s] {
				return false
			}
			seen[s] = true
		case r.times != nil && r.times[i] < r.times[i-1]:
			return false
		}
	}
	return true
}

// median returns the median distance of neighbouring rows of a series, from at most mostDistances of them.
func (r *reader) median(c *Clock) float64 {
	const mostDistances = 100_000
	var all []float64
	every := max(1, r.rows()/mostDistances)
	for place := 1; place < r.rows(); place += every {
		a, b := c.row(place-1), c.row(place)
		if d := r.times[b] - r.times[a]; r.of(a) == r.of(b) && d > 0 {
			all = append(all, d)
		}
	}
	if len(all) == 0 {
		return math.NaN()
	}
	slices.Sort(all)
	return all[len(all)/2]
}
