package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// An Edge of a graph on named columns, From → To.
type Edge struct {
	From, To  string
	Weight    float64
	HasWeight bool // the list has weights; Weight is 0 otherwise
}

// What can be wrong with an edge list, besides what can be wrong with a table.
var (
	ErrEdgeHeader  = errors.New("not the header of an edge list; write from,to or from,to,weight")
	ErrUnknownName = errors.New("is no column of the table; check the spelling")
	ErrSelfLoop    = errors.New("points to itself; remove the line")
	ErrSameEdge    = errors.New("the edge is there twice; remove one")
	ErrEdgeMark    = errors.New("is not the mark of a directed edge; the list is read as a DAG, in which every mark is -->")
)

// ReadEdges reads an edge list: a CSV with the header from,to or from,to,weight (or source,target or cause,effect) and a line
// an edge. Columns after weight are passed over, so that it reads what report.EdgesCSV
// writes; but where one of them is called mark, every edge must be directed, -->. If names is not nil every name must be one of them. A list without edges is
// fine. The first fault is a *ParseError that names the line.
//
// It also reads what other programs write, told by how it begins: a graph of Tetrad (Graph Edges: 1. a --> b), a network
// in BIF, GraphML, DOT, and a matrix in CSV, whose entry (i, j) that is not 0 is the edge i → j. See graphText.
func ReadEdges(r io.Reader, names []string) ([]Edge, error) {
	known := make(map[string]bool, len(names))
	for _, name := range names {
		known[name] = true
	}
	head := bufio.NewReaderSize(fromUTF16(r), graphHead)
	begin, _ := head.Peek(graphHead) // an error shows again when it is read
	if read := graphText(begin); read != nil {
		return readGraph(head, read, names, known)
	}
	lists := edgeReader{src: newRunReader(head, DefaultCSVOptions().MaxLine)}
	header, err := lists.record()
	if err == io.EOF {
		return nil, &ParseError{Err: ErrEdgeHeader}
	}
	if err != nil {
		return nil, err
	}
	for _, pair := range [][]string{{"source", "target"}, {"cause", "effect"}} {
		if len(header) >= 2 && slices.Equal(header[:2], pair) {
			copy(header, []string{"from", "to"})
		}
	}
	weighted := len(header) > 2 && slices.Equal(header[:3], []string{"from", "to", "weight"})
	if !weighted && !slices.Equal(header, []string{"from", "to"}) {
		return nil, &ParseError{Line: lists.line, Value: shown([]byte(strings.Join(header, ","))), Err: ErrEdgeHeader}
	}
	mark := slices.Index(header, "mark")
	var edges []Edge
	first := make(map[[2]string]int) // edge → its line
	for {
		f, err := lists.record()
		if err == io.EOF {
			return edges, nil
		}
		if err != nil {
			return nil, err
		}
		fault := func(column int, value string, err error) error {
			return &ParseError{Line: lists.line, Row: len(edges) + 1, Column: column, Name: header[column-1], Value: shown([]byte(value)), Err: err}
		}
		if len(f) != len(header) {
			return nil, &ParseError{Line: lists.line, Row: len(edges) + 1, Detail: fmt.Sprintf("expected %d, got %d", len(header), len(f)), Err: ErrRagged}
		}
		for j, name := range f[:2] {
			if name == "" {
				return nil, fault(j+1, name, ErrMissing)
			}
			if names != nil && !known[name] {
				return nil, fault(j+1, name, ErrUnknownName)
			}
		}
		if f[0] == f[1] {
			return nil, fault(2, f[1], ErrSelfLoop)
		}
		key := [2]string{f[0], f[1]}
		if line, ok := first[key]; ok {
			return nil, &ParseError{Line: lists.line, Row: len(edges) + 1, Detail: fmt.Sprintf("%s → %s, first on line %d", f[0], f[1], line), Err: ErrSameEdge}
		}
		first[key] = lists.line
		if mark >= 0 && f[mark] != "-->" {
			return nil, fault(mark+1, f[mark], ErrEdgeMark)
		}
		e := Edge{From: f[0], To: f[1], HasWeight: weighted}
		if weighted {
			if e.Weight, err = parseNumber([]byte(f[2]), '.'); err != nil {
				return nil, fault(3, f[2], err)
			}
		}
		edges = append(edges, e)
	}
}

// An edgeReader reads records of text.
type edgeReader struct {
	src     *runReader
	run     []byte
	pos     int
	started bool
	line    int // of the record read last
	next    int // line ends passed
}

// record returns the fields of the next record that is not blank, without spaces around
// those that are not quoted.
func (e *edgeReader) record() ([]string, error) {
	for {
		for e.pos == len(e.run) {
			var err error
			if e.run, err = e.src.next(e.run); err == io.EOF {
				return nil, err
			} else if err != nil {
				return nil, &ParseError{Line: e.next + 1, Err: err}
			}
			e.pos = 0
			if !e.started {
				e.started = true
				if what := notText(e.run); what != "" {
					return nil, &ParseError{Detail: what, Err: ErrNotTable}
				}
				if bytes.HasPrefix(e.run, []byte(bom)) {
					e.pos = len(bom)
				}
			}
		}
		e.line = e.next + 1
		start := e.pos
		var fields []string
		for last := false; !last; {
			at := e.pos
			var field []byte
			var ok bool
			field, e.pos, last, ok = cutField(e.run, e.pos, ',')
			if !ok {
				return nil, &ParseError{Line: e.line, Column: len(fields) + 1, Value: shown(field), Err: ErrQuote}
			}
			fields = append(fields, fieldText(field, e.run[at] == '"'))
		}
		e.next += bytes.Count(e.run[start:e.pos], []byte{'\n'})
		if blank := len(bytes.TrimRight(e.run[start:e.pos], "\r\n")) == 0; !blank {
			return fields, nil
		}
	}
}

// WriteEdges writes an edge list that ReadEdges reads back: with weights if the edges have
// them. It is an error if some have and some have not.
func WriteEdges(w io.Writer, edges []Edge) error {
	weighted := len(edges) > 0 && edges[0].HasWeight
	buf := []byte("from,to")
	if weighted {
		buf = append(buf, ",weight"...)
	}
	buf = append(buf, '\n')
	for i, e := range edges {
		if e.HasWeight != weighted {
			return fmt.Errorf("dataset: edge %d (%s → %s): HasWeight = %v, but %v for the edges before; weights are for all edges or none", i+1, e.From, e.To, e.HasWeight, weighted)
		}
		buf = appendName(buf, e.From)
		buf = append(buf, ',')
		buf = appendName(buf, e.To)
		if weighted {
			buf = append(buf, ',')
			buf = strconv.AppendFloat(buf, e.Weight, 'g', -1, 64)
		}
		buf = append(buf, '\n')
	}
	if _, err := w.Write(buf); err != nil {
		return fmt.Errorf("dataset: write of the edge list: %w", err)
	}
	return nil
}
