package csv

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/internal/absent"
)

// A Survey examines all cells of a table and detects the form of each column. It gets the batches of a source
// without forms.
type Survey struct {
	names   []string
	order   string // order of dates, if given
	point   byte   // decimal mark of the file
	given   bool   // the caller set it, so no column may differ
	literal []bool // columns in which words such as NA are text
	tallies []tally
	rows    int
	whole   bool // Add examines every number, which costs time, and not only whether there is one
	typed   bool // numbers have a type of their own and are never text of another form
	times   []bool
}

// Typed says that the cells come from a workbook, in which a number has a type of its own, whatever the text beside it: amounts and dates
// stored as text may stand beside numbers in a column.
func (s *Survey) Typed(columns []dataset.Column) {
	s.typed = true
	for _, c := range columns {
		s.times = append(s.times, c.Kind == dataset.Time)
	}
}

// NewSurvey returns a survey of a source that Open returned for these settings. point is the detected decimal
// mark, or 0 if unknown.
func NewSurvey(columns []dataset.Column, opt Settings, point byte, whole bool) (*Survey, error) {
	s := &Survey{names: dataset.ColumnNames(columns), order: opt.DateOrder, point: cmp.Or(opt.Decimal, point, '.'), given: opt.Decimal != 0, whole: whole, tallies: make([]tally, len(columns))}
	sets, err := missingSets(s.names, opt.NA, s.point)
	if err != nil {
		return nil, err
	}
	for j := range columns {
		s.literal = append(s.literal, sets[j].literal)
		s.tallies[j].integers = true
	}
	return s, nil
}

// Select restricts the batches to these columns, in this order.
func (s *Survey) Select(columns []int) {
	names, literal, tallies := s.names, s.literal, s.tallies
	s.names, s.literal, s.tallies = nil, nil, nil
	for _, j := range columns {
		s.names, s.literal, s.tallies = append(s.names, names[j]), append(s.literal, literal[j]), append(s.tallies, tallies[j])
	}
}

// A tally counts the cells of a column by kind.
type tally struct {
	numbers                                      bool // there is a plain number
	integers                                     bool // all numbers are integers
	words, markers, bigs, amounts, dates, valued int
	marked                                       [len(marks)]example // the first cell with each of marks
	times                                        [len(marks)]int     // the cells with each of marks
	firstWord, firstMarker, firstBig             example
	firstAmount, firstDate, firstValued          example
	prefix, suffix                               string
	commas, points                               bool // some amount has a decimal comma, or a decimal point
	noDayFirst, noMonthFirst, noYearFirst        bool
}

// An example is the first cell of its kind.
type example struct {
	text string
	line int
}

func (e *example) take(text []byte, line int) {
	if e.text == "" {
		*e = example{dataset.Excerpt(text), line}
	}
}

// Add examines a batch of all columns.
func (s *Survey) Add(b *dataset.Batch) {
	d := len(s.tallies)
	s.rows += b.Rows
	for j := range s.tallies {
		t := &s.tallies[j]
		if t.numbers && (!s.whole || !t.integers) {
			continue
		}
		for i := j; i < len(b.Values); i += d {
			if x := b.Values[i]; x == x {
				t.numbers = true
				if !s.whole {
					break
				}
				if x != math.Trunc(x) {
					t.integers = false
					break
				}
			}
		}
	}
	for _, c := range b.Cells {
		s.tallies[c.Column].add(b.Text[c.Start:c.End], c.Line, s.literal[c.Column], s.typed)
	}
}

