package visible

import (
	"io"
	"os"
	"sync"
	"unicode/utf8"
)

// Writer is the stream that a person reads. Hidden characters of the text become escapes, except line breaks and tabs. Only Redraw
// sends a control sequence, its own. Several goroutines may use a Writer at the same time.
type Writer struct {
	w    io.Writer
	mu   sync.Mutex
	tail []byte // the beginning of a character that the next Write completes
	text []byte
}

// NewWriter returns a Writer to w, or w itself if it is one.
func NewWriter(w io.Writer) *Writer {
	if t, ok := w.(*Writer); ok {
		return t
	}
	return &Writer{w: w}
}

// Write writes text. It keeps an incomplete character for the next call.
func (t *Writer) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := p
	if len(t.tail) > 0 {
		all = append(t.tail, p...)
	}
	n := whole(all)
	t.text = appendText(t.text[:0], all[:n], true)
	t.tail = append([]byte(nil), all[n:]...)
	if _, err := t.w.Write(t.text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// whole returns the length of p without an incomplete character at its end.
func whole(p []byte) int {
	for k := len(p) - 1; k >= max(0, len(p)-utf8.UTFMax+1); k-- {
		if utf8.RuneStart(p[k]) {
			if !utf8.FullRune(p[k:]) {
				return k
			}
			break
		}
	}
	return len(p)
}

// eraseLine moves the cursor of a terminal to the start of its line and erases the line.
const eraseLine = "\r\x1b[K"

// Redraw replaces the current line of a terminal by text.
func (t *Writer) Redraw(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w.Write(append([]byte(eraseLine), Name(text)...))
}

// Exact returns the stream for a machine format, whose bytes must not change: the stream behind t, or t itself on a terminal.
func (t *Writer) Exact() io.Writer {
	if t.Terminal() {
		return t
	}
	return t.w
}

// File returns the file behind the stream, or nil.
func (t *Writer) File() *os.File {
	f, _ := t.w.(*os.File)
	return f
}

// Terminal reports whether the stream is a terminal.
func (t *Writer) Terminal() bool {
	f := t.File()
	if f == nil {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0
}
