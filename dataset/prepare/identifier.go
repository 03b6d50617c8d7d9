package prepare

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
)

// numberedRows returns the reason why a column of whole numbers is an identifier, or "". A column is an identifier if it
//   - has a name such as PassengerId, uuid or Unnamed: 0, and no value repeats, or
//   - numbers the rows: equal steps from row to row, or each of a run of whole numbers once, or numbers that increase from row to row
//     and of which at most half are left out.
//
// A time such as a year may number the rows and is not an identifier, and neither is a rank. Unique numbers alone, such as incomes,
// are not enough.
func numberedRows(c dataset.ColumnProfile, present int, unique bool) string {
	if present < leastRowsForID || !unique && !c.Monotone {
		return ""
	}
	words := nameWords(c.Name)
	if isIDName(words) {
		return "named like an identifier, and no value repeats"
	}
	if slices.ContainsFunc(words, func(w string) bool { return timeWords[w] || w == "rank" || w == "ranking" }) {
		return ""
	}
	n := float64(present)
	step := (c.Max - c.Min) / (n - 1)
	if c.Monotone && step > 1 && step < 2 {
		return fmt.Sprintf("numbers the rows, from %s to %s with gaps", dataset.FormatFloat(c.Min), dataset.FormatFloat(c.Max))
	}
	if step != math.Trunc(step) || !c.Monotone && step != 1 {
		return ""
	}
	// These are mean and variance of equal steps. Other numbers do not have all of these figures by chance.
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(c.Max-c.Min) }
	if !near(c.Mean, c.Min/2+c.Max/2) || !near(c.Std, step*math.Sqrt((n*n-1)/12)) {
		return ""
	}
	if c.Monotone {
		return fmt.Sprintf("numbers the rows, from %s to %s in steps of %s", dataset.FormatFloat(c.Min), dataset.FormatFloat(c.Max), dataset.FormatFloat(step))
	}
	return fmt.Sprintf("has each integer from %s to %s once", dataset.FormatFloat(c.Min), dataset.FormatFloat(c.Max))
}

// idWords are last words of names of identifiers.
var idWords = map[string]bool{
	"id": true, "ids": true, "uuid": true, "guid": true, "key": true, "index": true, "idx": true, "nr": true, "no": true, "num": true,
	"number": true, "row": true, "rownum": true, "rowid": true, "rownames": true, "rowname": true, "rn": true, "serial": true, "unnamed": true,
	"pid": true, "idno": true, "seqno": true, "caseid": true, "subjid": true, "serialno": true, "recno": true,
}

// timeWords are parts of names of times.
var timeWords = map[string]bool{
	"year": true, "years": true, "yr": true, "month": true, "week": true, "day": true, "days": true, "date": true, "time": true, "hour": true, "minute": true,
	"second": true, "seconds": true, "quarter": true, "period": true, "timestamp": true, "epoch": true, "dteday": true, "yyyymm": true,
}

// isIDName reports whether the words of a name are those of an identifier: the last is one of idWords, or the first is id. pandas gives an
// index without a name the name __index_level_0__ in a Parquet file.
func isIDName(words []string) bool {
	for len(words) > 1 && strings.Trim(words[len(words)-1], "0123456789") == "" { // Unnamed: 0, id_1
		words = words[:len(words)-1]
	}
	if len(words) == 0 {
		return true // an empty name
	}
	last := words[len(words)-1]
	if last == "index" { // a body mass index is not an identifier
		return idWords[words[0]] || words[0] == "sample" || words[0] == "record" || words[0] == "case"
	}
	return idWords[last] || words[0] == "id" || words[0] == "uuid" || words[0] == "index" && last == "level"
}

