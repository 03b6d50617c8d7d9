package prepare

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/internal/absent"
	"github.com/polydag/polydag/fault"
	match "github.com/polydag/polydag/internal/names"
)

// These limit the number of levels of a column and the bytes of their text.
const (
	mostLevels     = 100_000
	mostLevelBytes = 16 << 20
)

// levels has the text of a column that a pass found.
type levels struct {
	words   map[string]struct{}
	bytes   int  // bytes of the words
	full    bool // there are more words than were kept
	class   *wordClass
	mixed   bool // texts of more than one class, or without a class
	numbers distinct
	cells   int // cells of text
	values  int // numbers
	missing int
	// labels and order are Categories and Order of the column.
	labels  bool
	order   []string
	letters int // bytes of all text
	// repeated reports that a text occurred twice, and digits that all texts are whole numbers.
	repeated, digits bool
	first            dataset.ParseError // the first cell of text; in a mixed column the first that is not a number
	// among reports that the reader found numbers and words in the column and returned the numbers as text too. numerals is the
	// number of those numbers, and numeralWords the number of distinct ones.
	among                  bool
	numerals, numeralWords int
	commas, points         int  // numerals with a decimal comma and with a decimal point
	fractions              bool // some number is not whole
	kept                   bool // the reader has a reason to return the column as text

	gaps   map[string]int // cells with each text that may stand for a missing value; they count in missing until settle
	absent map[string]bool
}

// split returns the numbers of text cells and numeric cells, and of distinct texts and numbers. Numbers that are text in a mixed
// column count as numbers.
func (l *levels) split() (texts, numbers, words, values int) {
	return l.cells - l.numerals, l.values + l.numerals, len(l.words) - l.numeralWords, l.numbers.count() + l.numeralWords
}

// isNumeral reports whether a text is a number, with a decimal point or comma.
func isNumeral(text []byte) bool {
	_, err := strconv.ParseFloat(strings.Replace(string(bytes.TrimSpace(text)), ",", ".", 1), 64)
	return err == nil
}

// learnLevels reads a table and returns the text of each chosen column.
func learnLevels(ctx context.Context, src dataset.Source, chosen []chosenColumn, opt *options) ([]*levels, error) {
	if err := selectColumns(src, chosen); err != nil {
		return nil, err
	}
	most := mostLevels
	if opt.Encode == "drop" {
		most = opt.MaxLevels
	}
	d := len(chosen)
	learned := make([]*levels, d)
	for j := range learned {
		learned[j] = &levels{words: map[string]struct{}{}, gaps: map[string]int{}, numbers: distinct{limit: opt.MaxLevels + 1}, labels: chosen[j].Categories, order: chosen[j].Order}
	}
	shown := make([]string, d) // the cell because of which the reader treated a column as text
	if n, ok := src.(dataset.ColumnNoter); ok {
		for _, note := range n.ColumnNotes() {
			j := slices.IndexFunc(chosen, func(c chosenColumn) bool { return c.Name == note.Column })
			if j >= 0 && note.What == dataset.ReadMixed {
				learned[j].among, shown[j] = true, note.Example
			}
			if j >= 0 && (note.What == dataset.ReadMixed || note.What == dataset.ReadIdentifier) {
				learned[j].kept = true
			}
		}
	}
	_, err := stream(ctx, src, d, opt, func(v *view) error {
		for _, c := range v.cells {
			l := learned[c.Column]
			if text := v.text[c.Start:c.End]; !chosen[c.Column].Literal && absent.Of(text) != absent.Never {
				l.gaps[string(text)]++
				continue
			}
			if l.cells == 0 || l.among && l.first.Value != shown[c.Column] && dataset.Excerpt(bytes.TrimSpace(v.text[c.Start:c.End])) == shown[c.Column] {
				col := chosen[c.Column]
				l.first = dataset.ParseError{File: opt.File, Line: c.Line, Row: v.first + c.Row + 1, Column: col.index + 1, Name: col.Name, Value: dataset.Excerpt(v.text[c.Start:c.End])}
			}
			l.addWord(v.text[c.Start:c.End], most)
			l.missing-- // the NaN in its place is not a missing value
		}
		for j, l := range learned {
			for i := j; i < len(v.values); i += d {
				if x := v.values[i]; x == x && !(opt.auto && math.IsInf(x, 0)) {
					l.values++
					l.fractions = l.fractions || x != math.Trunc(x)
					l.numbers.add(v.values[i : i+1])
				} else {
					l.missing++
				}
			}
		}
		return nil
	})
	for _, l := range learned {
		l.settle(most)
	}
	return learned, err
}

