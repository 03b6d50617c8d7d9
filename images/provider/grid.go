package provider

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// A grid is a table of text fields read as numbers. Empty fields and all fields of text columns are NaN.
type grid struct {
	names []string
	value []float64 // row by row
	rows  int
	text  map[string][]string // the text columns
	cut   bool                // the text ends within a row, or its gzip data is truncated
	open  bool                // the text ends without a line end, so its last number may be truncated
}

// readGrid reads a table with a header of names. The separator is the first of comma, semicolon and tab that
// the header contains, or spaces. isText selects the columns kept as text.
func readGrid(r io.Reader, file, want string, isText func(name string) bool) (*grid, error) {
	in, err := unpack(r, file, want)
	if err != nil {
		return nil, err
	}
	head, err := in.Peek(4096)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	first, _, _ := strings.Cut(string(head), "\n")
	watch := &ending{r: in}
	c := csv.NewReader(watch)
	c.Comma = ' '
	if k := strings.IndexAny(first, ",;\t"); k >= 0 {
		c.Comma = rune(first[k])
	}
	c.TrimLeadingSpace = c.Comma == ' '
	c.FieldsPerRecord = -1
	c.ReuseRecord = true
	record, err := c.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w; expected %s", file, err, want)
	}
	g := &grid{text: map[string][]string{}}
	var words []bool
	seen := make(map[string]bool, len(record))
	for _, name := range record {
		name = strings.Clone(strings.TrimSpace(name))
		if seen[name] {
			return nil, fmt.Errorf("%s: line 1 has the column %q twice; expected %s", file, shown([]byte(name)), want)
		}
		seen[name] = true
		g.names = append(g.names, name)
		words = append(words, isText(name))
	}
	if last := len(g.names) - 1; last > 0 && g.names[last] == "" { // a trailing separator
		g.names, words = g.names[:last], words[:last]
	}
	var bad error
	for {
		record, err := c.Read()
		if err == io.EOF {
			break
		}
		if bad != nil {
			return nil, bad
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			g.cut = true
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w; download it again", file, err)
		}
		line, _ := c.FieldPos(0)
		bad = g.parse(record, words, line, file)
	}
	g.open = watch.last != '\n'
	if bad != nil && !g.open {
		return nil, bad
	}
	g.cut = g.cut || bad != nil
	return g, nil
}

// settle drops a possibly truncated last row if the number of rows differs from the expected one, and reports
// the difference.
func (g *grid) settle(expected int, f *findings) {
	if g.open && !g.cut && g.rows != expected && g.rows > 0 {
		g.cut = true
		g.rows--
		g.value = g.value[:g.rows*len(g.names)]
		for name, column := range g.text {
			g.text[name] = column[:g.rows]
		}
	}
	switch {
	case g.cut:
		f.faultf("it is cut off: %s rows expected, %s whole ones found; download it again", count(expected), count(g.rows))
	case g.rows != expected:
		f.faultf("%s rows expected, %s found", count(expected), count(g.rows))
	}
}

// parse appends one row; after an error the grid is unchanged.
func (g *grid) parse(record []string, words []bool, line int, file string) error {
	if len(record) == len(g.names)+1 && strings.TrimSpace(record[len(record)-1]) == "" {
		record = record[:len(g.names)] // a trailing separator
	}
	if len(record) != len(g.names) {
		return fmt.Errorf("%s: line %d has %d fields, the header has %d; download it again, or correct the line", file, line, len(record), len(g.names))
	}
	start := len(g.value)
	for j, field := range record {
		field = strings.TrimSpace(field)
		v := math.NaN()
		if !words[j] && field != "" {
			var err error
			if v, err = strconv.ParseFloat(field, 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
				g.value = g.value[:start]
				return fmt.Errorf("%s: line %d, column %s: %q is not a number; download it again, or correct the line", file, line, g.names[j], shown([]byte(field)))
			}
		}
		g.value = append(g.value, v)
	}
	for j, field := range record {
		if words[j] {
			g.text[g.names[j]] = append(g.text[g.names[j]], strings.Clone(strings.TrimSpace(field)))
		}
	}
	g.rows++
	return nil
}

func (g *grid) at(i, j int) float64 { return g.value[i*len(g.names)+j] }

// mean returns the mean over the rows of keep, or NaN if a value is missing.
func (g *grid) mean(j int, keep []int) float64 {
	sum := 0.0
	for _, i := range keep {
		sum += g.at(i, j)
	}
	return sum / float64(len(keep))
}

// table copies rows and columns.
func (g *grid) table(rows, columns []int) *dataset.NamedRows {
	t := &dataset.NamedRows{Rows: matrix.New[float64](len(rows), len(columns))}
	for k, j := range columns {
		t.Names = append(t.Names, g.names[j])
		for to, i := range rows {
			t.Rows.Set(to, k, g.at(i, j))
		}
	}
	return t
}

// An ending is a reader that stores the last byte.
type ending struct {
	r    io.Reader
	last byte
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.r.Read(p)
	if n > 0 {
		e.last = p[n-1]
	}
	return n, err
}
