package commands

import (
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/heldout"
)

// TestMethodsForATableWithoutTime checks that all methods but those for time series are compared, and that one of these is refused by name.
func TestMethodsForATableWithoutTime(t *testing.T) {
	table := must.Get(polydag.FromRows([]string{"a", "b"}, [][]float64{{1, 2}, {2, 1}, {3, 5}, {4, 3}}))
	for words, want := range map[string]bool{"all": true, "order, pcmci+": false, "order": true} {
		list := strings.Split(words, ", ")
		candidates := must.Get(heldout.Choose(list, polydag.DefaultConfig()))
		got, _, err := (&app{}).inTime(candidates, table, list)
		if (err == nil) != want {
			t.Errorf("%s: %v", words, err)
		}
		for _, c := range got {
			if c.Config.Method.Info().Time {
				t.Errorf("%s: %s is compared", words, c.Label)
			}
		}
	}
}
