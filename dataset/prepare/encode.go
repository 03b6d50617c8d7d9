package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/internal/absent"
	"github.com/polydag/polydag/fault"
)

// A coding is the treatment of a column of the table.
type coding int

const (
	asNumber  coding = iota // numbers, or text of one class that represents numbers, until other text occurs
	asOrdinal               // the index of the level
	asOneHot                // a column for each level but the first
	asNothing               // excluded
	asContext               // not a variable: the index of its word, after the variables
)

// A columnPlan is the encoding of one chosen column.
type columnPlan struct {
	how     coding
	levels  []string        // levels of text, sorted
	place   map[string]int  // index of each level
	at      int             // first column in the moments
	dropped string          // reason for exclusion
	learned *levels         // nil if the column was not searched for text
	absent  map[string]bool // texts of missing values
}

// An encodePlan is the encoding of a table.
type encodePlan struct {
	columns []columnPlan // one for each chosen column
	outputs []output
	notes   []string
	context bool          // each row has the index of a word after the outputs
	group   *chosenColumn // the column of Settings.Groups; nil for none

	excluded []dataset.Excluded // text columns
}

// width returns the length of a row.
func (p *encodePlan) width() int {
	if p.context {
		return len(p.outputs) + 1
	}
	return len(p.outputs)
}

// An output is a column of the moments.
type output struct {
	name  string
	from  int    // the chosen column
	level string // level of a one-hot column
}

// numbersOnly returns the plan for a table without text.
func numbersOnly(chosen []chosenColumn) *encodePlan {
	p := &encodePlan{columns: make([]columnPlan, len(chosen))}
	p.layOut(chosen)
	return p
}

// layOut assigns each column its place among the outputs.
func (p *encodePlan) layOut(chosen []chosenColumn) {
	for j := range p.columns {
		c := &p.columns[j]
		if chosen[j].context {
			c.how, p.context = asContext, true
		}
		c.at = len(p.outputs)
		switch c.how {
		case asNumber, asOrdinal:
			p.outputs = append(p.outputs, output{name: chosen[j].Name, from: j})
		case asOneHot:
			for _, level := range c.levels[1:] {
				p.outputs = append(p.outputs, output{name: chosen[j].Name + "=" + readable(level), from: j, level: level})
			}
		}
	}
	for j := range p.columns {
		if p.columns[j].how == asContext {
			p.columns[j].at = len(p.outputs)
		}
	}
}

// readable writes bytes that are not UTF-8 as \xf6, so that names stay distinct in every format.
func readable(level string) string {
	if utf8.ValidString(level) {
		return level
	}
	var b strings.Builder
	for len(level) > 0 {
		r, n := utf8.DecodeRuneInString(level)
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, level[0])
		} else {
			b.WriteString(level[:n])
		}
		level = level[n:]
	}
	return b.String()
}

func (p *encodePlan) names() []string {
	names := make([]string, len(p.outputs))
	for k, o := range p.outputs {
		names[k] = o.name
	}
	return names
}

// An encoder converts views to numbers and counts missing values in the order of the file. The first error is reported, whatever
// the batches.
type encoder struct {
	file    string
	lenient bool           // infinities are ignored
	auto    bool           // infinities are missing values
	chosen  []chosenColumn // columns that are read
	plan    []columnPlan   // their plans
	width   int            // columns of the result
	inPlace bool           // the result has the columns of the table
	plain   bool           // all columns are unchanged
	out     []float64

	seen         []columnState
	numbers      bool      // a view without missing values occurred, so that every column has numbers
	words        bool      // some column has text that represents numbers
	environments *wordList // words of the environment column; nil without one
}

// columnState is the state of a column so far.
type columnState struct {
	number  bool               // it has a number
	class   *wordClass         // class of its text, which represents numbers
	cell    dataset.ParseError // position of its first word
	missing MissingColumn
	// infinite counts the infinities that a pass ignored or treated as missing, and firstInf is the data row of the first.
	infinite, firstInf int
}

func newEncoder(chosen []chosenColumn, plan *encodePlan, opt *options) *encoder {
	e := &encoder{file: opt.File, lenient: opt.Lenient && !opt.auto, auto: opt.auto, width: plan.width(), inPlace: !plan.context, plain: true}
	if plan.context {
		e.environments = newWordList()
	}
	for j, c := range chosen {
		how := plan.columns[j].how
		if how == asNothing {
			continue
		}
		e.chosen, e.plan = append(e.chosen, c), append(e.plan, plan.columns[j])
		e.inPlace, e.plain = e.inPlace && how != asOneHot, e.plain && how == asNumber
	}
	e.seen = make([]columnState, len(e.chosen))
	for j, c := range e.chosen {
		e.seen[j].missing.Name = c.Name
	}
	return e
}