// add classifies one text cell. After the first word, the column can only be text.
func (t *tally) add(field []byte, line int, literal, typed bool) {
	if field = trimBlanks(field); !literal && oneOf(field, marks) {
		k := strings.IndexByte(marks, field[0])
		t.marked[k].take(field, line)
		t.times[k]++
	}
	if t.words > 0 {
		return
	}
	if !literal && marker(field) {
		t.markers++
		t.firstMarker.take(field, line)
		return
	}
	if wholeDigits(field) && (!typed || beyondExact(field) || len(field) > 1 && field[0] == '0') { // a code with zeros in front is none
		t.bigs++
		t.firstBig.take(field, line)
		return
	}
	if d, ok := parseDate(field); ok {
		_, dmy := d.seconds("dmy")
		_, mdy := d.seconds("mdy")
		_, ymd := d.seconds("ymd")
		if dmy || mdy || ymd {
			t.dates++
			t.firstDate.take(field, line)
			t.noDayFirst, t.noMonthFirst, t.noYearFirst = t.noDayFirst || !dmy, t.noMonthFirst || !mdy, t.noYearFirst || !ymd
			if d.sign == '.' && !ymd {
				t.noMonthFirst = true // dates with points have the day first
			}
			return
		}
	}
	if a, ok := parseAmount(field); ok {
		sign, fits := a.decimal()
		if t.amounts == 0 {
			t.prefix, t.suffix = a.prefix, a.suffix
		}
		if fits && a.prefix == t.prefix && a.suffix == t.suffix {
			t.amounts++
			t.firstAmount.take(field, line)
			t.commas, t.points = t.commas || sign == ',', t.points || sign == '.'
			return
		}
	}
	if standsForNumber(field) {
		t.valued++
		t.firstValued.take(field, line)
		return
	}
	t.words++
	t.firstWord.take(field, line)
}

// standsForNumber reports whether the encoding of text reads a word as a number: true and false, ISO 8601 dates
// and times.
func standsForNumber(field []byte) bool {
	switch n := len(field); {
	case n >= len("2006-01-02") && field[4] == '-' && field[7] == '-':
		return digits(field[:4]) && digits(field[5:7]) && digits(field[8:10])
	case n >= len("15:04:05") && field[2] == ':' && field[5] == ':':
		return digits(field[:2]) && digits(field[3:5]) && digits(field[6:8])
	case n > len("false"):
		return false
	}
	switch strings.ToLower(string(field)) {
	case "true", "false", "yes", "no", "t", "f", "y", "n", "on", "off":
		return true
	}
	return false
}

// Needed reports whether some column may have a form, so that all its cells must be examined.
func (s *Survey) Needed() bool {
	for j := range s.tallies {
		t := &s.tallies[j]
		if (t.words > 0 || t.valued > 0) && t.numbers || t.words == 0 && (t.amounts > 0 || t.dates > 0 || t.bigs > 0 || t.markers > 0 && (t.numbers || t.valued > 0)) {
			return true
		}
	}
	return false
}

// Forms returns the forms of the columns that have one, and notes in the order of the columns.
func (s *Survey) Forms() (map[string]Form, []dataset.ColumnNote) {
	forms := map[string]Form{}
	var notes []dataset.ColumnNote
	missing := s.missingMarks()
	for j := range s.tallies {
		t := &s.tallies[j]
		f, what, shown := s.form(j)
		if what == "" && t.words > 0 {
			f, what, shown = t.marks(missing, s.rows)
		}
		if what == "" {
			continue
		}
		forms[s.names[j]] = f
		notes = append(notes, dataset.ColumnNote{Column: s.names[j], What: what, Example: shown.text, Line: shown.line})
		if f.Missing && t.markers > 0 && what != dataset.ReadMarker {
			notes = append(notes, dataset.ColumnNote{Column: s.names[j], What: dataset.ReadMarker, Example: t.firstMarker.text, Line: t.firstMarker.line})
		}
	}
	return forms, notes
}

// missingMarks returns the marks that are missing values in a numeric column.
func (s *Survey) missingMarks() (out string) {
	for k := range marks {
		for j := range s.tallies {
			if t := &s.tallies[j]; t.marked[k].text != "" {
				if f, _, _ := s.form(j); f.Missing {
					out += marks[k : k+1]
					break
				}
			}
		}
	}
	return out
}

// form decides the form of column j.
func (s *Survey) form(j int) (Form, string, example) {
	t := s.tallies[j]
	if !s.typed {
		return t.form(s.order, s.point, s.given)
	}
	stored := t
	stored.numbers = t.numbers && (t.words > 0 || t.valued > 0 || t.dates > 0 && !s.times[j]) // other text may stand beside numbers
	f, what, shown := stored.form(s.order, s.point, s.given)
	if what == dataset.ReadThousands {
		what = dataset.ReadStored
	}
	if what == "" && t.markers > 0 && t.numbers && t.words == 0 {
		return Form{Missing: true}, dataset.ReadMarker, t.firstMarker
	}
	return f, what, shown
}

