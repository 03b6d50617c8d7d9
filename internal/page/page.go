package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/effect"
	"github.com/polydag/polydag/explain"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/sentence"
)

// schema names the layout of the data in a page.
const schema = "polydag.page/3"

// Input is what a page shows.
type Input struct {
	// Results are one or two; two are compared. With Methods they are any number over the same columns, and any two can be compared.
	Results []Labelled
	// Methods is there where the results are those of several methods.
	Methods *Methods
	// Truth is the known graph, nil where there is none. Every result must have its names.
	Truth *Truth
	// Sensitive names columns that are marked when the page opens.
	Sensitive []string
	// Back says that the page is one of several under the same address: it has a link to the list of them.
	Back bool
}

// Labelled is a result and what to call it.
type Labelled struct {
	Label  string
	Result *polydag.Result
	// Effects is what setting one column does to another, nil where it was not asked. Under a linear model the page needs none: weights and
	// variances of the result say it.
	Effects *effect.Survey
}

// Truth is a known graph by names. It may have cycles.
type Truth struct{ Edges []polydag.Link }

// ErrInput marks an Input that cannot be shown because of what the caller named: a truth or sensitive columns that no result has.
var ErrInput = errors.New("bad input")

// Write lays out the graph and writes the page. It neither changes nor keeps in.
func Write(ctx context.Context, w io.Writer, in Input) error {
	d, err := fill(ctx, in)
	if err != nil {
		return err
	}
	// Marshal writes <, >, & and the line separators U+2028 and U+2029 as \u escapes: nothing in the data can end the element that
	// holds it.
	blob, err := json.Marshal(d)
	if err != nil {
		return err
	}
	head, tail, err := template()
	if err != nil {
		return err
	}
	for _, part := range [][]byte{head, blob, tail} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// content is the data of a page: web/src/data.ts is its twin.
type content struct {
	Schema     string      `json:"schema"`
	Names      []string    `json:"names"`
	Results    []labelled  `json:"results"`
	Drawings   []drawing   `json:"drawings"` // from few edges to all
	Open       int         `json:"open"`     // the one to begin with
	Truth      *verdicts   `json:"truth,omitempty"`
	Comparison *comparison `json:"comparison,omitempty"`
	Methods    *Methods    `json:"methods,omitempty"`
	Sensitive  []string    `json:"sensitive"`
	Caution    string      `json:"caution"`
	Back       bool        `json:"back,omitempty"`
	// Marks has words for each mark that an edge can have.
	Marks map[string]string `json:"marks"`
}

type labelled struct {
	Label  string          `json:"label"`
	Result *polydag.Result `json:"result"`
	// Says has for each edge what it does, in sentences; absent where no edge has any.
	Says [][]string `json:"says,omitempty"`
	// Effects are absent where it was not asked what setting columns does.
	Effects *effects `json:"effects,omitempty"`
}

// says words what the edges do.
func says(r *polydag.Result) [][]string {
	out, any := make([][]string, len(r.Edges)), false
	for k, e := range r.Edges {
		out[k] = append([]string{}, sentence.Effect(e)...)
		any = any || len(out[k]) > 0
	}
	if !any {
		return nil
	}
	return out
}

func fill(ctx context.Context, in Input) (*content, error) {
	if n := len(in.Results); n < 1 || n > 2 && in.Methods == nil {
		return nil, fmt.Errorf("%w: %d results, want one or two", ErrInput, n)
	}
	if in.Methods != nil {
		if err := in.Methods.check(len(in.Results)); err != nil {
			return nil, err
		}
	}
	t, err := newTable(in.Results)
	if err != nil {
		return nil, err
	}
	for _, name := range in.Sensitive {
		if _, ok := t.index[name]; !ok {
			return nil, fmt.Errorf("%w: sensitive %q is not a column of the result", ErrInput, name)
		}
	}
	d := &content{
		Schema: schema, Names: t.names, Results: []labelled{}, Sensitive: append([]string{}, in.Sensitive...),
		Methods: in.Methods, Caution: explain.Caution, Back: in.Back, Marks: map[string]string{},
	}
	for _, m := range graph.Symbols() {
		d.Marks[m] = graph.Words(m)
	}
	for _, r := range in.Results {
		set, err := t.effects(r.Effects)
		if err != nil {
			return nil, err
		}
		d.Results = append(d.Results, labelled{Label: r.Label, Result: slim(r.Result), Says: says(r.Result), Effects: set})
	}
	if in.Truth != nil {
		if d.Truth, err = t.judge(in.Results, in.Truth); err != nil {
			return nil, err
		}
	}
	if len(in.Results) == 2 && in.Methods == nil {
		d.Comparison = t.compare()
	}
	if err := d.draw(ctx, t, in.Truth); err != nil {
		return nil, err
	}
	return d, nil
}

// slim leaves out the graphs of the stages, which repeat the edges and are not shown.
func slim(r *polydag.Result) *polydag.Result {
	c := *r
	c.Stages = slices.Clone(r.Stages)
	for k := range c.Stages {
		c.Stages[k].Graph = nil
	}
	return &c
}
