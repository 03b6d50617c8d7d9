package edgelist

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/csv"
)

// ErrUndirected is the fault of a graph that has an edge without one direction.
var ErrUndirected = fault.Kind("undirected", "is not a directed edge; give a graph with directed edges only")

const (
	// graphHead is the number of bytes used to detect the format, and graphBytes the largest size of a graph.
	graphHead  = 4096
	graphBytes = 256 << 20
)

// graphText returns the reader for the format that a file begins in, or nil for an edge list.
func graphText(head []byte) func(text string) ([]lineEdge, error) {
	text := strings.TrimLeft(strings.TrimPrefix(string(head), csv.BOM), " \t\r\n")
	first, _, _ := strings.Cut(text, "\n")
	switch {
	case strings.HasPrefix(text, "Graph Nodes:"), strings.HasPrefix(text, "Graph Edges:"):
		return tetradEdges
	case strings.HasPrefix(text, "<?xml"), strings.HasPrefix(text, "<graphml"):
		return graphMLEdges
	case dotStart.MatchString(text):
		return dotEdges
	case bifStart.MatchString(text):
		return bifEdges
	case lavaanStart.MatchString(text):
		return lavaanEdges
	case strings.HasPrefix(first, ",") || strings.HasPrefix(first, `"",`):
		return matrixEdges
	}
	return nil
}

// A lineEdge is an edge with its line, or 0 if that is unknown.
type lineEdge struct {
	Edge
	line int
}

// readGraph reads a graph and holds its edges to what an edge list has to satisfy.
func readGraph(r io.Reader, read func(string) ([]lineEdge, error), names []string, known map[string]bool) ([]Edge, error) {
	text, err := io.ReadAll(io.LimitReader(r, graphBytes+1))
	if err != nil {
		return nil, &dataset.ParseError{Err: err}
	}
	if len(text) > graphBytes {
		return nil, &dataset.ParseError{Detail: fmt.Sprintf("limit %d bytes", graphBytes), Err: dataset.ErrLineTooLong}
	}
	list, err := read(strings.TrimPrefix(string(text), csv.BOM))
	if err != nil {
		return nil, err
	}
	first := map[graph.Link]int{}
	var edges []Edge
	for _, e := range list {
		for _, name := range []string{e.From, e.To} {
			if name == "" {
				return nil, &dataset.ParseError{Line: e.line, Err: dataset.ErrMissing}
			}
			if names != nil && !known[name] {
				return nil, &dataset.ParseError{Line: e.line, Value: dataset.Excerpt([]byte(name)), Err: ErrUnknownName}
			}
		}
		if e.From == e.To {
			return nil, &dataset.ParseError{Line: e.line, Value: dataset.Excerpt([]byte(e.To)), Err: ErrSelfLoop}
		}
		if line, ok := first[e.Link]; ok {
			return nil, &dataset.ParseError{Line: e.line, Detail: fmt.Sprintf("%s → %s, first on line %d", e.From, e.To, line), Err: ErrSameEdge}
		}
		first[e.Link] = e.line
		edges = append(edges, e.Edge)
	}
	return edges, nil
}

var tetradEdge = regexp.MustCompile(`^\d+\.\s+(.+?)\s+(<->|[<o-]-[->o])\s+(.+?)(?:\s+(?:dd|pd|nl|pl)\b.*|\s*\[.*)?$`)

// tetradEdges reads the lines "1. a --> b" after "Graph Edges:". A line that is empty ends them.
func tetradEdges(text string) ([]lineEdge, error) {
	var edges []lineEdge
	inside := false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "Graph Edges:"):
			inside = true
		case !inside:
		case line == "":
			inside = len(edges) == 0
		default:
			m := tetradEdge.FindStringSubmatch(line)
			if m == nil || m[2] != "-->" && m[2] != "<--" {
				return nil, &dataset.ParseError{Line: i + 1, Value: dataset.Excerpt([]byte(line)), Err: ErrUndirected}
			}
			e := Edge{Link: graph.Link{From: m[1], To: m[3]}}
			if m[2] == "<--" {
				e.From, e.To = e.To, e.From
			}
			edges = append(edges, lineEdge{e, i + 1})
		}
	}
	return edges, nil
}

var (
	bifStart = regexp.MustCompile(`^network\s+("[^"]*"|\S+)\s*\{`)
	bifProb  = regexp.MustCompile(`(?m)^[ \t]*probability\s*\(([^)]*)\)`)
)

