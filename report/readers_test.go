package report_test

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/polydag/polydag"
	own "github.com/polydag/polydag/dataset/csv"
)

// csvRows are the fields of a CSV file with names as they were before they were escaped for spreadsheets.
func csvRows(text []byte) ([][]string, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	for _, row := range rows {
		for j := range row {
			row[j] = own.Unescape(row[j])
		}
	}
	return rows, err
}

func float(s string) *float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &v
}

func truth(s string) *bool {
	v, err := strconv.ParseBool(s)
	if err != nil {
		return nil
	}
	return &v
}

func readJSON(text []byte, _ *polydag.Result) (found, error) {
	r, err := polydag.ReadResult(bytes.NewReader(text))
	if err != nil {
		return found{}, err
	}
	f := found{names: r.Names, nodes: r.Nodes}
	for _, e := range r.Edges {
		edge := foundEdge{from: e.From, to: e.To, mark: e.Mark, compelled: &e.Compelled, judged: judged{e.Verdict, [3]float64{e.Confidence, e.PAdjacent, e.PDirection}, e.RestsOn()}}
		if r.HasWeight(e) {
			edge.weight, edge.standardized = &e.Weight, &e.Standardized
		}
		f.edges = append(f.edges, edge)
	}
	return f, nil
}

func readEdges(text []byte, _ *polydag.Result) (found, error) {
	rows, err := csvRows(text)
	if err != nil {
		return found{}, err
	}
	if head := strings.Replace(strings.Join(rows[0], ","), ",gain", "", 1); !strings.HasPrefix("from,to,weight,standardized,mark,compelled,verdict,confidence,p_adjacent,p_direction,basis", head) || len(rows[0]) < 6 {
		return found{}, fmt.Errorf("header %s", head)
	}
	var f found
	for _, row := range rows[1:] {
		e := foundEdge{from: row[0], to: row[1], weight: float(row[2]), standardized: float(row[3]), mark: row[4], compelled: truth(row[5])}
		e.judged = judgedBy(func(name string) string {
			if k := slices.Index(rows[0], name); k >= 0 {
				return row[k]
			}
			return ""
		})
		f.edges = append(f.edges, e)
	}
	return f, nil
}

func readAdjacency(text []byte, _ *polydag.Result) (found, error) {
	rows, err := csvRows(text)
	if err != nil {
		return found{}, err
	}
	if rows[0][0] != "" || len(rows) != len(rows[0]) {
		return found{}, fmt.Errorf("corner %q, %d rows for %d columns", rows[0][0], len(rows), len(rows[0]))
	}
	f := found{names: rows[0][1:]}
	for i, row := range rows[1:] {
		if row[0] != f.names[i] {
			return f, fmt.Errorf("row %d is %q, its column %q", i, row[0], f.names[i])
		}
		for j, cell := range row[1:] {
			if cell != "0" {
				f.edges = append(f.edges, foundEdge{from: row[0], to: f.names[j], weight: float(cell)})
			}
		}
	}
	return f, nil
}

// npyHeader is the header of version 1.0 for a matrix of float64, little-endian, row by row.
var npyHeader = regexp.MustCompile(`^(?s:.)NUMPY\x01\x00(?s:..){'descr': '<f8', 'fortran_order': False, 'shape': \((\d+), (\d+)\), } *\n`)

func readNPY(text []byte, r *polydag.Result) (found, error) {
	m := npyHeader.FindSubmatch(text)
	if m == nil || text[0] != 0x93 || len(m[0]) != 10+int(binary.LittleEndian.Uint16(text[8:])) {
		return found{}, fmt.Errorf("header %.80q", text)
	}
	if len(m[0])%64 != 0 {
		return found{}, fmt.Errorf("the data begin at byte %d, not at a multiple of 64", len(m[0]))
	}
	d := len(r.Names)
	if side := strconv.Itoa(d); string(m[1]) != side || string(m[2]) != side || len(text) != len(m[0])+8*d*d {
		return found{}, fmt.Errorf("%s × %s in %d bytes for %d names", m[1], m[2], len(text)-len(m[0]), d)
	}
	values := make([]float64, d*d)
	if err := binary.Read(bytes.NewReader(text[len(m[0]):]), binary.LittleEndian, values); err != nil {
		return found{}, err
	}
	var f found
	for k, v := range values {
		if v != 0 {
			f.edges = append(f.edges, foundEdge{from: r.Names[k/d], to: r.Names[k%d], weight: &v})
		}
	}
	return f, nil
}

