package hub

import "fmt"

// logger passes the server's warnings and errors on and leaves out the rest.
type logger struct{ to func(string) }

func (l logger) pass(format string, v []any) {
	if l.to != nil {
		l.to(fmt.Sprintf(format, v...))
	}
}

func (l logger) Noticef(string, ...any)         {}
func (l logger) Warnf(format string, v ...any)  { l.pass(format, v) }
func (l logger) Fatalf(format string, v ...any) { l.pass(format, v) }
func (l logger) Errorf(format string, v ...any) { l.pass(format, v) }
func (l logger) Debugf(string, ...any)          {}
func (l logger) Tracef(string, ...any)          {}
