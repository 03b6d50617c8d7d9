package edgelist

import (
	"bytes"
	stdcsv "encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/csv"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/bif"
)

// What can be wrong with a graph, besides what can be wrong with an edge list.
var (
	ErrUndirected = fault.Kind("undirected", "is not a directed edge; give a graph with directed edges only")
	ErrEdge       = fault.Kind("not-edge", "is neither a directed nor an undirected edge; give a graph of these")
	ErrCut        = fault.Kind("graph-cut", "the file ends inside the graph; copy it again")
	ErrAfterEnd   = fault.Kind("graph-end", "follows the end of the graph; give a file with one graph")
)

const (
	// graphHead is the number of bytes used to detect the format, and graphBytes the largest size of a graph.
	graphHead  = 4096
	graphBytes = 256 << 20
)

// graphText returns the reader for the format that a file begins in, or nil for an edge list.
func graphText(head []byte) func(text string) (graphFile, error) {
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

// A graphFile is the content of a file. nodes are all its variables, or nil if the format does not list those without edges. lines has the
// line of each edge, or 0 if that is unknown.
type graphFile struct {
	nodes []string
	edges []Edge
	lines []int
}

func (f *graphFile) add(e Edge, line int) {
	f.edges, f.lines = append(f.edges, e), append(f.lines, line)
}

// join makes an undirected edge of each pair of opposite edges that agree. They do if both are undirected or, with equal, have the same
// weight or both none.
func (f *graphFile) join(equal bool) {
	at := map[graph.Link]int{}
	var out graphFile
	for k, e := range f.edges {
		if j, ok := at[graph.Link{From: e.To, To: e.From}]; ok {
			other := &out.edges[j]
			if e.Undirected && other.Undirected || equal && other.HasWeight == e.HasWeight && other.Weight == e.Weight {
				other.Undirected, other.HasWeight, other.Weight = true, false, 0
				continue
			}
		}
		at[e.Link] = len(out.edges)
		out.add(e, f.lines[k])
	}
	f.edges, f.lines = out.edges, out.lines
}

// readGraph reads a graph and holds its edges to what an edge list has to satisfy.
func readGraph(r io.Reader, read func(string) (graphFile, error), w wanted) ([]Edge, error) {
	text, err := io.ReadAll(io.LimitReader(r, graphBytes+1))
	if err != nil {
		return nil, &dataset.ParseError{Err: err}
	}
	if len(text) > graphBytes {
		return nil, &dataset.ParseError{Detail: fmt.Sprintf("limit %d bytes", graphBytes), Err: dataset.ErrLineTooLong}
	}
	file, err := read(strings.TrimPrefix(string(text), csv.BOM))
	if err != nil {
		return nil, err
	}
	first := map[graph.Link]int{}
	for k, e := range file.edges {
		at := file.lines[k]
		for _, name := range []string{e.From, e.To} {
			if name == "" {
				return nil, &dataset.ParseError{Line: at, Err: dataset.ErrMissing}
			}
		}
		if e.From == e.To {
			return nil, &dataset.ParseError{Line: at, Value: dataset.Excerpt([]byte(e.To)), Err: ErrSelfLoop}
		}
		line, ok := first[e.Link]
		if back := (graph.Link{From: e.To, To: e.From}); e.Undirected {
			if !ok {
				line, ok = first[back]
			}
			first[back] = at
		}
		if ok {
			return nil, &dataset.ParseError{Line: at, Detail: fmt.Sprintf("%s → %s, first on line %d", e.From, e.To, line), Err: ErrSameEdge}
		}
		first[e.Link] = at
	}
	return file.edges, w.check(file)
}

var tetradEdge = regexp.MustCompile(`^\d+\.\s+(.+?)\s+(<->|[<o-]-[->o])\s+(.+?)(?:\s+(?:dd|pd|nl|pl)\b.*|\s*\[.*)?$`)

// tetradEdges reads the lines "1. a --> b" after "Graph Edges:". A line that is empty ends them.
func tetradEdges(text string) (file graphFile, err error) {
	inside, begun := false, false
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "Graph Edges:"):
			inside, begun = true, true
		case !begun && line != "" && !strings.HasPrefix(line, "Graph Nodes:"):
			for _, name := range strings.FieldsFunc(line, func(r rune) bool { return r == ';' || r == ',' }) {
				file.nodes = append(file.nodes, strings.TrimSpace(name))
			}
		case !inside:
		case line == "":
			inside = len(file.edges) == 0
		default:
			m := tetradEdge.FindStringSubmatch(line)
			if m == nil || !slices.Contains([]string{"-->", "<--", "---"}, m[2]) {
				return file, &dataset.ParseError{Line: i + 1, Value: dataset.Excerpt([]byte(line)), Err: ErrEdge}
			}
			e := Edge{Link: graph.Link{From: m[1], To: m[3]}, Undirected: m[2] == "---"}
			if m[2] == "<--" {
				e.From, e.To = e.To, e.From
			}
			file.add(e, i+1)
		}
	}
	if !begun {
		return file, cutShort("it has no line Graph Edges:")
	}
	return file, nil
}

