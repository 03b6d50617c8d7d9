package provider_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/images/provider"
	"github.com/polydag/polydag/internal/must"
)

var names40 = strings.Fields(`5_o_Clock_Shadow Arched_Eyebrows Attractive Bags_Under_Eyes Bald Bangs Big_Lips Big_Nose Black_Hair
	Blond_Hair Blurry Brown_Hair Bushy_Eyebrows Chubby Double_Chin Eyeglasses Goatee Gray_Hair Heavy_Makeup High_Cheekbones Male
	Mouth_Slightly_Open Mustache Narrow_Eyes No_Beard Oval_Face Pale_Skin Pointy_Nose Receding_Hairline Rosy_Cheeks Sideburns Smiling
	Straight_Hair Wavy_Hair Wearing_Earrings Wearing_Hat Wearing_Lipstick Wearing_Necklace Wearing_Necktie Young`)

var hqShares = map[string]float64{
	"Male": 0.3686, "Young": 0.7789, "Bald": 0.0237, "Mustache": 0.0578, "No_Beard": 0.8109, "Heavy_Makeup": 0.4569,
	"Wearing_Lipstick": 0.5620, "Gray_Hair": 0.0414,
}

// made writes a list of rows in the format of CelebA. Attribute j of row i is 1 where (i + 1000·j) mod rows is under its share
// of the rows.
func made(rows int, shares map[string]float64, eol string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d%s%s %s", rows, eol, strings.Join(names40, " "), eol)
	limit := make([]int, len(names40))
	for j, name := range names40 {
		share, ok := shares[name]
		if !ok {
			share = 0.5
		}
		limit[j] = int(share*float64(rows) + 0.5)
	}
	for i := range rows {
		fmt.Fprintf(&b, "%d.jpg ", i)
		for j := range names40 {
			if (i+1000*j)%rows < limit[j] {
				b.WriteString("  1")
			} else {
				b.WriteString(" -1")
			}
		}
		b.WriteString(eol)
	}
	return b.String()
}

func zipped(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write([]byte(text))
	must.Succeed(t, w.Close())
	return b.Bytes()
}

func readHQ(text string, change func(*provider.Settings)) (*dataset.NamedRows, []string, error) {
	opt := provider.DefaultSettings()
	opt.File = "list.txt"
	if change != nil {
		change(&opt)
	}
	return provider.CelebAHQ(strings.NewReader(text), opt)
}

func force(o *provider.Settings) { o.Force = true }

// TestListForms checks that the list is accepted in every form that it comes in, and all forms give the same
// table.
func TestListForms(t *testing.T) {
	lf := made(30_000, hqShares, "\n")
	want, notes, err := readHQ(lf, nil)
	if err != nil || len(notes) > 0 {
		t.Fatal(notes, err)
	}
	shape(t, want, 30_000, 40)
	_, rest, _ := strings.Cut(lf, "\n")
	csv := strings.NewReplacer(" \n", "\n", "  ", ",", " ", ",").Replace(rest)
	for name, text := range map[string]string{
		"CRLF":         made(30_000, hqShares, "\r\n"),
		"gzip":         string(zipped(t, lf)),
		"no last EOL":  strings.TrimSuffix(lf, "\n"),
		"blank at end": lf + "\n\n",
		"mark":         "\ufeff" + lf,
		"CSV":          "image_id," + csv,
	} {
		got, notes, err := readHQ(text, nil)
		if err != nil || len(notes) > 0 {
			t.Fatalf("%s: %v %v", name, notes, err)
		}
		if !slices.Equal(got.Names, want.Names) || !slices.Equal(got.Rows.Data, want.Rows.Data) {
			t.Errorf("%s: another table", name)
		}
	}
}

func TestListChoice(t *testing.T) {
	lf := made(30_000, hqShares, "\n")
	table, _, err := readHQ(lf, func(o *provider.Settings) { o.Attributes, o.Rows = []string{"Young", "Bald"}, 7000 })
	must.Succeed(t, err)
	shape(t, table, 7000, 2)
	if !slices.Equal(table.Names, []string{"Young", "Bald"}) {
		t.Fatalf("names %q", table.Names)
	}
	young, bald := slices.Index(names40, "Young"), slices.Index(names40, "Bald")
	for i := range 7000 {
		for k, want := range []bool{(i+1000*young)%30_000 < 23367, (i+1000*bald)%30_000 < 711} {
			if got := table.Rows.At(i, k); got != map[bool]float64{true: 1, false: -1}[want] {
				t.Fatalf("row %d, %s: %v", i, table.Names[k], got)
			}
		}
	}
	_, _, err = readHQ(lf, func(o *provider.Settings) { o.Attributes = []string{"Young", "Blad"} })
	if !errors.Is(err, provider.ErrSettings) || !strings.Contains(err.Error(), `no attribute "Blad"`) {
		t.Errorf("an unknown attribute: %v", err)
	}
}

