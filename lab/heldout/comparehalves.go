package heldout

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/gpu/device"
	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/method/stage"
	"github.com/polydag/polydag/score"
)

// These are the reasons why no rows are held out.
var (
	errEnvironments = errors.New("rows in which something was set say nothing of what was set")
	errNoRows       = errors.New("there are no rows to be split: only moments are known, or values are missing and were not dropped with their rows")
)

// split draws both halves of every split. Halves 2k and 2k + 1 have no row in common.
func (c *contest) split(ctx context.Context, model score.Effects) ([]*half, error) {
	if c.table.Environments != nil {
		return nil, errEnvironments
	}
	return parallel.Within(ctx, grace, func() ([]*half, error) {
		from, err := c.table.Resampler(ctx, c.set.MostBytes)
		if errors.Is(err, polydag.ErrNotResampled) {
			err = errNoRows
		}
		if err != nil {
			return nil, err
		}
		draws := make([]*polydag.Table, 2*c.set.Splits)
		for k := range draws {
			if draws[k], err = drawHalf(ctx, from, c.base.Seed, k); err != nil {
				return nil, err
			}
		}
		out := make([]*half, len(draws))
		for k, fit := range draws {
			likely, err := NewLikelihood(ctx, model, c.table, fit, draws[k^1])
			if err != nil {
				return nil, err
			}
			out[k] = &half{fit, likely}
		}
		return out, nil
	})
}

// holdOut learns from each half and computes the likelihood of the other. over means that the run on the whole
// table reached the time limit.
func (c *contest) holdOut(ctx context.Context, e *Entry, cfg polydag.Config, over bool, tell func(CompareProgress)) {
	if len(c.halves) == 0 {
		return
	}
	if _, err := member(e.Result.Marked); errors.Is(err, errNoDAG) {
		e.NotHeldOut = err.Error()
		return
	}
	if over || ctx.Err() != nil {
		e.NotHeldOut = "the whole table took all of the time"
		return
	}
	bits, failed := c.learnHalves(ctx, cfg, tell)
	if ctx.Err() != nil {
		e.NotHeldOut = "interrupted"
		return
	}
	for k, err := range failed {
		if err != nil {
			e.NotHeldOut = fmt.Sprintf("half %d of split %d: %s", k%2+1, k/2+1, c.print(err))
			return
		}
	}
	mean := mean(bits)
	e.HeldOut, c.bits[e.Label] = &mean, bits
}

// learnHalves returns the bits per row of every held-out half, or the error; halves after the first error are
// omitted. On a device, a continuous method learns from all of them at the same time, as one batch.
func (c *contest) learnHalves(ctx context.Context, cfg polydag.Config, tell func(CompareProgress)) ([]float64, []error) {
	bits, failed := make([]float64, len(c.halves)), make([]error, len(c.halves))
	do := func(k, company int) {
		bits[k], failed[k] = c.half(ctx, c.halves[k], cfg, company, func(p stage.Progress) { tell(CompareProgress{Half: k + 1, Run: p}) })
	}
	if on := device.Of(ctx); on != nil && cfg.Method.Info().ManyOnDevice() && c.fit(cfg, len(c.halves)) == nil {
		on.Expect(len(c.halves))
		defer on.Expect(1)
		var all sync.WaitGroup
		for k := range c.halves {
			all.Go(func() { do(k, len(c.halves)) })
		}
		all.Wait()
		return bits, failed
	}
	for k := range c.halves {
		if do(k, 1); failed[k] != nil {
			break
		}
	}
	return bits, failed
}

// fit returns an error if there is not enough memory for the given number of concurrent runs.
func (c *contest) fit(cfg polydag.Config, runs int) error {
	if c.set.Fits == nil {
		return nil
	}
	return c.set.Fits(int64(runs) * cfg.Memory(c.table.Moments.N, c.table.Moments.Dim()))
}

// half returns the bits per row of the held-out rows.
func (c *contest) half(ctx context.Context, h *half, cfg polydag.Config, company int, observe func(stage.Progress)) (float64, error) {
	got := c.learn(ctx, h.fit, cfg, company, observe)
	switch {
	case got.over:
		return 0, errBudget
	case got.err != nil:
		return 0, got.err
	}
	g, err := member(got.res.Marked)
	if err != nil {
		return 0, err
	}
	return parallel.Within(ctx, grace, func() (float64, error) { return h.likely.finiteBits(ctx, g) })
}

// finish computes what depends on all methods: the deficits to the best, and the agreement.
func (c *contest) finish() {
	var best, held *Entry // the best entries
	for k := range c.out.Methods {
		e := &c.out.Methods[k]
		if e.Score != nil && (best == nil || *e.Score < *best.Score) {
			best = e
		}
		if e.HeldOut != nil && (held == nil || *e.HeldOut > *held.HeldOut) {
			held = e
		}
	}
	rows := float64(c.out.Rows)
	if t := c.out.Table.Groups; t != nil {
		rows = float64(t.EffectiveRows)
	}
	for k := range c.out.Methods {
		e := &c.out.Methods[k]
		if e.Score != nil {
			behind := score.Bits(*e.Score-*best.Score, rows)
			e.Behind = &behind
		}
		if e.HeldOut != nil {
			behind, err := *held.HeldOut-*e.HeldOut, standardError(c.bits[held.Label], c.bits[e.Label])
			e.HeldOutBehind, e.HeldOutError = &behind, &err
		}
	}
	c.out.Agreement = agreement(c.out.Graphs())
}

// Agreement is the pairwise agreement of methods. With E_i and E_j the edges of two methods,
//
//	agreement = 2·|common| / (|E_i| + |E_j|), and 1 where neither has an edge.
type Agreement struct {
	// Labels are the labels of the rows and columns.
	Labels []string `json:"labels"`
	// Skeleton counts pairs that are adjacent in both. Marks counts those with the same marks at both ends; for
	// DAGs, edges with the same direction.
	Skeleton [][]float64 `json:"skeleton"`
	Marks    [][]float64 `json:"marks"`
}

// agreement compares all graphs, in O(methods² · edges).
func agreement(entries []*Entry) *Agreement {
	if len(entries) < 2 {
		return nil
	}
	a := &Agreement{}
	for _, e := range entries {
		var skeleton, marks []float64
		for _, other := range entries {
			s, m := agree(e.Result.Marked, other.Result.Marked)
			skeleton, marks = append(skeleton, s), append(marks, m)
		}
		a.Labels = append(a.Labels, e.Label)
		a.Skeleton, a.Marks = append(a.Skeleton, skeleton), append(a.Marks, marks)
	}
	return a
}

// agree returns the agreement of two graphs on adjacencies and on marks.
func agree(a, b *graph.Mixed) (skeleton, marks float64) {
	edges := a.NumEdges() + b.NumEdges()
	if edges == 0 {
		return 1, 1
	}
	joined, same := 0, 0
	for _, e := range a.Edges() {
		other, found := b.Between(e.From, e.To)
		if !found {
			continue
		}
		joined++
		if other == e {
			same++
		}
	}
	return 2 * float64(joined) / float64(edges), 2 * float64(same) / float64(edges)
}
