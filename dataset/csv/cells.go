package csv

import (
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/internal/absent"
)

// Cells reads the cells of a workbook as a text table reads its fields: with the words for missing values and the forms of Settings.
type Cells struct {
	missing []*missingSet
	forms   []*Form
	point   byte
}

// NewCells returns the reader of the cells of these columns. It uses NA, Decimal and Forms of the settings.
func NewCells(names []string, opt Settings) (*Cells, error) {
	c := &Cells{forms: make([]*Form, len(names)), point: '.'}
	if opt.Decimal != 0 {
		c.point = opt.Decimal
	}
	var err error
	c.missing, err = missingSets(names, opt.NA, c.point)
	for j, name := range names {
		if f, ok := opt.Forms[name]; ok {
			c.forms[j] = &f
		}
	}
	return c, err
}

// Literal reports whether words such as NA are text in column j.
func (c *Cells) Literal(j int) bool { return c.missing[j].literal }

// Words reports whether every cell of column j is text, also a number.
func (c *Cells) Words(j int) bool { return c.forms[j] != nil && c.forms[j].Kind == Words }

// Number returns x, or NaN if x stands for a missing value in column j.
func (c *Cells) Number(j int, x float64) float64 {
	if slices.Contains(c.missing[j].numbers, x) {
		return math.NaN()
	}
	return x
}

// Text reads a text of column j. isText reports that it is a category; otherwise x is its number, or NaN for a missing value.
func (c *Cells) Text(j int, text string) (x float64, isText bool) {
	missing, form, field := c.missing[j], c.forms[j], trimBlanks([]byte(text))
	v, err := ParseNumber(field, c.point)
	switch {
	case missing.words[string(field)], err == nil && slices.Contains(missing.numbers, v):
		return math.NaN(), false
	case !missing.literal && absent.Of(field) == absent.Always:
		return math.NaN(), false
	case form == nil:
		return math.NaN(), true
	case form.Missing && marker(field), oneOf(field, form.Marks):
		return math.NaN(), false
	}
	if x, ok := form.number(field); ok {
		return x, false
	}
	return math.NaN(), true
}

// Field reads a text of column j as a field of a text table, in which a plain number is a number and none above 2^53 is rounded.
func (c *Cells) Field(j int, text string) (x float64, isText bool) {
	x, isText = c.Text(j, text)
	if !isText || c.Words(j) {
		return x, isText
	}
	field := trimBlanks([]byte(text))
	if v, err := ParseNumber(field, c.point); v == v && err != dataset.ErrNotNumber && !beyondExact(field) {
		return v, false
	}
	return x, isText
}

// LikeNumber reports whether a text looks like a number, an amount or a date.
func LikeNumber(text string) bool {
	field := trimBlanks([]byte(text))
	_, err := ParseNumber(field, '.')
	_, amount := parseAmount(field)
	_, date := parseDate(field)
	return err == nil || amount || date
}

// LikeMissing reports whether a text always stands for a missing value.
func LikeMissing(text string) bool { return absent.Of([]byte(text)) == absent.Always }