// TestListMismatch checks that a list that is not the published one is refused with the numbers expected and
// found, and accepted by force with a warning.
func TestListMismatch(t *testing.T) {
	good := made(30_000, hqShares, "\n")
	otherShare := map[string]float64{}
	for name, share := range hqShares {
		otherShare[name] = share
	}
	otherShare["Male"] = 0.4168
	cutLine := good[:len(good)-50]
	gz := zipped(t, good)
	for _, c := range []struct {
		name, text string
		rows       int // accepted by force
		want       []string
	}{
		{"fewer rows", made(29_999, hqShares, "\n"), 29_999, []string{"30,000 rows expected, 29,999 found"}},
		{"cut in a line", cutLine, 29_999, []string{"cut off: 30,000 rows expected, 29,999 whole ones found"}},
		{"cut at a line", good[:strings.LastIndex(cutLine, "\n")+1], 29_999, []string{"30,000 rows expected, 29,999 found"}},
		{"cut gzip", string(gz[:len(gz)/2]), -1, []string{"cut off: 30,000 rows expected", "download it again"}},
		{"another count", strings.Replace(good, "30000", "30001", 1), 30_000, []string{"its line 1 says 30,001 rows"}},
		{"another share", made(30_000, otherShare, "\n"), 30_000, []string{"the share of +1 of Male is 0.4168, expected 0.3686"}},
		{"another name", strings.Replace(good, "Wearing_Hat", "Hat", 1), 30_000, []string{"40 attributes"}},
	} {
		_, _, err := readHQ(c.text, nil)
		var mismatch *provider.MismatchError
		if !errors.As(err, &mismatch) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v lacks %q", c.name, err, want)
			}
		}
		table, notes, err := readHQ(c.text, force)
		if err != nil {
			t.Errorf("%s by force: %v", c.name, err)
			continue
		}
		if c.rows >= 0 && table.Rows.Rows != c.rows {
			t.Errorf("%s by force: %d rows, want %d", c.name, table.Rows.Rows, c.rows)
		}
		if len(notes) == 0 || !strings.HasPrefix(notes[0], "warning: accepted by force") {
			t.Errorf("%s by force: notes %q", c.name, notes)
		}
	}
}

// TestListOfTheOther checks that the error names the other dataset.
func TestListOfTheOther(t *testing.T) {
	_, _, err := provider.CelebA(strings.NewReader(made(30_000, hqShares, "\n")), provider.DefaultSettings())
	if err == nil || !strings.Contains(err.Error(), "202,599 rows expected, 30,000 found: that is the length of CelebA-HQ's list (polydag dataset celeba-hq)") {
		t.Errorf("CelebA-HQ's list read as CelebA's: %v", err)
	}
}

// TestListDamaged checks that a damaged list is refused even with Force, with its position.
func TestListDamaged(t *testing.T) {
	head := "3\nMale Young\n"
	for _, c := range []struct{ name, text, want string }{
		{"zero", head + "0.jpg 1 0\n1.jpg 1 1\n2.jpg 1 1\n", `line 3, image 0.jpg, attribute Young: "0" is not -1 or 1`},
		{"few values", head + "0.jpg 1 1\n1.jpg 1\n2.jpg 1 1\n", "line 4, image 1.jpg: 1 values for 2 attributes"},
		{"many values", head + "0.jpg 1 1 1 -1\n1.jpg 1 1\n2.jpg 1 1\n", "4 values for 2"},
		{"bad last line", head + "0.jpg 1 1\n1.jpg 1 1\n2.jpg 1\n", "line 5, image 2.jpg"},
		{"image twice", head + "0.jpg 1 1\n0.jpg 1 1\n", "line 4: image 0.jpg is there twice"},
		{"name twice", "3\nMale Male\n0.jpg 1 1\n", `"Male" twice`},
		{"one name", "3\nMale\n0.jpg 1\n1.jpg 1\n", "1 attribute names"},
		{"no count", "Male Young\n0.jpg 1 1\n", "not a number of images"},
		{"count only", "3\n", "ends after line 1"},
		{"one row", head + "0.jpg 1 1\n", "1 rows are left"},
		{"long line", head + strings.Repeat("1 ", 1<<20) + "\n", "longer than"},
		{"empty", "", "is empty"},
		{"blank", "\n\n", "is empty"},
		{"page", "<!DOCTYPE html><html><title>Google Drive - Virus scan warning</title>", "is a web page"},
		{"page after blanks", "\r\n  <html>", "is a web page"},
		{"page in gzip", string(zipped(t, "<html>")), "is a web page"},
		{"pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7\n", "Git LFS pointer"},
		{"zip", "PK\x03\x04\x14\x00", "zip archive"},
		{"spreadsheet", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", ".xls spreadsheet"},
		{"binary", "3\n\x00\x01", "binary data"},
		{"UTF-16", "\xff\xfe3\x00\n\x00", "UTF-16"},
		{"gzip twice", string(zipped(t, string(zipped(t, head)))), "gzip inside"},
		{"broken gzip", "\x1f\x8bnonsense", "damaged gzip"},
	} {
		_, _, err := readHQ(c.text, force)
		want := strings.Replace(c.want, "gzip inside", "gzip data inside gzip", 1)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "list.txt") {
			t.Errorf("%s: %v, want %q", c.name, err, want)
		}
	}
}

