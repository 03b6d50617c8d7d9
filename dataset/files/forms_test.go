package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// gatherText prepares a table of text files, by the levels of its words.
func gatherText(t *testing.T, opt Settings, texts ...string) (*prepare.Gathered, *Input) {
	t.Helper()
	var paths []string
	for k, text := range texts {
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.csv", k))
		must.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
		paths = append(paths, path)
	}
	in, err := OpenAll(paths, nil, opt)
	must.Succeed(t, err)
	t.Cleanup(func() { in.Close() })
	set := prepare.DefaultSettings()
	set.Encode, set.Missing, set.MaxLevels = "levels", "auto", 100_000
	g, err := prepare.Gather(context.Background(), in.Source, set)
	must.Succeed(t, err)
	return g, in
}

func whats(g *prepare.Gathered) string {
	var list []string
	for _, n := range g.Profile.Read {
		list = append(list, fmt.Sprintf("%s %s %d", n.Column, n.What, n.Line))
	}
	return strings.Join(list, ", ")
}

// TestFormsOfSmallTable checks that a small table gets its forms from the start of the file, with notes in the
// profile.
func TestFormsOfSmallTable(t *testing.T) {
	g, _ := gatherText(t, DefaultSettings(), "price,share,when,house,n\n$1.50,5%,31/12/1969,12,*\n$2.50,7%,01/01/1970,136A,2\n")
	if m := g.Moments; m.Mean[0] != 2 || m.Mean[1] != 6 || m.Mean[2] != -43200 || m.Mean[4] != 2 {
		t.Errorf("means %v", m.Mean)
	}
	if got := whats(g); got != "price currency 2, share percent 2, when date-dmy 2, house mixed 3, n missing-marker 2" {
		t.Error(got)
	}
	if all := strings.Join(g.Profile.Notes, "\n"); !strings.Contains(all, `Column house: kept as text, because "136A" (line 3) is not a number.`) {
		t.Error(all)
	}
}

// TestSlipsAmongNumbers checks that a typing error among numbers excludes the column, with a note that names
// the cell and the remedy. Repeated words and numbers make a categorical column; many distinct ones have too
// many categories.
func TestSlipsAmongNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,y,code,ticket,age\n")
	for i := range 300 {
		y, ticket, age := fmt.Sprint(float64(i*i%97)+0.5), fmt.Sprint(1000+i*7%280), fmt.Sprint(float64(i%70)+0.25)
		if i == 200 {
			y = "tall"
		}
		if i%3 == 0 {
			ticket = fmt.Sprintf("A/%d", i)
		}
		if i%4 == 0 {
			age = "unknown"
		}
		fmt.Fprintf(&b, "%d,%s,%s,%s,%s\n", i*i%89, y, []string{"1", "2", "X"}[i%3], ticket, age)
	}
	path := filepath.Join(t.TempDir(), "slips.csv")
	must.Succeed(t, os.WriteFile(path, []byte(b.String()), 0o600))
	in, err := OpenAll([]string{path}, nil, DefaultSettings())
	must.Succeed(t, err)
	defer in.Close()
	set := prepare.DefaultSettings()
	set.Encode, set.Missing, set.Exclude = "levels", "auto", true
	g, err := prepare.Gather(context.Background(), in.Source, set)
	must.Succeed(t, err)
	var got []string
	for _, x := range g.Profile.Excluded {
		got = append(got, x.Name+": "+x.Reason+": "+x.Detail)
	}
	want := []string{
		`y: text among numbers: text in 1 cell among 299 numbers, first "tall" in row 201`,
		`ticket: too many categories: `,
		`age: text among numbers: text in 75 cells among 225 numbers, first "unknown" in row 1`,
	}
	if len(got) != 3 || got[0] != want[0] || !strings.HasPrefix(got[1], want[1]) || got[2] != want[2] {
		t.Errorf("excluded %q, want %q", got, want)
	}
	if len(g.Moments.Names) != 2 || strings.Join(g.Levels[1], " ") != "1 2 X" {
		t.Errorf("columns %q with levels %q", g.Moments.Names, g.Levels)
	}
	notes := strings.Join(g.Profile.Notes, "\n")
	for _, s := range []string{
		`Column y: "tall" (line 202) is not a number. Correct such cells, or use na=tall to read them as missing values.`,
		`Column age: "unknown" (line 2) is not a number. Correct such cells, or use na=unknown to read them as missing values.`,
		`Column code: kept as text, because "X" (line 4) is not a number.`,
	} {
		if !strings.Contains(notes, s) {
			t.Errorf("no note %q in\n%s", s, notes)
		}
	}
	if strings.Count(notes, "kept as text") != 1 {
		t.Errorf("a column that is excluded is said to be kept:\n%s", notes)
	}
}

