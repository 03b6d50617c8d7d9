package sample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/parallel"
	"github.com/polydag/polydag/internal/wire"
	"github.com/polydag/polydag/search"
)

// A Walk is one part of a chain. It is a plain value: any process with the same problem and settings computes
// the same Walked.
type Walk struct {
	// Chain is the index of the chain, which seeds it at its start.
	Chain int `json:"chain"`
	// From is the end of an earlier walk, Walked.To; nil starts the chain. If it is from another chain, the
	// random numbers continue as those of Chain.
	From []byte `json:"from,omitempty"`
	// Burn is the number of burn-in sweeps. Then Samples graphs are kept, one every Thin sweeps.
	Burn    int `json:"burn"`
	Samples int `json:"samples"`
	Thin    int `json:"thin"`
}

// Walked is the result of a Walk.
type Walked struct {
	// Graphs are the kept graphs, and LogW their log weights. There are fewer than requested if the context
	// ended.
	Graphs [][]graph.Edge
	LogW   []float64
	// Edge has in entry x·d + v the probability of x → v: the mean over all counted sweeps of its conditional
	// probability given the rest of the graph.
	Edge []float64
	// Moves is the number of proposed and Accepted of accepted moves. Full counts the variables with more
	// candidate parents than fit.
	Moves, Accepted, Full int
	// To is the final state of the chain.
	To []byte
}

// A Walker does walks, locally or remotely. Walk passes the result of walks[i] to each, in any order, one at a
// time. When ctx ends, it may pass incomplete walks and returns the context's error.
type Walker interface {
	Walk(ctx context.Context, walks []Walk, each func(i int, w *Walked)) error
}

// Sampler is a local Walker. It has the candidates of each variable and their tables, and is safe for
// concurrent use.
type Sampler struct {
	sp *space
	s  Settings
}

// NewSampler finds the candidates and computes the tables. It returns the error of a cancelled context.
func NewSampler(ctx context.Context, p Problem, s Settings) (*Sampler, error) {
	if err := validate(p, s); err != nil {
		return nil, err
	}
	sp, err := newSpace(ctx, p, s)
	return &Sampler{sp, s}, err
}

