//go:build !js

package files

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"sync"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// A stepLimit ends an SQLite statement after a number of virtual machine steps, or when a context is done. Without it, a view that
// never ends could not be stopped between two rows.
type stepLimit struct {
	id    uintptr
	most  int64 // 0 sets no limit
	mu    sync.Mutex
	ended func() error // error of the statement's context; nil before the first statement
	steps int64
	over  bool
}

// stepsBetween is the number of SQLite steps between two calls of the handler.
const stepsBetween = 10_000

// stepLimits has the limits by the number that SQLite passes to its handler.
var stepLimits struct {
	sync.Mutex
	last uintptr
	by   map[uintptr]*stepLimit
}

// onStep is the progress handler of every connection; a result other than 0 interrupts the statement.
func onStep(_ *libc.TLS, id uintptr) int32 {
	stepLimits.Lock()
	l := stepLimits.by[id]
	stepLimits.Unlock()
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps += stepsBetween; l.most > 0 && l.steps > l.most {
		l.over = true
	}
	if l.over || l.ended != nil && l.ended() != nil {
		return 1
	}
	return 0
}

// limitSteps sets the progress handler of a connection. The driver has no call for it, so limitSteps reads the database handle from
// the connection's fields. A test detects a driver version with other fields.
func limitSteps(c *sql.Conn, most int64) (*stepLimit, error) {
	l := &stepLimit{most: most}
	err := c.Raw(func(driverConn any) error {
		v := reflect.Indirect(reflect.ValueOf(driverConn))
		if v.Kind() != reflect.Struct {
			return fmt.Errorf("a connection of the driver is a %T", driverConn)
		}
		db, tls := v.FieldByName("db"), v.FieldByName("tls")
		if db.Kind() != reflect.Uintptr || tls.Kind() != reflect.Pointer || tls.Type() != reflect.TypeFor[*libc.TLS]() {
			return fmt.Errorf("a connection of the driver, %T, has no handle of the database", driverConn)
		}
		stepLimits.Lock()
		stepLimits.last++
		l.id = stepLimits.last
		if stepLimits.by == nil {
			stepLimits.by = map[uintptr]*stepLimit{}
		}
		stepLimits.by[l.id] = l
		stepLimits.Unlock()
		handler := onStep
		// The driver represents a C function as a pointer to a Go function.
		sqlite3.Xsqlite3_progress_handler((*libc.TLS)(tls.UnsafePointer()), uintptr(db.Uint()), stepsBetween, *(*uintptr)(unsafe.Pointer(&handler)), l.id)
		return nil
	})
	return l, err
}

// during ends the statement when ctx ends.
func (l *stepLimit) during(ctx context.Context) {
	if l != nil {
		l.mu.Lock()
		l.ended = ctx.Err
		l.mu.Unlock()
	}
}

// exceeded reports whether the limit ended a statement.
func (l *stepLimit) exceeded() bool {
	if l == nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

func (l *stepLimit) release() {
	if l != nil {
		stepLimits.Lock()
		delete(stepLimits.by, l.id)
		stepLimits.Unlock()
	}
}
