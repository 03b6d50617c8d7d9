package prepare

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/tabletest"
)

// Every form of an instant gives the seconds that package time gives, and what is no instant for sure is none.
func TestNumberOf(t *testing.T) {
	noon := float64(time.Date(2024, 2, 29, 12, 30, 15, 0, time.UTC).Unix())
	for text, want := range map[string]float64{
		"2024-02-29": noon - 45015, "1970-01-01": 0, "1969-12-31": -86400, "0001-01-01": -62135596800, "9999-12-31": 253402214400,
		"2024-02-29T12:30:15": noon, "2024-02-29 12:30:15": noon, "2024-02-29T12:30:15Z": noon, "2024-02-29T14:30:15+02:00": noon,
		"2024-02-29 07:00:15-0530": noon, "2024-02-29 12:30:15+00": noon, "2024-02-29T12:30": noon - 15, "2024-02-29 13:30+01:00": noon - 15,
		"2024-02-29 12:30:15.25": noon + 0.25, "2024-02-29T12:30:15.250000000Z": noon + 0.25, "1969-12-31T23:59:58.900": -1.1,
	} {
		if class, x := numberOf([]byte(text)); class != dates || math.Float64bits(x) != math.Float64bits(want) {
			t.Errorf("%s is %v, %v, want %v", text, class, x, want)
		}
	}
	for text, want := range map[string]float64{"00:00:00": 0, "12:30:15": 45015, "23:59:59.999": 86399.999} {
		if class, x := numberOf([]byte(text)); class != times || x != want {
			t.Errorf("%s is %v, %v, want %v", text, class, x, want)
		}
	}
	for _, text := range []string{"", "2024-02-30", "2024-13-01", "2024/02/29", "01/02/2024", "29.02.2024", "2024-2-29", "2024-02", "20240229", "2024-02-29T", "2024-02-29 ",
		"2024-02-29T25:00:00", "2024-02-29 12:30:15,25", "2024-02-29 noon", "-2024-02-29", "12:30", "24:00:00", "1:02:03", "12:30:15,5", "555-12-3456", "ab:cd:ef"} {
		if class, x := numberOf([]byte(text)); class != nil {
			t.Errorf("%q is the number %v", text, x)
		}
	}
}

// A column all of whose text is dates is numbers, of the kind time, under every encoding; a date among other things is text.
func TestGatherDates(t *testing.T) {
	rows := [][]any{{1, "2024-01-01", "08:00:00"}, {2, "2024-01-02", "09:30:00"}, {3, nil, "10:00:00"}, {4, "2024-01-04 12:00:00", "11:15:30"}}
	for _, encode := range []dataset.Encode{"error", "levels", "onehot", "ordinal", "drop"} {
		g, err := gather(t, memOf("a when at", rows...), func(o *Settings) { o.Encode, o.Missing, o.Profile = encode, "drop", true })
		if err != nil {
			t.Errorf("%s: %v", encode, err)
			continue
		}
		p := g.Profile.Columns
		if len(p) != 3 || p[1].Kind != "time" || p[1].Min != 1704067200 || p[1].Max != 1704369600 || p[1].Missing != 1 || p[2].Kind != "integer" || p[2].Max != 40530 {
			t.Errorf("%s: %+v", encode, p)
		}
		notes := strings.Join(g.Profile.Notes, "\n")
		if !strings.Contains(notes, "Column when was read as seconds since 1970-01-01 UTC, from its dates.") || !strings.Contains(notes, "Column at was read as seconds since midnight, from its times.") {
			t.Errorf("%s: notes %s", encode, notes)
		}
	}
	for name, third := range map[string]any{"a number": 7, "another word": "soon", "a time": "12:00:00"} {
		_, err := gather(t, memOf("a when at", rows[0], rows[1], []any{3, third, "10:00:00"}), func(o *Settings) { o.Encode = "error" })
		if third == any(7) { // the fault is the text, wherever the number stands
			tabletest.Fault(t, name, err, dataset.ErrNotNumber, dataset.ParseError{Row: 1, Column: 2, Name: "when", Value: "2024-01-01"}, "")
		} else {
			tabletest.Fault(t, name, err, dataset.ErrNotNumber, dataset.ParseError{Row: 3, Column: 2, Name: "when", Value: third.(string)}, "")
		}
	}
}
