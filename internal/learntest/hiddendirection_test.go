package learntest

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/trust"
)

// A directionSum counts stated directions, those whose first column does not cause the second, and probabilities by tenths.
type directionSum struct {
	stated, wrong   int
	edges, p, right [10]float64
}

func (s *directionSum) add(adjacent, direction float64, truth, causes bool) {
	if adjacent >= trust.StatedLevel && adjacent*direction >= trust.StatedLevel {
		s.stated++
		if !causes {
			s.wrong++
		}
	}
	if !truth {
		return
	}
	k := min(9, int(10*direction))
	s.edges[k]++
	s.p[k] += direction
	if causes {
		s.right[k]++
	}
}

// cells has the number of stated directions, the share of wrong ones and the calibration error of p_direction.
func (s *directionSum) cells() string {
	off, all := 0.0, 0.0
	for k := range s.edges {
		off, all = off+math.Abs(s.p[k]-s.right[k]), all+s.edges[k]
	}
	return fmt.Sprintf("%d | %.3f | %.3f", s.stated, float64(s.wrong)/float64(max(1, s.stated)), off/max(1, all))
}

// TestStudyHiddenDirections measures the probabilities of directions on tables with hidden causes: a direction is right if the first
// column is a cause of the second, directly or not. The calibration is that of edges between columns that no set separates.
// The first figures are without the evidence about hidden causes. docs/evidence/classical.md has them. POLYDAG_STUDY is the first
// seed and POLYDAG_TABLES the number of tables per row.
func TestStudyHiddenDirections(t *testing.T) {
	first, err := strconv.Atoi(os.Getenv("POLYDAG_STUDY"))
	if err != nil {
		t.Skip("it takes minutes: set POLYDAG_STUDY to a first seed, such as 380000")
	}
	tables := 20
	if n, err := strconv.Atoi(os.Getenv("POLYDAG_TABLES")); err == nil {
		tables = n
	}
	t.Log("\n| hidden | rows | stated before | wrong | error | stated | wrong | error |\n|---|---|---|---|---|---|---|---|")
	for _, causes := range []int{0, 3, 6} {
		for _, n := range []int{300, 1000, 5000} {
			var before, after directionSum
			for k := range 2 * tables {
				h := hiddenCauses(t, uint64(first+k), 20, causes, n, float64(1+k%2))
				table, err := polydag.Prepare(context.Background(), h.columns, polydag.DefaultPreparation())
				if err != nil {
					t.Fatal(err)
				}
				cfg := polydag.DefaultConfig()
				cfg.Threads = 1
				res, err := table.Learn(context.Background(), cfg, polydag.Run{})
				if err != nil {
					t.Fatal(err)
				}
				at := map[string]int{}
				for v, name := range res.Names {
					at[name] = v
				}
				for _, e := range res.Edges {
					i, j := at[e.From], at[e.To]
					adjacent, right := h.truth.Adjacent(i, j), h.full.HasPath(i, j)
					after.add(e.PAdjacent, e.PDirection, adjacent, right)
					before.add(e.PAdjacent, e.PDirection/(e.PDirection+e.PReverse()), adjacent, right)
				}
			}
			fmt.Printf("| %d | %d | %s | %s |\n", causes, n, before.cells(), after.cells())
		}
	}
}
