package network

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/method"
)

// Rows come with their environments and, of a table that is too long, every second one. A column is centred and, on the unit scale, scaled.
func TestReadEnvironments(t *testing.T) {
	values := []float64{1, 7, 2, 7, 3, 7, 6, 7}
	m, err := dataset.MomentsOf([]string{"a", "b"}, matrix.Of(4, 2, values), 1)
	must.Succeed(t, err)
	in := &method.Input{
		Moments: m, Rows: dataset.RowBatch{Values: values, Environments: []int{0, 1, 1, 0}}.Rows(2),
		Environments: &dataset.Environments{Names: []string{"x", "y"}, Targets: [][]int{nil, {1}}},
	}
	r, err := ReadEnvironments(t.Context(), in, 100)
	if err != nil || r.N != 4 || r.D != 2 || !slices.Equal(r.Environment, []int{0, 1, 1, 0}) || len(r.Targets) != 2 || r.Targets[1][0] != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if err := r.Standardize(0, "a", Raw); err != nil || r.Values[0] != -2 || r.Values[6] != 3 || r.Values[1] != 7 {
		t.Errorf("raw: %v, %v", r.Values, err)
	}
	if err := r.Standardize(0, "a", Unit); err != nil || !(math.Abs(r.Values[0]+2/math.Sqrt(3.5)) <= 1e-15) {
		t.Errorf("unit: %v, %v", r.Values, err)
	}
	if err := r.Standardize(1, "b", Unit); err == nil || !strings.Contains(err.Error(), "column b") {
		t.Errorf("a constant column: %v", err)
	}
	in.Environments.Unknown, in.Environments.Targets = true, nil
	if r, err = ReadEnvironments(t.Context(), in, 7); err != nil || !slices.Equal(r.Values, []float64{1, 7, 3, 7}) || !slices.Equal(r.Environment, []int{0, 1}) || len(r.Targets) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	in.Environments, in.Rows = nil, in.Rows.Pooled()
	if r, err = ReadEnvironments(t.Context(), in, 8); err != nil || r.N != 4 || slices.Max(r.Environment) != 0 || len(r.Targets) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	in.Rows = nil
	if _, err := ReadEnvironments(t.Context(), in, 8); err != method.ErrNoRows {
		t.Errorf("without rows: %v", err)
	}
}
