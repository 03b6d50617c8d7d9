package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset/csv"
)

// A Format is a file format for results.
type Format struct {
	Name string
	// Extensions are the file extensions, in lower case and with the dot. The longest match decides, so
	// .adjacency.csv and .csv may belong to two formats.
	Extensions  []string
	Description string // one line, without a full stop
	// Marks means that the format supports edges of every mark, and Undirected that it supports directed and undirected edges. Other
	// formats hold DAGs. A format returns ErrNotDAG for a graph that it cannot hold.
	Marks, Undirected bool
	// Write renders a result. The same result gives the same bytes. Errors in the result are reported before
	// the first byte is written. Formats for other programs get the graph that the result states, see polydag.Result.Claimed, unless
	// they hold DAGs only.
	Write func(*polydag.Result) func(io.Writer) error

	plain func(*polydag.Result) func(io.Writer) error // renders a result as it is; nil if Write does
	dag   bool                                        // hand over the complete DAG
}

// handing returns the format with this way to render a result.
func (f Format) handing(plain func(*polydag.Result) func(io.Writer) error) Format {
	f.plain, f.Write = plain, func(r *polydag.Result) func(io.Writer) error { return plain(r.Claimed()) }
	if f.dag {
		f.Write = func(r *polydag.Result) func(io.Writer) error {
			return func(w io.Writer) error {
				if err := onlyDirected(r); err != nil {
					return err
				}
				return plain(r)(w)
			}
		}
	}
	return f
}

// DAGOnly reports whether the format holds DAGs only. It then gets the complete DAG, also directions that are not stated.
func (f Format) DAGOnly() bool { return !f.Marks && !f.Undirected }

// A Registry is a list of formats in display order. Callers append their own; of two with the same name or
// extension the first counts.
type Registry []Format

// Formats lists the formats of this package.
func Formats() Registry {
	const dags, undirected, marks = 0, 1, 2
	own := func(name string, extensions []string, description string, write func(*polydag.Result) func(io.Writer) error, holds int) Format {
		return Format{Name: name, Extensions: extensions, Description: description, Marks: holds == marks, Undirected: holds >= undirected, Write: write}
	}
	out := func(name string, extensions []string, description string, write func(*polydag.Result) func(io.Writer) error, holds int) Format {
		return own(name, extensions, description, nil, holds).handing(write)
	}
	return Registry{
		own("json", []string{".json"}, "the result itself, every field (docs/reference/result.md)", JSON, marks),
		out("edges", []string{".csv"}, "edge list: from, to, weight, standardized, mark, compelled, gain (score gain), verdict, confidence, p_adjacent, p_direction, basis", adjusted(edgesCSV), marks),
		out("adjacency", []string{".adjacency.csv", ".adj.csv"}, "matrix of weights with names, entry (i, j) is the edge i → j, NaN without a weight, twice NaN if undirected", adjusted(matrixCSV), undirected),
		out("npy", []string{".npy"}, "the same matrix for NumPy, float64, without names", npy, undirected),
		out("dot", []string{".dot", ".gv"}, "Graphviz", whole(dot), marks),
		out("graphml", []string{".graphml"}, "GraphML: networkx, igraph, Gephi, yEd, Cytoscape", whole(graphML), marks),
		out("node-link", []string{".nodelink.json", ".node-link.json"}, "node-link JSON of networkx", nodeLink, marks),
		out("lavaan", []string{".lav", ".lavaan"}, "model syntax of R's lavaan, coefficients as start values", whole(lavaan), undirected),
		out("dagitty", []string{".dagitty"}, "dagitty.net and R's dagitty, standardized coefficients as beta", whole(dagitty), undirected),
		own("bnlearn", []string{".bnlearn"}, "model string of R's bnlearn, for DAGs", whole(bnlearn), dags),
		out("mermaid", []string{".mmd", ".mermaid"}, "Mermaid flowchart, for Markdown", whole(mermaid), marks),
		own("methods", []string{".methods.txt"}, "how the graph was learned: a methods paragraph with references, for a paper", Methods, marks),
		own("text", []string{".txt"}, "for a person at a terminal", Text, marks),
	}
}

// adjusted returns the writer of CSV with names that no spreadsheet runs as a formula.
func adjusted(write func(*polydag.Result, func(string) string) func(io.Writer) error) func(*polydag.Result) func(io.Writer) error {
	return func(r *polydag.Result) func(io.Writer) error { return write(r, csv.Escape) }
}

// DAG returns the formats with the complete DAG of a result, also the directions that it does not state. A result of another kind is
// ErrNotDAG.
func (fs Registry) DAG() Registry {
	out := slices.Clone(fs)
	for i, f := range out {
		if f.plain != nil {
			f.dag = true
			out[i] = f.handing(f.plain)
		}
	}
	return out
}

// whole returns a writer of results that are rendered in memory first, so that nothing is written of a faulty one.
func whole(render func(*polydag.Result, *bytes.Buffer) error) func(*polydag.Result) func(io.Writer) error {
	return func(r *polydag.Result) func(io.Writer) error {
		return func(w io.Writer) error {
			var b bytes.Buffer
			if err := render(r, &b); err != nil {
				return err
			}
			_, err := b.WriteTo(w)
			return err
		}
	}
}

// Raw returns the formats with unchanged names in CSV, even if a spreadsheet would run them as formulas.
func (fs Registry) Raw() Registry {
	same := func(name string) string { return name }
	raw := slices.Clone(fs)
	for i, f := range raw {
		switch f.Name {
		case "edges":
			raw[i] = f.handing(func(r *polydag.Result) func(io.Writer) error { return edgesCSV(r, same) })
		case "adjacency":
			raw[i] = f.handing(func(r *polydag.Result) func(io.Writer) error { return matrixCSV(r, same) })
		}
	}
	return raw
}

// ErrDiscrete is returned by ForFile for formats that need probability tables, which no result has. polydag convert writes BIF with
// the table.
var ErrDiscrete = errors.New("a format for other networks")

// discreteOnly are extensions of formats for discrete Bayesian networks. A Gaussian model has no states and no
// probability tables.
var discreteOnly = map[string]string{
	".bif": "the interchange format BIF", ".xmlbif": "XMLBIF", ".xbif": "XMLBIF", ".xdsl": "GeNIe's XDSL",
	".dsc": "the format DSC", ".net": "Hugin's NET", ".uai": "the format UAI",
}

// ByName returns the format with this name, ignoring case.
func (fs Registry) ByName(name string) (Format, error) {
	for _, f := range fs {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
	}
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.Name
	}
	return Format{}, fmt.Errorf("there is no format %q; choose one of %s", name, strings.Join(names, ", "))
}

// ForFile returns the format for the extension of a file name.
func (fs Registry) ForFile(path string) (Format, error) {
	base := strings.ToLower(filepath.Base(path))
	best, longest := Format{}, ""
	var known []string
	for _, f := range fs {
		for _, ext := range f.Extensions {
			if strings.HasSuffix(base, ext) && len(ext) > len(longest) {
				best, longest = f, ext
			}
		}
		known = append(known, f.Extensions...)
	}
	if why := discreteOnly[filepath.Ext(base)]; longest == "" && why != "" {
		return Format{}, fmt.Errorf("%s: %w: %s wants a table of probabilities for every variable given all its parents, and no result has those; .bnlearn has the edges for R's bnlearn, .lav the coefficients of a linear model", path, ErrDiscrete, why)
	}
	if longest == "" {
		return Format{}, fmt.Errorf("the name %s tells no format; end it in one of %s", path, strings.Join(known, " "))
	}
	return best, nil
}
