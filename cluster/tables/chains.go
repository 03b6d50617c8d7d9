package tables

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/cluster/work"
	"github.com/polydag/polydag/confidence"
)

// KindWalk is the kind of a unit that does one walk of an MCMC chain over the graphs of a posterior. Its
// outcome is that of confidence.Sampler.Walk.
const KindWalk = "table.walk/1"

// walkBody is the body of a unit of KindWalk.
type walkBody struct {
	Table  Files              `json:"table"`
	Chains *confidence.Chains `json:"chains"`
	Walk   confidence.Walk    `json:"walk"`
}

// Chains is a confidence.Walker on any work.Runner. It ships the table once and makes one unit per walk. A
// round of walks is a job.
type Chains struct {
	Runner work.Runner
	Title  string
	Paths  []string // the files of the table
	Read   Reading
}

// Walk implements confidence.Walker. A failed unit ends it with an error that names the unit.
func (c Chains) Walk(ctx context.Context, of *confidence.Chains, walks []confidence.Walk, each func(i int, outcome []byte) error) error {
	job, err := oneTable(c.Title, c.Paths, c.Read, KindWalk, len(walks), func(t Files, i int) any { return walkBody{t, of, walks[i]} })
	if err != nil {
		return err
	}
	return c.Runner.Run(ctx, job, func(i int, b []byte) error {
		if err := each(i, b); err != nil {
			return fmt.Errorf("the outcome of unit %s: %w", job.Units[i].ID, err)
		}
		return nil
	})
}

// WalkHandler does units of KindWalk, whose plans name methods of the list. It caches the weight tables of the last posterior within the given
// memory; 0 means no limit.
func WalkHandler(methods polydag.MethodList, memory int64) work.Handler {
	kept := &samplers{memory: memory}
	return work.Handler{Do: func(ctx context.Context, body json.RawMessage, in *work.Inputs) ([]byte, error) {
		var b walkBody
		if err := work.Strict(body, &b); err != nil {
			return nil, fmt.Errorf("not a walk: %w", err)
		}
		if b.Chains == nil {
			return nil, errors.New("not a walk: it does not say of which chains")
		}
		if b.Chains.Plan != nil {
			b.Chains.Plan.Methods = methods
		}
		if err := b.Walk.Validate(); err != nil {
			return nil, fmt.Errorf("not a walk: %w", err)
		}
		s, tables, err := kept.get(ctx, b, in)
		if err != nil {
			return nil, err
		}
		if err := work.Fits("the tables and the graphs of the walk", tables+s.Memory(b.Walk), memory); err != nil {
			return nil, err
		}
		return s.Walk(ctx, b.Walk)
	}}
}

// samplers caches the sampler of the last posterior.
type samplers struct {
	memory int64
	mu     sync.Mutex
	key    string
	s      *confidence.Sampler
	need   int64 // bytes of its tables
}

// get returns the sampler of a posterior and the size of its tables. It creates the sampler unless it is
// cached; concurrent calls wait.
func (k *samplers) get(ctx context.Context, b walkBody, in *work.Inputs) (*confidence.Sampler, int64, error) {
	b.Walk = confidence.Walk{}
	key, err := json.Marshal(b)
	if err != nil {
		return nil, 0, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key == string(key) {
		return k.s, k.need, nil
	}
	k.key, k.s = "", nil // two at a time would need too much memory
	var s *confidence.Sampler
	var need int64
	err = b.Table.Prepare(ctx, in, k.memory, func(table *polydag.Table) error {
		need = confidence.PosteriorMemory(table.Moments.N, table.Moments.Dim())
		err := work.Fits("the tables of the chains", need, k.memory)
		if err != nil {
			return err
		}
		s, err = b.Chains.Sampler(ctx, table)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	k.key, k.s, k.need = string(key), s, need
	return s, need, nil
}