// cutShort is the error of a file that ends too early.
func cutShort(what string) error { return &dataset.ParseError{Detail: what, Err: ErrCut} }

var bifStart = regexp.MustCompile(`^(?:(?://[^\n]*\n|/\*(?s:.*?)\*/)\s*)*network\s+("[^"]*"|[^\s{]+)\s*\{`)

// bifEdges reads the variables and their parents in BIF. Its tables are passed over.
func bifEdges(text string) (file graphFile, err error) {
	net, err := bif.ReadGraph([]byte(text))
	if err != nil {
		return file, err
	}
	file.nodes = net.Names()
	for _, v := range net.Variables {
		for _, parent := range v.Parents {
			file.add(Edge{Link: graph.Link{From: net.Variables[parent].Name, To: v.Name}}, v.Line)
		}
	}
	return file, nil
}

// graphMLEdges reads the edges of GraphML. The name of a node is its data called name or label, or its id.
func graphMLEdges(text string) (file graphFile, err error) {
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
		return file, &dataset.ParseError{Detail: err.Error(), Err: ErrHeader}
	}
	nameKey, weightKey, markKey := "", "", ""
	for _, k := range doc.Keys {
		switch n := strings.ToLower(k.Name); {
		case k.For != "node" && n == "mark":
			markKey = k.ID
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
		file.nodes = append(file.nodes, name[n.ID])
	}
	for _, g := range doc.Graph.Edges {
		e := Edge{Link: graph.Link{From: name[g.Source], To: name[g.Target]}}
		e.Undirected = g.Directed == "false" || g.Directed == "" && doc.Graph.Default == "undirected"
		for _, d := range g.Data {
			if mark := strings.TrimSpace(d.Value); d.Key == markKey && markKey != "" && mark != "-->" {
				if e.Undirected = mark == "---"; !e.Undirected {
					return file, &dataset.ParseError{Value: g.Source + " " + mark + " " + g.Target, Err: ErrEdge}
				}
			}
			if d.Key == weightKey && weightKey != "" {
				if w, err := csv.ParseNumber([]byte(strings.TrimSpace(d.Value)), '.'); err == nil {
					e.Weight, e.HasWeight = w, true
				}
			}
		}
		file.add(e, 0)
	}
	file.join(false)
	return file, nil
}

var (
	dotStart = regexp.MustCompile(`^(?:(?://[^\n]*\n|#[^\n]*\n|/\*(?s:.*?)\*/)\s*)*(?:strict\s+)?(?:(?:di)?graph|p?dag)\b[^\n;,]*\{`)
	dotToken = regexp.MustCompile(`^(?:\s+|//[^\n]*|#[^\n]*|/\*(?s:.*?)\*/|"(?:\\(?s:.)|[^"\\])*"|->|--|[\[\]{};,=:]|[^\s"\[\]{};,=:>-]+|-?[0-9.]+)`)
)

// dotEdges reads the edges a -> b -> c and a -- b of DOT and of dagitty. An edge with dir=none is undirected. Other attributes are passed
// over; a subgraph between arrows is not read.
func dotEdges(text string) (file graphFile, err error) {
	var last string
	var before [2]string // the attribute before the token
	line, depth, braces, arrow, undirected, begun := 1, 0, 0, false, false, false
	statement := 0 // the first edge of the statement
	for len(text) > 0 {
		token := dotToken.FindString(text)
		if token == "" {
			return file, &dataset.ParseError{Line: line, Value: dataset.Excerpt([]byte(text)), Err: ErrHeader}
		}
		text = text[len(token):]
		at := line
		line += strings.Count(token, "\n")
		switch {
		case strings.TrimSpace(token) == "", strings.HasPrefix(token, "//"), strings.HasPrefix(token, "#"), strings.HasPrefix(token, "/*"):
		case begun && braces == 0:
			return file, &dataset.ParseError{Line: at, Value: dataset.Excerpt([]byte(token)), Err: ErrAfterEnd}
		case token == "[":
			depth++
		case token == "]":
			depth--
		case depth > 0: // attributes
			if value := strings.Trim(token, `"`); before == [2]string{"dir", "="} {
				for k := statement; k < len(file.edges); k++ {
					file.edges[k].Undirected = value == "none"
					if value == "both" || value == "back" {
						return file, &dataset.ParseError{Line: at, Value: file.edges[k].From + " -> " + file.edges[k].To + " [dir=" + value + "]", Err: ErrEdge}
					}
				}
			}
			before = [2]string{before[1], token}
		case token == "->", token == "--":
			arrow, undirected = true, token == "--"
		case token == "{" && arrow:
			return file, &dataset.ParseError{Line: at, Detail: "a subgraph at the end of an arrow", Err: ErrEdge}
		case len(token) == 1 && strings.ContainsAny(token, "{};,=:"):
			if arrow {
				return file, &dataset.ParseError{Line: at, Value: last + " ->", Detail: "no node at the end of the arrow", Err: ErrEdge}
			}
			switch token {
			case "{":
				braces, begun = braces+1, true
			case "}":
				braces--
			}
			last = ""
		default:
			name := token
			if strings.HasPrefix(name, `"`) {
				name = strings.NewReplacer(`\"`, `"`, "\\\n", "").Replace(name[1 : len(name)-1])
			}
			if arrow {
				file.add(Edge{Link: graph.Link{From: last, To: name}, Undirected: undirected}, at)
			} else {
				statement = len(file.edges)
			}
			last, arrow = name, false
		}
	}
	if braces != 0 || depth != 0 {
		return file, cutShort("a bracket is not closed")
	}
	return file, nil
}

