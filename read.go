package polydag

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/jsonlist"
	"github.com/polydag/polydag/internal/names"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/trust"
)

// Errors of ReadResult. Each says where the file is wrong and what to do.
var (
	ErrNotResult    = errors.New("not a result")                  // not JSON, or JSON of another form
	ErrResultSchema = errors.New("a result of another version")   // schema is not Schema
	ErrResultSize   = errors.New("too large for a result")        // more than MaxResultBytes
	ErrResultNames  = errors.New("the names are not right")       // no names, an empty or repeated name, or a name that is not listed
	ErrResultEdges  = errors.New("the edges are not right")       // a self-loop, a repeated edge, or a probability outside 0–1
	ErrResultCycle  = errors.New("the edges are not a DAG")       // the error has the cycle
	ErrResultKind   = errors.New("the graph is not of its kind")  // an unknown kind, or a mark that this kind of graph does not allow
	ErrResultProof  = errors.New("the certificate does not hold") // the certificate's order does not fit the edges
)

// MaxResultBytes limits the bytes that ReadResult reads. A result with half a million edges is smaller.
const MaxResultBytes = 128 << 20

// ReadResult reads a result from JSON and rebuilds Graph from its edges. W
// stays nil. The result has distinct names, edges between them that its kind allows, finite numbers, and a valid certificate
// if it has one. Other fields may be missing, and unknown fields are ignored. ReadResult reads to the end of r.
func ReadResult(r io.Reader) (*Result, error) {
	if r == nil {
		return nil, nilArgument("the reader", "pass an open file")
	}
	data, err := io.ReadAll(io.LimitReader(r, MaxResultBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	if len(data) > MaxResultBytes {
		return nil, fmt.Errorf("%w: more than %d MiB; name the JSON of a result", ErrResultSize, MaxResultBytes>>20)
	}
	res, err := decode(bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, err
	}
	if err := res.resolve(); err != nil {
		return nil, err
	}
	return res, nil
}

// decode parses the JSON and checks each part. It reads the lists element by element, so that a hostile file with millions
// of empty objects fails at the first one instead of exhausting memory.
func decode(data []byte) (*Result, error) {
	if !utf8.Valid(data) {
		return nil, notResult("it is not UTF-8 text")
	}
	var head struct {
		Schema *string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, notResult("%s", jsonlist.Explain(data, err))
	}
	switch {
	case head.Schema == nil:
		return nil, notResult("it has no schema")
	case *head.Schema != Schema:
		return nil, fmt.Errorf("%w: the result has schema %q, this version reads %q; learn it again", ErrResultSchema, *head.Schema, Schema)
	}
	res := new(Result)
	complete := func(e Edge) bool { return e.From != "" && e.To != "" && !math.IsNaN(e.Weight) }
	wire := struct {
		*plainResult
		Edges       jsonlist.List[Edge]             `json:"edges"`
		Lagged      jsonlist.List[Edge]             `json:"lagged"`
		Nodes       jsonlist.List[Node]             `json:"nodes"`
		Stages      jsonlist.List[Stage]            `json:"stages"`
		DataChecks  jsonlist.List[trust.Finding]    `json:"data_checks"`
		Trace       jsonlist.List[stage.Trace]      `json:"trace"`
		Choices     jsonlist.List[method.Choice]    `json:"choices"`
		Assumptions jsonlist.List[trust.Assumption] `json:"assumptions"`
	}{
		plainResult: (*plainResult)(res),
		Edges:       jsonlist.Need("edges", "from, to and weight", complete),
		Lagged:      jsonlist.Need("lagged", "from, to, weight and a lag of at least 1", func(e Edge) bool { return complete(e) && e.Lag > 0 }),
		Nodes:       jsonlist.Need("nodes", "name", func(n Node) bool { return n.Name != "" }),
		Stages:      jsonlist.Need("stages", "name", func(s Stage) bool { return s.Name != "" }),
		DataChecks:  jsonlist.Need("data_checks", "code", func(f trust.Finding) bool { return f.Code != "" }),
		Trace:       jsonlist.Need("trace", "stage", func(t stage.Trace) bool { return t.Stage != "" }),
		Choices:     jsonlist.Need("choices", "setting and chosen", func(c method.Choice) bool { return c.Setting != "" && c.Chosen != "" }),
		Assumptions: jsonlist.Need("assumptions", "name and a verdict: passed, fails, not_checked or untestable", judged),
	}
	noWeight := Edge{Weight: math.NaN()} // JSON has no NaN, so that it stays only where the weight is missing
	wire.Edges.Start, wire.Lagged.Start = noWeight, noWeight
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, notResult("%s", jsonlist.Explain(data, err))
	}
	if !wire.Edges.Seen {
		return nil, notResult("it has no edges, not even an empty list")
	}
	res.Edges, res.Lagged = wire.Edges.Items, wire.Lagged.Items
	res.Nodes, res.Stages, res.Choices = wire.Nodes.Items, wire.Stages.Items, wire.Choices.Items
	res.DataChecks, res.Trace, res.Assumptions = wire.DataChecks.Items, wire.Trace.Items, wire.Assumptions.Items
	return res, nil
}

// judged reports whether an assumption has a name and a known verdict.
func judged(a trust.Assumption) bool {
	return a.Name != "" && slices.Contains([]trust.CheckOutcome{trust.Passed, trust.Failed, trust.NotChecked, trust.Untestable}, a.Outcome)
}

func notResult(format string, args ...any) error {
	return fmt.Errorf("%w: %s; expected the JSON of a result", ErrNotResult, fmt.Sprintf(format, args...))
}

// plainResult is a Result without its methods. decode shadows its lists, and encoding/json fills the rest.
type plainResult Result

// resolve builds the graph from the names and checks the parts of the result against each other.
func (r *Result) resolve() error {
	index, err := r.index()
	if err != nil {
		return err
	}
	if !slices.Contains(graph.Kinds(), r.Kind) {
		return fmt.Errorf("%w: there is no kind %q; learn the result again", ErrResultKind, r.Kind)
	}
	r.Marked = graph.NewMixed(r.Kind, len(r.Names))
	var directed []Link
	for _, e := range r.Edges {
		from, to := index[e.From], index[e.To]
		if from == to {
			return fmt.Errorf("%w: %s points to itself; learn the result again", ErrResultEdges, e.From)
		}
		if there, twice := r.Marked.Between(from, to); twice && r.Kind == graph.KindDAG && there.AtFrom == graph.Arrow {
			return fmt.Errorf("%w: %s → %s → %s; learn the result again, its edges were changed", ErrResultCycle, e.From, e.To, e.From)
		} else if twice {
			return fmt.Errorf("%w: %s → %s is there twice; remove one", ErrResultEdges, e.From, e.To)
		}
		if err := e.Judgement.Check(); err != nil {
			return fmt.Errorf("%w: %s → %s: %w; learn the result again, it was changed", ErrResultEdges, e.From, e.To, err)
		}
		if e.Effect != nil {
			if err := e.Effect.Check(); err != nil {
				return fmt.Errorf("%w: %s → %s: %w; learn the result again, it was changed", ErrResultEdges, e.From, e.To, err)
			}
		}
		atFrom, atTo, err := graph.ParseSymbol(e.Mark)
		if err != nil {
			return fmt.Errorf("%w: the mark of %s and %s is %q; want -->, ---, <->, o->, o-- or o-o", ErrResultEdges, e.From, e.To, e.Mark)
		}
		r.Marked.Set(graph.MarkedEdge{Edge: graph.Edge{From: from, To: to}, AtFrom: atFrom, AtTo: atTo})
		if e.Directed() {
			directed = append(directed, e.Link)
		}
	}
	if err := r.checkLagged(); err != nil {
		return err
	}
	if err := trust.CheckPriors(r.Priors, index); err != nil {
		return fmt.Errorf("%w: %w; learn the result again", ErrResultEdges, err)
	}
	if r.Confidence != nil {
		if err := r.checkConfidence(index); err != nil {
			return err
		}
	}
	r.Graph = r.Marked.Directed()
	if err := r.Marked.Check(); err != nil {
		var cycle *graph.CycleError
		if errors.As(err, &cycle) {
			return fmt.Errorf("%w: %s; learn the result again, its edges were changed", ErrResultCycle, arrows(r.Names, cycle.Cycle))
		}
		return fmt.Errorf("%w: %w; learn the result again, its edges were changed", ErrResultKind, err)
	}
	if len(r.Certificate.Order) > 0 {
		if err := r.Certificate.Verify(r.Names, directed); err != nil {
			return fmt.Errorf("%w: %w; learn the result again, it was changed", ErrResultProof, err)
		}
	}
	return nil
}

// checkLagged checks the edges with a lag.
func (r *Result) checkLagged() error {
	seen := map[Link]bool{} // from the name of the earlier value
	for _, e := range r.Edges {
		if e.Lag != 0 {
			return fmt.Errorf("%w: %s → %s has lag %d; edges with a lag belong to lagged", ErrResultEdges, e.From, e.To, e.Lag)
		}
	}
	for _, e := range r.Lagged {
		k := Link{From: names.Lagged(e.From, e.Lag), To: e.To}
		switch err := e.Judgement.Check(); {
		case seen[k]:
			return fmt.Errorf("%w: %s → %s with lag %d is there twice; remove one", ErrResultEdges, e.From, e.To, e.Lag)
		case e.Mark != "-->":
			return fmt.Errorf("%w: the mark of %s and %s with lag %d is %q; want -->", ErrResultEdges, e.From, e.To, e.Lag, e.Mark)
		case r.Time == nil || e.Lag > r.Time.Lags:
			return fmt.Errorf("%w: %s → %s has lag %d, beyond the lags of the result; learn the result again", ErrResultEdges, e.From, e.To, e.Lag)
		case err != nil:
			return fmt.Errorf("%w: %s → %s with lag %d: %w; learn the result again, it was changed", ErrResultEdges, e.From, e.To, e.Lag, err)
		case e.Effect != nil && e.Effect.Check() != nil:
			return fmt.Errorf("%w: %s → %s with lag %d: %w; learn the result again, it was changed", ErrResultEdges, e.From, e.To, e.Lag, e.Effect.Check())
		}
		seen[k] = true
	}
	return nil
}

// index maps each name to its index and checks that every part of the result uses listed names only.
func (r *Result) index() (map[string]int, error) {
	fault := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrResultNames, fmt.Sprintf(format, args...))
	}
	if len(r.Names) == 0 {
		return nil, fault("there are none; learn the result again")
	}
	index := names.Index(r.Names)
	for i, name := range r.Names {
		if name == "" {
			return nil, fault("name %d is empty; give the column a name and learn again", i+1)
		}
		if j := index[name]; j != i {
			return nil, fault("%q is name %d and %d; rename a column and learn again", name, j+1, i+1)
		}
	}
	if r.Rows < 0 {
		return nil, notResult("rows is %d", r.Rows)
	}
	if len(r.Nodes) > 0 && len(r.Nodes) != len(r.Names) {
		return nil, fault("nodes has %d entries for %d names; learn the result again", len(r.Nodes), len(r.Names))
	}
	for i, n := range r.Nodes {
		if n.Name != r.Names[i] {
			return nil, fault("node %d is %q, its name %q; nodes stand in the order of names", i+1, n.Name, r.Names[i])
		}
	}
	used := func(what, from, to string) error {
		_, okFrom := index[from]
		_, okTo := index[to]
		if !okFrom || !okTo {
			return fault("%s has an edge %s → %s between names that the result does not list", what, from, to)
		}
		return nil
	}
	for _, e := range r.AllEdges() {
		if err := used("edges", e.From, e.To); err != nil {
			return nil, err
		}
	}
	if c := r.Continuous; c != nil {
		for _, e := range c.Thresholded {
			if err := used("continuous.thresholded", e.From, e.To); err != nil {
				return nil, err
			}
		}
		for _, e := range c.Cut {
			if err := used("continuous.cut", e.From, e.To); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range r.Stages {
		for _, e := range s.Graph {
			if err := used("stage "+s.Name, e.From, e.To); err != nil {
				return nil, err
			}
		}
	}
	return index, nil
}

// arrows formats a cycle by name, ending at its start.
func arrows(names []string, cycle []int) string {
	var b bytes.Buffer
	for _, v := range cycle {
		b.WriteString(names[v] + " → ")
	}
	return b.String() + names[cycle[0]]
}

// finite returns an error if the result contains a NaN or Inf.
func (r *Result) finite() error {
	check := func(what string, v float64) error {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s is %v; this is a bug, please report it with the data's moments", what, v)
		}
		return nil
	}
	for _, e := range r.AllEdges() {
		if err := check(fmt.Sprintf("the weight of %s → %s", e.From, e.To), e.Weight+e.Standardized+e.Gain); err != nil {
			return err
		}
		if e.Effect != nil {
			if err := e.Effect.Check(); err != nil {
				return fmt.Errorf("%s → %s: %w; this is a bug, please report it with the data's moments", e.From, e.To, err)
			}
		}
	}
	if b := r.Budget; b != nil {
		if err := check("the fit under the budget", b.Bits+b.AllBits+b.Share); err != nil {
			return err
		}
	}
	return check("the score", r.Score)
}
