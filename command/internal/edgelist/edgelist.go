// Package edgelist reads and writes directed graphs as lists of edges, and reads the formats in which other programs give a true
// graph.
package edgelist

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
)

// An Edge of a graph on named columns, From → To.
type Edge struct {
	graph.Link
	Weight    float64
	HasWeight bool // Weight is 0 otherwise
	// Lag is the number of time steps from From to To, and HasLag says that the list has lags.
	Lag    int
	HasLag bool
	// Undirected means that the edge has no direction. From and To are then in the order of the file.
	Undirected bool
}

// Directed returns an error for the first edge without a direction.
func Directed(edges []Edge) error {
	for _, e := range edges {
		if e.Undirected {
			return &dataset.ParseError{Value: e.From + " — " + e.To, Err: ErrUndirected}
		}
	}
	return nil
}

// What can be wrong with an edge list, besides what can be wrong with a table.
var (
	ErrHeader      = fault.Kind("edge-header", "is not the header of an edge list; write from,to or from,to,weight")
	ErrUnknownName = fault.Kind("unknown-name", "is not a column of the table; check the spelling")
	ErrSelfLoop    = fault.Kind("self-loop", "points to itself; remove the line")
	ErrSameEdge    = fault.Kind("same-edge", "the edge is listed twice; remove one")
	ErrLag         = fault.Kind("edge-lag", "is not a lag; give whole numbers, 0 or more")
	ErrLacks       = fault.Kind("graph-lacks", "the graph does not have all columns; give the graph of these columns")
	ErrMark        = fault.Kind("edge-mark", "is neither --> nor ---; give a graph with directed and undirected edges only")
)

// Read reads an edge list: a CSV with the header from,to or from,to,weight (or source,target or cause,effect)
// and one line per edge. It ignores columns after weight, so that it reads the output of report.EdgesCSV, except
// two: if one of them is called mark, every edge must be directed, -->, or undirected, ---, and lag has the lag of each edge. If names is
// not nil, every name must be in it. A list without edges is valid. The first fault is a *ParseError that names the line.
//
// It also reads formats of other programs, detected by their start: a graph of Tetrad (Graph Edges: 1. a -->
// b), a network in BIF, GraphML, DOT, lavaan, dagitty, and a matrix in CSV, whose nonzero entry (i, j) is the edge i → j. See
// graphText. Two equal entries (i, j) and (j, i), and two edges of GraphML with the mark ---, are an undirected edge.
func Read(r io.Reader, names []string) ([]Edge, error) { return read(r, wantedOf(names, false)) }

// ReadWithHidden is Read for a graph that may have variables besides names, which must not be nil. If the format lists its variables,
// the graph must have all names, and otherwise one of them.
func ReadWithHidden(r io.Reader, names []string) ([]Edge, error) {
	return read(r, wantedOf(names, true))
}