var (
	lavaanStart = regexp.MustCompile(`^(?:[#!][^\n]*\n\s*)*[A-Za-z.][A-Za-z0-9._]*\s*~`)
	lavaanLine  = regexp.MustCompile(`^([A-Za-z.][A-Za-z0-9._]*)\s*(~~|~|=~)\s*(.+)$`)
	lavaanCall  = regexp.MustCompile(`\([^()]*\)`) // a modifier, such as start(1e+05)
)

// lavaanEdges reads the regressions y ~ a + 0.5*b of lavaan, and a covariance a ~~ b as an undirected edge. Variances and intercepts are
// passed over.
func lavaanEdges(text string) (file graphFile, err error) {
	for i, line := range strings.Split(text, "\n") {
		if at := strings.IndexAny(line, "#!"); at >= 0 {
			line = line[:at]
		}
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		m := lavaanLine.FindStringSubmatch(line)
		if m == nil || m[2] == "=~" {
			return file, &dataset.ParseError{Line: i + 1, Value: dataset.Excerpt([]byte(line)), Err: ErrEdge}
		}
		for term := range strings.SplitSeq(lavaanCall.ReplaceAllString(m[3], ""), "+") {
			from := lavaanTerm(term)
			switch {
			case m[2] == "~~" && from != m[1]:
				file.add(Edge{Link: graph.Link{From: m[1], To: from}, Undirected: true}, i+1)
			case m[2] == "~" && from != "1":
				file.add(Edge{Link: graph.Link{From: from, To: m[1]}}, i+1)
			}
		}
	}
	return file, nil
}

// lavaanTerm returns the name in a term, without its modifier.
func lavaanTerm(s string) string { return strings.TrimSpace(s[strings.LastIndexByte(s, '*')+1:]) }

// matrixEdges reads a matrix with a header of names behind an empty field and a name before each row, as
// package report and pandas write it. Entries that are not 0 are weights, or NaN or NA for an edge without a weight. Two equal entries
// (i, j) and (j, i) are an undirected edge.
func matrixEdges(text string) (file graphFile, err error) {
	r := stdcsv.NewReader(bytes.NewReader([]byte(text)))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return file, &dataset.ParseError{Detail: err.Error(), Err: dataset.ErrQuote}
	}
	names := rows[0][1:]
	for j, name := range names {
		names[j] = csv.Unescape(name)
	}
	if len(rows) != len(names)+1 {
		return file, &dataset.ParseError{Detail: fmt.Sprintf("%d names and %d rows", len(names), len(rows)-1), Err: dataset.ErrRagged}
	}
	file.nodes = names
	for i, row := range rows[1:] {
		if len(row) != len(names)+1 {
			return file, &dataset.ParseError{Line: i + 2, Row: i + 1, Detail: fmt.Sprintf("expected %d, got %d", len(names)+1, len(row)), Err: dataset.ErrRagged}
		}
		if row[0] = csv.Unescape(row[0]); row[0] != names[i] && row[0] != strconv.Itoa(i) {
			return file, &dataset.ParseError{Line: i + 2, Row: i + 1, Value: dataset.Excerpt([]byte(row[0])), Detail: fmt.Sprintf("the header has %q in this place", names[i]), Err: ErrUnknownName}
		}
		for j, field := range row[1:] {
			w, has, err := parseWeight(strings.TrimSpace(field))
			if err != nil {
				return file, &dataset.ParseError{Line: i + 2, Row: i + 1, Column: j + 2, Name: names[j], Value: dataset.Excerpt([]byte(field)), Err: err}
			}
			if w != 0 || !has {
				file.add(Edge{Link: graph.Link{From: names[i], To: names[j]}, Weight: w, HasWeight: has}, i+2)
			}
		}
	}
	file.join(true)
	return file, nil
}
