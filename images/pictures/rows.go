package pictures

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
)

// mostCells is the number of values that Rows keeps in memory (256 MB). Of a larger table it keeps every second
// row, every fourth, and so on.
const mostCells = 32 << 20

// Columns says which columns of a table to read.
type Columns struct {
	// Image is the column with the names of the images.
	Image string
	// Names are the variables. A variable that is not a column of the table has no pictures.
	Names []string
	// Categorical has the variables whose numbers are categories.
	Categorical map[string]bool
	// Scores are variables whose numbers are replaced by decisions.
	Scores []dataset.Score
	// First and Last are data rows, from 1, both inclusive; 0 leaves an end open.
	First, Last int

	mostCells int // 0: mostCells; tests set it
}

// Rows has the values and the image names of the rows of a table.
type Rows struct {
	// Every is 1 if all rows of the table were kept, 2 if every second one was, and so on.
	Every     int
	images    []string
	variables []variable
}

// variable is one column of Rows.
type variable struct {
	name        string
	categorical bool
	cut         float64   // of a score; NaN for other columns
	attribute   bool      // the values are those of an attribute that a row has or lacks
	values      []float64 // NaN is missing or a text
	texts       []int32   // index into words or -1; nil for a column without text
	words       []string
	order       []string // declared order of the words, or nil
	index       map[string]int32
}

// ErrColumn is matched by the error for an image column that the table does not have.
var ErrColumn = errors.New("no such column")

// Read reads the rows of a table. It does not close the source.
func Read(ctx context.Context, src dataset.Source, c Columns) (*Rows, error) {
	all := src.Columns()
	listed := make([]string, len(all))
	for j, column := range all {
		listed[j] = column.Name
	}
	place := names.Index(listed)
	image, ok := place[c.Image]
	if !ok {
		return nil, fmt.Errorf("%w: %q; the columns are %s", ErrColumn, c.Image, some(listed))
	}
	out := &Rows{Every: 1}
	chosen := []int{image}
	for _, name := range c.Names {
		if j, ok := place[name]; ok && j != image && all[j].Unreadable == "" {
			chosen = append(chosen, j)
			v := variable{name: name, categorical: c.Categorical[name] || all[j].Categories, order: all[j].Order, cut: math.NaN()}
			for _, s := range c.Scores {
				if s.Column == name {
					v.cut = s.Cut
				}
			}
			out.variables = append(out.variables, v)
		}
	}
	if err := src.Select(chosen); err != nil {
		return nil, err
	}
	width := len(chosen)
	most := c.mostCells
	if most == 0 {
		most = mostCells
	}
	var b dataset.Batch
	texts := make([]string, width) // the texts of one row
	isText := make([]bool, width)
	for row := 0; ; {
		err := src.Next(ctx, &b)
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		cell := 0
		for r := range b.Rows {
			clear(isText)
			for ; cell < len(b.Cells) && b.Cells[cell].Row == r; cell++ {
				k := b.Cells[cell]
				texts[k.Column], isText[k.Column] = string(b.Text[k.Start:k.End]), true
			}
			row++
			if row < c.First || c.Last > 0 && row > c.Last || (row-1)%out.Every != 0 {
				continue
			}
			out.add(b.Values[r*width:(r+1)*width], texts, isText)
			if len(out.images)*width >= most {
				out.halve(row)
			}
		}
	}
}

// some lists the first names.
func some(list []string) string {
	const show = 12
	text := strings.Join(list[:min(len(list), show)], ", ")
	if more := len(list) - show; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// add appends one row.
func (t *Rows) add(values []float64, texts []string, isText []bool) {
	name := ""
	switch {
	case isText[0]:
		name = texts[0]
	case !math.IsNaN(values[0]):
		name = strconv.FormatFloat(values[0], 'f', -1, 64)
	}
	t.images = append(t.images, name)
	for j := range t.variables {
		v := &t.variables[j]
		x := values[j+1]
		if math.IsInf(x, 0) {
			x = math.NaN()
		}
		if v.cut == v.cut && x == x {
			if x >= v.cut {
				x = 1
			} else {
				x = 0
			}
		}
		v.values = append(v.values, x)
		if !isText[j+1] {
			if v.texts != nil {
				v.texts = append(v.texts, -1)
			}
			continue
		}
		if v.texts == nil { // the first text of the column
			v.index = map[string]int32{}
			v.texts = make([]int32, len(v.values)-1, cap(v.values))
			for i := range v.texts {
				v.texts[i] = -1
			}
		}
		code, ok := v.index[texts[j+1]]
		if !ok {
			code = int32(len(v.words))
			if code < dataset.DistinctLimit { // a column with more is not shown
				v.index[texts[j+1]], v.words = code, append(v.words, texts[j+1])
			}
		}
		v.texts = append(v.texts, code)
	}
}

// halve keeps the rows whose number, from 0, is a multiple of twice the present step. last is the number of the
// last row, from 1.
func (t *Rows) halve(last int) {
	first := last - 1 - (len(t.images)-1)*t.Every // number of the first kept row
	t.Every *= 2
	step := t.Every / 2
	kept := 0
	for i := range t.images {
		if (first+i*step)%t.Every != 0 {
			continue
		}
		t.images[kept] = t.images[i]
		for j := range t.variables {
			v := &t.variables[j]
			v.values[kept] = v.values[i]
			if v.texts != nil {
				v.texts[kept] = v.texts[i]
			}
		}
		kept++
	}
	t.images = t.images[:kept]
	for j := range t.variables {
		v := &t.variables[j]
		v.values = v.values[:kept]
		if v.texts != nil {
			v.texts = v.texts[:kept]
		}
	}
}

// Images returns the name of the image of each row.
func (t *Rows) Images() []string { return t.images }

// Numbers returns the values of a variable, NaN for a missing one or a text, or nil if there is no such variable.
func (t *Rows) Numbers(name string) []float64 {
	for _, v := range t.variables {
		if v.name == name {
			return v.values
		}
	}
	return nil
}
