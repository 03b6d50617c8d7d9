package polydag

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/polydag/polydag/dag"
)

// ReadResult reads a result that was written as JSON, and rebuilds Graph from its edges. W stays nil.
func ReadResult(r io.Reader) (*Result, error) {
	var res Result
	if err := json.NewDecoder(r).Decode(&res); err != nil {
		return nil, fmt.Errorf("polydag: not a result: %w; expected what polydag learn --output writes", err)
	}
	if res.Schema != Schema {
		return nil, fmt.Errorf("polydag: the result has schema %q, this version reads %q; learn it again", res.Schema, Schema)
	}
	index := make(map[string]int, len(res.Names))
	for i, name := range res.Names {
		index[name] = i
	}
	res.Graph = dag.New(len(res.Names))
	for _, e := range res.Edges {
		i, okFrom := index[e.From]
		j, okTo := index[e.To]
		if !okFrom || !okTo {
			return nil, fmt.Errorf("polydag: the result has an edge %s → %s between names that it does not list", e.From, e.To)
		}
		res.Graph.AddEdge(i, j)
	}
	return &res, nil
}
