package files_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/dataset"
	. "github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/internal/must"
)

// partner writes a workbook as people keep them: a title, two rows of names with merged cells, dates as dates and as text, German decimals
// and currency as text, n/a and -999 for missing values, a column of comments, notes beside the table, and a second sheet.
func partner(t testing.TB) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(8, 9))
	f := excelize.NewFile()
	defer f.Close()
	const sheet = "Daten"
	must.Succeed(t, f.SetSheetName("Sheet1", sheet))
	_ = must.Get(f.NewSheet("Legende"))
	must.Succeed(t, f.SetSheetRow("Legende", "A1", &[]any{"Spalte", "Bedeutung"}))
	must.Succeed(t, f.SetSheetRow("Legende", "A2", &[]any{"Betrag", "bezahlt"}))
	must.Succeed(t, f.SetCellValue(sheet, "A1", "Auswertung der Praxis 2024"))
	must.Succeed(t, f.SetSheetRow(sheet, "A3", &[]any{"Person", nil, "Labor", nil, nil, "Kosten", nil, "Besuch", nil, "Ort", "Bemerkung"}))
	must.Succeed(t, f.SetSheetRow(sheet, "A4", &[]any{"Alter", "Geschlecht", "CRP", "Glukose", "Wert", "Betrag", "Wert", "Aufnahme", "Entlassung"}))
	for _, merged := range [][2]string{{"A3", "B3"}, {"C3", "E3"}, {"F3", "G3"}, {"H3", "I3"}, {"J3", "J4"}, {"K3", "K4"}} {
		must.Succeed(t, f.MergeCell(sheet, merged[0], merged[1]))
	}
	german := func(x float64) string {
		whole, fraction, _ := strings.Cut(fmt.Sprintf("%.2f", x), ".")
		if len(whole) > 3 {
			whole = whole[:len(whole)-3] + "." + whole[len(whole)-3:]
		}
		return whole + "," + fraction
	}
	day := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 240 {
		age := 20 + rng.IntN(60)
		crp := math.Max(0.1, float64(age)/8+2*rng.NormFloat64())
		glucose := 60 + 6*crp + 5*rng.NormFloat64()
		paid := 900 + 40*glucose/10 + 120*rng.NormFloat64()
		in := day.AddDate(0, 0, rng.IntN(300))
		row := []any{age, []string{"m", "w"}[rng.IntN(2)], german(crp), glucose, german(5 + rng.NormFloat64()), german(paid) + " €", math.Round(100 * rng.NormFloat64()), in, in.AddDate(0, 0, 1+rng.IntN(20)).Format("02.01.2006"), []string{"Graz", "Linz", "Wien"}[rng.IntN(3)]}
		switch i % 24 {
		case 3:
			row[2] = "n/a"
		case 5:
			row[3] = -999
		case 7:
			row[4] = "-999"
		case 11:
			row[5] = "n/a"
		case 13:
			row = append(row, fmt.Sprintf("Patient %d kam zu spät, bitte prüfen", i))
		}
		must.Succeed(t, f.SetSheetRow(sheet, fmt.Sprintf("A%d", i+5), &row))
	}
	must.Succeed(t, f.SetCellValue(sheet, "M120", "hier weiter"))
	style := must.Get(f.NewStyle(&excelize.Style{NumFmt: 14}))
	must.Succeed(t, f.SetCellStyle(sheet, "H5", "H244", style))
	var b bytes.Buffer
	must.Succeed(t, f.Write(&b))
	return b.Bytes()
}

