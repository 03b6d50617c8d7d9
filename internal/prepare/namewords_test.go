package prepare

import (
	"slices"
	"testing"
)

func TestNameWords(t *testing.T) {
	for name, want := range map[string][]string{
		"PassengerId": {"passenger", "id"}, "passenger_id": {"passenger", "id"}, "patient.ID": {"patient", "id"}, "patientID": {"patient", "id"},
		"IDNumber": {"id", "number"}, "Unnamed: 0": {"unnamed", "0"}, "X": {"x"}, "aB": {"a", "b"}, "ABc": {"a", "bc"}, "ABC": {"abc"}, "--": nil, "Q1Sales": {"q1sales"},
	} {
		if got := nameWords(name); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
