package files

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
)

// book returns a workbook of one sheet.
func book(t testing.TB, sheet, shared string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"xl/workbook.xml", `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="s" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`},
		{"xl/worksheets/sheet1.xml", `<worksheet><sheetData>` + sheet + `</sheetData></worksheet>`},
		{"xl/sharedStrings.xml", `<sst>` + shared + `</sst>`},
	} {
		w, err := z.Create(part[0])
		must.Succeed(t, err)
		w.Write([]byte(part[1]))
	}
	must.Succeed(t, z.Close())
	return b.Bytes()
}

// readWithin opens a workbook under a limit and reads it to its end or its first fault.
func readWithin(data []byte, memory int64) (largest int, err error) {
	opt := DefaultSettings()
	opt.MaxMemory = memory
	s, err := openXLSX("t.xlsx", bytes.NewReader(data), int64(len(data)), opt, nil)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	var b dataset.Batch
	for {
		if err = s.Next(context.Background(), &b); err != nil {
			return largest, err
		}
		largest = max(largest, len(b.Text))
	}
}

const header = `<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>`

// TestSharedTextsBudget checks that the budget counts the places of shared texts, and the copy that is made
// when their list grows.
func TestSharedTextsBudget(t *testing.T) {
	data := book(t, header, strings.Repeat("<si><t>x</t></si>", 1_000_000))
	if len(data) > 1<<16 {
		t.Fatalf("%d bytes of file", len(data))
	}
	if _, err := readWithin(data, 24<<20); !errors.Is(err, ErrLimit) || !strings.Contains(err.Error(), "shared texts") {
		t.Errorf("a million texts within 24 MB: %v", err)
	}
}

// TestSharedTextRepeated checks that a million cells with one long shared text are split into batches, and that
// a single row of them is refused.
func TestSharedTextRepeated(t *testing.T) {
	long := "<si><t>" + strings.Repeat("x", 1<<20) + "</t></si>"
	rows := strings.Repeat(`<row><c t="s"><v>0</v></c><c><v>1</v></c></row>`, 100)
	if largest, err := readWithin(book(t, header+rows, long), 64<<20); largest == 0 || largest > 8<<20 {
		t.Errorf("a batch with %d bytes of text: %v", largest, err)
	}
	wide := strings.Repeat(`<c t="s"><v>0</v></c>`, 100)
	if _, err := readWithin(book(t, header+"<row>"+wide+"</row>", long), 64<<20); !errors.Is(err, ErrLimit) {
		t.Errorf("a row with 100 MB of text: %v", err)
	}
}

// TestFarColumn checks that a cell far to the right is refused before there is a list of columns up to it.
func TestFarColumn(t *testing.T) {
	data := book(t, `<row><c r="ZZZZZ1"><v>1</v></c></row>`, "")
	var err error
	if used := tabletest.Allocated(func() { _, err = readWithin(data, 64<<20) }); !errors.Is(err, dataset.ErrTooWide) || used > 8<<20 {
		t.Errorf("column ZZZZZ takes %d bytes: %v", used, err)
	}
}

// TestArrayBudget checks that an array of small elements takes more as numbers and as texts than in its file.
func TestArrayBudget(t *testing.T) {
	data := archive(t, map[string]array{"x": {descr: "|u1", shape: []int{1 << 20}, bytes: 1 << 20}, "s": {descr: "|S1", shape: []int{1 << 20}, bytes: 1 << 20}})
	opt := DefaultSettings()
	opt.MaxMemory = 8 << 20
	for _, name := range []string{"x", "s"} {
		z, err := openNPZ("t.npz", bytes.NewReader(data), int64(len(data)), opt)
		must.Succeed(t, err)
		if name == "x" {
			_, _, err = z.numbers(z.member(name), 4<<20)
		} else {
			_, err = z.strings(z.member(name))
		}
		if !errors.Is(err, ErrLimit) {
			t.Errorf("array %s: %v", name, err)
		}
	}
}

// words is a column whose cells are texts of a fixed length.
type words int

func (w words) next(dst []float64, out *texts) error {
	for i := range dst {
		dst[i] = math.NaN()
		if err := out.add(i, make([]byte, w)); err != nil {
			return err
		}
	}
	return nil
}

// TestTextOfABatch checks that the text of a batch takes at most a quarter of the memory, and that the next batch starts anew.
func TestTextOfABatch(t *testing.T) {
	opt := DefaultSettings()
	opt.MaxMemory = 4000
	for size, want := range map[words]bool{50: true, 51: false} { // 20 cells
		v := newInterleave("t", []columnReader{size, size}, opt)
		var b dataset.Batch
		for range 2 {
			if err := v.fill(&b, 10); (err == nil) != want {
				t.Errorf("%d bytes of text with %d bytes of memory: %v", 20*size, opt.MaxMemory, err)
			}
		}
	}
}
