package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/confidence"
)

// KindReplicate is the kind of a unit that learns from one bootstrap sample.
const KindReplicate = "table.replicate/1"

// replicateBody is the body of a unit of KindReplicate.
type replicateBody struct {
	Table Files           `json:"table"`
	Unit  confidence.Unit `json:"unit"`
}

// Replicates is a confidence.Runner on any work.Runner. It ships the table once and makes one unit per
// bootstrap sample.
type Replicates struct {
	Runner work.Runner
	Title  string
	Paths  []string // the files of the table
	Read   Reading
}

// Run implements confidence.Runner. A failed unit ends the run with an error that names the unit.
func (r Replicates) Run(ctx context.Context, units []confidence.Unit, each func(confidence.Outcome)) error {
	if len(units) == 0 {
		return nil
	}
	job, err := oneTable(r.Title, r.Paths, r.Read, KindReplicate, len(units), func(t Files, i int) any { return replicateBody{t, units[i]} })
	if err != nil {
		return err
	}
	return r.Runner.Run(ctx, job, func(i int, text []byte) error {
		var out confidence.Outcome
		if err := json.Unmarshal(text, &out); err != nil {
			return fmt.Errorf("the outcome of unit %s: %w", job.Units[i].ID, err)
		}
		if out.Draw != units[i].Draw {
			return fmt.Errorf("the outcome of unit %s is that of another replicate", job.Units[i].ID)
		}
		each(out)
		return nil
	})
}

// ReplicateHandler does units of KindReplicate, whose plans name methods of the list. It caches the rows of the last table within the given memory; 0
// means no limit.
func ReplicateHandler(methods polydag.MethodList, memory int64) work.Handler {
	kept := &resamplers{memory: memory}
	return work.Handler{
		Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
			var b replicateBody
			if err := work.Strict(body, &b); err != nil {
				return nil, fmt.Errorf("not a replicate: %w", err)
			}
			if b.Unit.Plan == nil {
				return nil, errors.New("not a replicate: it has no plan")
			}
			b.Unit.Plan.Methods = methods
			from, err := kept.get(ctx, b.Table, in, b.Unit.Simulated)
			if err != nil {
				return nil, err
			}
			times := int64(1)
			if b.Unit.Simulated != nil {
				times = simulatedTimes
			}
			if err := kept.learns(b.Unit.Plan, from.Table(), times); err != nil {
				return nil, err
			}
			out, err := b.Unit.Do(ctx, from)
			if err != nil {
				return nil, err
			}
			return json.Marshal(out)
		},
	}
}

// resamplers caches the resampler of the last table and of the last table simulated like it, because the units
// of one job follow each other.
type resamplers struct {
	memory         int64
	mu             sync.Mutex
	key, likeKey   string
	from, fromLike *polydag.Resampler
}

// get reads a table, or simulates one like it if like is not nil, unless it is cached. Concurrent calls wait.
func (k *resamplers) get(ctx context.Context, t Files, in *work.Inputs, like *confidence.SimulatedTable) (*polydag.Resampler, error) {
	key, err := json.Marshal(t)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key != string(key) {
		var from *polydag.Resampler
		err = t.Prepare(ctx, in, k.memory, func(table *polydag.Table) error {
			if err := k.fits(table, 1); err != nil {
				return err
			}
			var err error
			from, err = table.Resampler(ctx, math.MaxInt64) // the files no longer exist when the rows are sampled
			return err
		})
		if err != nil {
			return nil, err
		}
		k.key, k.from, k.likeKey, k.fromLike = string(key), from, "", nil
	}
	if like == nil {
		return k.from, nil
	}
	name, err := json.Marshal(like)
	if err != nil {
		return nil, err
	}
	if k.likeKey != string(name) {
		if err := k.fits(k.from.Table(), simulatedTimes); err != nil {
			return nil, err
		}
		from, err := like.Resampler(ctx, k.from)
		if err != nil {
			return nil, err
		}
		k.likeKey, k.fromLike = string(name), from
	}
	return k.fromLike, nil
}

// simulatedTimes is the number of copies of the rows in memory while a similar table is simulated: two, and
// those of the simulated table.
const simulatedTimes = 4

// fits returns an error if the given number of copies of the rows exceeds the memory.
func (k *resamplers) fits(table *polydag.Table, times int64) error {
	return work.Fits("the rows", rowBytes(table, times), k.memory)
}

func rowBytes(table *polydag.Table, times int64) int64 {
	return 8 * times * int64(table.Moments.N) * int64(table.Moments.Dim())
}

// learns returns an error if a run of the plan and the rows exceed the memory, because the untrusted settings
// of the plan also determine it.
func (k *resamplers) learns(p *confidence.Plan, table *polydag.Table, times int64) error {
	cfg, err := p.Config()
	if err != nil {
		return err
	}
	return work.Fits("the run", cfg.Memory(table.Moments.N, table.Moments.Dim())+rowBytes(table, times), k.memory)
}
