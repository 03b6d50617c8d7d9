package command

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/command/internal/serve"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab"
)

// workbook writes an Excel file with these sheets, each with a row of names and rows of numbers.
func workbook(t *testing.T, names ...string) string {
	path := filepath.Join(t.TempDir(), "book.xlsx")
	file := must.Get(os.Create(path))
	z := zip.NewWriter(file)
	write := func(name, format string, args ...any) { fmt.Fprintf(must.Get(z.Create(name)), format, args...) }
	var sheets, targets strings.Builder
	for k, name := range names {
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d" r:id="r%d"/>`, name, k+1, k+1)
		fmt.Fprintf(&targets, `<Relationship Id="r%d" Target="worksheets/sheet%d.xml"/>`, k+1, k+1)
		rows := fmt.Sprintf(`<row><c t="inlineStr"><is><t>a%d</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>`, k)
		for i := range 40 {
			if name == "notes" {
				rows += fmt.Sprintf(`<row><c t="inlineStr"><is><t>column %d of the study</t></is></c></row>`, i)
				continue
			}
			rows += fmt.Sprintf(`<row><c><v>%d</v></c><c><v>%d</v></c></row>`, i*i%17, i*i*i%13)
		}
		write(fmt.Sprintf("xl/worksheets/sheet%d.xml", k+1), `<worksheet><sheetData>%s</sheetData></worksheet>`, rows)
	}
	write("xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets>%s</sheets></workbook>`, sheets.String())
	write("xl/_rels/workbook.xml.rels", `<Relationships>%s</Relationships>`, targets.String())
	must.Succeed(t, z.Close())
	must.Succeed(t, file.Close())
	return path
}

// TestSheetsOfUploads checks that the sheets of a workbook are listed, that the first with columns to learn from is read, and that the setting chooses another.
func TestSheetsOfUploads(t *testing.T) {
	b := &backend{app: newApp(lab.All, strings.NewReader(""), io.Discard, io.Discard, allWings...)}
	path := workbook(t, "first", "second")
	for sheet, want := range map[string]string{"": "a0", "first": "a0", "second": "a1"} {
		job := serve.Job{Path: path, Name: "book.xlsx", Settings: url.Values{}}
		if sheet != "" {
			job.Settings.Set("sheet", sheet)
		}
		if got := b.Sheets(job); !slices.Equal(got, []string{"first", "second"}) {
			t.Errorf("sheets %q", got)
		}
		if text, err := b.Check(context.Background(), job); err != nil || !strings.Contains(string(text), `"`+want+`"`) {
			t.Errorf("sheet %q: %v, no column %s in\n%s", sheet, err, want, text)
		}
	}
	job := serve.Job{Path: workbook(t, "notes", "numbers"), Name: "book.xlsx", Settings: url.Values{}}
	if _, err := b.Check(context.Background(), job); err != nil || job.Settings.Get("sheet") != "numbers" {
		t.Errorf("%v, read the sheet %q; the first one has no columns to learn from", err, job.Settings.Get("sheet"))
	}
	if got := b.Sheets(serve.Job{Path: workbook(t, "only")}); got != nil {
		t.Errorf("sheets of a workbook with one: %q", got)
	}
}
