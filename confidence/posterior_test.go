package confidence_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/sample"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/trust"
)

// chainTable is a table of columns that each depend on the one before, and on another one here and there; as levels or as numbers.
func chainTable(t *testing.T, columns, rows int, levels bool, arrange func(columns int) []int) *polydag.Table {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	at := arrange(columns)
	var b bytes.Buffer
	for i, v := range at {
		fmt.Fprintf(&b, "%sc%d", strings.Repeat(",", min(i, 1)), v)
	}
	b.WriteByte('\n')
	for range rows {
		x := make([]float64, columns)
		for v := range x {
			x[v] = rng.NormFloat64()
			if v > 0 {
				x[v] += 0.8 * x[v-1]
			}
			if v > 3 && v%3 == 0 {
				x[v] -= 0.7 * x[v-3]
			}
		}
		for i, v := range at {
			text := fmt.Sprintf("%.4f", x[v])
			if levels {
				text = map[bool]string{true: "high", false: "low"}[x[v] > 0]
			}
			fmt.Fprintf(&b, "%s%s", strings.Repeat(",", min(i, 1)), text)
		}
		b.WriteByte('\n')
	}
	in := must.Get(files.Open("-", &b, files.DefaultSettings()))
	t.Cleanup(func() { _ = in.Close() })
	table := must.Get(polydag.Prepare(context.Background(), in, polydag.DefaultPreparation()))
	return table
}

func inOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func posterior(t *testing.T, table *polydag.Table, threads int, change func(*confidence.PosteriorSettings)) *polydag.Result {
	t.Helper()
	cfg := polydag.DefaultConfig()
	cfg.Threads = threads
	s := confidence.DefaultPosterior()
	s.Samples, s.Rounds = 40, 0
	if change != nil {
		change(&s)
	}
	res := must.Get(confidence.Posterior(context.Background(), table, cfg, s, polydag.Run{}))
	return res
}

// TestPosteriorIsExact compares edge probabilities with the exact posterior of the model's score, for any
// column order.
func TestPosteriorIsExact(t *testing.T) {
	for _, levels := range []bool{false, true} {
		table := chainTable(t, 6, 400, levels, inOrder)
		res := posterior(t, table, 2, nil)
		problem, at, err := table.Posterior(context.Background(), polydag.DefaultConfig(), res)
		must.Succeed(t, err)
		e := must.Get(sample.NewExact(context.Background(), sample.Problem(*problem), 1))
		want := must.Get(e.Edges(context.Background()))
		place := make(map[string]int)
		for i, v := range at {
			place[res.Names[v]] = i
		}
		if len(res.Edges) < 5 {
			t.Fatalf("%d edges", len(res.Edges))
		}
		for _, edge := range res.Edges {
			ahead, back := want.At(place[edge.From], place[edge.To]), want.At(place[edge.To], place[edge.From])
			if !(math.Abs(edge.PAdjacent-ahead-back) <= 1e-12) {
				t.Errorf("levels %v: %s and %s are adjacent with %v, want %v", levels, edge.From, edge.To, edge.PAdjacent, ahead+back)
			}
			for _, r := range edge.Evidence {
				if p := 1 / (1 + math.Exp(-r.LogOdds/r.Weight)); r.Source == trust.FromRows && !(math.Abs(p-ahead/(ahead+back)) <= 1e-12) {
					t.Errorf("levels %v: %s → %s has %v, want %v", levels, edge.From, edge.To, p, ahead/(ahead+back))
				}
			}
		}
		for _, pair := range res.Confidence.Pairs {
			i, j := place[pair.From], place[pair.To]
			if !(math.Abs(pair.Frequency-want.At(i, j)) <= 1e-12) || !(math.Abs(pair.Adjacency-want.At(i, j)-want.At(j, i)) <= 1e-12) {
				t.Errorf("levels %v: %+v, want a frequency of %v and an adjacency of %v", levels, pair, want.At(i, j), want.At(i, j)+want.At(j, i))
			}
		}
		p := res.Confidence.Posterior
		if fitted := math.Abs(p.EdgeOdds-1.0/6) > 1e-9; fitted == levels || !(p.EdgeOdds > 0 && p.EdgeOdds <= 1) {
			t.Errorf("levels %v: the odds of an edge are %v; they are fitted where effects are linear", levels, p.EdgeOdds)
		}
		if name := map[bool]string{false: "BGe", true: "BDeu"}[levels]; p == nil || !p.Exact || !p.Converged || p.Score != name {
			t.Errorf("%+v, want exact with %s", p, name)
		}
		turned := posterior(t, chainTable(t, 6, 400, levels, func(int) []int { return []int{3, 1, 5, 0, 4, 2} }), 1, nil)
		for _, pair := range res.Confidence.Pairs {
			for _, other := range turned.Confidence.Pairs {
				if pair.Link == other.Link && pair != other {
					t.Errorf("levels %v: %+v, and %+v with the columns in another order", levels, pair, other)
				}
			}
		}
	}
}