// settle decides which texts stand for missing values, now that all cells are known. The others become categories.
func (l *levels) settle(most int) {
	numeric, _ := l.numeric()
	words := l.mixed && !numeric
	rows, times := l.cells+l.values+l.missing, map[string]int{}
	for text, n := range l.gaps {
		times[absent.Fold([]byte(text))] += n
	}
	l.absent = map[string]bool{}
	for _, text := range slices.Sorted(maps.Keys(l.gaps)) {
		category := false
		switch absent.Of([]byte(text)) {
		case absent.Seldom:
			category = float64(times[absent.Fold([]byte(text))]) > absent.MostSeldom*float64(rows)
		case absent.AmongNumbers:
			category = true
		}
		if !words || !category {
			l.absent[text] = true
			continue
		}
		for range l.gaps[text] {
			l.addWord([]byte(text), most)
		}
		l.missing -= l.gaps[text]
	}
}

func (l *levels) addWord(text []byte, most int) {
	l.cells++
	l.letters += len(text)
	class, _ := numberOf(text)
	if l.cells == 1 {
		l.class, l.digits = class, true
	}
	l.digits = l.digits && len(bytes.Trim(text, "0123456789")) == 0
	l.mixed = l.mixed || l.labels || class == nil || class != l.class
	numeral := l.among && isNumeral(text)
	if numeral {
		l.numerals++
		if at := bytes.IndexAny(text, ".,"); at >= 0 {
			if l.fractions = true; text[at] == ',' {
				l.commas++
			} else {
				l.points++
			}
		}
	}
	if _, ok := l.words[string(text)]; ok {
		l.repeated = true
		return
	}
	if len(l.words) == most || l.bytes+len(text) > mostLevelBytes {
		l.full = true
		return
	}
	l.words[string(text)] = struct{}{}
	l.bytes += len(text)
	if numeral {
		l.numeralWords++
	}
}

// stray reports whether text occurs among numbers that do not repeat, or whether all text is numbers with a decimal comma. It is
// then a typing error and not a set of levels.
func (l *levels) stray() bool {
	_, numbers, words, values := l.split()
	isNumeric, comma := l.numeric()
	return !l.labels && (comma || (numbers > 0 || isNumeric) && (words+values)*leastRepeats > l.cells+l.values)
}

// decimalComma reports whether all text would be numbers with a decimal comma.
func (l *levels) decimalComma() bool {
	_, comma := l.numeric()
	return comma
}

// numeric reports whether all text would be numbers, and whether all of them have a decimal comma.
func (l *levels) numeric() (isNumeric, comma bool) {
	comma = len(l.words) > 0
	for w := range l.words {
		if !isNumeral([]byte(w)) {
			return false, false
		}
		comma = comma && strings.Contains(w, ",")
	}
	return len(l.words) > 0, comma
}

// leastRepeats is the mean number of repetitions from which numbers and words in one column are levels.
const leastRepeats = 5

// sorted returns all levels, numbers as their shortest text: in the order that the file declares, otherwise by value if all are
// numbers, otherwise by bytes; of two, a control group or an absence comes first.
func (l *levels) sorted() []string {
	if l.order != nil {
		return l.declared()
	}
	list := slices.Collect(maps.Keys(l.words))
	l.numbers.each(func(x float64, _ int) {
		if w := dataset.FormatFloat(x); !l.has(w) {
			list = append(list, w)
		}
	})
	values := make(map[string]float64, len(list))
	for _, w := range list {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil || math.IsNaN(x) {
			if slices.Sort(list); len(list) == 2 && match.Reference(list[1], list[0]) {
				slices.Reverse(list)
			}
			return list
		}
		values[w] = x
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(a, b)) })
	return list
}

// declared returns the levels in the order of the file, followed by those that it does not list.
func (l *levels) declared() []string {
	list := make([]string, 0, len(l.words))
	seen := make(map[string]bool, len(l.words))
	for _, w := range l.order {
		if l.has(w) && !seen[w] {
			list, seen[w] = append(list, w), true
		}
	}
	listed := len(list)
	for w := range l.words {
		if !seen[w] {
			list = append(list, w)
		}
	}
	slices.Sort(list[listed:])
	return list
}

func (l *levels) has(word string) bool {
	_, ok := l.words[word]
	return ok
}

