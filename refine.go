package polydag

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/method"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

// refineRounds is how often the missing values are drawn again from the learned graph.
const refineRounds = 2

// learnIncomplete learns from a table with missing values. Linear models need only the moments. Under other models it alternates
// between learning a graph and drawing the missing values from that graph's own conditional distributions.
func (t *Table) learnIncomplete(ctx context.Context, cfg Config, how Run) (*Result, error) {
	if cfg.Method.Info().Needs == method.Moments {
		return t.learn(ctx, cfg, how)
	}
	at, rounds := t, refineRounds
	if t.bare {
		rounds = 1
	}
	var res *Result
	var err error
	if t.gaps.gaussian != nil {
		if res, err = t.learn(ctx, cfg, phased(t, cfg, how, 0)); err != nil || res.Model == "" || res.Model == score.LinearEffects {
			return res, err
		}
	} else {
		if at, err = t.oneCopy(ctx); err != nil {
			return nil, err
		}
		if res, err = at.learn(ctx, cfg, Run{}); err != nil {
			return res, err
		}
	}
	for k := range rounds {
		parents := parentsOf(res)
		if parents == nil || res.Status == method.Canceled {
			return t.learn(ctx, cfg, phased(t, cfg, how, 0))
		}
		last := k == rounds-1
		copies, run := 1, Run{}
		if last {
			copies, run = t.gaps.copies, phased(t, cfg, how, 1)
		}
		if at, err = t.refilled(ctx, parents, copies, t.bare || !last); err != nil {
			return nil, err
		}
		if res, err = at.learn(ctx, cfg, run); err != nil {
			return res, err
		}
	}
	return res, err
}

// parentsOf returns the parents of each column in a DAG that fits the result, or nil if there is none.
func parentsOf(res *Result) [][]int {
	g := res.Graph
	if res.Kind == graph.KindCPDAG {
		class, err := res.Marked.PDAG()
		if err != nil {
			return nil
		}
		if g, err = class.Extension(); err != nil {
			return nil
		}
	} else if res.Kind != graph.KindDAG || g == nil {
		return nil
	}
	if _, err := g.Order(); err != nil {
		return nil
	}
	parents := make([][]int, g.N())
	for v := range parents {
		parents[v] = slices.Clone(g.Parents(v))
	}
	return parents
}

// refilled returns a copy of the table whose rows are completed by a network with these parents. copies is the number of copies of each
// row.
func (t *Table) refilled(ctx context.Context, parents [][]int, copies int, bare bool) (*Table, error) {
	out, g := *t, *t.gaps
	out.gaps, out.bare, g.filled, g.copies = &g, bare, nil, copies
	if copies == 1 && !t.bare {
		g.information, g.share = float64(g.rows), nil // see oneCopy
	}
	return &out, out.completeBy(ctx, t.Moments.Names, parents)
}

// oneCopy returns the table with a single copy of each row that counts fully. A graph learned from it has more edges than one with
// the right weight, which serves to draw missing values: a relation that is not in the graph would be lost in the drawn values.
func (t *Table) oneCopy(ctx context.Context) (*Table, error) {
	out, g := *t, *t.gaps
	out.gaps, out.bare, g.copies = &g, true, 1
	g.information, g.share = float64(g.rows), nil
	if g.filled != nil {
		g.filled = g.filled[:g.rows*t.Moments.Dim()]
	}
	out.replay = func(ctx context.Context, each func([]float64, []int) error) error {
		return g.replay(ctx, t.Moments.Dim(), g.model, each)
	}
	return &out, out.sum(ctx, t.Moments.Names)
}

// A phaseStore is a Store for one of several runs that learn from the same incomplete table one after the other. A state is marked with
// its phase and its table. A run before the phase of the saved state is repeated and leaves that state alone.
type phaseStore struct {
	store stage.Store
	mark  []byte // of the table and the phase, which is the last byte
	later bool   // the saved state belongs to a later phase
}

// phased returns how with a store of its own for a phase.
func phased(t *Table, cfg Config, how Run, phase byte) Run {
	if how.Store == nil {
		return how
	}
	data, err := t.counted()
	if err != nil {
		return how // learn reports it
	}
	key, err := cfg.key(data, t)
	if err != nil {
		return how
	}
	sum := sha256.Sum256(append(key.Data[:], key.Settings...))
	how.Store = &phaseStore{store: how.Store, mark: append(append([]byte("phase"), sum[:]...), phase)}
	return how
}

// Save implements Checkpoint.
func (s *phaseStore) Save(state []byte) error {
	if s.later {
		return nil
	}
	return s.store.Save(append(slices.Clone(s.mark), state...))
}

// Load implements Checkpoint. It returns the state of another table as it is, which the run then refuses.
func (s *phaseStore) Load() ([]byte, error) {
	state, err := s.store.Load()
	if err != nil || state == nil || len(state) < len(s.mark) || !bytes.HasPrefix(state, s.mark[:5]) {
		return state, err
	}
	of, state := state[:len(s.mark)], state[len(s.mark):]
	own, phase := len(s.mark)-1, of[len(of)-1]
	if !bytes.Equal(of[:own], s.mark[:own]) || phase == s.mark[own] {
		return state, nil
	}
	s.later = phase > s.mark[own]
	return nil, nil
}