// Walk implements Walker on Settings.Threads goroutines.
func (m *Sampler) Walk(ctx context.Context, walks []Walk, each func(i int, w *Walked)) error {
	var one sync.Mutex
	faults := make([]error, len(walks))
	parallel.For(len(walks), m.s.Threads, func(i int) {
		w, err := m.One(ctx, walks[i])
		one.Lock()
		defer one.Unlock()
		if faults[i] = err; err == nil {
			each(i, w)
		}
	})
	for _, err := range faults {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Validate returns an error for an invalid walk or one with more graphs than Settings allow.
func (w Walk) Validate() error {
	if w.Chain < 0 || w.Burn < 0 || w.Samples < 1 || w.Samples > mostSamples || w.Thin < 1 || float64(w.Samples)*float64(w.Thin)+float64(w.Burn) > 1e12 {
		return fmt.Errorf("a walk of chain %d with %d sweeps, and %d graphs every %d sweeps: want numbers that are not negative, and 1 to %d graphs", w.Chain, w.Burn, w.Samples, w.Thin, int(mostSamples))
	}
	return nil
}

// Memory returns an upper bound of the memory of the graphs of a walk, in which every graph has all candidate
// parents and one more.
func (m *Sampler) Memory(w Walk) int64 {
	edges := 0
	for _, n := range m.sp.nodes {
		edges += len(n.candidates) + 1
	}
	const head, edge = 32, 16 // bytes of an empty graph with its weight, and of an edge
	return int64(min(w.Samples, mostSamples)) * int64(head+edge*edges)
}

// One does one walk. When ctx ends, it returns the partial walk; an error means that there is no result.
func (m *Sampler) One(ctx context.Context, w Walk) (*Walked, error) {
	if err := w.Validate(); err != nil {
		return nil, err
	}
	c, err := m.chain(ctx, w)
	if err != nil {
		return nil, err
	}
	d := len(m.sp.nodes)
	out := &Walked{Edge: make([]float64, d*d), Full: m.sp.full}
	if c.sweeps(ctx, w.Burn) {
		c.moves, c.accepted = 0, 0
		sweeps := 0
	walk:
		for len(out.Graphs) < w.Samples {
			for range w.Thin {
				if !c.sweeps(ctx, 1) {
					break walk
				}
				sweeps++
				c.condition(out.Edge)
			}
			g, logw := c.graph()
			out.Graphs, out.LogW = append(out.Graphs, g), append(out.LogW, logw)
		}
		for i := range out.Edge {
			out.Edge[i] /= float64(max(1, sweeps))
		}
	}
	out.Moves, out.Accepted, out.To = c.moves, c.accepted, c.state(w.Chain)
	return out, nil
}

// chain starts or resumes a chain.
func (m *Sampler) chain(ctx context.Context, w Walk) (*chain, error) {
	source := rand.NewPCG(m.s.Seed, uint64(w.Chain))
	if w.From != nil {
		return m.sp.restore(w, source)
	}
	order := m.sp.order
	if w.Chain%2 == 1 && !m.s.steady {
		var err error
		if order, err = m.sp.descend(ctx, m.sp.random(rand.New(source))); err != nil {
			return nil, err
		}
	}
	return newChain(m.sp.nodes, order, source), nil
}

// descend returns the order at the local optimum that a search reaches from another order.
func (sp *space) descend(ctx context.Context, from []int) ([]int, error) {
	how := search.DefaultSettings()
	how.First, how.Restarts, how.Exact = from, 0, 0
	found, err := search.Search(ctx, search.Problem{Score: sp.p.Score, Knowledge: sp.p.Knowledge}, how, nil)
	if err != nil {
		return nil, err
	}
	return topological(len(sp.nodes), found.Parents, sp.r.required), ctx.Err()
}

func (c *chain) sweeps(ctx context.Context, n int) bool {
	for range n {
		if ctx.Err() != nil {
			return false
		}
		c.sweep()
	}
	return true
}

// stateLayout is the format version of Walked.To.
const stateLayout = "polydag.chain/1"

// state encodes the chain, including the random state, after a walk of the chain with that index.
func (c *chain) state(number int) []byte {
	w := wire.NewWriter(stateLayout)
	w.Int(number)
	random, _ := c.source.MarshalBinary() // never fails
	w.Raw(random)
	wire.Ints(w, c.order)
	for _, s := range c.sets {
		w.Int(int(s.mask))
		w.Int(int(s.other))
	}
	return w.Seal()
}

// restore resumes a chain at the end of an earlier walk. It treats the bytes as untrusted.
func (sp *space) restore(w Walk, source *rand.PCG) (*chain, error) {
	r := wire.NewReader(stateLayout, w.From)
	number, random, order := r.Int(), r.Raw(), wire.ReadInts[int32](r, 0, len(sp.nodes))
	c := emptyChain(sp.nodes, source)
	if r.Err() == nil && number == w.Chain {
		if err := source.UnmarshalBinary(random); err != nil {
			r.Fail("its random numbers: %v", err)
		}
	} else {
		source.Seed(sp.seed, uint64(w.Thin)<<32+uint64(w.Chain)) // differs from the initial seed of the chain
	}
	if r.Err() == nil && len(order) != len(sp.nodes) {
		r.Fail("it has an order of %d variables, want %d", len(order), len(sp.nodes))
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	for v := range c.pos {
		c.pos[v] = -1
	}
	for i, v := range order {
		c.order[i], c.pos[v] = v, int32(i)
	}
	for v, n := range sp.nodes {
		if c.pos[v] < 0 {
			r.Fail("variable %d is not in its order", v)
			break
		}
		c.sets[v] = set{uint32(r.Between(0, 1<<len(n.candidates)-1)), int32(r.Between(-1, len(n.others)-1))}
		if r.Err() != nil {
			break
		}
		n.parents(c.sets[v], func(x int) {
			if c.pos[x] < 0 || c.pos[x] >= c.pos[v] {
				r.Fail("variable %d does not stand before %d, whose parent it is", x, v)
			}
		})
		if n.weight(c.sets[v]) < -1e300 {
			r.Fail("the parents of variable %d are not permitted", v)
		}
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	c.logq = c.extension()
	return c, nil
}
