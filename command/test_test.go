package command

import (
	"strings"
	"testing"

	"github.com/polydag/polydag/command/internal/graphtest"
)

// TestAgainstRandom checks the conclusion on both sides of each limit, and that few random graphs are no evidence.
func TestAgainstRandom(t *testing.T) {
	for _, c := range []struct {
		graphs int
		better float64
		want   string
	}{{100, 0.04, "better than random graphs do."}, {100, 0.07, "may be chance."}, {10, 0, "may be chance."}, {100, 0.49, "may be chance."}, {100, 0.5, "no evidence for your graph."}} {
		if got := againstRandom(&graphtest.Random{Graphs: c.graphs, Better: c.better}); !strings.HasSuffix(got, c.want) {
			t.Errorf("%v of %d: %s", c.better, c.graphs, got)
		}
	}
}