// TestFormsFoundLate checks that a late odd cell in a long table triggers a survey.
func TestFormsFoundLate(t *testing.T) {
	numbers := strings.Repeat("1.5,2\n2.5,3\n", 100_000)
	g, in := gatherText(t, DefaultSettings(), "a,b\n"+numbers+"*,\"1,234\"\n")
	if got := whats(g); got != "a missing-marker 200002, b thousands 200002" {
		t.Error(got)
	}
	if in.passes != 4 { // the first, which fails; the survey; the levels; the moments
		t.Errorf("%d passes", in.passes)
	}
	if g, in = gatherText(t, DefaultSettings(), "a,b\n"+numbers); in.passes != 1 || g.Profile.Read != nil {
		t.Errorf("%d passes over a table of numbers, notes %v", in.passes, g.Profile.Read)
	}
	if _, in = gatherText(t, DefaultSettings(), "a,b\n"+numbers+"1,red\n2,green\n1,green\n2,red\n"); len(in.forms.found) != 1 || !strings.Contains(fmt.Sprint(in.forms.notes), `"red" (line 200002)`) {
		t.Errorf("forms %v", in.forms.notes)
	}
}

// TestFormsOfSeveralFiles checks that all files of a table share the same forms: the second file shows that the
// day comes first in both.
func TestFormsOfSeveralFiles(t *testing.T) {
	g, _ := gatherText(t, DefaultSettings(), "d,n\n01/02/1970,1\n02/02/1970,2\n", "d,n\n31/01/1970,4\n")
	if got, want := g.Moments.Min[0], 30*86400.0; got != want || whats(g) != "d date-dmy 2" {
		t.Errorf("the first day is %v, want %v: %s", got, want, whats(g))
	}
}

// TestFormsOfStream checks that a stream has forms as well, and that counts have them from one pass.
func TestFormsOfStream(t *testing.T) {
	in, err := Open("-", io.MultiReader(strings.NewReader("a,b\n$1,"), strings.NewReader("x\n$2,y\n")), DefaultSettings())
	must.Succeed(t, err)
	defer in.Close()
	c, err := prepare.Count(context.Background(), in.Source, prepare.DefaultSettings())
	if err != nil || c.Levels[0][0] != (dataset.Level{Number: 1}) {
		t.Errorf("%v, %v", c, err)
	}
}

// TestFormsOfOptions checks that identifiers above 2^53 stay apart, and a date order that is given is followed.
func TestFormsOfOptions(t *testing.T) {
	opt := DefaultSettings()
	opt.CSV.DateOrder = "dmy"
	g, _ := gatherText(t, opt, "id,d,n\n9007199254740993,01/02/1970,1\n9007199254740992,01/01/1970,2\n")
	if got := whats(g); got != "id identifier 2, d date-dmy 2" || len(g.Levels[0]) != 2 {
		t.Errorf("%s, levels %q", got, g.Levels[0])
	}
}

// TestFormsOfDecimals checks a column with a decimal comma in a table with points, unless the caller excludes
// it.
func TestFormsOfDecimals(t *testing.T) {
	text := "x;n\n1,5;0.5\n2;1.5\n3,25;2.5\n"
	if g, _ := gatherText(t, DefaultSettings(), text); whats(g) != "x decimal-comma 2" || g.Moments.Mean[0] != 2.25 {
		t.Errorf("%s, means %v", whats(g), g.Moments.Mean)
	}
	opt := DefaultSettings()
	opt.CSV.Decimal = '.'
	if g, _ := gatherText(t, opt, text); whats(g) != "x mixed 2" {
		t.Error(whats(g))
	}
}
