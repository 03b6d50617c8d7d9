package hub

import (
	"fmt"
	"strings"
	"sync/atomic"
)

// logger passes on warnings and errors of the server and ignores the rest.
type logger struct {
	to      func(string)
	starved atomic.Bool // the server has reported a full disk
}

func (l *logger) pass(format string, v []any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, "no space left on device") || strings.Contains(text, "out of resources") {
		l.starved.Store(true)
	}
	if l.to != nil {
		l.to(text)
	}
}

func (l *logger) Noticef(string, ...any)         {}
func (l *logger) Warnf(format string, v ...any)  { l.pass(format, v) }
func (l *logger) Fatalf(format string, v ...any) { l.pass(format, v) }
func (l *logger) Errorf(format string, v ...any) { l.pass(format, v) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