// bifEdges reads the parents in "probability ( child | parent, parent )" of BIF. Its tables are passed over.
func bifEdges(text string) ([]lineEdge, error) {
	var edges []lineEdge
	for _, at := range bifProb.FindAllStringSubmatchIndex(text, -1) {
		child, parents, some := strings.Cut(text[at[2]:at[3]], "|")
		if !some {
			continue
		}
		line := 1 + strings.Count(text[:at[0]], "\n")
		for parent := range strings.SplitSeq(parents, ",") {
			edges = append(edges, lineEdge{Edge{Link: graph.Link{From: bifName(parent), To: bifName(child)}}, line})
		}
	}
	return edges, nil
}

func bifName(s string) string { return strings.Trim(strings.TrimSpace(s), `"`) }

// graphMLEdges reads the edges of GraphML. The name of a node is its data called name or label, or its id.
func graphMLEdges(text string) ([]lineEdge, error) {
	type datum struct {
		Key   string `xml:"key,attr"`
		Value string `xml:",chardata"`
	}
	var doc struct {
		Keys []struct {
			ID   string `xml:"id,attr"`
			For  string `xml:"for,attr"`
			Name string `xml:"attr.name,attr"`
		} `xml:"key"`
		Graph struct {
			Default string `xml:"edgedefault,attr"`
			Nodes   []struct {
				ID   string  `xml:"id,attr"`
				Data []datum `xml:"data"`
			} `xml:"node"`
			Edges []struct {
				Source   string  `xml:"source,attr"`
				Target   string  `xml:"target,attr"`
				Directed string  `xml:"directed,attr"`
				Data     []datum `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, &dataset.ParseError{Detail: err.Error(), Err: ErrHeader}
	}
	nameKey, weightKey := "", ""
	for _, k := range doc.Keys {
		switch n := strings.ToLower(k.Name); {
		case k.For != "edge" && (n == "name" || n == "label"):
			nameKey = k.ID
		case k.For != "node" && n == "weight":
			weightKey = k.ID
		}
	}
	name := map[string]string{}
	for _, n := range doc.Graph.Nodes {
		name[n.ID] = n.ID
		for _, d := range n.Data {
			if nameKey != "" && d.Key == nameKey && strings.TrimSpace(d.Value) != "" {
				name[n.ID] = strings.TrimSpace(d.Value)
			}
		}
	}
	var edges []lineEdge
	weighted := true
	for _, g := range doc.Graph.Edges {
		if g.Directed == "false" || g.Directed == "" && doc.Graph.Default == "undirected" {
			return nil, &dataset.ParseError{Value: g.Source + " – " + g.Target, Err: ErrUndirected}
		}
		e := Edge{Link: graph.Link{From: name[g.Source], To: name[g.Target]}}
		found := false
		for _, d := range g.Data {
			if d.Key == weightKey && weightKey != "" {
				w, err := csv.ParseNumber([]byte(strings.TrimSpace(d.Value)), '.')
				e.Weight, found = w, err == nil
			}
		}
		weighted = weighted && found
		edges = append(edges, lineEdge{Edge: e})
	}
	for i := range edges {
		if edges[i].HasWeight = weighted; !weighted {
			edges[i].Weight = 0
		}
	}
	return edges, nil
}

var (
	dotStart = regexp.MustCompile(`^(?:(?://[^\n]*\n|#[^\n]*\n|/\*(?s:.*?)\*/)\s*)*(?:strict\s+)?(?:(?:di)?graph|dag)\b[^\n;,]*\{`)
	dotToken = regexp.MustCompile(`^(?:\s+|//[^\n]*|#[^\n]*|/\*(?s:.*?)\*/|"(?:\\(?s:.)|[^"\\])*"|->|--|[\[\]{};,=:]|[^\s"\[\]{};,=:>-]+|-?[0-9.]+)`)
)

// dotEdges reads the edges a -> b -> c of DOT and of dagitty. Attributes are passed over; a subgraph between arrows is not read.
func dotEdges(text string) ([]lineEdge, error) {
	var edges []lineEdge
	var last string
	line, depth, arrow := 1, 0, false
	for len(text) > 0 {
		token := dotToken.FindString(text)
		if token == "" {
			return nil, &dataset.ParseError{Line: line, Value: dataset.Excerpt([]byte(text)), Err: ErrHeader}
		}
		text = text[len(token):]
		at := line
		line += strings.Count(token, "\n")
		switch {
		case strings.TrimSpace(token) == "", strings.HasPrefix(token, "//"), strings.HasPrefix(token, "#"), strings.HasPrefix(token, "/*"):
		case token == "[":
			depth++
		case token == "]":
			depth--
		case depth > 0: // attributes
		case token == "--":
			return nil, &dataset.ParseError{Line: at, Value: dataset.Excerpt([]byte(last + " --")), Err: ErrUndirected}
		case token == "->":
			arrow = true
		case token == "{" && arrow:
			return nil, &dataset.ParseError{Line: at, Detail: "a subgraph at the end of an arrow", Err: ErrUndirected}
		case len(token) == 1 && strings.ContainsAny(token, "{};,=:"):
			last, arrow = "", false
		default:
			name := token
			if strings.HasPrefix(name, `"`) {
				name = strings.NewReplacer(`\"`, `"`, "\\\n", "").Replace(name[1 : len(name)-1])
			}
			if arrow {
				edges = append(edges, lineEdge{Edge{Link: graph.Link{From: last, To: name}}, at})
			}
			last, arrow = name, false
		}
	}
	return edges, nil
}

var (
	lavaanStart = regexp.MustCompile(`^(?:[#!][^\n]*\n\s*)*[A-Za-z.][A-Za-z0-9._]*\s*~`)
	lavaanLine  = regexp.MustCompile(`^([A-Za-z.][A-Za-z0-9._]*)\s*(~~|~|=~)\s*(.+)$`)
	lavaanCall  = regexp.MustCompile(`\([^()]*\)`) // a modifier, such as start(1e+05)
)

// lavaanEdges reads the regressions y ~ a + 0.5*b of lavaan. Variances and intercepts are passed over.
func lavaanEdges(text string) ([]lineEdge, error) {
	var edges []lineEdge
	for i, line := range strings.Split(text, "\n") {
		if at := strings.IndexAny(line, "#!"); at >= 0 {
			line = line[:at]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		m := lavaanLine.FindStringSubmatch(line)
		if m == nil || m[2] == "=~" || m[2] == "~~" && lavaanTerm(m[3]) != m[1] {
			return nil, &dataset.ParseError{Line: i + 1, Value: dataset.Excerpt([]byte(line)), Err: ErrUndirected}
		}
		if m[2] == "~~" {
			continue
		}
		for term := range strings.SplitSeq(lavaanCall.ReplaceAllString(m[3], ""), "+") {
			if from := lavaanTerm(term); from != "1" {
				edges = append(edges, lineEdge{Edge{Link: graph.Link{From: from, To: m[1]}}, i + 1})
			}
		}
	}
	return edges, nil
}

// lavaanTerm returns the name in a term, without its modifier.
func lavaanTerm(s string) string { return strings.TrimSpace(s[strings.LastIndexByte(s, '*')+1:]) }

// matrixEdges reads a matrix with a header of names behind an empty field and a name before each row, as AdjacencyCSV of
// package report and pandas write it. Entries that are not 0 are weights.
func matrixEdges(text string) ([]lineEdge, error) {
	r := stdcsv.NewReader(bytes.NewReader([]byte(text)))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return nil, &dataset.ParseError{Detail: err.Error(), Err: dataset.ErrQuote}
	}
	names := rows[0][1:]
	for j, name := range names {
		names[j] = csv.Unescape(name)
	}
	if len(rows) != len(names)+1 {
		return nil, &dataset.ParseError{Detail: fmt.Sprintf("%d names and %d rows", len(names), len(rows)-1), Err: dataset.ErrRagged}
	}
	var edges []lineEdge
	for i, row := range rows[1:] {
		if len(row) != len(names)+1 {
			return nil, &dataset.ParseError{Line: i + 2, Row: i + 1, Detail: fmt.Sprintf("expected %d, got %d", len(names)+1, len(row)), Err: dataset.ErrRagged}
		}
		if row[0] = csv.Unescape(row[0]); row[0] != names[i] && row[0] != strconv.Itoa(i) {
			return nil, &dataset.ParseError{Line: i + 2, Row: i + 1, Value: dataset.Excerpt([]byte(row[0])), Detail: fmt.Sprintf("the header has %q in this place", names[i]), Err: ErrUnknownName}
		}
		for j, field := range row[1:] {
			w, err := csv.ParseNumber([]byte(strings.TrimSpace(field)), '.')
			if err != nil {
				return nil, &dataset.ParseError{Line: i + 2, Row: i + 1, Column: j + 2, Name: names[j], Value: dataset.Excerpt([]byte(field)), Err: err}
			}
			if w != 0 {
				edges = append(edges, lineEdge{Edge{Link: graph.Link{From: names[i], To: names[j]}, Weight: w, HasWeight: true}, i + 2})
			}
		}
	}
	return edges, nil
}