func read(r io.Reader, w wanted) ([]Edge, error) {
	head := bufio.NewReaderSize(csv.FromUTF16(r), graphHead)
	begin, _ := head.Peek(graphHead) // an error shows again when it is read
	if read := graphText(begin); read != nil {
		return readGraph(head, read, w)
	}
	lists := csv.NewRecords(head)
	header, err := lists.Next()
	if err == io.EOF {
		return nil, &dataset.ParseError{Err: ErrHeader}
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
	if !weighted && !slices.Equal(header, []string{"from", "to"}) && !slices.Equal(header, []string{"from", "to", "lag"}) {
		return nil, &dataset.ParseError{Line: lists.Line, Value: dataset.Excerpt([]byte(strings.Join(header, ","))), Err: ErrHeader}
	}
	mark, lags := slices.Index(header, "mark"), slices.Index(header, "lag")
	var edges []Edge
	first := make(map[Edge]int) // edge with its lag → its line
	for {
		f, err := lists.Next()
		if err == io.EOF {
			return edges, w.common(edges)
		}
		if err != nil {
			return nil, err
		}
		fault := func(column int, value string, err error) error {
			return &dataset.ParseError{Line: lists.Line, Row: len(edges) + 1, Column: column, Name: header[column-1], Value: dataset.Excerpt([]byte(value)), Err: err}
		}
		if len(f) != len(header) {
			return nil, &dataset.ParseError{Line: lists.Line, Row: len(edges) + 1, Detail: fmt.Sprintf("expected %d, got %d", len(header), len(f)), Err: dataset.ErrRagged}
		}
		for j, name := range f[:2] {
			if name == "" {
				return nil, fault(j+1, name, dataset.ErrMissing)
			}
			if w.names != nil && !w.hidden && !w.known[name] {
				return nil, fault(j+1, name, ErrUnknownName)
			}
		}
		key := Edge{Link: graph.Link{From: f[0], To: f[1]}}
		if lags >= 0 {
			if key.Lag, err = strconv.Atoi(f[lags]); err != nil || key.Lag < 0 {
				return nil, fault(lags+1, f[lags], ErrLag)
			}
		}
		if f[0] == f[1] && key.Lag == 0 {
			return nil, fault(2, f[1], ErrSelfLoop)
		}
		line, twice := first[key]
		first[key] = lists.Line
		e := Edge{Link: key.Link, Lag: key.Lag, HasLag: lags >= 0, Undirected: mark >= 0 && f[mark] == "---"}
		if mark >= 0 && f[mark] != "-->" && (!e.Undirected || e.Lag > 0) {
			return nil, fault(mark+1, f[mark], ErrMark)
		}
		if e.Undirected {
			back := Edge{Link: graph.Link{From: f[1], To: f[0]}}
			if !twice {
				line, twice = first[back]
			}
			first[back] = lists.Line
		}
		if twice {
			return nil, &dataset.ParseError{Line: lists.Line, Row: len(edges) + 1, Detail: fmt.Sprintf("%s → %s, first on line %d", f[0], f[1], line), Err: ErrSameEdge}
		}
		if weighted && f[2] != "" {
			if e.Weight, e.HasWeight, err = parseWeight(f[2]); err != nil {
				return nil, fault(3, f[2], err)
			}
		}
		edges = append(edges, e)
	}
}

// parseWeight parses a weight. NaN and NA, in any case, are an edge without one.
func parseWeight(field string) (weight float64, has bool, err error) {
	if strings.EqualFold(field, "NaN") || strings.EqualFold(field, "NA") {
		return 0, false, nil
	}
	weight, err = csv.ParseNumber([]byte(field), '.')
	return weight, err == nil, err
}

// Write writes an edge list that Read reads back: with weights if an edge has one. The weight of an edge without one is empty. Names are
// escaped for spreadsheets, see csv.Escape.
func Write(w io.Writer, edges []Edge) error {
	weighted := slices.ContainsFunc(edges, func(e Edge) bool { return e.HasWeight })
	buf := []byte("from,to")
	if weighted {
		buf = append(buf, ",weight"...)
	}
	lags := len(edges) > 0 && edges[0].HasLag
	if lags {
		buf = append(buf, ",lag"...)
	}
	buf = append(buf, '\n')
	for _, e := range edges {
		buf = csv.AppendName(buf, csv.Escape(e.From))
		buf = append(buf, ',')
		buf = csv.AppendName(buf, csv.Escape(e.To))
		if weighted {
			buf = append(buf, ',')
		}
		if e.HasWeight {
			buf = strconv.AppendFloat(buf, e.Weight, 'g', -1, 64)
		}
		if lags {
			buf = strconv.AppendInt(append(buf, ','), int64(e.Lag), 10)
		}
		buf = append(buf, '\n')
	}
	if _, err := w.Write(buf); err != nil {
		return fmt.Errorf("write of the edge list: %w", err)
	}
	return nil
}
