package bif

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

func written() *Network {
	return &Network{Name: "a net", Variables: []Variable{
		{Name: "rain", Levels: []string{"no", "yes, much"}, Table: []float64{0.75, 0.25}},
		{Name: "wet grass", Levels: []string{"0", "1", "2.5"}, Parents: []int{0, 2}, Table: []float64{0.1, 0.2, 0.7, 1, 0, 0, 0.5, 0.25, 0.25, 1e-9, 0.5, 0.499999999}},
		{Name: "x/y", Levels: []string{"<5", ">=5"}, Parents: []int{0}, Table: []float64{0.5, 0.5, 0.125, 0.875}},
	}}
}

// What is written is read back with the same names, parents and probabilities.
func TestWriteReadsBack(t *testing.T) {
	var b bytes.Buffer
	must.Succeed(t, written().Write(&b))
	got, err := Read(&b)
	must.Succeed(t, err)
	for i, want := range written().Variables {
		v := got.Variables[i]
		if v.Name != want.Name || !slices.Equal(v.Levels, want.Levels) || !slices.Equal(v.Parents, want.Parents) || !slices.Equal(v.Table, want.Table) {
			t.Errorf("%+v, want %+v", v, want)
		}
	}
	bad := written()
	bad.Variables[0].Name = `a"b`
	if err := bad.Write(io.Discard); err == nil || !strings.Contains(err.Error(), "rename") {
		t.Errorf("a name with a quotation mark: %v", err)
	}
}
