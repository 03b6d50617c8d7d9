package basis_test

import (
	"testing"

	"github.com/polydag/polydag/internal/basis"
)

// TestExpandAll compares all rows at once with one row at a time. A column with one value has no functions.
func TestExpandAll(t *testing.T) {
	rows := []float64{1, 7, 0, 2, 7, 1, 4, 7, 2, 3, 7, 0, 9, 7, 1, 5, 7, 2}
	fit := basis.NewFit([]string{"a", "b", "c"}, []bool{false, false, true})
	if err := fit.Add(rows); err != nil {
		t.Fatal(err)
	}
	set := basis.DefaultSettings()
	set.Curves, set.Crossed = 2, 0
	f, err := fit.Functions(set)
	if err != nil {
		t.Fatal(err)
	}
	got, kept, err := f.ExpandAll(rows)
	if err != nil || len(kept) == 0 || len(got) != 6*len(kept) {
		t.Fatalf("%d values of %v, %v", len(got), kept, err)
	}
	start, one := f.Start(), make([]float64, f.Size())
	for i := range 6 {
		if err := f.Expand(one, rows[3*i:3*i+3]); err != nil {
			t.Fatal(err)
		}
		for k, of := range kept {
			if want := one[start[of.Column]+of.Function]; of.Column == 1 || got[i*len(kept)+k] != want {
				t.Errorf("row %d, function %v: %v, want %v", i, of, got[i*len(kept)+k], want)
			}
		}
	}
	if _, _, err := f.ExpandAll([]float64{1, 7, 5}); err == nil {
		t.Error("an unknown level was accepted")
	}
}
