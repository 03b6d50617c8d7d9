package serve

import (
	"crypto/rand"
	"os"
	"slices"
	"sync"
)

// keptTables is the number of checked tables that wait for a run; a further one replaces the oldest.
const keptTables = 4

// tables keeps the files of checked tables, so that a visitor sends a table once and can learn from it several times.
type tables struct {
	mu   sync.Mutex
	list []*table // oldest first
}

// A table is an uploaded file. It is removed when nothing uses it and it is not in the list.
type table struct {
	id, path, name string
	uses           int
	listed         bool
}

// add puts a table into the list and returns its name for later requests, which others cannot guess.
func (t *tables) add(n *table) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.listed {
		return n.id
	}
	n.id, n.listed = rand.Text(), true
	t.list = append(t.list, n)
	for len(t.list) > keptTables {
		t.forget(t.list[0])
	}
	return n.id
}

// use returns a table of the list, or nil. The caller releases it.
func (t *tables) use(id string) *table {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := slices.IndexFunc(t.list, func(n *table) bool { return n.id == id })
	if k < 0 {
		return nil
	}
	t.list[k].uses++
	return t.list[k]
}

// release ends one use of a table.
func (t *tables) release(n *table) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n.uses--; n.uses == 0 && !n.listed {
		os.Remove(n.path)
	}
}

// forget takes a table from the list. The caller holds the lock.
func (t *tables) forget(n *table) {
	t.list = slices.DeleteFunc(t.list, func(o *table) bool { return o == n })
	if n.listed = false; n.uses == 0 {
		os.Remove(n.path)
	}
}

// close empties the list.
func (t *tables) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.list) > 0 {
		t.forget(t.list[0])
	}
}