// marks decides which of these marks are missing values in a column of words: all that occur, but not in so many rows that the
// mark is rather a category.
func (t *tally) marks(missing string, rows int) (f Form, what string, shown example) {
	for k := range marks {
		few := float64(t.times[k]) <= absent.MostSeldom*float64(rows)
		if m := t.marked[k]; m.text != "" && few && strings.Contains(missing, marks[k:k+1]) {
			f.Marks, what, shown = f.Marks+marks[k:k+1], dataset.ReadMarker, m
		}
	}
	return f, what, shown
}

// form decides the form of a column. what is empty if it needs none.
func (t *tally) form(order string, point byte, given bool) (f Form, what string, shown example) {
	mixed := func(first example) (Form, string, example) { return Form{Kind: Words}, dataset.ReadMixed, first }
	unit := t.prefix != "" || t.suffix != ""
	kinds := 0
	for _, n := range []int{t.amounts, t.dates, t.bigs, t.valued} {
		if n > 0 {
			kinds++
		}
	}
	switch {
	case t.words > 0 && t.numbers:
		return mixed(t.firstWord)
	case t.words > 0:
		return f, "", shown
	case t.numbers && t.valued > 0:
		return mixed(t.firstValued)
	case t.numbers && t.dates > 0:
		return mixed(t.firstDate)
	case t.numbers && t.amounts > 0 && unit:
		return mixed(t.firstAmount)
	case kinds > 1:
		return f, "", shown // all cells are already text of more than one kind
	case t.bigs > 0 && t.integers:
		return Form{Kind: Words, Missing: true}, dataset.ReadIdentifier, t.firstBig
	case t.bigs > 0:
		return Form{Kind: Whole, Missing: true}, dataset.ReadRounded, t.firstBig
	case t.dates > 0:
		return t.date(order)
	case t.amounts > 0:
		return t.amount(point, given)
	case t.markers > 0 && (t.numbers || t.valued > 0):
		return Form{Missing: true}, dataset.ReadMarker, t.firstMarker
	}
	return f, "", shown
}

// date decides the order of day and month.
func (t *tally) date(order string) (Form, string, example) {
	f := Form{Kind: Date, Missing: true}
	what := ""
	switch fits := map[string]bool{"dmy": !t.noDayFirst, "mdy": !t.noMonthFirst, "": true}; {
	case !t.noYearFirst:
		f.Order, what = "ymd", dataset.ReadYearFirst
	case !fits[order] || t.noDayFirst && t.noMonthFirst:
		return Form{}, "", example{} // words
	case order == "dmy" || order == "" && t.noMonthFirst:
		f.Order, what = "dmy", dataset.ReadDayFirst
	case order == "mdy" || t.noDayFirst:
		f.Order, what = "mdy", dataset.ReadMonthFirst
	default:
		f.Order, what = "mdy", dataset.ReadAmbiguous
	}
	return f, what, t.firstDate
}

// amount decides the decimal mark.
func (t *tally) amount(point byte, given bool) (Form, string, example) {
	f := Form{Kind: Amount, Missing: true, Prefix: t.prefix, Suffix: t.suffix, Decimal: point}
	switch {
	case t.commas:
		f.Decimal = ','
	case t.points:
		f.Decimal = '.'
	}
	if t.commas && t.points || f.Decimal != point && (given || t.numbers && !t.integers) {
		if t.numbers {
			return Form{Kind: Words}, dataset.ReadMixed, t.firstAmount
		}
		return Form{}, "", example{} // words
	}
	what := dataset.ReadThousands
	if f.Decimal != point {
		what = dataset.ReadDecimal
	}
	switch {
	case t.suffix == "%" || t.suffix == "‰":
		what = dataset.ReadPercent
	case t.prefix != "" || slices.Contains(currencies, t.suffix) || slices.Contains(codes, t.suffix):
		what = dataset.ReadCurrency
	case t.suffix != "":
		what = dataset.ReadUnit
	}
	return f, what, t.firstAmount
}