func readNodeLink(text []byte, _ *polydag.Result) (found, error) {
	var doc struct {
		Directed, Multigraph *bool
		Graph                *struct{}
		Nodes                []struct {
			ID           string
			Mean, Std    float64
			Residual     float64 `json:"residual_variance"`
			R2           float64
			Name, Source string
		}
		Edges []struct {
			Source, Target       string
			Weight, Standardized *float64
			Mark                 string
			Compelled            *bool
			Verdict              polydag.Verdict
			Confidence           float64
			PAdjacent            float64 `json:"p_adjacent"`
			PDirection           float64 `json:"p_direction"`
			Basis                string
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return found{}, err
	}
	if !*doc.Directed || *doc.Multigraph || doc.Graph == nil {
		return found{}, fmt.Errorf("not a directed simple graph")
	}
	var f found
	for _, n := range doc.Nodes {
		f.names = append(f.names, n.ID)
		f.nodes = append(f.nodes, polydag.Node{Name: n.ID, Mean: n.Mean, Std: n.Std, ResidualVariance: n.Residual, R2: n.R2})
	}
	for _, e := range doc.Edges {
		f.edges = append(f.edges, foundEdge{e.Source, e.Target, e.Weight, e.Standardized, e.Mark, e.Compelled, judged{e.Verdict, [3]float64{e.Confidence, e.PAdjacent, e.PDirection}, e.Basis}})
	}
	return f, nil
}

func readGraphML(text []byte, _ *polydag.Result) (found, error) {
	type datum struct {
		Key  string `xml:"key,attr"`
		Text string `xml:",chardata"`
	}
	var doc struct {
		XMLName xml.Name `xml:"http://graphml.graphdrawing.org/xmlns graphml"`
		Comment []byte   `xml:",comment"`
		Keys    []struct {
			ID   string `xml:"id,attr"`
			For  string `xml:"for,attr"`
			Type string `xml:"attr.type,attr"`
		} `xml:"key"`
		Graph struct {
			Default string `xml:"edgedefault,attr"`
			Nodes   []struct {
				ID   string  `xml:"id,attr"`
				Data []datum `xml:"data"`
			} `xml:"node"`
			Edges []struct {
				Source string  `xml:"source,attr"`
				Target string  `xml:"target,attr"`
				Data   []datum `xml:"data"`
			} `xml:"edge"`
		} `xml:"graph"`
	}
	if err := xml.Unmarshal(text, &doc); err != nil {
		return found{}, err
	}
	if doc.Graph.Default != "directed" {
		return found{}, fmt.Errorf("edges are %s", doc.Graph.Default)
	}
	types := map[string]string{}
	for _, k := range doc.Keys {
		types[k.For+" "+k.ID] = k.Type
	}
	names := aliasTable(text, `(?m)^<!-- (.*) -->$`)
	values := func(of string, data []datum) (map[string]string, error) {
		out := map[string]string{}
		for _, d := range data {
			if types[of+" "+d.Key] == "" {
				return nil, fmt.Errorf("no key %s for %s", d.Key, of)
			}
			out[d.Key] = d.Text
		}
		return out, nil
	}
	var f found
	for _, n := range doc.Graph.Nodes {
		v, err := values("node", n.Data)
		if err != nil {
			return f, err
		}
		f.names = append(f.names, names.of(n.ID))
		if len(v) > 0 {
			f.nodes = append(f.nodes, polydag.Node{Name: names.of(n.ID), Mean: *float(v["mean"]), Std: *float(v["std"]), ResidualVariance: *float(v["residual_variance"]), R2: *float(v["r2"])})
		}
	}
	for _, e := range doc.Graph.Edges {
		v, err := values("edge", e.Data)
		if err != nil {
			return f, err
		}
		f.edges = append(f.edges, foundEdge{names.of(e.Source), names.of(e.Target), float(v["weight"]), float(v["standardized"]), v["mark"], truth(v["compelled"]), judgedBy(func(name string) string { return v[name] })})
	}
	return f, nil
}

// table maps aliases back to names.
type table map[string]string

func (t table) of(alias string) string {
	if name, ok := t[alias]; ok {
		return name
	}
	return alias
}

// aliasTable reads the comments of a file: "alias" = "name".
func aliasTable(text []byte, comment string) table {
	t := table{}
	for _, m := range regexp.MustCompile(comment).FindAllSubmatch(text, -1) {
		var alias, name string
		dec := json.NewDecoder(bytes.NewReader(m[1]))
		if dec.Decode(&alias) != nil {
			continue // the line above the table
		}
		if json.Unmarshal(bytes.TrimPrefix(m[1][dec.InputOffset():], []byte(" = ")), &name) == nil {
			t[alias] = name
		}
	}
	return t
}

func readLavaan(text []byte, _ *polydag.Result) (found, error) {
	names := aliasTable(text, `(?m)^# (.*)$`)
	const id = `[A-Za-z.][A-Za-z0-9._]*`
	const term = `(?:start\([^()*]+\)\*)?` + id
	regression := regexp.MustCompile(`^(` + id + `) ~ (` + term + `(?: \+ ` + term + `)*)$`)
	lone := regexp.MustCompile(`^(` + id + `) ~~ (` + id + `)$`)
	reserved := regexp.MustCompile(`^(if|else|repeat|while|function|for|next|break|TRUE|FALSE|NULL|Inf|NaN|NA|NA_integer_|NA_real_|NA_complex_|NA_character_|in|efa|\.\.\.|\.\.[0-9]+|\.[0-9].*)$`)
	var f found
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		var lhs string
		var rhs []string
		if m := lone.FindStringSubmatch(line); m != nil && m[1] == m[2] {
			lhs = m[1]
		} else if m != nil {
			f.names = append(f.names, names.of(m[1]), names.of(m[2]))
			f.edges = append(f.edges, foundEdge{from: names.of(m[1]), to: names.of(m[2]), mark: "---"})
			continue
		} else if m := regression.FindStringSubmatch(line); m != nil {
			lhs, rhs = m[1], strings.Split(m[2], " + ")
		} else {
			return f, fmt.Errorf("not lavaan: %q", line)
		}
		weights := make([]*float64, len(rhs))
		for i, p := range rhs {
			if value, name, ok := strings.Cut(strings.TrimPrefix(p, "start("), ")*"); ok {
				w, err := strconv.ParseFloat(value, 64)
				if err != nil {
					return f, err
				}
				weights[i], rhs[i] = &w, name
			}
		}
		for _, name := range append(slices.Clone(rhs), lhs) {
			if reserved.MatchString(name) {
				return f, fmt.Errorf("%q is a word of R", name)
			}
			f.names = append(f.names, names.of(name))
		}
		for i, p := range rhs {
			f.edges = append(f.edges, foundEdge{from: names.of(p), to: names.of(lhs), weight: weights[i]})
		}
	}
	return f, nil
}