// nameWords splits a name into lower-case words, at punctuation and before capitals: PassengerId, passenger_id, patient.ID.
func nameWords(name string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words, word = append(words, strings.ToLower(string(word))), nil
		}
	}
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			continue
		}
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])) {
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

// longText is the mean length in bytes from which distinct texts are prose and not categories.
const longText = 40

// shortText is the mean length in bytes from which distinct texts in some of the rows are comments. Identifiers are in every row, or short.
const shortText = 12

// A numeric column has few texts if these are at most one in fewTexts cells, or at most fewWords distinct ones: typing errors, or
// words for a missing value. A column with more, such as ticket numbers, is a text column.
const (
	fewTexts = 10
	fewWords = 10
)

// excludedText returns the reason for excluding a text column, or "". It applies if text becomes categories.
func (l *levels) excludedText(opt *options) (reason, detail string) {
	texts, numbers, words, values := l.split()
	distinct, present := words+values, texts+numbers
	few := numbers >= texts && (fewTexts*texts <= present || words <= fewWords)
	isText := l.values == 0 && !few
	many := fmt.Sprintf("%d different values", distinct)
	if l.full {
		many = "more than " + many
	}
	first := fmt.Sprintf("first %q in row %d", l.first.Value, l.first.Row)
	switch {
	case opt.Encode == "drop":
		return reasonText, fmt.Sprintf("text in %s, %s", count(texts, "cell"), first)
	case distinct == 1:
		return reasonConstant, fmt.Sprintf("%q is its only value", l.first.Value) + besideMissing(l.missing)
	case opt.Encode == "levels" && l.decimalComma():
		return reasonMixed, "numbers with a decimal comma, " + first
	case isText && l.letters >= longText*l.cells && 2*len(l.words) > l.cells && distinct >= leastRowsForID:
		return reasonFreeText, fmt.Sprintf("%s in %s, %d bytes on average", many, count(present, "row"), l.letters/l.cells)
	case isText && !l.repeated && l.cells >= leastRowsForID && l.letters >= shortText*l.cells && fewTexts*l.missing > l.missing+l.cells:
		return reasonFreeText, fmt.Sprintf("distinct text in each of %s, none in %d, %s", count(l.cells, "row"), l.missing, first)
	case isText && !l.repeated && l.cells >= leastRowsForID:
		return reasonIdentifier, fmt.Sprintf("distinct text in each of %s, %s", count(l.cells, "row"), first)
	case !l.repeated && l.digits && l.cells >= leastRowsForID: // beyond 2⁵³, among smaller numbers
		return reasonIdentifier, "whole numbers beyond 2⁵³ that do not repeat, " + first
	case few && (values > opt.MaxLevels || opt.Encode == "levels" && (l.fractions || l.stray())): // fractions are not codes
		if marks := l.marks(); marks != "" {
			return reasonMixed, marks + ", " + first
		}
		return reasonMixed, fmt.Sprintf("text in %s among %s, %s", count(texts, "cell"), count(numbers, "number"), first)
	case l.full || opt.Encode != "ordinal" && distinct > opt.MaxLevels:
		return reasonCategories, fmt.Sprintf("%s in %s, limit %d", many, count(present, "row"), opt.MaxLevels)
	case opt.Encode == "levels" && l.stray():
		return reasonMixed, fmt.Sprintf("text in %s and %s that hardly repeat, %s", count(texts, "cell"), count(numbers, "number"), first)
	}
	return "", ""
}

// marks counts the decimal marks of a column whose text is numbers with another decimal mark than the reader expects, or returns "".
func (l *levels) marks() string {
	switch {
	case l.numerals < l.cells:
		return ""
	case l.commas > 0 && l.points > 0:
		return fmt.Sprintf("decimal commas in %s and decimal points in %d", count(l.commas, "cell"), l.points)
	case l.points > 0:
		return "decimal points in " + count(l.points, "cell")
	}
	return ""
}

// slipNote names the cell that makes a numeric column text, and how to read the column as numbers.
func (l *levels) slipNote(name string) string {
	place := fmt.Sprintf("row %d", l.first.Row)
	if l.first.Line > 0 {
		place = fmt.Sprintf("line %d", l.first.Line)
	}
	if marks := l.marks(); marks != "" {
		return fmt.Sprintf("Column %s: %s, first %q (%s). Write its numbers with the decimal mark of the table.", name, marks, l.first.Value, place)
	}
	var ways []string
	isPlain := true // every word can be quoted in a sentence
	for w := range l.words {
		if !l.among || !isNumeral([]byte(w)) {
			ways = append(ways, fault.Set("na", w).String())
			isPlain = isPlain && strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) < 0
		}
	}
	slices.Sort(ways)
	way := strings.Join(ways, " ")
	if !isPlain || len(ways) == 0 || len(ways) > 3 {
		way = fault.Use("na").String()
	}
	return fmt.Sprintf("Column %s: %q (%s) is not a number. Correct such cells, or use %s to read them as missing values.", name, l.first.Value, place, way)
}
