package cli

import (
	"os"
	"slices"
	"sync"

	"github.com/polydag/polydag/internal/atomicfile"
)

// leftovers are what a command must not leave behind however it ends, and what it has finished. The zero value is ready to use.
// After discard nothing is begun or put in its place any more, so that a command which was left where it is cannot leave
// anything either.
type leftovers struct {
	mu      sync.Mutex
	over    bool
	next    int
	undo    map[int]func()
	files   []string // that are in their place
	partial bool     // something went to standard output
}

// add registers what takes something unfinished away. The function that it returns is for whoever finished it.
func (l *leftovers) add(undo func()) (finished func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.register(undo)
}

func (l *leftovers) register(undo func()) (finished func()) {
	if l.undo == nil {
		l.undo = map[int]func(){}
	}
	l.next++
	id := l.next
	l.undo[id] = undo
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.undo, id)
	}
}

// temporary is a file that is not in its place yet.
type temporary struct {
	*atomicfile.File
	path     string
	left     *leftovers
	finished func()
}

// create makes a file for path, which gets its name when it is whole.
func (l *leftovers) create(path string) (*temporary, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, errInterrupted
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return &temporary{f, path, l, l.register(f.Discard)}, nil
}

// createFile makes a file as os.CreateTemp does, for packages that remove their temporary files themselves, if they come to it.
func (l *leftovers) createFile(dir, pattern string) (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, errInterrupted
	}
	f, err := os.CreateTemp(dir, pattern)
	if err != nil {
		return nil, err
	}
	l.register(func() { os.Remove(f.Name()) })
	return f, nil
}

// place gives the file its name.
func (t *temporary) place() error {
	t.left.mu.Lock()
	defer t.left.mu.Unlock()
	if t.left.over {
		return errInterrupted
	}
	if err := t.Place(); err != nil {
		return err
	}
	if !slices.Contains(t.left.files, t.path) {
		t.left.files = append(t.left.files, t.path)
	}
	return nil
}

// remove takes the file away; one that is in its place stays.
func (t *temporary) remove() {
	t.Discard()
	t.finished()
}

// forget takes a file from the list of those that are finished: it is none of the results.
func (l *leftovers) forget(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = slices.DeleteFunc(l.files, func(f string) bool { return f == path })
}

// printed notes that something went to standard output.
func (l *leftovers) printed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = true
}

// outcome returns the files that are in their place, and whether something went to standard output.
func (l *leftovers) outcome() (files []string, partial bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.files), l.partial
}

// discard takes away all that is unfinished.
func (l *leftovers) discard() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	for _, undo := range l.undo {
		undo()
	}
	l.undo = nil
}
