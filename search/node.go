package search

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

// A node is a variable with a set of parents, the loss, the cost of each removal, and the candidate additions. It is a pure
// function of the problem and of (variable, sorted parents), computed in a fixed order of operations, so it does not depend on
// threads, and it never changes. (Links from a node to its neighbours were no faster than lookups and took half as much memory
// again.)
//
// Nodes are the bulk of the memory, millions at d = 10,000. They are stored in chunks of plain words without pointers, which the
// garbage collector does not scan:
//
//	word 0-1       loss
//	word 2-3       hash of the parent set
//	word 4, 5, 6   variable, number of parents k, number of candidates m
//	k words each   parents (ascending), drop key (float32; for a Score computed on demand)
//	m words each   candidates (ascending), key (float32)
//
// A candidate is a variable outside the set whose key exceeds the threshold of the smallest penalty in use.
type node []uint32

// nodeID is the place of a node in the cache; 0 means none.
type nodeID uint32

const (
	headerWords   = 8
	granuleWords  = 4 // a nodeID counts units of 16 bytes
	chunkGranules = 1 << 16
	chunkWords    = chunkGranules * granuleWords
	maxChunks     = 1 << 16 // a nodeID has 32 bits, which address 64 GiB
)

func (nd node) loss() float64      { return math.Float64frombits(uint64(nd[0]) | uint64(nd[1])<<32) }
func (nd node) hash() uint64       { return uint64(nd[2]) | uint64(nd[3])<<32 }
func (nd node) variable() int32    { return int32(nd[4]) }
func (nd node) degree() int        { return int(nd[5]) }
func (nd node) parents() []uint32  { return nd[headerWords : headerWords+nd[5]] }
func (nd node) drop(j int) float32 { return math.Float32frombits(nd[headerWords+nd[5]+uint32(j)]) }

// candidates returns the candidates and the bits of their keys. Keys are positive, so their
// bits compare like the keys.
func (nd node) candidates() (xs, keys []uint32) {
	a := headerWords + 2*nd[5]
	m := nd[6]
	return nd[a : a+m : a+m], nd[a+m : a+2*m : a+2*m]
}

// keyOf converts the bits returned by candidates to a key.
func keyOf(bits uint32) float32 { return math.Float32frombits(bits) }

// cache finds nodes by variable and parent set. Threads share it.
type cache struct {
	words  [][2]uint64 // Zobrist words of x as a parent and of x as the variable
	shards [256]shard

	mu     sync.Mutex
	chunks [maxChunks]*[chunkWords]uint32
	used   int
}

// shard is an open-addressing table, at most three quarters full.
type shard struct {
	mu    sync.Mutex
	keys  []uint64
	ids   []nodeID
	count int
	_     [64]byte // keeps the locks of two shards on different cache lines
}

func newCache(d int) *cache {
	c := &cache{words: make([][2]uint64, d)}
	// A constant seed: the words decide where nodes are stored, not their content.
	rng := rand.New(rand.NewPCG(0x6f72646572, 0x6e6f6465))
	for x := range c.words {
		c.words[x] = [2]uint64{rng.Uint64(), rng.Uint64()}
	}
	return c
}

// at returns the node of an id.
func (c *cache) at(id nodeID) node {
	return c.chunks[id/chunkGranules][id%chunkGranules*granuleWords:]
}

// bytes returns the memory that chunks take.
func (c *cache) bytes() int64 { return int64(c.used) * chunkWords * 4 }

// newChunk returns a chunk with undefined content, reused or new.
func (c *cache) newChunk() (int, *[chunkWords]uint32) {
	c.mu.Lock()
	i := c.used
	c.used++
	c.mu.Unlock()
	if c.chunks[i] == nil {
		c.chunks[i] = new([chunkWords]uint32)
	}
	return i, c.chunks[i]
}

// empty drops all nodes and keeps the memory for reuse. No other thread may use the cache meanwhile.
func (c *cache) empty() {
	c.used = 0
	for i := range c.shards {
		s := &c.shards[i]
		s.keys, s.ids, s.count = nil, nil, 0
	}
}

