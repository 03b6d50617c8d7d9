//go:build !js

package files

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
)

// TestStepLimit checks that the handler ends a statement without rows, and one that continues after its first
// row.
func TestStepLimit(t *testing.T) {
	ctx := context.Background()
	for _, where := range []string{"a < 0", "a = 1 OR a < 0"} {
		db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "t.db"))
		if err != nil {
			t.Fatal(err)
		}
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
