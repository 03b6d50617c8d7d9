package effect

import (
	"context"
	"errors"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
)

// A nil result, a table without moments and a nil context are errors, as they are for the functions of package polydag.
func TestNilArguments(t *testing.T) {
	table := must.Get(polydag.FromRows([]string{"a", "b"}, [][]float64{{1, 2}, {2, 5}, {3, 5}, {4, 9}, {6, 8}, {7, 15}}))
	res := must.Get(table.Learn(t.Context(), polydag.DefaultConfig(), polydag.Run{}))
	var none context.Context
	q := NewQuestion("a", "b")
	_, noResult := Ask(t.Context(), nil, table, q)
	_, noMoments := Ask(t.Context(), res, new(polydag.Table), q)
	_, noContext := Ask(none, res, table, q)
	for _, err := range []error{noResult, noMoments, noContext} {
		if !errors.Is(err, polydag.ErrNil) {
			t.Errorf("%v, want ErrNil", err)
		}
	}
}