func TestPartition(t *testing.T) {
	list := "4\nMale Young\na.jpg 1 1\nb.jpg -1 1\nc.jpg 1 -1\nd.jpg -1 -1\n"
	read := func(part, split string, forced bool) (*dataset.NamedRows, []string, error) {
		opt := provider.DefaultSettings()
		opt.Split, opt.Partition, opt.Force = split, strings.NewReader(part), forced
		return provider.CelebA(strings.NewReader(list), opt)
	}
	for _, part := range []string{"a.jpg 0\nb.jpg 2\nc.jpg 2\nd.jpg 0\n", "image_id,partition\r\na.jpg,0\r\nb.jpg,2\r\nc.jpg,2\r\nd.jpg,0\r\n"} {
		table, notes, err := read(part, "test", true)
		must.Succeed(t, err)
		if !slices.Equal(table.Rows.Data, []float64{-1, 1, 1, -1}) {
			t.Errorf("split test: %v", table.Rows.Data)
		}
		if last := notes[len(notes)-1]; last != "split test: 2 of 4 rows" {
			t.Errorf("note %q", last)
		}
	}
	for _, c := range []struct{ part, split, want string }{
		{"a.jpg 0\nb.jpg 3\n", "test", "line 2 is \"b.jpg 3\""},
		{"a.jpg 0\na.jpg 1\n", "test", "a.jpg is there twice"},
		{"a.jpg 0\nb.jpg 2\nc.jpg 2\n", "test", "lacks image d.jpg"},
		{"a.jpg 0\nb.jpg 2\nc.jpg 2\nd.jpg 0\n", "valid", "0 rows are left"},
		{"<html>", "test", "web page"},
		{"a.jpg 0\n", "tset", "want train, valid or test"},
	} {
		if _, _, err := read(c.part, c.split, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.part, err, c.want)
		}
	}
	if _, _, err := read("a.jpg 0\nb.jpg 2\nc.jpg 2\nd.jpg 0\n", "test", false); err == nil || !strings.Contains(err.Error(), "2 rows for train, expected 162,770") {
		t.Errorf("sizes of a small partition: %v", err)
	}
	if _, _, err := readHQ(list, func(o *provider.Settings) { o.Split, o.Partition = "train", strings.NewReader("") }); !errors.Is(err, provider.ErrSettings) {
		t.Errorf("a split of CelebA-HQ: %v", err)
	}
}

func TestOptionsValidate(t *testing.T) {
	opt := provider.Settings{Attributes: []string{"a", "b", "a"}, Split: "train", Missing: "cells", Condition: "15"}
	err := opt.Validate()
	for _, want := range []string{"Rows = 0", `names "a" twice`, "needs Partition", `Missing = "cells"`, `Condition = "15"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
	if !errors.Is(err, provider.ErrSettings) {
		t.Error("not ErrSettings")
	}
	if err := provider.DefaultSettings().Validate(); err != nil {
		t.Error(err)
	}
}

// FuzzCelebA checks that any bytes give an error or a table of ones and minus ones.
func FuzzCelebA(f *testing.F) {
	must.AddMutants(f, 500, []byte("2\r\nMale Young \r\n000001.jpg -1  1\r\n000002.jpg  1 -1\r\n"),
		[]byte("image_id,Male,Young\n1.jpg,1,-1\n2.jpg,1,1"), []byte("9999999999\nMale Young\na 1 1\nb 1 1\nc 1"),
		[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"), []byte("\ufeff1\n,"), []byte(","))
	f.Fuzz(func(t *testing.T, text []byte) {
		opt := provider.DefaultSettings()
		opt.Force = true
		table, notes, err := provider.CelebA(bytes.NewReader(text), opt)
		if err != nil {
			return
		}
		if len(table.Names) != table.Rows.Cols || table.Rows.Rows < 2 || table.Rows.Cols < 2 {
			t.Fatalf("%d names for %d×%d", len(table.Names), table.Rows.Rows, table.Rows.Cols)
		}
		for _, v := range table.Rows.Data {
			if v != 1 && v != -1 {
				t.Fatalf("value %v", v)
			}
		}
		if table.Rows.Rows != 202_599 && len(notes) == 0 {
			t.Fatal("a wrong list without a note")
		}
		opt.Force = false
		if _, _, err := provider.CelebA(bytes.NewReader(text), opt); err == nil {
			t.Fatal("a wrong list was accepted")
		}
	})
}
