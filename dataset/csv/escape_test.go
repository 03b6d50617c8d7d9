package csv

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/matrix"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"=1+2": "'=1+2", "+a": "'+a", "-a": "'-a", "@sum(a)": "'@sum(a)", "\ta": "'\ta", "\ra": "'\ra", "'=a": "''=a", "''-a": "'''-a", "-->": "'-->", "＝1+2": "'＝1+2", "＋a": "'＋a", "－1": "'－1", "＠a": "'＠a", "'＝a": "''＝a", "＝": "＝", "a＝": "a＝",
		"": "", "a": "a", "-": "-", "-1.5": "-1.5", "+2e3": "+2e3", "'a": "'a", "'-1": "'-1", "a=b": "a=b", "'": "'",
	} {
		if got := Escape(text); got != want {
			t.Errorf("%q is written as %q, want %q", text, got, want)
		}
		if got := Unescape(Escape(text)); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}

// TestEscapedTable checks that names and words that a spreadsheet would run survive a round trip, and that no
// field begins as a formula.
func TestEscapedTable(t *testing.T) {
	names := []string{"=cmd|' /C calc'!A0", "-age", "'=quoted"}
	words := [][]string{nil, nil, {"+up", "@down", "'-x"}}
	x := matrix.Of(3, 3, []float64{-1, 2, 0, 3, -4, 1, 5, 6, 2})
	var b bytes.Buffer
	must.Succeed(t, WriteWords(&b, ';', names, words, dataset.RowsOf(x), false))
	for field := range strings.FieldsFuncSeq(b.String(), func(r rune) bool { return r == ';' || r == '\n' }) {
		if formula(field) && field[0] != '\'' {
			t.Errorf("a field is %q", field)
		}
	}
	s, err := Open(&b, DefaultSettings())
	must.Succeed(t, err)
	defer s.Close()
	var got []string
	for _, c := range s.Columns() {
		got = append(got, c.Name)
	}
	if !slices.Equal(got, names) {
		t.Errorf("names %q", got)
	}
	var batch dataset.Batch
	must.Succeed(t, s.Next(context.Background(), &batch))
	for k, c := range batch.Cells {
		if word := string(batch.Text[c.Start:c.End]); word != words[2][k] {
			t.Errorf("word %d is %q", k, word)
		}
	}
	var raw bytes.Buffer
	if err := WriteWords(&raw, ',', names, words, dataset.RowsOf(x), true); err != nil || !strings.Contains(raw.String(), "\n-1,2,+up\n") {
		t.Errorf("%q, %v", raw.String(), err)
	}
}
