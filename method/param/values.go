package param

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

var errForm = errors.New("the text has another form") // Item.Want describes the valid form

type intValue int

func (v *intValue) String() string          { return strconv.Itoa(int(*v)) }
func (v *intValue) any() any                { return int(*v) }
func (v *intValue) number() (float64, bool) { return float64(*v), true }
func (v *intValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil {
		return errForm
	}
	*v = intValue(n)
	return nil
}

type floatValue float64

func (v *floatValue) String() string          { return strconv.FormatFloat(float64(*v), 'g', -1, 64) }
func (v *floatValue) any() any                { return float64(*v) }
func (v *floatValue) number() (float64, bool) { return float64(*v), true }
func (v *floatValue) Set(s string) error {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return errForm
	}
	*v = floatValue(n)
	return nil
}

type boolValue bool

func (v *boolValue) String() string          { return strconv.FormatBool(bool(*v)) }
func (v *boolValue) any() any                { return bool(*v) }
func (v *boolValue) number() (float64, bool) { return 0, false }
func (v *boolValue) Set(s string) error {
	b, err := strconv.ParseBool(s)
	if err != nil {
		return errForm
	}
	*v = boolValue(b)
	return nil
}

type wordValue[S ~string] struct {
	p       *S
	choices []S
}

func (v *wordValue[S]) String() string          { return string(*v.p) }
func (v *wordValue[S]) any() any                { return string(*v.p) }
func (v *wordValue[S]) number() (float64, bool) { return 0, false }
func (v *wordValue[S]) Set(s string) error {
	if !slices.Contains(v.choices, S(s)) {
		return errForm
	}
	*v.p = S(s)
	return nil
}

// A Count is an integer, or a word for one that depends on the table: "d" for its number of columns, "auto" for the method's
// choice.
type Count struct {
	N    int
	Word string // if not empty, N is unused
	May  string // valid words, separated by blanks
}

// Or returns the number, or meaning if it is a word.
func (c Count) Or(meaning int) int {
	if c.Word != "" {
		return meaning
	}
	return c.N
}

func (c *Count) words() []string { return strings.Fields(c.May) }

func (c *Count) String() string {
	if c.Word != "" {
		return c.Word
	}
	return strconv.Itoa(c.N)
}

func (c *Count) any() any {
	if c.Word != "" {
		return c.Word
	}
	return c.N
}

func (c *Count) number() (float64, bool) { return float64(c.N), c.Word == "" }

// Set parses a number or one of the words.
func (c *Count) Set(s string) error {
	if slices.Contains(c.words(), s) {
		c.N, c.Word = 0, s
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return errForm
	}
	c.N, c.Word = n, ""
	return nil
}

// Bits describes a precision: 64 or 32.
func Bits(s *Set, p *int, name, help string) {
	s.add(&Item{Name: name, Help: help + ", 64 or 32", Type: Choice, Choices: []string{"64", "32"}, value: (*intValue)(p)}, nil)
}
