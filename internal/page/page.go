package page

import (
	"bytes"
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
	"github.com/polydag/polydag/internal/questions"
	"github.com/polydag/polydag/internal/sentence"
)

// schema is the version of the data format of a page.
const schema = "polydag.page/4"

// Input is the content of a page.
type Input struct {
	// Results are one or two results; two are compared. With Methods there may be any number over the same
	// columns, and any two can be compared.
	Results []Labelled
	// Methods is set if the results are those of several methods.
	Methods *Methods
	// Truth is the true graph, or nil. Every result must have its names.
	Truth *Truth
	// Sensitive names columns that are highlighted when the page opens.
	Sensitive []string
	// Pictures are images that show variables and edges, as package images/pictures makes them, or nil. Linked means that the page
	// refers to files instead of embedding them.
	Pictures any
	Linked   bool
	// Back adds a link to the list of pages on the same server.
	Back bool
}

// Labelled is a result with its label.
type Labelled struct {
	Label  string
	Result *polydag.Result
	// Effects are the effects of interventions, or nil. For a linear model the page computes them from the
	// weights and variances of the result. For a model with lags Write adds the responses over time, without
	// intervals.
	Effects *effect.Survey
}

// Truth is a true graph by names. It may have cycles.
type Truth struct{ Edges []polydag.Link }

// ErrInput is matched by the error for a truth or sensitive columns that no result has.
var ErrInput = errors.New("bad input")

// Write writes the page. It neither changes nor retains in.
func Write(ctx context.Context, w io.Writer, in Input) error {
	d, err := fill(ctx, in)
	if err != nil {
		return err
	}
	// Marshal escapes <, >, & and the line separators U+2028 and U+2029, so that no data can end its HTML
	// element.
	blob, err := json.Marshal(d)
	if err == nil {
		blob, err = pack(blob)
	}
	if err != nil {
		return err
	}
	head, tail, err := template()
	if err != nil {
		return err
	}
	if in.Linked {
		head = bytes.Replace(head, []byte(embeddedImages), []byte(linkedImages), 1)
	}
	for _, part := range [][]byte{head, blob, tail} {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Workbench writes the page without a result. It learns from tables by the routes of the server that it came from.
func Workbench(w io.Writer) error {
	head, tail, err := template()
	if err != nil {
		return err
	}
	for _, part := range [][2]string{{embeddedImages, "img-src 'self' data: blob:;"}, {"connect-src 'none';", "connect-src 'self';"}} {
		if !bytes.Contains(head, []byte(part[0])) {
			panic("page: the policy of page.html has no " + part[0])
		}
		head = bytes.Replace(head, []byte(part[0]), []byte(part[1]), 1)
	}
	_, err = w.Write(slices.Concat(head, []byte(serveMark), tail))
	return err
}

// serveMark stands in the place of the data of a page without a result.
const serveMark = `"polydag:serve"`

// embeddedImages is the part of the Content-Security-Policy of a page about images. linkedImages replaces it on a page
// with linked pictures: it also allows files beside the page, on disk or on the same server.
const (
	embeddedImages = "img-src data:;"
	linkedImages   = "img-src data: 'self' file:;"
)

// content is the data of a page; web/src/data.ts has the same types.
type content struct {
	Schema     string      `json:"schema"`
	Names      []string    `json:"names"`
	Results    []labelled  `json:"results"`
	Truth      *verdicts   `json:"truth,omitempty"`
	Comparison *comparison `json:"comparison,omitempty"`
	Methods    *Methods    `json:"methods,omitempty"`
	Pictures   any         `json:"pictures,omitempty"`
	Sensitive  []string    `json:"sensitive"`
	Caution    string      `json:"caution"`
	Back       bool        `json:"back,omitempty"`
	// Marks has a description of each edge mark.
	Marks map[string]string `json:"marks"`
}

type labelled struct {
	Label  string          `json:"label"`
	Result *polydag.Result `json:"result"`
	// Says describes the effect of each edge in sentences; absent if no edge has any.
	Says [][]string `json:"says,omitempty"`
	// Paragraph describes how the graph was learned, for a paper.
	Paragraph string `json:"paragraph"`
	// Effects are absent if they were not computed.
	Effects *effects `json:"effects,omitempty"`
	// Questions are those whose answers would settle most directions; absent on pages of several results.
	Questions []string `json:"questions,omitempty"`
}

// mostQuestions limits the questions on a page, and mostAsked the variables for which it has any: their choice takes
// time in proportion to the square of that number.
const mostQuestions, mostAsked = 3, 400

// ask returns the questions about a result, none if it does not record how it was learned.
func ask(r *polydag.Result) []string {
	if len(r.Names) > mostAsked {
		return nil
	}
	q, _, err := questions.About(r)
	if err != nil {
		return nil
	}
	var out []string
	for _, one := range q.List(mostQuestions).Questions {
		out = append(out, one.Text)
	}
	return out
}

// effectTexts describes the effects of the edges.
func effectTexts(r *polydag.Result) [][]string {
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
	if in.Sensitive == nil { // those that learn was given
		for _, r := range in.Results {
			in.Sensitive = append(in.Sensitive, r.Result.Table.Sensitive...)
		}
	}
	for _, name := range in.Sensitive {
		if _, ok := t.index[name]; !ok {
			return nil, fmt.Errorf("%w: sensitive %q is not a column of the result", ErrInput, name)
		}
	}
	d := &content{
		Schema: schema, Names: t.names, Results: []labelled{}, Sensitive: append([]string{}, in.Sensitive...),
		Methods: in.Methods, Pictures: in.Pictures, Caution: explain.Caution, Back: in.Back, Marks: map[string]string{},
	}
	for _, m := range graph.Symbols() {
		d.Marks[m] = graph.Words(m)
	}
	for _, r := range in.Results {
		survey := r.Effects
		if survey == nil && r.Result.Time != nil {
			survey, _ = effect.AskAll(ctx, r.Result, nil, effect.DefaultSurvey()) // without one, the page says that it has no responses
		}
		set, err := t.effects(survey)
		if err != nil {
			return nil, err
		}
		d.Results = append(d.Results, labelled{Label: r.Label, Result: slim(r.Result), Says: effectTexts(r.Result), Paragraph: sentence.Methods(r.Result), Effects: set})
	}
	if in.Truth != nil {
		if d.Truth, err = t.judge(in.Results, in.Truth); err != nil {
			return nil, err
		}
	}
	if len(in.Results) == 1 {
		d.Results[0].Questions = ask(in.Results[0].Result)
	}
	if len(in.Results) == 2 && in.Methods == nil {
		d.Comparison = t.compare()
	}
	return d, nil
}

// slim omits the graphs of the stages, which the page does not show.
func slim(r *polydag.Result) *polydag.Result {
	c := *r
	c.Stages = slices.Clone(r.Stages)
	for k := range c.Stages {
		c.Stages[k].Graph = nil
	}
	return &c
}
