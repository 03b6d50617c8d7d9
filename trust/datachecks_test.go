package trust

import (
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
)

// TestColumnsOfAnExamination checks which columns are excluded, listed and varying.
func TestColumnsOfAnExamination(t *testing.T) {
	m := tabulated(t, []string{"a", "b", "c", "e"}, 6, func(i int) []float64 { return []float64{float64(i), float64(i % 2), 3, float64(i * i)} })
	m.Min[3], m.Max[3] = 7, 7 // a constant whose deviation is rounding
	p := &dataset.Profile{RowsRead: 6, RowsUsed: 6,
		Excluded: []dataset.Excluded{{Name: "word", Reason: excludedAsText}, {Name: "id", Reason: "identifier"}},
		Columns:  []dataset.ColumnProfile{{Name: "a"}, {Name: "b"}, {Name: "b", Dropped: "duplicate name"}, {Name: "c", Dropped: "text"}},
	}
	for _, refuse := range []bool{false, true} {
		e := newExamination(m, p, Refusals{Text: refuse})
		if e.excluded["word"] == refuse || !e.excluded["id"] {
			t.Errorf("text is refused %v: excluded columns %v, want id, and word unless it is refused", refuse, e.excluded)
		}
		var names []string
		for _, c := range e.out.Columns {
			names = append(names, c.Name)
		}
		if want := []string{"a", "b", "b", "c", "c", "e"}; !slices.Equal(names, want) {
			t.Errorf("columns %v, want %v: those of the profile, and those of the moments that it has no used column for", names, want)
		}
		if !slices.Equal(e.varying, []int{0, 1}) || e.out.Varying != 2 {
			t.Errorf("varying columns %v, want 0 and 1", e.varying)
		}
	}
}

// TestConstantOfTwoRows checks that a constant is reported from two rows on.
func TestConstantOfTwoRows(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 1} {
		m := tabulated(t, []string{"a", "b"}, n, func(i int) []float64 { return []float64{5, float64(i)} })
		e := newExamination(m, nil, Refusals{})
		e.constants()
		if len(e.out.Findings) != want {
			t.Errorf("%d rows: %v, want %d findings", n, e.out.Findings, want)
		}
	}
}

// TestValuesAsRead checks that moments describe the values of a profile if both ends of the range are the same, or lie within it after
// rows were dropped.
func TestValuesAsRead(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		dropped   int
		want      bool
	}{
		{1, 9, 0, true}, {2, 9, 0, false}, {1, 8, 0, false}, {2, 8, 0, false},
		{1, 9, 3, true}, {2, 9, 3, true}, {1, 8, 3, true}, {0, 9, 3, false}, {1, 10, 3, false},
	} {
		m := dataset.NewMoments([]string{"a"})
		m.Min[0], m.Max[0] = c.low, c.high
		e := &examination{m: m, dropped: c.dropped, column: []*Column{{ColumnProfile: dataset.ColumnProfile{Min: 1, Max: 9}}}}
		if got := e.asRead(0); got != c.want {
			t.Errorf("values from %v to %v, %d rows dropped: as read %v, want %v", c.low, c.high, c.dropped, got, c.want)
		}
	}
}
