//go:build !js

package files

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// TestStepLimit checks that the handler ends a statement without rows, and one that continues after its first
// row.
func TestStepLimit(t *testing.T) {
	ctx := context.Background()
	for _, where := range []string{"a < 0", "a = 1 OR a < 0"} {
		db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "t.db"))
		must.Succeed(t, err)
		s := &sqliteSource{file: "t.db", db: db}
		if s.conn, err = db.Conn(ctx); err != nil {
			t.Fatal(err)
		}
		if s.steps, err = limitSteps(s.conn, 100_000); err != nil {
			t.Fatal(err)
		}
		rows, err := s.conn.QueryContext(ctx, "WITH RECURSIVE t(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM t) SELECT a FROM t WHERE "+where)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if err == nil || !s.steps.exceeded() {
			t.Errorf("%s: %v", where, err)
		}
		s.Close()
	}
	if len(stepLimits.by) != 0 {
		t.Errorf("%d limits are left", len(stepLimits.by))
	}
}

// TestStepsEndWithTheContext checks that the handler interrupts a statement once its context has ended.
func TestStepsEndWithTheContext(t *testing.T) {
	l := &stepLimit{id: 1 << 40}
	stepLimits.Lock()
	if stepLimits.by == nil {
		stepLimits.by = map[uintptr]*stepLimit{}
	}
	stepLimits.by[l.id] = l
	stepLimits.Unlock()
	defer l.release()
	ctx, cancel := context.WithCancel(context.Background())
	l.during(ctx)
	if onStep(nil, l.id) != 0 || onStep(nil, l.id+1) != 0 {
		t.Error("a statement is interrupted for no reason")
	}
	cancel()
	if onStep(nil, l.id) == 0 || l.exceeded() {
		t.Error("a statement goes on after its context has ended, or counts as too long")
	}
}
