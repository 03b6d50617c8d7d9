package edgelist

import (
	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/names"
)

// wanted are the names that the variables of a graph must have. Any names are right if names is nil.
type wanted struct {
	names  []string
	known  map[string]bool
	hidden bool // other variables are allowed besides
}

func wantedOf(names []string, hidden bool) wanted {
	w := wanted{names: names, known: make(map[string]bool, len(names)), hidden: hidden}
	for _, name := range names {
		w.known[name] = true
	}
	return w
}

// check compares the variables of a graph with the names. The error names the differences in both directions.
func (w wanted) check(file graphFile) error {
	if w.names == nil {
		return nil
	}
	met, line := map[string]bool{}, 0
	var other []string
	meet := func(name string, at int) {
		if !met[name] && !w.known[name] && name != "" {
			if len(other) == 0 {
				line = at
			}
			other = append(other, name)
		}
		met[name] = true
	}
	for k, e := range file.edges {
		meet(e.From, file.lines[k])
		meet(e.To, file.lines[k])
	}
	for _, name := range file.nodes {
		meet(name, 0)
	}
	var lacks []string
	for _, name := range w.names {
		if !met[name] {
			lacks = append(lacks, name)
		}
	}
	detail := ""
	if len(lacks) > 0 {
		detail = "the graph lacks " + names.List(lacks, 8)
	}
	switch {
	case len(other) > 0 && !w.hidden:
		also := "the graph alone has " + names.List(other, 8)
		if detail != "" {
			also += ", " + detail
		}
		return &dataset.ParseError{Line: line, Value: dataset.Excerpt([]byte(other[0])), Detail: also, Err: ErrUnknownName}
	case len(lacks) > 0 && file.nodes != nil:
		return &dataset.ParseError{Detail: detail, Err: ErrLacks}
	}
	return w.common(file.edges)
}

// common refuses a graph with edges of other variables only, if those may be hidden.
func (w wanted) common(edges []Edge) error {
	if !w.hidden || len(edges) == 0 {
		return nil
	}
	var other []string
	for _, e := range edges {
		if w.known[e.From] || w.known[e.To] {
			return nil
		}
		other = append(other, e.From, e.To)
	}
	return &dataset.ParseError{Detail: "the graph has " + names.List(other, 8) + ", the columns are " + names.List(w.names, 8), Err: ErrLacks}
}
