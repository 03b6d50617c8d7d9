package prepare

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// textOf returns the levels of texts and numbers of one column, of which at most the given number of words is kept.
func textOf(texts []string, numbers []float64, among bool, most int) *levels {
	l := &levels{words: map[string]struct{}{}, numbers: distinct{limit: 1000}, among: among, first: dataset.ParseError{Value: "w", Row: 3}}
	for _, w := range texts {
		l.addWord([]byte(w), most)
	}
	for _, x := range numbers {
		l.values++
		l.fractions = l.fractions || x != float64(int(x))
		l.numbers.add([]float64{x})
	}
	return l
}

// words returns n texts, of which the given number is different, each of the given length.
func words(n, different, length int, letter string) (list []string) {
	for i := range n {
		text := fmt.Sprintf("%s%02d", letter, i%different)
		list = append(list, text+strings.Repeat("x", max(0, length-len(text))))
	}
	return list
}

// integers returns n numbers, of which the given number is different, in the given unit.
func integers(n, different int, unit float64) (list []float64) {
	for i := range n {
		list = append(list, float64(i%different)*unit)
	}
	return list
}

// TestExcludedText checks both sides of each limit of the reasons for excluding a text column, with at most 20 levels.
func TestExcludedText(t *testing.T) {
	digits := words(10, 10, 0, "90071992547409")
	for _, c := range []struct {
		name    string
		encode  dataset.Encode
		texts   []string
		numbers []float64
		among   bool
		reason  string
		detail  string
	}{
		{"text that is dropped", "drop", []string{"a", "b"}, integers(3, 3, 1), false, reasonText, `text in 2 cells, first "w" in row 3`},
		{"one value", "levels", []string{"w", "w"}, nil, false, reasonConstant, `"w" is its only value, and 2 are missing`},
		{"two values", "levels", []string{"a", "b"}, nil, false, "", ""},
		{"decimal commas as levels", "levels", []string{"1,5", "2,5", "1,5"}, nil, false, reasonMixed, `numbers with a decimal comma, first "w" in row 3`},
		{"decimal commas as one-hot columns", "onehot", []string{"1,5", "2,5", "1,5"}, nil, false, "", ""},
		{"prose", "levels", words(18, 10, 40, "a"), nil, false, reasonFreeText, "10 different values in 18 rows, 40 bytes on average"},
		{"prose of half as many texts as rows", "levels", words(20, 10, 40, "a"), nil, false, "", ""},
		{"texts of 39 bytes", "levels", words(18, 10, 39, "a"), nil, false, "", ""},
		{"nine texts of prose", "levels", words(16, 9, 40, "a"), nil, false, "", ""},
		{"prose and as many numbers", "levels", words(12, 12, 40, "a"), integers(12, 2, 1), false, reasonMixed, "text in 12 cells and 12 numbers that hardly repeat"},
		{"words and as many numbers", "levels", words(12, 12, 0, "a"), integers(12, 2, 1), false, reasonMixed, "text in 12 cells and 12 numbers that hardly repeat"},
		{"words and as many numbers as one-hot columns", "onehot", words(12, 12, 0, "a"), integers(12, 2, 1), false, "", ""},
		{"ten different words", "onehot", words(10, 10, 0, "a"), nil, false, reasonIdentifier, `distinct text in each of 10 rows, first "w" in row 3`},
		{"nine different words", "onehot", words(9, 9, 0, "a"), nil, false, "", ""},
		{"a word twice", "onehot", words(11, 10, 0, "a"), nil, false, "", ""},
		{"words and few numerals", "levels", append(words(12, 12, 0, "a"), "5"), nil, true, reasonIdentifier, "distinct text in each of 13 rows"},
		{"a word among numerals", "levels", append([]string{"w"}, words(11, 11, 0, "1")...), nil, true, reasonMixed, "text in 1 cell among 11 numbers"},
		{"whole numbers beyond 2⁵³", "levels", digits, integers(10, 10, 1), false, reasonIdentifier, "whole numbers beyond 2⁵³ that do not repeat"},
		{"both decimal marks", "levels", []string{"1,5", "2.5", "3,5", "4"}, nil, true, reasonMixed, `decimal commas in 2 cells and decimal points in 1, first "w" in row 3`},
		{"decimal points in a table of commas", "levels", []string{"1.5", "2.5", "4"}, nil, true, reasonMixed, `decimal points in 2 cells, first "w" in row 3`},
		{"both decimal marks and a word", "levels", []string{"1,5", "2.5", "3,5", "w"}, nil, true, reasonMixed, `text in 1 cell among 3 numbers`},
		{"nine of them", "levels", digits[:9], integers(10, 10, 1), false, reasonMixed, "text in 9 cells among 10 numbers"},
		{"one of them twice", "levels", append([]string{digits[0]}, digits...), integers(11, 10, 1), false, reasonMixed, "text in 11 cells among 11 numbers"},
		{"a letter among them", "levels", append([]string{"a1"}, digits[1:]...), integers(10, 10, 1), false, reasonMixed, "text in 10 cells among 10 numbers"},
		{"ten words among as many numbers", "onehot", words(30, 10, 0, "a"), integers(30, 21, 1), false, reasonMixed, "text in 30 cells among 30 numbers"},
		{"20 numbers and a word", "onehot", words(5, 1, 0, "a"), integers(30, 20, 1), false, reasonCategories, "21 different values in 35 rows, limit 20"},
		{"eleven words among as many numbers", "onehot", words(30, 11, 0, "a"), integers(30, 21, 1), false, reasonCategories, "32 different values in 60 rows, limit 20"},
		{"eleven words in a tenth of the rows", "onehot", words(11, 11, 0, "a"), integers(99, 21, 1), false, reasonMixed, "text in 11 cells among 99 numbers"},
		{"eleven words in more than a tenth of the rows", "onehot", words(11, 11, 0, "a"), integers(98, 21, 1), false, reasonCategories, "32 different values in 109 rows"},
		{"more texts than numbers", "onehot", words(22, 3, 0, "a"), integers(21, 21, 1), false, reasonCategories, "24 different values"},
		{"as many texts as numbers", "onehot", words(21, 3, 0, "a"), integers(21, 21, 1), false, reasonMixed, "text in 21 cells among 21 numbers"},
		{"fractions and a word", "levels", words(2, 1, 0, "a"), integers(100, 2, 0.5), false, reasonMixed, "text in 2 cells among 100 numbers"},
		{"fractions and a word as one-hot columns", "onehot", words(2, 1, 0, "a"), integers(100, 2, 0.5), false, "", ""},
		{"codes and a word", "levels", words(2, 1, 0, "a"), integers(100, 2, 1), false, "", ""},
		{"numbers that hardly repeat and a word", "levels", words(1, 1, 0, "a"), integers(10, 10, 1), false, reasonMixed, "text in 1 cell among 10 numbers"},
		{"numbers that hardly repeat and a word as one-hot columns", "onehot", words(1, 1, 0, "a"), integers(10, 10, 1), false, "", ""},
		{"20 categories", "onehot", words(40, 20, 0, "a"), nil, false, "", ""},
		{"21 categories", "onehot", words(42, 21, 0, "a"), nil, false, reasonCategories, "21 different values in 42 rows, limit 20"},
		{"21 categories as integers", "ordinal", words(42, 21, 0, "a"), nil, false, "", ""},
		{"more categories than are kept", "ordinal", words(80, 40, 0, "a"), nil, false, reasonCategories, "more than 30 different values in 80 rows"},
	} {
		l := textOf(c.texts, c.numbers, c.among, 30)
		if c.reason == reasonConstant {
			l.missing = 2
		}
		opt := &options{Settings: Settings{Encode: c.encode, MaxLevels: 20}}
		if reason, detail := l.excludedText(opt); reason != c.reason || !strings.HasPrefix(detail, c.detail) {
			t.Errorf("%s: excluded for %q (%s), want %q (%s)", c.name, reason, detail, c.reason, c.detail)
		}
	}
}

