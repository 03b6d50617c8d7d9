package polydag

import (
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/missing"
)

// Ten rows with as much information as six complete ones count 0.6 each, whatever the number of copies.
func TestEvidenceOfIncompleteRows(t *testing.T) {
	m := dataset.NewMoments([]string{"a", "b"})
	m.N = 50
	table := &Table{Moments: m, gaps: &missing.Completion{Rows: missing.Rows{N: 10, Copies: 5}, Information: 6}}
	if got, weight := table.evidenceMoments(); got.N != 10 || weight != 0.6 {
		t.Errorf("%d rows of weight %v, want 10 of weight 0.6", got.N, weight)
	}
}