func readDagitty(text []byte, _ *polydag.Result) (found, error) {
	undirected := strings.Contains(string(text), `" -- "`)
	body, ok := strings.CutPrefix(string(text), map[bool]string{false: "dag {\n", true: "pdag {\n"}[undirected])
	body, end := strings.CutSuffix(body, "}\n")
	if !ok || !end {
		return found{}, fmt.Errorf("not dagitty")
	}
	line := regexp.MustCompile(`^"([^"]*)"(?: (->|--) "([^"]*)"(?: \[beta="([^"]*)"\])?)?\n$`)
	var f found
	for text := range strings.Lines(body) {
		m := line.FindStringSubmatch(text)
		if m == nil {
			return f, fmt.Errorf("not dagitty: %q", text)
		}
		from, err := url.PathUnescape(m[1])
		to, err2 := url.PathUnescape(m[3])
		if err != nil || err2 != nil {
			return f, errors.Join(err, err2)
		}
		if m[2] == "" {
			f.names = append(f.names, from)
			continue
		}
		f.edges = append(f.edges, foundEdge{from: from, to: to, standardized: float(m[4]), mark: map[string]string{"->": "-->", "--": "---"}[m[2]]})
	}
	return f, nil
}

// lavaanTokens splits a model in the order of lavaan's parser (0.6-17 and later): string literals, which end at
// a quote or a line end, then comments from # or ! to the line end, then operators, then names. It returns the
// names and operators of each nonempty line, or an error for the rest.
func lavaanTokens(text string) ([][]string, error) {
	text = regexp.MustCompile(`"[^"\n]*["\n]`).ReplaceAllStringFunc(text, func(s string) string {
		return strings.Repeat(" ", len(s)-1) + s[len(s)-1:]
	})
	text = strings.ReplaceAll(text, `"`, " ")
	text = regexp.MustCompile(`[#!].*`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`start\([^()]*\)\*`).ReplaceAllString(text, "")
	token := regexp.MustCompile(`^(=~|<~|~\*~|~~|~|==|<|>|:=|:|\||%|\+|[_.a-zA-Z][._a-zA-Z0-9]*)`)
	var lines [][]string
	for line := range strings.SplitSeq(text, "\n") {
		var list []string
		for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
			m := token.FindString(line)
			if m == "" {
				return nil, fmt.Errorf("unexpected character at %q", line)
			}
			list, line = append(list, m), line[len(m):]
		}
		if list != nil {
			lines = append(lines, list)
		}
	}
	return lines, nil
}

