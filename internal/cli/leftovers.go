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
	atomic  atomicfile.Files
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

// createFile makes a temporary file, as os.CreateTemp, for packages that remove theirs themselves, if they come to it.
func (l *leftovers) createFile(dir, pattern string) (*os.File, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return nil, errInterrupted
	}
	f, err := os.CreateTemp(dir, pattern)
	if err == nil {
		l.register(func() { os.Remove(f.Name()) })
	}
	return f, err
}

// placed notes that a file is in its place.
func (l *leftovers) placed(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.files, path) {
		l.files = append(l.files, path)
	}
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
	l.atomic.Discard()
	for _, undo := range l.undo {
		undo()
	}
	l.undo = nil
}
