package independence

import (
	"encoding/binary"
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// Cache caches the results of a test within bounded memory, and counts the calls. It never changes a result.
type Cache struct {
	test  Test
	most  int64 // bytes per generation of a shard
	asked *atomic.Int64
	parts *[shards]shard
	seed  maphash.Seed
	own   Test // test of a worker; nil otherwise
	key   []byte
	set   []int
}

const shards = 16

// shard is a part of the cache with its own lock. When the younger generation is full, the older one is dropped.
type shard struct {
	mu           sync.Mutex
	young, elder map[string]Result
	size         int64
}

// entryBytes is the approximate memory of a result besides its key.
const entryBytes = 96

// NewCache caches results of t in at most the given number of bytes; with 0 it only counts.
func NewCache(t Test, bytes int64) *Cache {
	return &Cache{test: t, most: bytes / 2 / shards, asked: new(atomic.Int64), parts: new([shards]shard), seed: maphash.MakeSeed()}
}

// Columns returns the number of columns.
func (c *Cache) Columns() int { return c.test.Columns() }

// Asked returns the number of tests requested from the cache and its workers.
func (c *Cache) Asked() int64 { return c.asked.Load() }

// Independent returns the cached result or runs the test.
func (c *Cache) Independent(x, y int, given []int) (Result, error) {
	return c.Worker().Independent(x, y, given)
}

// Worker returns the cache for one goroutine. All workers share the cached results.
func (c *Cache) Worker() Test {
	w := *c
	w.own, w.key, w.set = WorkerOf(c.test), nil, nil
	return &cacheWorker{&w}
}

type cacheWorker struct{ *Cache }

func (c *cacheWorker) Independent(x, y int, given []int) (Result, error) {
	c.asked.Add(1)
	if c.most <= 0 {
		return c.own.Independent(x, y, given)
	}
	x, y, set, err := arguments(c.Columns(), x, y, given, &c.set)
	if err != nil {
		return Result{}, err
	}
	c.key = binary.AppendUvarint(binary.AppendUvarint(c.key[:0], uint64(x)), uint64(y))
	for _, v := range set {
		c.key = binary.AppendUvarint(c.key, uint64(v))
	}
	s := &c.parts[maphash.Bytes(c.seed, c.key)%shards]
	if r, ok := s.get(c.key, c.most); ok {
		return r, nil
	}
	r, err := c.own.Independent(x, y, set)
	if err == nil {
		s.put(string(c.key), r, c.most)
	}
	return r, err
}

func (s *shard) get(key []byte, most int64) (Result, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r, ok := s.young[string(key)]; ok {
		return r, true
	}
	r, ok := s.elder[string(key)]
	if ok {
		s.store(string(key), r, most)
	}
	return r, ok
}

func (s *shard) put(key string, r Result, most int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(key, r, most)
}

// store puts a result into the younger generation. The caller has locked the shard.
func (s *shard) store(key string, r Result, most int64) {
	if s.young == nil || s.size > most {
		s.young, s.elder, s.size = map[string]Result{}, s.young, 0
	}
	s.young[key] = r
	s.size += entryBytes + int64(len(key))
}
