package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// mtxMagic starts every Matrix Market file. Reference: Boisvert, Pozo and Remington (1996), NISTIR 5935.
const mtxMagic = "%%MatrixMarket"

// mtxHeader is the header of a Matrix Market file.
type mtxHeader struct {
	dense      bool // every entry, column by column; otherwise coordinates
	pattern    bool // coordinates without values; each stands for 1
	integer    bool
	rows, cols int64
	entries    int64
}

// mtxReader reads the entries of a matrix.
type mtxReader struct {
	mtxHeader
	r     *bufio.Reader
	line  int
	seen  int64    // entries read so far
	words [][]byte // fields of the last line
}

// An mtxEntry is an entry of a matrix, with indices from 0.
type mtxEntry struct {
	row, col int
	value    float64
}

// mtxFault is an error with the line of the file.
func (m *mtxReader) fault(format string, args ...any) error {
	return fmt.Errorf("line %d: %s", m.line, fmt.Sprintf(format, args...))
}

// newMTXReader reads the header. It accepts general matrices of integers, real numbers and patterns.
func newMTXReader(r io.Reader) (*mtxReader, error) {
	m := &mtxReader{r: bufio.NewReaderSize(r, 1<<18)}
	first, err := m.next(false)
	if err != nil {
		return nil, err
	}
	words := strings.Fields(strings.ToLower(string(first)))
	if len(words) != 5 || words[0] != strings.ToLower(mtxMagic) || words[1] != "matrix" {
		return nil, m.fault("want %s matrix coordinate integer general, got %.80q", mtxMagic, first)
	}
	switch words[2] {
	case "array":
		m.dense = true
	case "coordinate":
	default:
		return nil, m.fault("the layout %q is unknown; want coordinate or array", words[2])
	}
	switch words[3] {
	case "integer":
		m.integer = true
	case "pattern":
		m.pattern, m.integer = true, true
	case "real", "double":
	default:
		return nil, m.fault("the entries are %s; want integer, real or pattern", words[3])
	}
	if words[4] != "general" {
		return nil, m.fault("a %s matrix is not a table of observations; want general", words[4])
	}
	if m.dense && m.pattern {
		return nil, m.fault("a dense matrix has values, not a pattern")
	}
	if err := m.fields(); err != nil {
		return nil, err
	}
	want := 3
	if m.dense {
		want = 2
	}
	if len(m.words) != want {
		return nil, m.fault("want the size of the matrix as %d numbers, got %.80q", want, bytes.Join(m.words, []byte(" ")))
	}
	for i, to := range []*int64{&m.rows, &m.cols, &m.entries}[:want] {
		n, ok := mtxInt(m.words[i])
		if !ok {
			return nil, m.fault("the size %.40q is not a number", m.words[i])
		}
		*to = n
	}
	cells := m.rows * m.cols
	if m.cols > 0 && cells/m.cols != m.rows || m.rows > math.MaxInt32 || m.cols > math.MaxInt32 || m.entries > max(cells, 0) {
		return nil, m.fault("the matrix claims %d rows, %d columns and %d entries", m.rows, m.cols, m.entries)
	}
	if m.dense {
		m.entries = cells
	}
	return m, nil
}

// next returns the next line without its end. It skips empty lines and, if asked, comments.
func (m *mtxReader) next(skip bool) ([]byte, error) {
	for {
		line, err := m.r.ReadSlice('\n')
		m.line++
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, m.fault("the line has more than %d bytes", m.r.Size())
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		line = bytes.TrimRight(line, "\r\n \t")
		if len(line) > 0 && !(skip && line[0] == '%') {
			return line, nil
		}
	}
}

// fields reads the next line into words.
func (m *mtxReader) fields() error {
	line, err := m.next(true)
	m.words = m.words[:0]
	for i := 0; i < len(line); {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		start := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		if i > start {
			m.words = append(m.words, line[start:i])
		}
	}
	return err
}

// read returns the next entry, and io.EOF after the last.
func (m *mtxReader) read() (e mtxEntry, err error) {
	err = m.fields()
	switch {
	case err == io.EOF && m.seen < m.entries:
		return e, fmt.Errorf("it ends after %d of %d entries: %w", m.seen, m.entries, io.ErrUnexpectedEOF)
	case err != nil:
		return e, err
	case m.seen == m.entries:
		return e, m.fault("there is more after the %d entries", m.entries)
	}
	value := m.words
	if m.dense {
		e.row, e.col = int(m.seen%m.rows), int(m.seen/m.rows)
	} else {
		if len(value) < 2 {
			return e, m.fault("want a row and a column, got %.40q", bytes.Join(value, []byte(" ")))
		}
		i, ok := mtxInt(value[0])
		j, also := mtxInt(value[1])
		if !ok || !also || i < 1 || j < 1 || i > m.rows || j > m.cols {
			return e, m.fault("entry %.20s %.20s is outside of the matrix of %d rows and %d columns", value[0], value[1], m.rows, m.cols)
		}
		e.row, e.col, value = int(i-1), int(j-1), value[2:]
	}
	m.seen++
	if m.pattern {
		if e.value = 1; len(value) > 0 {
			return e, m.fault("an entry of a pattern has no value")
		}
		return e, nil
	}
	if len(value) != 1 {
		return e, m.fault("want one value, got %d", len(value))
	}
	if n, ok := mtxInt(value[0]); ok {
		e.value = float64(n)
		return e, nil
	}
	if e.value, err = strconv.ParseFloat(string(value[0]), 64); err != nil && !errors.Is(err, strconv.ErrRange) {
		return e, m.fault("the value %.40q is not a number", value[0])
	}
	return e, nil
}

// mtxInt parses an unsigned number of up to 15 digits, which float64 represents exactly.
func mtxInt(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 15 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	return n, true
}
