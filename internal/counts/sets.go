package counts

import (
	"slices"
	"sync"
)

// BySet caches values by set of columns, for several goroutines. It has two generations; when the younger one is full, the older one
// is dropped. Most must be set before the first use.
type BySet[T any] struct {
	Most int // size of a generation

	mu           sync.Mutex
	young, elder map[uint64]setEntry[T]
	size         int // of young
}

type setEntry[T any] struct {
	set   []int
	size  int
	value T
}

// Get returns the value of an ascending set.
func (b *BySet[T]) Get(set []int) (value T, ok bool) {
	key := keyOf(set)
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.young[key]
	if !ok {
		if e, ok = b.elder[key]; ok && slices.Equal(e.set, set) {
			b.store(key, e)
		}
	}
	if !ok || !slices.Equal(e.set, set) {
		return value, false
	}
	return e.value, true
}

// Put stores the value of an ascending set, which must not change afterwards.
func (b *BySet[T]) Put(set []int, value T, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.store(keyOf(set), setEntry[T]{set, size, value})
}

// store puts an entry into the young generation. The caller holds the lock.
func (b *BySet[T]) store(key uint64, e setEntry[T]) {
	if b.young == nil || b.size > b.Most {
		b.young, b.elder, b.size = make(map[uint64]setEntry[T]), b.young, 0
	}
	b.young[key] = e
	b.size += e.size
}

// keyOf hashes a set of columns.
func keyOf(set []int) uint64 {
	h := uint64(len(set)+1) * 0x9e3779b97f4a7c15
	for _, v := range set {
		h = (h ^ uint64(v+1)) * 0x9e3779b97f4a7c15
		h ^= h >> 29
	}
	return h
}
