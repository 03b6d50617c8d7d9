package files

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
)

// covarianceFields splits a line of a covariance file at blanks, tabs or commas.
func covarianceFields(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == ',' || r == '\r' })
}

// holdsCovariance reports whether a text begins like a Tetrad covariance file: a line with the number of rows, and one with names.
func holdsCovariance(head []byte) bool {
	lines := bufio.NewScanner(bytes.NewReader(head))
	lines.Buffer(nil, len(head)+1)
	var first []string
	for lines.Scan() {
		line := lines.Text()
		fields := covarianceFields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "/"): // such as /covariance
		case first == nil:
			if n, err := strconv.Atoi(fields[0]); err != nil || n < 2 || len(fields) != 1 {
				return false
			}
			first = fields
		default:
			_, err := strconv.ParseFloat(fields[0], 64)
			return err != nil && len(fields) > 1
		}
	}
	return false
}

// covariance reads a Tetrad covariance file: the number of rows, the names, and the lower triangle of the covariance matrix
// (divided by n - 1), one row per line. It also accepts a whole matrix. The means are unknown and set to 0.
func (in *Input) covariance() (*dataset.Moments, error) {
	content, end, err := in.content()
	if err != nil {
		return nil, err
	}
	defer end()
	memory := budget{file: in.Name, limit: in.opt.MaxMemory}
	lines := bufio.NewScanner(content)
	lines.Buffer(nil, in.opt.CSV.MaxLine)
	var names []string
	var scatter []float64
	n, row, number := 0, 0, 0
	for lines.Scan() {
		number++
		line := lines.Text()
		fields := covarianceFields(line)
		fault := func(err error, column int, detail string) error {
			return &dataset.ParseError{File: in.Name, Line: number, Column: column, Detail: detail, Err: err}
		}
		switch d := len(names); {
		case len(fields) == 0, n == 0 && strings.HasPrefix(line, "/"):
		case n == 0:
			if n, err = strconv.Atoi(fields[0]); err != nil || n < 2 || len(fields) > 1 {
				return nil, fault(ErrDamaged, 0, "the first line of a covariance file is the number of rows")
			}
		case names == nil:
			if len(fields) > in.opt.MaxColumns {
				return nil, fault(dataset.ErrTooWide, 0, strconv.Itoa(len(fields)))
			}
			if err := dataset.CheckNames(fields, in.Name); err != nil {
				return nil, err
			}
			if err := memory.take(16*int64(len(fields))*int64(len(fields)), 0, "the covariance matrix"); err != nil {
				return nil, err
			}
			names, scatter = fields, make([]float64, len(fields)*len(fields))
		case row == d:
			return nil, fault(ErrDamaged, 0, "there is a line after the last row of the matrix")
		case len(fields) != row+1 && len(fields) != d:
			return nil, fault(dataset.ErrRagged, 0, "expected "+strconv.Itoa(row+1)+", got "+strconv.Itoa(len(fields)))
		default:
			for j, field := range fields[:row+1] {
				x, err := strconv.ParseFloat(field, 64)
				if err != nil {
					return nil, &dataset.ParseError{File: in.Name, Line: number, Column: j + 1, Name: names[j], Value: dataset.Excerpt([]byte(field)), Err: dataset.ErrNotNumber}
				}
				x *= float64(n - 1)
				scatter[row*d+j], scatter[j*d+row] = x, x
			}
			row++
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, located(in.Name, dataset.ErrLineTooLong, "limit %d bytes", in.opt.CSV.MaxLine)
	} else if err != nil && err != io.EOF {
		return nil, in.readFault(err)
	}
	if d := len(names); d == 0 || row < d {
		return nil, located(in.Name, ErrDamaged, "its covariance matrix has %d of %d rows", row, d)
	}
	m, err := dataset.RestoreMoments(names, n, make([]float64, len(names)), nil, scatter, nil, nil)
	return m, named(in.Name, err)
}
