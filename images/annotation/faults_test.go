package annotation

import (
	"bytes"
	"compress/gzip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// What does not follow a format is refused with its place; what a format leaves open is read.
func TestFilesThatDoNotFit(t *testing.T) {
	voc := func(inside string) map[string]string {
		return map[string]string{"a.xml": "<annotation><filename>a.jpg</filename><size><width>10</width><height>10</height></size>" + inside + "</annotation>"}
	}
	cvat := func(inside string) map[string]string {
		return map[string]string{"annotations.xml": `<annotations><image name="a" width="10" height="10">` + inside + `</image></annotations>`}
	}
	yolo := func(line string) map[string]string {
		return map[string]string{"a.txt": "0 0.5 0.5 0.1 0.1\n" + line + "\n", "classes.txt": "cat\ndog\n"}
	}
	awa := func(matrix string) map[string]string {
		return map[string]string{"classes.txt": "1 wolf\n2 seal\n", "predicates.txt": "1 furry\n2 wet\n", "predicate-matrix-binary.txt": matrix}
	}
	lfwa := func(text string) map[string]string { return map[string]string{"lfw_attributes.txt": text} }
	open := func(text string) map[string]string { return map[string]string{"labels.csv": text} }
	for _, c := range []struct {
		format string
		files  map[string]string
		want   string
	}{
		{"voc", voc("<object><bndbox><xmin>1</xmin></bndbox></object>"), "an object has no name"},
		{"voc", voc("<object><name>cat</name><bndbox><xmin>left</xmin></bndbox></object>"), `"left", not a number`},
		{"voc", voc("<object><name>cat</name><bndbox><xmin>inf</xmin></bndbox></object>"), `"inf", not a number`},
		{"voc", voc("<object><name>cat</object></name>"), "the end of object comes before its begin"},
		{"voc", map[string]string{"a.xml": "<html></html>"}, "element html in place of annotation"},
		{"cvat", cvat(`<box label="cat" xtl="1" ytl="1" xbr="x" ybr="2"/>`), `xbr of a box is "x"`},
		{"cvat", cvat(`<box label="cat" xtl="1" ytl="1" xbr="nan" ybr="2"/>`), `xbr of a box is "nan"`},
		{"cvat", cvat(`<box xtl="1" ytl="1" xbr="2" ybr="2"/>`), "a box of image a has no label"},
		{"cvat", cvat(`<polygon label="cat" points="1,2;3,4;5"/>`), "points of a polygon: 5 numbers, want x and y of each corner"},
		{"cvat", cvat(`</image></annotations></annotations>`), "the end of annotations comes before its begin"},
		{"cvat", map[string]string{"a.xml": `<annotations><image name="a" width="0" height="10"/></annotations>`}, `the width of image a is "0"`},
		{"cvat", map[string]string{"a.xml": `<annotations><image name="a" width="3"/></annotations>`}, `the height of image a is ""`},
		{"cvat", map[string]string{"a.xml": `<annotations><image width="3" height="3"/></annotations>`}, "an image has no name"},
		{"cvat", map[string]string{"a.xml": `<annotations></annotations>`}, "no image"},
		{"cvat", map[string]string{"a.xml": `<annotations><image name="a" width="1" height="1">`}, "ends early"},
		{"yolo", yolo("cat 0.5 0.5 0.1 0.1"), `line 2: class "cat" is not a whole number`},
		{"yolo", yolo("-1 0.5 0.5 0.1 0.1"), `class "-1"`},
		{"yolo", yolo("0 0.5 0.5 0.1 wide"), `"wide" is not a finite number`},
		{"yolo", yolo("0 0.5 0.5 0.1 nan"), `"nan" is not a finite number`},
		{"yolo", yolo("0 0.5 0.5 0.1"), "3 numbers after the class"},
		{"yolo", yolo("0 1 2 3 4 5 6 7"), "7 numbers after the class"},
		{"yolo", yolo("2 0.5 0.5 0.1 0.1"), "class 2 has no name; there are 2 names"},
		{"yolo", map[string]string{"a.txt": "0 0.5 0.5 0.1 0.1\n", "data.yaml": "names: []\n"}, "names is not a list of names"},
		{"yolo", map[string]string{"a.txt": "0 0.5 0.5 0.1 0.1\n", "data.yaml": "names: 5\n"}, "names is not a list of names"},
		{"awa2", awa("1 0\n0 2\n"), `line 2: value "2", want 0 or 1`},
		{"awa2", awa("1 0\n0 1 1\n"), "3 values for 2 attributes"},
		{"awa2", awa("1 0\n"), "1 lines for 2 classes"},
		{"awa2", awa("1 0\n0 1\n1 1\n"), "only 2 classes"},
		{"lfwa", lfwa("x\t1\n"), "want a person, an image number"},
		{"lfwa", lfwa("#\tperson\timagenum\tMale\tOld\nAnn\t1\t0.5\n"), "3 fields"},
		{"lfwa", lfwa("#\tperson\timagenum\tMale\tOld\nAnn\t1\t0.5\thigh\n"), `score "high" of Old`},
		{"lfwa", lfwa("#\tperson\timagenum\tMale\tOld\nAnn\t1\t0.5\tinf\n"), `score "inf" of Old`},
		{"open-images", open("ImageID,Source,Label\na,b,c\n"), "no columns ImageID and LabelName"},
		{"open-images", open("Image,Source,LabelName\na,b,c\n"), "no columns ImageID and LabelName"},
		{"open-images", open("a,b\n"), "no label file"},
		{"open-images", open("ImageID,LabelName,XMin,XMax,YMin,YMax\na,x,0,1,0,high\n"), `record 2: "high" is not a number`},
		{"coco", map[string]string{"a.json": `{"images":[{"id":5},{"id":5}],"annotations":[],"categories":[{"id":1,"name":"cat"}]}`}, "two images have the id 5"},
		{"visual-genome", map[string]string{"objects.json": `[{"objects":[{"names":["a"]}]}]`}, "an image has no image_id"},
		{"visual-genome", map[string]string{"objects.json": `[{"image_id":"x"}]`}, "where a whole number belongs"},
		{"visual-genome", map[string]string{"objects.json": `[{"image_id":1,"objects":[{"names":[5]}]}]`}, "where text belongs"},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			put(dir, name, text)
		}
		_, err := Read(t.Context(), c.format, []string{dir}, DefaultSettings())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %q: %v, want %q", c.format, c.files, err, c.want)
		}
	}
	long := t.TempDir()
	put(long, "a.txt", "0 0.5 0.5 0.1 0.1\n0 "+strings.Repeat("1", 1<<20)+"\n")
	if _, err := Read(t.Context(), "yolo", []string{long}, DefaultSettings()); err == nil || !strings.Contains(err.Error(), "line 2 is longer than 1 MiB") {
		t.Errorf("a line of a megabyte: %.200v", err)
	}
}