// TestWorkbookOfAPartner checks that a workbook is read as the same table in CSV would be, with the sheet and the missing value given.
func TestWorkbookOfAPartner(t *testing.T) {
	data := partner(t)
	if path := os.Getenv("WRITE_WORKBOOK"); path != "" {
		must.Succeed(t, os.WriteFile(path, data, 0o644))
	}
	path := t.TempDir() + "/praxis.xlsx"
	must.Succeed(t, os.WriteFile(path, data, 0o644))
	if in, err := Open(path, nil, Settings{}); err != nil {
		t.Fatal(err)
	} else {
		if _, err := in.Source(t.Context()); err == nil || !strings.Contains(err.Error(), "Daten, Legende") {
			t.Errorf("without a sheet: %v, want the names of the sheets", err)
		}
		if sheets, err := in.Sheets(); err != nil || !slices.Equal(sheets, []string{"Daten", "Legende"}) {
			t.Errorf("sheets %q, %v", sheets, err)
		}
		must.Succeed(t, in.Close())
	}
	opt := DefaultSettings()
	opt.Sheet, opt.CSV.NA = "Daten", []string{"-999"}
	in := must.Get(Open(path, nil, opt))
	defer in.Close()
	table := must.Get(polydag.Prepare(context.Background(), in, polydag.Preparation{}))
	names := append(slices.Clone(table.Moments.Names), "")
	want := []string{"Alter", "Geschlecht", "CRP", "Glukose", "Labor Wert", "Betrag", "Kosten Wert", "Aufnahme", "Entlassung", "Ort", ""}
	if !slices.Equal(names, want) {
		t.Errorf("columns %q, want %q; excluded: %+v", names, want, table.Source.Excluded)
	}
	if x := table.Source.Excluded; len(x) != 1 || x[0].Name != "Bemerkung" || x[0].Reason != "free text" {
		t.Errorf("excluded: %+v", x)
	}
	for j, name := range table.Moments.Names {
		if discrete := table.Kinds[j].Kind == dataset.Categorical || table.Kinds[j].Kind == dataset.Binary; discrete != (name == "Geschlecht" || name == "Ort") {
			t.Errorf("%s is %s", name, table.Kinds[j].Kind)
		}
	}
	mean := func(name string) float64 { return table.Moments.Mean[slices.Index(table.Moments.Names, name)] }
	for name, bounds := range map[string][2]float64{"CRP": {4, 9}, "Glukose": {80, 120}, "Labor Wert": {4, 6}, "Betrag": {1100, 1500}, "Aufnahme": {1.70e9, 1.74e9}, "Entlassung": {1.70e9, 1.74e9}} {
		if m := mean(name); !(m > bounds[0] && m < bounds[1]) {
			t.Errorf("the mean of %s is %v, want %v", name, m, bounds)
		}
	}
	notes := fmt.Sprint(table.Source.Notes, table.Source.Read)
	for _, part := range []string{"The header is rows 3 and 4.", "column 13 of row 120", "are numbers; the currency is dropped", "the day comes first"} {
		if !strings.Contains(notes, part) {
			t.Errorf("no note %q in %s", part, notes)
		}
	}
	res := must.Get(polydag.Learn(t.Context(), table))
	joined := func(a, b string) bool {
		return slices.ContainsFunc(res.Edges, func(e polydag.Edge) bool { return e.From == a && e.To == b || e.From == b && e.To == a })
	}
	if !joined("Alter", "CRP") || !joined("CRP", "Glukose") {
		t.Errorf("edges %v", res.Edges)
	}
}

// TestMergedCells checks that merged cells of one column have their value in each row, numbers and texts, and that those over columns and of
// the header are left as they are.
func TestMergedCells(t *testing.T) {
	f := excelize.NewFile()
	defer f.Close()
	rows := [][]any{{"ward", "dose", "x", "y"}, {"a", 1, 1.5, 2.5}, {nil, 1, 2.5, 3.5}, {nil, 2, 3.5}, {"b", 2.5, 4.5, 1.5}, {nil, nil, 5.5, 0.5}, {"c", 3, 0.5, 4.5}}
	for i, row := range rows {
		must.Succeed(t, f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &row))
	}
	for _, merged := range [][2]string{{"A2", "A4"}, {"A5", "A6"}, {"B5", "B6"}, {"C4", "D4"}} {
		must.Succeed(t, f.MergeCell("Sheet1", merged[0], merged[1]))
	}
	var b bytes.Buffer
	must.Succeed(t, f.Write(&b))
	got := tableOf(t, openBytes(t, "t.xlsx", b.Bytes(), options()))
	want := tableOf(t, openBytes(t, "t.csv", []byte("ward,dose,x,y\na,1,1.5,2.5\na,1,2.5,3.5\na,2,3.5,\nb,2.5,4.5,1.5\nb,2.5,5.5,0.5\nc,3,0.5,4.5\n"), options()))
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTwoHeaderRows checks which first rows are names: groups above names, names above units, and rows of data that look like either.
func TestTwoHeaderRows(t *testing.T) {
	for name, c := range map[string]struct {
		head [][]any
		want string
	}{
		"units":           {[][]any{{"weight", "height", "sex"}, {"kg", "cm", "m/f"}}, `["weight" "height" "sex"]`},
		"groups":          {[][]any{{"body", nil, "who"}, {"weight", "height", "sex"}}, `["weight" "height" "sex"]`},
		"the same names":  {[][]any{{"left", "right", "who"}, {"size", "size", "sex"}}, `["left" "right" "who"]`},
		"names in groups": {[][]any{{"left", nil, "right"}, {"size", "x", "size"}}, `["left size" "x" "right size"]`},
		"one row":         {[][]any{{"weight", "height", "sex"}}, `["weight" "height" "sex"]`},
		"data of words":   {[][]any{{"weight", "height", "sex"}, {"unknown", 1.8, "f"}}, `["weight" "height" "sex"]`},
	} {
		rows := slices.Clone(c.head)
		for i := range 6 {
			rows = append(rows, []any{60 + i, 1.5 + float64(i)/10, []string{"m", "f"}[i%2]})
		}
		if name == "names in groups" {
			for _, row := range rows[2:] {
				row[2] = 4
			}
		}
		got := readBytes(t, "t.xlsx", workbook(t, map[string][][]any{"s": rows}, "s"), options())
		if fmt.Sprintf("%q", got.names) != c.want {
			t.Errorf("%s: names %q, want %s", name, got.names, c.want)
		}
	}
}
