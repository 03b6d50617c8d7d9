package scores

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/polydag/polydag/internal/counts"
	"github.com/polydag/polydag/internal/must"
)

// A family in a table whose equal rows were joined has the configurations, in their order, and the counts of the one with all rows.
func TestFamilyOfJoinedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 2000
	levels := []int{2, 3, 2, 4}
	columns, joined := make([][]int, len(levels)), counts.NewJoiner(len(levels), n, false)
	for v, r := range levels {
		columns[v] = make([]int, n)
		for i := range n {
			columns[v][i] = min(rng.IntN(r), rng.IntN(r))
			joined.Columns[v] = append(joined.Columns[v], uint16(columns[v][i]))
		}
	}
	joined.Join()
	few, err := joined.Table(counts.Rows{})
	must.Succeed(t, err)
	all := must.Get(counts.New(columns, counts.Rows{}))
	if few.Rows() > 48 {
		t.Fatalf("%d rows differ", few.Rows())
	}
	for _, parents := range [][]int{nil, {1}, {2, 3}, {1, 2, 3}} {
		if got, want := familyOf(few, 0, parents), familyOf(all, 0, parents); !reflect.DeepEqual(got, want) {
			t.Errorf("parents %v: %v, want %v", parents, got, want)
		}
	}
}