// Boxes may have a confidence, classes may have no names, and a compressed file is read like another.
func TestLeavesOpen(t *testing.T) {
	dir := t.TempDir()
	put(dir, "a.txt", "0 0.5 0.5 0.5 0.5 0.9\n1 0.5 0.5 0.5 0.2\n")
	put(dir, "b.txt", "1 0 0 1 0 1 0.5\n")
	put(dir, "notes.md", "1 2 3\n")
	set := DefaultSettings()
	set.Values = Area
	table, err := Read(t.Context(), "yolo", []string{dir}, set)
	must.Succeed(t, err)
	rows := rowsOf(table)
	if !slices.Equal(table.Categories, []string{"class 0", "class 1"}) || len(rows) != 2 || rows[0][0] != 0.25 || float32(rows[0][1]) != 0.1 || rows[1][0] != 0 || rows[1][1] != 0.25 {
		t.Errorf("columns %v, rows %v", table.Categories, rows)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write([]byte("#\tperson\timagenum\tMale\tOld\nAnn\t1\t0.5\t-1\nBob\t2\t-0.5\t0\nEve\t1\t0\t2\n"))
	z.Close()
	put(dir, "lfw_attributes.txt.gz", packed.String())
	table, err = Read(t.Context(), "lfwa", []string{filepath.Join(dir, "lfw_attributes.txt.gz")}, DefaultSettings())
	if err != nil || !slices.Equal(table.Images, []string{"Ann 1", "Bob 2", "Eve 1"}) || !slices.Equal(table.Categories, []string{"Male", "Old"}) {
		t.Fatalf("a compressed file: %+v, %v", table, err)
	}
	if present := slices.Concat(rowsOf(table)...); !slices.Equal(present, []float64{1, 0, 0, 0, 0, 1}) {
		t.Errorf("attributes with a positive score: %v", present)
	}
}