// planEncoding decides on the encoding of each column. isCounted reports that the source has counts of rows.
func planEncoding(chosen []chosenColumn, learned []*levels, isCounted bool, opt *options) (*encodePlan, error) {
	p := &encodePlan{columns: make([]columnPlan, len(chosen))}
	correct, marked := "correct the cell, or mark it as missing with %s", []any{fault.Use("na")}
	if isCounted { // missing values were reported when the rows were counted
		correct, marked = "correct the cell in the table and count it again", nil
	}
	for j, l := range learned {
		c := &p.columns[j]
		if chosen[j].context {
			continue
		}
		c.learned, c.absent = l, l.absent
		name := chosen[j].Name
		tooMany := func(detail string, err error) error {
			return &dataset.ParseError{File: opt.File, Column: chosen[j].index + 1, Name: name, Detail: detail, Err: err}
		}
		first := l.first
		texts, _, _, _ := l.split()
		switch {
		case l.cells == 0 || !l.mixed && l.values == 0:
			continue
		case opt.Exclude && p.exclude(j, chosen[j], opt):
			continue
		case opt.Encode == "drop" || opt.Encode == "levels" && opt.Lenient && (l.full || len(l.sorted()) > opt.MaxLevels || l.stray()):
			c.how = asNothing
			c.dropped = fmt.Sprintf("text in %s, first %q in row %d", count(texts, "cell"), l.first.Value, l.first.Row)
			p.notes = append(p.notes, fmt.Sprintf("Column %s was excluded: %s.", name, c.dropped))
			continue
		case opt.Encode == "levels" && !l.kept && l.stray():
			first.Err = fault.New(dataset.ErrNotNumber, "", correct+"; encode such columns with %s, ordinal or drop, or leave this one out with %s",
				append(marked, fault.Set("encode", "onehot"), fault.Columns("drop", name))...)
			return nil, &first
		case l.numbers.count() > opt.MaxLevels:
			first.Err = fault.New(ErrMixed, "", correct+", or leave the column out with %s", append(marked, fault.Columns("drop", name))...)
			first.Detail = fmt.Sprintf("%s and %s", count(l.cells, "cell")+" of text", count(l.values, "number"))
			return nil, &first
		}
		c.levels = l.sorted()
		many := fmt.Sprintf("%d categories", len(c.levels)) // a single category is excluded below
		if l.full {
			many = "more than " + many
		}
		switch {
		case len(c.levels) == 1:
			c.how = asNothing
			c.dropped = fmt.Sprintf("%q is its only category", dataset.Excerpt([]byte(c.levels[0])))
			p.notes = append(p.notes, fmt.Sprintf("Column %s was excluded: %s.", name, c.dropped))
			continue
		case opt.Encode == "onehot" && (l.full || len(c.levels) > opt.MaxLevels):
			return nil, tooMany(fmt.Sprintf("%s, limit %d", many, opt.MaxLevels), fault.New(ErrLevels, "", "drop it with %s, or use %s", fault.Columns("drop", name), fault.Set("encode", "ordinal")))
		case opt.Encode == "levels" && (l.full || len(c.levels) > opt.MaxLevels):
			return nil, tooMany(fmt.Sprintf("%s in %s, limit %d", many, count(l.cells, "row"), opt.MaxLevels),
				fault.New(ErrLevels, "has too many categories", "merge rare ones, drop it with %s, or encode it with %s", fault.Columns("drop", name), fault.Set("encode", "ordinal")))
		case l.full:
			return nil, tooMany(many, fault.New(ErrLevels, "has too many categories", "drop it with %s", fault.Columns("drop", name)))
		}
		c.place = match.Index(c.levels)
		if opt.Encode == "onehot" {
			c.how = asOneHot
			p.notes = append(p.notes, fmt.Sprintf("Column %s was one-hot encoded as %s, one for each of %s except the reference %q.",
				name, count(len(c.levels)-1, "column"), many, dataset.Excerpt([]byte(c.levels[0]))))
		} else if c.how = asOrdinal; opt.Encode == "ordinal" {
			order := "sorted" // numbers by value, other text alphabetically
			if l.order != nil {
				order = "declared"
			}
			p.notes = append(p.notes, fmt.Sprintf("Column %s was encoded as integers 0 to %d in %s order, from %q to %q, with equal spacing.",
				name, len(c.levels)-1, order, dataset.Excerpt([]byte(c.levels[0])), dataset.Excerpt([]byte(c.levels[len(c.levels)-1]))))
		}
	}
	p.layOut(chosen)
	return p, nil
}

// exclude excludes column j if its text has a reason for it, and reports whether it did. --keep has no effect on a column with one
// value or on text that is dropped.
func (p *encodePlan) exclude(j int, column chosenColumn, opt *options) bool {
	c := &p.columns[j]
	reason, detail := c.learned.excludedText(opt)
	if reason == "" || column.keep && reason != reasonConstant && reason != reasonText {
		return false
	}
	c.how, c.dropped = asNothing, reason+": "+detail
	if reason == reasonMixed && !c.learned.decimalComma() {
		p.notes = append(p.notes, c.learned.slipNote(column.Name))
	}
	p.excluded = append(p.excluded, dataset.Excluded{Name: column.Name, Reason: reason, Detail: detail})
	opt.seen.planned = p.excluded
	return true
}

// declaresText reports whether the file declares a text column.
func declaresText(chosen []chosenColumn) bool {
	return slices.ContainsFunc(chosen, func(c chosenColumn) bool { return c.Kind == dataset.Text })
}

// selectColumns limits src to the chosen columns, unless that is all of them.
func selectColumns(src dataset.Source, chosen []chosenColumn) error {
	index, all := make([]int, len(chosen)), len(chosen) == len(src.Columns())
	for i, c := range chosen {
		index[i] = c.index
		all = all && c.index == i
	}
	if all {
		return nil
	}
	return src.Select(index)
}