// find returns the node of (v, parents), or 0. The caller has locked s.
func (c *cache) find(s *shard, key uint64, v int32, parents []uint32) nodeID {
	if s.count == 0 {
		return 0
	}
	mask := uint64(len(s.keys) - 1)
	for i := key & mask; s.ids[i] != 0; i = (i + 1) & mask {
		if s.keys[i] == key && c.at(s.ids[i]).is(v, parents) {
			return s.ids[i]
		}
	}
	return 0
}

func (nd node) is(v int32, parents []uint32) bool {
	if nd.variable() != v || nd.degree() != len(parents) {
		return false
	}
	for j, p := range nd.parents() {
		if parents[j] != p {
			return false
		}
	}
	return true
}

// insert adds a new node. The caller has locked s.
func (s *shard) insert(key uint64, id nodeID) {
	if 4*(s.count+1) > 3*len(s.keys) {
		keys, ids := s.keys, s.ids
		size := max(16, 2*len(keys))
		s.keys, s.ids = make([]uint64, size), make([]nodeID, size)
		for i, old := range ids {
			if old != 0 {
				s.place(keys[i], old)
			}
		}
	}
	s.place(key, id)
	s.count++
}

func (s *shard) place(key uint64, id nodeID) {
	mask := uint64(len(s.keys) - 1)
	i := key & mask
	for s.ids[i] != 0 {
		i = (i + 1) & mask
	}
	s.keys[i], s.ids[i] = key, id
}

// arena is one worker's part of the newest chunk.
type arena struct {
	chunk *[chunkWords]uint32
	index int
	next  int // in granules
}

// alloc returns memory for a node. Only the newest can be released.
func (a *arena) alloc(c *cache, words int) (nodeID, node) {
	granules := (words + granuleWords - 1) / granuleWords
	if a.chunk == nil || a.next+granules > chunkGranules {
		a.index, a.chunk = c.newChunk()
		a.next = 0
		if a.index == 0 {
			a.next = 1 // id 0 is taken
		}
	}
	id := nodeID(a.index*chunkGranules + a.next)
	nd := node(a.chunk[a.next*granuleWords : a.next*granuleWords+words])
	a.next += granules
	return id, nd
}

func (a *arena) giveBack(id nodeID) {
	a.next = int(id) % chunkGranules
}

// get returns the node of (v, parents), and makes it if needed. hash is the exclusive or of the parents' words; parents is
// ascending and not kept.
func (w *worker) get(v int32, hash uint64, parents []uint32) nodeID {
	c := w.e.cache
	key := hash ^ c.words[v][1]
	s := &c.shards[key>>56]
	s.mu.Lock()
	id := c.find(s, key, v, parents)
	s.mu.Unlock()
	if id != 0 {
		return id
	}
	id = w.expand(v, hash, parents)
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := c.find(s, key, v, parents); other != 0 {
		w.arena.giveBack(id)
		return other
	}
	s.insert(key, id)
	return id
}

// add returns the node of nd's variable with the further parent x.
func (w *worker) add(nd node, x uint32) nodeID {
	ps := nd.parents()
	w.work += (len(ps) + 3) * (len(ps) + 3)
	at, _ := slices.BinarySearch(ps, x)
	w.set = append(append(append(w.set[:0], ps[:at]...), x), ps[at:]...)
	return w.get(nd.variable(), nd.hash()^w.e.cache.words[x][0], w.set)
}

// remove returns the node without parent j of nd.
func (w *worker) remove(nd node, j int) nodeID {
	ps := nd.parents()
	w.work += (len(ps) + 1) * (len(ps) + 1)
	w.set = append(append(w.set[:0], ps[:j]...), ps[j+1:]...)
	return w.get(nd.variable(), nd.hash()^w.e.cache.words[ps[j]][0], w.set)
}

// nodeOf returns the node of v with any parents, ascending.
func (w *worker) nodeOf(v int32, parents []uint32) nodeID {
	var hash uint64
	for _, p := range parents {
		hash ^= w.e.cache.words[p][0]
	}
	return w.get(v, hash, parents)
}

func unsigned(xs []int32) []uint32 {
	out := make([]uint32, len(xs))
	for i, x := range xs {
		out[i] = uint32(x)
	}
	return out
}