// modelString is the syntax of bnlearn's check.modelstring.
var modelString = regexp.MustCompile(`^(\[[^\[\]|:]+(\|[^\[\]|:]+(:[^\[\]|:]+)*)?\])+$`)

func readBnlearn(text []byte, _ *polydag.Result) (found, error) {
	line, ok := strings.CutSuffix(string(text), "\n")
	if !ok || strings.Contains(line, "\n") || !modelString.MatchString(line) {
		return found{}, fmt.Errorf("not a model string")
	}
	var f found
	for _, node := range strings.Split(strings.TrimSuffix(line, "]"), "]") {
		child, parents, some := strings.Cut(strings.TrimPrefix(node, "["), "|")
		child, err := url.PathUnescape(child)
		if err != nil {
			return f, err
		}
		f.names = append(f.names, child)
		if !some {
			continue
		}
		for _, p := range strings.Split(parents, ":") {
			if p, err = url.PathUnescape(p); err != nil {
				return f, err
			}
			f.edges = append(f.edges, foundEdge{from: p, to: child})
		}
	}
	return f, nil
}

var (
	mermaidNode = regexp.MustCompile(`^  n(\d+)\["([^"\\<>` + "`" + `|]*)"\]$`)
	mermaidEdge = regexp.MustCompile(`^  n(\d+) (-->|-\.->|-\.-|---|<-->|o--o|--o)(?:\|"([^"]*)"\|)? n(\d+)$`)
	mermaidLink = regexp.MustCompile(`^  linkStyle ([\d,]+) stroke:(#[0-9A-F]{6})$`)
	entity      = regexp.MustCompile(`#(\d+);`)
)

func readMermaid(text []byte, r *polydag.Result) (found, error) {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != "flowchart TD" {
		return found{}, fmt.Errorf("line 1 is %q", lines[0])
	}
	var f found
	styled := 0
	for _, line := range lines[1:] {
		if m := mermaidNode.FindStringSubmatch(line); m != nil && m[1] == strconv.Itoa(len(f.names)) {
			if regexp.MustCompile(`^(\d+\.|[-+*])[ \t]|  |^ | $|[*&:]`).MatchString(m[2]) {
				return f, fmt.Errorf("Markdown would not leave %q as it is", m[2])
			}
			f.names = append(f.names, entity.ReplaceAllStringFunc(m[2], func(s string) string {
				code, _ := strconv.Atoi(s[1 : len(s)-1])
				return string(rune(code))
			}))
		} else if m := mermaidEdge.FindStringSubmatch(line); m != nil {
			from, _ := strconv.Atoi(m[1])
			to, _ := strconv.Atoi(m[4])
			mark := map[string]string{"---": "---", "<-->": "<->", "o--o": "o-o", "--o": "o--", "-->": "-->", "-.->": "-->", "-.-": "---"}[m[2]]
			if m[2] == "--o" {
				from, to = to, from
			}
			if m[3] == "o#45;#62;" {
				mark = "o->"
			}
			if weak := r.Edges[len(f.edges)].Verdict == polydag.Weak; (mark == "-->" || mark == "---") && strings.Contains(m[2], ".") != weak {
				return f, fmt.Errorf("%q is drawn in the line of another verdict", line)
			}
			f.edges = append(f.edges, foundEdge{from: f.names[from], to: f.names[to], mark: mark})
		} else if m := mermaidLink.FindStringSubmatch(line); m != nil {
			for _, k := range strings.Split(m[1], ",") {
				i, _ := strconv.Atoi(k)
				if (m[2] == "#D55E00") != (r.Edges[i].Weight < 0) || (m[2] == "#5B636C") != (r.Edges[i].Mark != "-->") {
					return f, fmt.Errorf("edge %d has the colour of another", i)
				}
				styled++
			}
		} else {
			return f, fmt.Errorf("not Mermaid: %q", line)
		}
	}
	if styled != len(f.edges) {
		return f, fmt.Errorf("%d of %d edges have a colour", styled, len(f.edges))
	}
	return f, nil
}