// TestTextsInSomeRows checks that texts without a repetition are comments and no identifier if they have 12 bytes and more than a
// tenth of the rows has none.
func TestTextsInSomeRows(t *testing.T) {
	for _, c := range []struct {
		missing, long int
		want          string
	}{{2, 12, reasonIdentifier}, {3, 12, reasonFreeText}, {3, 11, reasonIdentifier}} {
		missing, want := c.missing, c.want
		l := textOf(words(18, 18, c.long, "a"), nil, false, 30)
		l.missing = missing
		if reason, detail := l.excludedText(&options{Settings: Settings{Encode: "levels", MaxLevels: 20}}); reason != want || !strings.HasPrefix(detail, "distinct text in each of 18 rows") {
			t.Errorf("%d missing: %s (%s), want %s", missing, reason, detail, want)
		}
	}
}

// TestSlipNote checks the place of the cell and the words to mark as missing: at most three, of letters and digits only.
func TestSlipNote(t *testing.T) {
	for _, c := range []struct {
		texts []string
		among bool
		line  int
		want  string
	}{
		{[]string{"w"}, false, 0, `Column c: "w" (row 3) is not a number. Correct such cells, or use na=w to read them as missing values.`},
		{[]string{"w", "a1", "ä"}, false, 7, `Column c: "w" (line 7) is not a number. Correct such cells, or use na=a1 na=w na=ä to read`},
		{[]string{"w", "a1", "b", "c"}, false, 0, "or use the setting na to read"},
		{[]string{"w", "n/a"}, false, 0, "or use the setting na to read"},
		{[]string{"n/a", "w"}, false, 0, "or use the setting na to read"},
		{[]string{"w", "1.5", "2"}, true, 0, "or use na=w to read"},
		{[]string{"w", "2"}, false, 0, "or use na=2 na=w to read"},
		{[]string{"1", "2"}, true, 0, "or use the setting na to read"},
		{[]string{"1,5", "2.5"}, true, 9, `Column c: decimal commas in 1 cell and decimal points in 1, first "w" (line 9). Write its numbers with the decimal mark of the table.`},
	} {
		l := textOf(c.texts, nil, c.among, 30)
		l.first.Line = c.line
		if got := l.slipNote("c"); !strings.Contains(got, c.want) {
			t.Errorf("%q: %s\nwant %s", c.texts, got, c.want)
		}
	}
}

func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"PassengerId": {"passenger", "id"}, "passenger_id": {"passenger", "id"}, "patient.ID": {"patient", "id"}, "patientID": {"patient", "id"},
		"IDNumber": {"id", "number"}, "Unnamed: 0": {"unnamed", "0"}, "X": {"x"}, "aB": {"a", "b"}, "ABc": {"a", "bc"}, "ABC": {"abc"}, "--": nil, "Q1Sales": {"q1sales"},
	} {
		if got := nameWords(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
