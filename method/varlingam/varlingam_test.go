package varlingam

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
	"github.com/polydag/polydag/lab/sim/inputtest"
	"github.com/polydag/polydag/matrix"
)

// TestOrderOfThePresent: past values come first, then a before b, as the noise identifies, unless an edge from b to a is required.
func TestOrderOfThePresent(t *testing.T) {
	rng, x := rand.New(rand.NewPCG(1, 1)), matrix.New[float64](2000, 4)
	for i := range x.Rows {
		past, a := rng.ExpFloat64(), rng.ExpFloat64()
		copy(x.Row(i), []float64{a + past, a + past + rng.ExpFloat64(), past, rng.ExpFloat64()})
	}
	columns := []string{"a", "b", "a(t-1)", "b(t-1)"}
	for want, required := range map[string][]string{"[2 3 0 1]": nil, "[2 3 1 0]": {"b->a"}} {
		in := inputtest.Known(t, inputtest.Of(t, columns, x), knowledge.Spec{Inputs: columns[2:], Require: required})
		in.Threads, in.Sample = 1, &dataset.Sample{Columns: 4, Values: x.Data, Index: make([]int, x.Rows)}
		order := must.Get(New().order(t.Context(), in, in.Moments.Correlation()))
		must.Same(t, fmt.Sprint(order), want, required)
	}
}
