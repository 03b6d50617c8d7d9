package command

import (
	"os"
	"slices"
	"sync"

	"github.com/polydag/polydag/internal/atomicfile"
)

// leftovers tracks the unfinished files of a command, which must be removed however it ends, and its finished
// files. The zero value is ready to use. After discard no file is created or renamed, so an abandoned command
// leaves nothing behind.
type leftovers struct {
	mu      sync.Mutex
	over    bool
	next    int
	undo    map[int]func()
	files   []string // finished files
	partial bool     // standard output has some output
	atomic  atomicfile.Files
}

// add registers a function that removes something unfinished. Call the returned function when it is finished.
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

// createFile creates a temporary file like os.CreateTemp, for packages that normally remove it themselves.
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

func (l *leftovers) placed(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.files, path) {
		l.files = append(l.files, path)
	}
}

// forget removes a file from the list of finished files, because it is not a result.
func (l *leftovers) forget(path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.files = slices.DeleteFunc(l.files, func(f string) bool { return f == path })
}

// printed records that standard output has some output.
func (l *leftovers) printed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial = true
}

// outcome returns the finished files, and whether standard output has some output.
func (l *leftovers) outcome() (files []string, partial bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.files), l.partial
}

// discard removes everything unfinished.
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
