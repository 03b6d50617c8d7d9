package series

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// A Step is a distance in time: a number of seconds or of the units of a numeric column, or a number of calendar months.
type Step struct {
	Size   float64 // 0 if it is not given
	Months bool
}

const day = 86400

// units are the units of a step, in seconds; 0 marks months.
var units = map[string]float64{"": 1, "s": 1, "min": 60, "h": 3600, "d": day, "w": 7 * day, "mo": 0, "q": 0, "y": 0}

// ParseStep parses a step such as 15min, 1h, 7d, 1mo, 1q, 1y or 0.5.
func ParseStep(text string) (Step, error) {
	if text == "" {
		return Step{}, nil
	}
	number := strings.TrimRightFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' })
	unit := text[len(number):]
	size, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if number == "" {
		size, err = 1, nil
	}
	scale, ok := units[unit]
	if err != nil || !ok || !(size > 0) || math.IsInf(size, 0) {
		return Step{}, &fault.Error{Err: ErrStep, Text: fmt.Sprintf("%q is not a time step", text), Way: "give a number, or a duration such as 15min, 1h, 7d or 1mo"}
	}
	if scale > 0 {
		return Step{Size: size * scale}, nil
	}
	size *= map[string]float64{"mo": 1, "q": 3, "y": 12}[unit]
	if size != math.Trunc(size) {
		return Step{}, &fault.Error{Err: ErrStep, Text: fmt.Sprintf("%q is not a whole number of months", text), Way: "give a whole number"}
	}
	return Step{Size: size, Months: true}, nil
}

// calendar converts times to months if they are the same day of each month, or if the step is in months. Numbers such as 202401 and
// 20240131 are months and days.
func (r *reader) calendar(step Step) {
	if !r.dates && r.all(func(x float64) bool { return x >= 19000101 && x <= 21001231 && calendarDay(x) }) {
		r.dates = true
		for i, x := range r.times {
			n := int(x)
			r.times[i] = dataset.Seconds(time.Date(n/10000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC))
		}
	}
	if !r.dates {
		month := func(x float64) bool {
			return x >= 190001 && x <= 210012 && x == math.Trunc(x) && math.Mod(x, 100) >= 1 && math.Mod(x, 100) <= 12
		}
		if r.all(month) {
			r.months = true
			for i, x := range r.times {
				r.times[i] = 12*math.Floor(x/100) + math.Mod(x, 100) - 1
			}
		}
		return
	}
	date := func(x, later float64) time.Time {
		return time.Unix(int64(math.Floor(x+later)), 0).UTC()
	}
	same := func(later float64) bool {
		if len(r.times) < 2 {
			return false
		}
		first := date(r.times[0], later)
		moved := false
		for _, x := range r.times {
			t := date(x, later)
			if t.Day() != first.Day() || t.Hour() != first.Hour() || t.Minute() != first.Minute() || t.Second() != first.Second() || x != math.Trunc(x) {
				return false
			}
			moved = moved || t.Month() != first.Month() || t.Year() != first.Year()
		}
		return moved
	}
	if !step.Months && (step.Size > 0 || !same(0) && !same(day)) { // the day after the end of a month is the first of the next
		return
	}
	r.months = true
	for i, x := range r.times {
		t := date(x, 0)
		r.times[i] = float64(12*t.Year() + int(t.Month()) - 1)
	}
}

// calendarDay reports whether x is a day such as 20240131.
func calendarDay(x float64) bool {
	if x != math.Trunc(x) {
		return false
	}
	n := int(x)
	t := time.Date(n/10000, time.Month(n/100%100), n%100, 0, 0, 0, 0, time.UTC)
	return t.Month() == time.Month(n/100%100)
}

func (r *reader) all(ok func(float64) bool) bool {
	for _, x := range r.times {
		if !ok(x) {
			return false
		}
	}
	return len(r.times) > 0
}

// tolerance is the share of a step by which a distance may differ from it.
const tolerance = 0.01