// encode replaces the values of v by rows of numbers, with NaN for missing values, and sets v.clean if there are none. Text that
// the plan does not contain is an error.
func (e *encoder) encode(v *view) error {
	d := len(e.chosen)
	if v.clean && e.plain && !e.words {
		e.numbers = true
		return nil
	}
	out := v.values
	if !e.inPlace {
		e.out = slices.Grow(e.out[:0], v.rows*e.width)[:v.rows*e.width]
		out = e.out
	}
	whole := true
	cells := v.cells
	for i := range v.rows {
		row, dst := v.values[i*d:(i+1)*d], out[i*e.width:(i+1)*e.width]
		for j, x := range row {
			if e.plan[j].how == asContext {
				var cell *dataset.Cell
				if len(cells) > 0 && cells[0].Row == i && cells[0].Column == j {
					cell, cells = &cells[0], cells[1:]
				}
				e.put(dst, j, e.wordOf(v, i, x, cell))
				continue
			}
			infinite := (e.lenient || e.auto) && math.IsInf(x, 0)
			if s := &e.seen[j]; infinite {
				if s.infinite++; s.infinite == 1 {
					s.firstInf = v.first + i + 1
				}
			}
			if x == x && !infinite {
				x, err := e.number(v, i, j, x)
				if err != nil {
					return err
				}
				e.put(dst, j, x)
				continue
			}
			if len(cells) > 0 && cells[0].Row == i && cells[0].Column == j && !infinite {
				cell := cells[0]
				cells = cells[1:]
				if !e.absent(j, v.text[cell.Start:cell.End]) {
					x, err := e.word(v, j, cell)
					if err != nil {
						return err
					}
					e.put(dst, j, x)
					continue
				}
			}
			whole = false
			e.put(dst, j, math.NaN())
			if infinite && e.lenient {
				continue
			}
			m := &e.seen[j].missing
			if m.Count++; m.Count == 1 {
				m.First = v.first + i + 1
			}
		}
	}
	v.values, v.clean = out, whole
	return nil
}

// absent reports whether a text of a column stands for a missing value. Before the texts of the column are known, and in columns of
// numbers, every text that may stand for one does.
func (e *encoder) absent(j int, text []byte) bool {
	if e.plan[j].how == asNumber {
		return !e.chosen[j].Literal && absent.Of(text) != absent.Never
	}
	return e.plan[j].absent[string(text)]
}

// put writes code x, or NaN, of chosen column j into a row of the result.
func (e *encoder) put(dst []float64, j int, x float64) {
	c := &e.plan[j]
	if c.how != asOneHot {
		dst[c.at] = x
		return
	}
	ones := dst[c.at : c.at+len(c.levels)-1]
	for k := range ones {
		ones[k] = 0
		if x != x {
			ones[k] = x
		}
	}
	if x > 0 {
		ones[int(x)-1] = 1
	}
}

// number returns the code of a number in row i of the view.
func (e *encoder) number(v *view, i, j int, x float64) (float64, error) {
	if x-x != 0 {
		return 0, e.at(v, j, dataset.Cell{Row: i}, dataset.FormatFloat(x), dataset.ErrNotFinite)
	}
	if e.plan[j].how != asNumber {
		if x == 0 {
			x = 0 // -0 is the same level as 0
		}
		return e.code(v, j, dataset.Cell{Row: i}, dataset.FormatFloat(x))
	}
	s := &e.seen[j]
	if s.class != nil {
		return 0, &s.cell
	}
	s.number = true
	return x, nil
}

// word returns the code of a cell of text.
func (e *encoder) word(v *view, j int, c dataset.Cell) (float64, error) {
	text := v.text[c.Start:c.End]
	if e.plan[j].how != asNumber {
		return e.code(v, j, c, string(text))
	}
	s := &e.seen[j]
	class, x := numberOf(text)
	first := s.class == nil
	if class == nil || s.number || e.numbers || !first && class != s.class {
		return 0, e.notNumber(v, j, c, text)
	}
	if first {
		s.class, s.cell, e.words = class, *e.notNumber(v, j, c, text), true
	}
	return x, nil
}

// code returns the index of a level.
func (e *encoder) code(v *view, j int, c dataset.Cell, level string) (float64, error) {
	k, ok := e.plan[j].place[level]
	if !ok {
		return 0, e.at(v, j, c, dataset.Excerpt([]byte(level)), fault.New(dataset.ErrNotNumber, "is a new category in the second pass over the table", "the file changed while it was read: run again"))
	}
	return float64(k), nil
}

func (e *encoder) notNumber(v *view, j int, c dataset.Cell, text []byte) *dataset.ParseError {
	return e.at(v, j, c, dataset.Excerpt(text), fault.New(dataset.ErrNotNumber, "",
		"encode such columns with %s, ordinal or drop, or leave this one out with %s", fault.Set("encode", "onehot"), fault.Columns("drop", e.chosen[j].Name)))
}

func (e *encoder) at(v *view, j int, c dataset.Cell, value string, err error) *dataset.ParseError {
	return &dataset.ParseError{File: e.file, Line: c.Line, Row: v.first + c.Row + 1, Column: e.chosen[j].index + 1, Name: e.chosen[j].Name, Value: value, Err: err}
}

// infiniteNotes says which infinities count as missing values.
func (e *encoder) infiniteNotes() []string {
	var where []string
	for j, s := range e.seen {
		if e.auto && s.infinite > 0 {
			where = append(where, fmt.Sprintf("%s (%s, first in row %d)", e.chosen[j].Name, count(s.infinite, "cell"), s.firstInf))
		}
	}
	if len(where) == 0 {
		return nil
	}
	if more := len(where) - 5; more > 0 {
		where = append(where[:5], fmt.Sprintf("%d more columns", more))
	}
	return []string{"Infinite values count as missing: " + strings.Join(where, ", ") + "."}
}

// missing lists the columns with missing values in the order of the table.
func (e *encoder) missing() []MissingColumn {
	var list []MissingColumn
	for _, s := range e.seen {
		if s.missing.Count > 0 {
			list = append(list, s.missing)
		}
	}
	return list
}
