package command

import (
	"errors"
	"fmt"
	"testing"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/must"
)

func TestRemediesAreFlags(t *testing.T) {
	many := make([]string, 12)
	for i := range many {
		many[i] = fmt.Sprint("c", i)
	}
	for _, c := range []struct {
		remedy fault.Remedy
		want   string
	}{
		{fault.Set("missing", "drop"), "--missing drop"},
		{fault.Set("no-header", "true"), "--set no-header"},
		{fault.Set("decimal", ","), "--set decimal=,"},
		{fault.Set("forbid", "NAME=*->NAME=*"), "--forbid 'NAME=*->NAME=*'"},
		{fault.Use("columns"), "--columns"},
		{fault.Columns("drop", "site a", "it's"), `--drop 'site a' --drop 'it'\''s'`},
		{fault.Columns("drop", "größe_1", "$x", ""), "--drop größe_1 --drop '$x' --drop ''"},
		{fault.Columns("drop", many...), "--drop c0 --drop c1 --drop c2 and so on for 9 more"},
	} {
		must.Same(t, Flagged(c.remedy), c.want, c.remedy)
		err := fmt.Errorf("t.csv: %w", fault.New(errors.New("is at fault; mend it"), "", "try %s, or not", c.remedy))
		must.Same(t, worded(err), "t.csv: is at fault; try "+c.want+", or not")
	}
}

// TestFaultsNameTheirCommand checks that an error that only a command remedies names that command.
func TestFaultsNameTheirCommand(t *testing.T) {
	for _, c := range []struct{ plain, want string }{
		{"not a result: it has no schema; expected the JSON of a result", "not a result: it has no schema; expected what polydag learn --output writes"},
		{"d: no table (a.npz holds saved moments: merge them into one file first)", "d: no table (a.npz holds saved moments: polydag moments FILES --output all.npz merges them)"},
		{"it is the list of attributes of celeba as published, and no table yet", "it is the list of attributes of celeba as published: polydag dataset celeba FILE --output table.csv makes a table of it"},
	} {
		must.Same(t, worded(errors.New(c.plain)), c.want)
	}
}

// TestNotesNameTheirFlag checks that a note about omitted parts of a dataset names the flag that keeps them.
func TestNotesNameTheirFlag(t *testing.T) {
	for plain, want := range map[string]string{
		"a selection; Missing = columns keeps every row":                          "a selection; --missing columns keeps every row",
		"Missing = columns drops the hair colours, and Attributes names hair_red": "--missing columns drops the hair colours, and --set attributes names hair_red",
		"nothing was dropped": "nothing was dropped",
	} {
		must.Same(t, commanded(plain), want)
	}
}

// TestWordedNote checks that notes about a file name settings with values that the library does not know in
// advance.
func TestWordedNote(t *testing.T) {
	for note, want := range map[string]string{
		"date-order=dmy reads the day first.":      "--set date-order=dmy reads the day first.",
		"as in \"1,5\"; decimal=. says otherwise.": "as in \"1,5\"; --set decimal=. says otherwise.",
		"use na=tall na=größer to read them.":      "use --set na=tall --set na=größer to read them.",
		"use the setting na to read them.":         "use --set na to read them.",
		"3 rows dropped":                           "3 rows dropped",
	} {
		must.Same(t, wordedNote(note), want, note)
	}
}