// segments divides the places into runs of equal steps, or reports why it cannot.
func (r *reader) segments(c *Clock, step Step) error {
	size, rounded := step.Size, step.Size > 0
	if !rounded {
		if size = r.median(c); !(size > 0) {
			return r.repeated(c, 1)
		}
	}
	if c.Step = r.words(size); rounded {
		c.Steps = make([]int, r.rows())
	}
	start := math.Inf(1)
	for _, x := range r.times {
		start = min(start, x)
	}
	if rounded {
		start = math.Floor(start/size) * size
	}
	at := func(x float64) int {
		if rounded {
			return int(math.Floor((x-start)/size + 1e-9))
		}
		return int(math.Round((x - start) / size))
	}
	irregular, first, steps, several := 0, 0, 0, false
	for place := range r.rows() {
		row := c.row(place)
		x := r.times[row]
		if rounded {
			c.Steps[place] = at(x)
		}
		if place == 0 || r.of(row) != r.of(c.row(place-1)) {
			c.Segments = append(c.Segments, Segment{Start: place, Series: int(r.of(row)), Step: at(x)})
			continue
		}
		before := r.times[c.row(place-1)]
		distance := (x - before) / size
		if rounded {
			distance = float64(at(x) - at(before))
		}
		if distance == 0 && rounded && r.set.Aggregate {
			several = true
			continue
		}
		if distance == 0 {
			return r.repeated(c, place)
		}
		if steps++; math.Abs(distance-1) <= tolerance {
			continue
		}
		if irregular++; irregular == 1 {
			first = place
		}
		c.Gaps++
		c.Segments = append(c.Segments, Segment{Start: place, Series: int(r.of(row)), Step: at(x)})
	}
	if !several {
		c.Steps = nil
	}
	if irregular == 0 || r.set.Break {
		return nil
	}
	a, b := r.times[c.row(first-1)], r.times[c.row(first)]
	return fault.New(ErrIrregular, fmt.Sprintf("column %s: the time step is %s, but %d of %d steps differ; the first is from %s to %s", r.set.Time, c.Step, irregular, steps, r.word(a), r.word(b)),
		"start a new segment after each gap with %s; or average the rows to a longer step with %s, %s and %s", fault.Set("gaps", "break"), fault.Use("step"), fault.Set("aggregate", "mean"), fault.Set("gaps", "break"))
}

// repeated is the error of two rows of one series at the same time. place is the later one.
func (r *reader) repeated(c *Clock, place int) error {
	for place < r.rows()-1 && r.of(c.row(place)) != r.of(c.row(place-1)) {
		place++
	}
	place = min(place, r.rows()-1)
	where := ""
	if r.set.Series != "" {
		where = fmt.Sprintf(" in series %s", r.names[r.of(c.row(place))])
	}
	if r.set.Step != "" {
		return fault.New(ErrRepeated, fmt.Sprintf("column %s: several rows are within one step of %s%s, the first at %s", r.set.Time, c.Step, where, r.word(r.times[c.row(place)])), "average them with %s", fault.Set("aggregate", "mean"))
	}
	text := fmt.Sprintf("column %s: the time %s occurs more than once%s", r.set.Time, r.word(r.times[c.row(place)]), where)
	if r.set.Series == "" {
		return fault.New(ErrRepeated, text, "if the table has several series, name their column with %s; otherwise average the rows with %s and %s", fault.Use("series"), fault.Use("step"), fault.Set("aggregate", "mean"))
	}
	return fault.New(ErrRepeated, text, "average the rows with %s and %s", fault.Use("step"), fault.Set("aggregate", "mean"))
}

// word formats a time.
func (r *reader) word(x float64) string {
	switch {
	case r.months:
		return fmt.Sprintf("%04d-%02d", int(x)/12, int(x)%12+1)
	case r.dates && math.Mod(x, day) == 0:
		return time.Unix(int64(x), 0).UTC().Format("2006-01-02")
	case r.dates:
		return time.Unix(int64(x), 0).UTC().Format("2006-01-02 15:04:05")
	}
	return dataset.FormatFloat(x)
}

// words formats the size of a step.
func (r *reader) words(size float64) string {
	count := func(n float64, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return dataset.FormatFloat(n) + " " + unit + "s"
	}
	switch {
	case r.months && math.Mod(size, 12) == 0:
		return count(size/12, "year")
	case r.months:
		return count(size, "month")
	case !r.dates && size == math.Trunc(size):
		return dataset.FormatFloat(size)
	case !r.dates: // a difference of decimal fractions has rounding errors
		return fmt.Sprintf("%.6g", size)
	}
	for _, u := range []struct {
		size float64
		name string
	}{{7 * day, "week"}, {day, "day"}, {3600, "hour"}, {60, "minute"}} {
		if math.Mod(size, u.size) == 0 {
			return count(size/u.size, u.name)
		}
	}
	return count(size, "second")
}