// TestPosteriorListsPaths checks that a pair whose edge is forbidden is listed if a path is probable. Of the three graphs of the class of a
// chain one has the path.
func TestPosteriorListsPaths(t *testing.T) {
	cfg, s := polydag.DefaultConfig(), confidence.DefaultPosterior()
	s.Samples, cfg.Knowledge = 40, knowledge.Spec{Forbid: []string{"c0->c2", "c2->c0"}}
	res := must.Get(confidence.Posterior(t.Context(), chainTable(t, 3, 400, false, inOrder), cfg, s, polydag.Run{}))
	for _, pair := range res.Confidence.Pairs {
		if pair.From == "c0" && pair.To == "c2" {
			if pair.Adjacency != 0 || math.Abs(pair.Ancestor-1.0/3) > 0.1 {
				t.Errorf("%+v", pair)
			}
			return
		}
	}
	t.Errorf("the path from c0 to c2 is not listed: %+v", res.Confidence.Pairs)
}

// TestPosteriorSampled checks that sampled posteriors have the same bytes on any number of threads, can be read
// again, and have a consensus.
func TestPosteriorSampled(t *testing.T) {
	table := chainTable(t, 13, 300, false, inOrder)
	var first []byte
	for _, threads := range []int{1, 3} {
		res := posterior(t, table, threads, func(s *confidence.PosteriorSettings) { s.Graph, s.Level = trust.ConsensusDAG, 0.5 })
		if p := res.Confidence.Posterior; p.Exact || p.Chains != 4 || p.Samples != 40 || p.RHat < 1 || p.Thin < 1 {
			t.Errorf("%+v", p)
		}
		res.Timing = polydag.Timing{}
		b := must.Get(json.Marshal(res))
		if first == nil {
			first = b
		} else if !bytes.Equal(first, b) {
			t.Error("another number of threads gives another result")
		}
		if _, err := polydag.ReadResult(bytes.NewReader(b)); err != nil {
			t.Error(err)
		}
	}
}

// TestPosteriorRefused checks that a model without a marginal likelihood is refused, with the way out.
func TestPosteriorRefused(t *testing.T) {
	cfg := polydag.DefaultConfig()
	m, err := polydag.FindMethod("order")
	must.Succeed(t, err)
	m.(*order.Method).Model = order.Smooth
	cfg.Method = m
	_, err = confidence.Posterior(context.Background(), chainTable(t, 4, 100, false, inOrder), cfg, confidence.DefaultPosterior(), polydag.Run{})
	if !errors.Is(err, polydag.ErrPosterior) || !strings.Contains(err.Error(), "smooth") || !strings.Contains(err.Error(), "bootstrap") {
		t.Errorf("smooth effects: %v", err)
	}
}

// TestPosteriorStopped checks that a run stopped during the chains has a graph and reports it.
func TestPosteriorStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	table := chainTable(t, 13, 300, false, inOrder)
	s := confidence.DefaultPosterior()
	s.Samples = 20 // too few to agree in the first round
	rounds := 0
	res, err := confidence.Posterior(ctx, table, polydag.DefaultConfig(), s, polydag.Run{Observe: func(p polydag.Progress) {
		if p.Stage == "posterior" {
			if rounds++; rounds == 2 {
				cancel()
			}
		}
	}})
	if errors.Is(err, context.Canceled) != (res.Status == method.Canceled) || res.Status != method.Canceled && rounds >= 2 && !res.Confidence.Posterior.Converged {
		t.Errorf("%v, %v", res, err)
	}
	if len(res.Edges) == 0 || res.Edges[0].Confidence == 0 {
		t.Error("there are no confidences")
	}
}
