package annotation

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// A scene is an image with boxes, in pixels.
type scene struct {
	name          string
	width, height int
	boxes         []box
}

type box struct {
	class int
	x, y  int
	w, h  int
}

var classes = []string{"bicycle", "car & truck", "person", "rare thing"}

// scenes draws images of which one in ten has no object. The last class is in one image.
func scenes(n int) []scene {
	rng := rand.New(rand.NewPCG(1, 2))
	out := make([]scene, n)
	for i := range out {
		s := scene{name: fmt.Sprintf("%05d", i), width: 200 + rng.IntN(100), height: 100 + rng.IntN(100)}
		for range min(rng.IntN(10), 6) {
			s.boxes = append(s.boxes, box{rng.IntN(3), rng.IntN(100), rng.IntN(50), 1 + rng.IntN(90), 1 + rng.IntN(50)})
		}
		if i == 0 {
			s.boxes = append(s.boxes, box{3, 0, 0, 10, 10})
		}
		out[i] = s
	}
	return out
}

// want returns the table of scenes by its definition.
func want(all []scene, values Values, columns []int) [][]float64 {
	var out [][]float64
	for _, s := range all {
		row := make([]float64, len(columns))
		for k, class := range columns {
			for _, b := range s.boxes {
				switch {
				case b.class != class:
				case values == Presence:
					row[k] = 1
				case values == Count:
					row[k]++
				default:
					row[k] = min(1, row[k]+float64(b.w*b.h)/float64(s.width*s.height))
				}
			}
		}
		out = append(out, row)
	}
	return out
}

// writers write scenes in each format of objects to a folder and return the paths to pass.
var writers = map[string]func(dir string, all []scene) []string{
	"coco": func(dir string, all []scene) []string {
		var images, marks []string
		for i, s := range all {
			images = append(images, fmt.Sprintf(`{"license":1,"file_name":%q,"height":%d,"width":%d,"id":%d}`, s.name, s.height, s.width, 1000+i))
			for _, b := range s.boxes {
				marks = append(marks, fmt.Sprintf(`{"segmentation":[[%d.5,2,3,4]],"area":%d,"iscrowd":0,"image_id":%d,"bbox":[1,2,3,4],"category_id":%d,"id":1}`, b.x, b.w*b.h, 1000+i, 90+b.class))
			}
		}
		var names []string
		for k, c := range classes {
			names = append(names, fmt.Sprintf(`{"supercategory":"group %d","id":%d,"name":%q}`, k%2, 90+k, c))
		}
		return []string{put(dir, "instances.json", `{"info":{"x":[1,{}]},"annotations":[`+strings.Join(marks, ",\n")+`],"images":[`+strings.Join(images, ",")+`],"categories":[`+strings.Join(names, ",")+`]}`)}
	},
	"open-images": func(dir string, all []scene) []string {
		var b strings.Builder
		b.WriteString("ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded\n")
		for _, s := range all {
			for _, o := range s.boxes {
				w, h := float64(s.width), float64(s.height)
				fmt.Fprintf(&b, "%s,xclick,/m/%d,1,%v,%v,%v,%v,0\n", s.name, o.class, float64(o.x)/w, float64(o.x+o.w)/w, float64(o.y)/h, float64(o.y+o.h)/h)
			}
			fmt.Fprintf(&b, "%s,verification,/m/3,0,0,0,0,0,0\n", s.name) // somebody found the last class absent
		}
		var n strings.Builder
		for k, c := range classes {
			fmt.Fprintf(&n, "/m/%d,%q\n", k, c)
		}
		return []string{put(dir, "boxes.csv", b.String()), put(dir, "class-descriptions.csv", n.String())}
	},
	"visual-genome": func(dir string, all []scene) []string {
		var images []string
		for i, s := range all {
			var objects []string
			for _, b := range s.boxes {
				objects = append(objects, fmt.Sprintf(`{"synsets":["a.n.01"],"h":3,"object_id":5,"names":[%q],"w":2}`, strings.ToUpper(classes[b.class])))
			}
			images = append(images, fmt.Sprintf(`{"objects":[%s],"image_id":%d,"image_url":"x"}`, strings.Join(objects, ","), i))
		}
		return []string{put(dir, "objects.json", "["+strings.Join(images, ",")+"]")}
	},
	"voc": func(dir string, all []scene) []string {
		for _, s := range all {
			var b strings.Builder
			fmt.Fprintf(&b, "<?xml version=\"1.0\"?>\n<!-- <object> -->\n<annotation>\n<filename>%s.jpg</filename><size><width>%d</width><height>%d</height><depth>3</depth></size>", s.name, s.width, s.height)
			for k, o := range s.boxes {
				name := strings.ReplaceAll(classes[o.class], "&", "&amp;")
				if k%2 == 1 {
					name = "<![CDATA[" + classes[o.class] + "]]>"
				}
				fmt.Fprintf(&b, "<object>\n<name>%s</name><pose a='>'/><bndbox><xmin>%d</xmin><ymin>%d</ymin><xmax>%d</xmax><ymax>%d</ymax></bndbox><part><name>head</name><bndbox><xmin>1</xmin><xmax>9</xmax></bndbox></part></object>", name, o.x, o.y, o.x+o.w, o.y+o.h)
			}
			b.WriteString("</annotation>\n")
			put(dir, s.name+".xml", b.String())
		}
		return []string{dir}
	},
	"cvat": func(dir string, all []scene) []string {
		var b strings.Builder
		b.WriteString("<?xml version=\"1.0\"?><annotations><version>1.1</version><meta><task><name>t</name><labels><label><name>car</name></label></labels></task></meta>")
		for i, s := range all {
			fmt.Fprintf(&b, `<image id="%d" name="%s" width="%d" height="%d">`, i, s.name, s.width, s.height)
			for k, o := range s.boxes {
				label := strings.ReplaceAll(classes[o.class], "&", "&amp;")
				if k%2 == 0 {
					fmt.Fprintf(&b, `<box label="%s" occluded="0" xtl="%d" ytl="%d" xbr="%d" ybr="%d"><attribute name="a">b</attribute></box>`, label, o.x, o.y, o.x+o.w, o.y+o.h)
				} else {
					fmt.Fprintf(&b, `<polygon label="%s" points="%d,%d;%d,%d;%d,%d;%d,%d"/>`, label, o.x, o.y, o.x+o.w, o.y, o.x+o.w, o.y+o.h, o.x, o.y+o.h)
				}
			}
			b.WriteString("</image>\n")
		}
		return []string{put(dir, "annotations.xml", b.String()+"</annotations>")}
	},
	"yolo": func(dir string, all []scene) []string {
		for _, s := range all {
			var b strings.Builder
			for k, o := range s.boxes {
				w, h := float64(s.width), float64(s.height)
				x, y, ow, oh := float64(o.x)/w, float64(o.y)/h, float64(o.w)/w, float64(o.h)/h
				if k%2 == 0 {
					fmt.Fprintln(&b, o.class, x+ow/2, y+oh/2, ow, oh)
				} else {
					fmt.Fprintln(&b, o.class, x, y, x+ow, y, x+ow, y+oh, x, y+oh)
				}
			}
			put(dir, s.name+".txt", b.String())
		}
		put(dir, "data.yaml", "train: images\nnames:\n  0: bicycle\n  1: car & truck\n  2: person\n  3: rare thing\n")
		return []string{dir}
	},
	"ade20k": func(dir string, all []scene) []string {
		for _, s := range all {
			var b strings.Builder
			for k, o := range s.boxes {
				fmt.Fprintf(&b, "%03d # 0 # 0 # %s, other name # raw # \"\"\n%03d # 1 # 0 # part # part # \"\"\n", k, classes[o.class], k)
			}
			put(dir, s.name+"_atr.txt", b.String())
		}
		return []string{dir}
	},
}

func put(dir, name, text string) string {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		panic(err)
	}
	return path
}

func rowsOf(t *Collection) (out [][]float64) {
	for row := range t.Rows() {
		out = append(out, slices.Clone(row))
	}
	return out
}

func TestFormatsOfObjects(t *testing.T) {
	all := scenes(300)
	for _, f := range Formats() {
		write := writers[f.Name]
		if write == nil {
			continue
		}
		paths := write(t.TempDir(), all)
		for _, values := range f.Values {
			if f.Name == "visual-genome" && values == Area {
				continue // its files have no sizes of images
			}
			for _, rare := range []bool{true, false} { // by default only categories in 1 % of the images
				set := DefaultSettings()
				if set.Values = values; rare {
					set.MinShare = 0
				}
				table, err := Read(context.Background(), f.Name, paths, set)
				if err != nil {
					t.Errorf("%s, %s: %v", f.Name, values, err)
					continue
				}
				columns := []int{0, 1, 2, 3}
				if !rare {
					columns = columns[:3]
				}
				var names []string
				for _, k := range columns {
					names = append(names, classes[k])
				}
				if !slices.Equal(table.Categories, names) || len(table.Notes) != 4-len(columns) {
					t.Errorf("%s: columns %q, notes %q", f.Name, table.Categories, table.Notes)
					continue
				}
				truth := want(all, values, columns)
				got := rowsOf(table)
				if len(got) != len(truth) {
					t.Errorf("%s: %d rows, want %d", f.Name, len(got), len(truth))
					continue
				}
				for i := range got {
					for j := range got[i] {
						if !(math.Abs(got[i][j]-truth[i][j]) <= 1e-6) {
							t.Fatalf("%s, %s: image %s, %s: %v, want %v", f.Name, values, table.Images[i], names[j], got[i][j], truth[i][j])
						}
					}
				}
			}
		}
	}
}

func TestGroup(t *testing.T) {
	set := DefaultSettings()
	set.Group, set.Values = true, Count
	table, err := Read(context.Background(), "coco", writers["coco"](t.TempDir(), scenes(50)), set)
	must.Succeed(t, err)
	if !slices.Equal(table.Categories, []string{"group 0", "group 1"}) {
		t.Errorf("columns %q", table.Categories)
	}
	count := want(scenes(50), Count, []int{0, 1, 2, 3})
	for i, row := range rowsOf(table) {
		if row[0] != count[i][0]+count[i][2] || row[1] != count[i][1]+count[i][3] {
			t.Fatalf("image %d: %v, want the sums of %v", i, row, count[i])
		}
	}
	set = DefaultSettings()
	set.Group = true
	if _, err := Read(context.Background(), "yolo", []string{"."}, set); !errors.Is(err, ErrSettings) {
		t.Errorf("groups of yolo: %v", err)
	}
}

func TestFormatsOfAttributes(t *testing.T) {
	dir := t.TempDir()
	sunImages := []string{"a/abbey/sun_aa.jpg", "a/abbey/sun_ab.jpg", "b/beach/sun_ba.jpg"}
	third, twoThirds := float64(float32(1.0/3)), float64(float32(2.0/3))
	put(dir, "images.txt", "1 a/x.jpg\n2 b/y.jpg\n3 b/z.jpg\n")
	put(dir, "attributes.txt", "1 has_bill::curved\n2 has_wing::blue grey\n")
	put(dir, "image_attribute_labels.txt", "1 1 1 3 27.7\n1 2 0 1 27.7\n2 1 0 3 1.0\n2 2 1 4 0 1.2\n3 1 1 3 2\n3 2 1 3 2\n")
	put(dir, "classes.txt", "     1\tantelope\n     2\tbear\n")
	put(dir, "predicates.txt", "     1\tblack\n     2\tbig paws\n     3\tnone\n")
	put(dir, "predicate-matrix-binary.txt", "0 1 0\n1 1 0\n")
	for _, name := range []string{"attributes.mat", "images.mat", "attributeLabels_continuous.mat"} {
		b, err := os.ReadFile(filepath.Join("testdata", "sun", name))
		must.Succeed(t, err)
		put(dir, name, string(b))
	}
	put(dir, "lfw_attributes.txt", "# lfw_attributes.txt\tby\n#\tperson\timagenum\tMale\tRound Jaw\nAaron Eckhart\t1\t1.5\t-0.25\nAaron Guiel\t1\t-2\t0.5\n")
	for _, c := range []struct {
		format  string
		values  Values
		images  []string
		columns []string
		rows    [][]float64
	}{
		{"cub", Presence, []string{"a/x.jpg", "b/y.jpg", "b/z.jpg"}, []string{"has_bill::curved", "has_wing::blue grey"}, [][]float64{{1, 0}, {0, 1}, {1, 1}}},
		{"awa2", Presence, []string{"antelope", "bear"}, []string{"big paws", "black"}, [][]float64{{1, 0}, {1, 1}}},
		{"sun", Presence, sunImages, []string{"natural light", "rusty", "sailing/ boating"}, [][]float64{{1, 0, 0}, {1, 0, 0}, {1, 1, 1}}},
		{"sun", Score, sunImages, []string{"natural light", "rusty", "sailing/ boating"}, [][]float64{{1, third, 0}, {twoThirds, 0, third}, {1, twoThirds, 1}}},
		{"lfwa", Presence, []string{"Aaron Eckhart 1", "Aaron Guiel 1"}, []string{"Male", "Round Jaw"}, [][]float64{{1, 0}, {0, 1}}},
		{"lfwa", Score, []string{"Aaron Eckhart 1", "Aaron Guiel 1"}, []string{"Male", "Round Jaw"}, [][]float64{{1.5, -0.25}, {-2, 0.5}}},
	} {
		set := DefaultSettings()
		set.Values = c.values
		table, err := Read(context.Background(), c.format, []string{dir}, set)
		if err != nil {
			t.Errorf("%s: %v", c.format, err)
			continue
		}
		if rows := rowsOf(table); !slices.Equal(table.Images, c.images) || !slices.Equal(table.Categories, c.columns) || fmt.Sprint(rows) != fmt.Sprint(c.rows) {
			t.Errorf("%s, %s: %q × %q: %v", c.format, c.values, table.Images, table.Categories, rows)
		}
	}
}

// TestSUNFilesDoNotFit swaps files of the SUN attribute database.
func TestSUNFilesDoNotFit(t *testing.T) {
	const attributes, images, labels = "attributes.mat", "images.mat", "attributeLabels_continuous.mat"
	for want, from := range map[string][3]string{
		"no such array":     {attributes, labels, labels},
		"level 5":           {attributes, images, "write.py"},
		"no file images":    {attributes, "", labels},
		"attributes.mat: t": {labels, images, labels},
	} {
		dir := t.TempDir()
		for k, name := range []string{attributes, images, labels} {
			if from[k] == "" {
				continue
			}
			b, err := os.ReadFile(filepath.Join("testdata", "sun", from[k]))
			must.Succeed(t, err)
			put(dir, name, string(b))
		}
		if _, err := Read(context.Background(), "sun", []string{dir}, DefaultSettings()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestAttributesOfObjects reads Visual Genome's attributes.json.
func TestAttributesOfObjects(t *testing.T) {
	file := put(t.TempDir(), "attributes.json", `[{"image_id":1,"attributes":[{"names":["clock"],"attributes":["green"," Tall "],"h":1},{"names":["sky"]}]},{"image_id":2,"attributes":[{"attributes":["green"]}]}]`)
	table, err := Read(context.Background(), "visual-genome", []string{file}, DefaultSettings())
	must.Succeed(t, err)
	if got := fmt.Sprint(table.Categories, rowsOf(table)); got != "[green tall] [[1 1] [1 0]]" {
		t.Error(got)
	}
}

// TestDamagedFiles cuts files short and changes bytes. The result is a table or an error that names the file, never a panic.
func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, f := range Formats() {
		write := writers[f.Name]
		if write == nil {
			continue
		}
		dir := t.TempDir()
		paths := write(dir, scenes(3))
		file := paths[0]
		if file == dir {
			entries, _ := os.ReadDir(dir)
			file = filepath.Join(dir, entries[0].Name())
		}
		text, err := os.ReadFile(file)
		must.Succeed(t, err)
		refused := 0
		for range 100 {
			bad := text[:rng.IntN(len(text))]
			if rng.IntN(2) == 0 {
				bad = slices.Clone(text)
				bad[rng.IntN(len(bad))] = "<>{}\"'\x00\xff9,#\n"[rng.IntN(12)]
			}
			put(dir, filepath.Base(file), string(bad))
			if _, err := Read(context.Background(), f.Name, paths, DefaultSettings()); err != nil {
				refused++
			}
		}
		if refused == 0 {
			t.Errorf("%s: no damage was found", f.Name)
		}
	}
}

func TestErrors(t *testing.T) {
	dir := t.TempDir()
	put(dir, "empty.json", "")
	put(dir, "page.json", "<html>")
	put(dir, "unlisted.json", `{"images":[{"id":1,"file_name":"a"}],"annotations":[{"image_id":2,"category_id":1}],"categories":[{"id":1,"name":"c"}]}`)
	put(dir, "one.json", `{"images":[{"id":1,"file_name":"a"}],"annotations":[],"categories":[]}`)
	put(dir, "nosize.json", `{"images":[{"id":1,"file_name":"a"},{"id":2,"file_name":"b"}],"annotations":[{"image_id":2,"category_id":1,"area":3},{"image_id":2,"category_id":2,"area":3}],"categories":[{"id":1,"name":"c"},{"id":2,"name":"d"}]}`)
	for _, c := range []struct{ file, values, want string }{
		{"empty.json", "presence", "is empty"},
		{"page.json", "presence", "byte 0"},
		{"unlisted.json", "presence", "an image that the file does not list"},
		{"one.json", "presence", "at least 2"},
		{"nosize.json", "area", "the size of image b is unknown"},
		{"absent.json", "presence", "no such file"},
		{"one.json", "score", "coco has no score"},
	} {
		set := DefaultSettings()
		set.Values = Values(c.values)
		_, err := Read(context.Background(), "coco", []string{filepath.Join(dir, c.file)}, set)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.file, err, c.want)
		}
	}
	ctx, stop := context.WithCancelCause(context.Background())
	stop(errors.New("enough"))
	if _, err := Read(ctx, "coco", []string{filepath.Join(dir, "one.json")}, DefaultSettings()); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("stopped: %v", err)
	}
}

// TestTagsAgainstTheStandardLibrary compares the tags and texts of random XML with those of encoding/xml.
func TestTagsAgainstTheStandardLibrary(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	parts := []string{"<a>", "</a>", "<b c='1' d=\"x&gt;'y\">", "</b>", "<e/>", "t &amp; u", "<!-- <a> > -->", "<![CDATA[<x>&amp;]]>", " ", "<f g = 'h>i' />", "&#65;"}
	for range 2000 {
		text := "<r>"
		for range rng.IntN(12) {
			text += parts[rng.IntN(len(parts))]
		}
		text += "</r>"
		var wanted []string
		d := xml.NewDecoder(strings.NewReader(text))
		said := ""
		for {
			tok, err := d.RawToken()
			if err != nil {
				break
			}
			switch tok := tok.(type) {
			case xml.CharData:
				said += string(tok)
			case xml.StartElement:
				values := ""
				for _, a := range tok.Attr {
					values += a.Name.Local + "=" + a.Value + ";"
				}
				wanted = append(wanted, strings.TrimSpace(said)+"<"+tok.Name.Local+" "+values)
				said = ""
			case xml.EndElement:
				wanted = append(wanted, strings.TrimSpace(said)+"</"+tok.Name.Local)
				said = ""
			}
		}
		var got []string
		s := &tags{b: bufio.NewReader(bytes.NewReader([]byte(text)))}
		for {
			err := s.next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			name, begins, ends := s.name()
			line := s.content()
			if begins {
				values := ""
				for _, k := range []string{"c", "d", "g"} {
					if v := s.value(k); v != "" {
						values += k + "=" + v + ";"
					}
				}
				got = append(got, line+"<"+string(name)+" "+values)
				line = ""
			}
			if ends {
				got = append(got, line+"</"+string(name))
			}
		}
		if !slices.Equal(got, wanted) {
			t.Fatalf("%s:\n%q\n%q", text, got, wanted)
		}
	}
}

// BenchmarkRead reports the speed of each format in MB/s.
func BenchmarkRead(b *testing.B) {
	all := scenes(10000)
	for _, f := range Formats() {
		write := writers[f.Name]
		if write == nil {
			continue
		}
		b.Run(f.Name, func(b *testing.B) {
			paths := write(b.TempDir(), all)
			set := DefaultSettings()
			var size int64
			set.Observe = func(bytes int64, _ int) { size = bytes }
			for b.Loop() {
				must.Get(Read(context.Background(), f.Name, paths, set))
			}
			b.SetBytes(size)
		})
	}
}

// TestRareCategories checks that a category in 1 % of the images is a column by default, and a rarer one is not.
func TestRareCategories(t *testing.T) {
	all := make([]scene, 200)
	for i := range all {
		all[i] = scene{name: fmt.Sprintf("%05d", i), width: 100, height: 100, boxes: []box{{0, 0, 0, 10, 10}}}
		if i < 2 {
			all[i].boxes = append(all[i].boxes, box{1, 0, 0, 10, 10})
		}
		if i < 1 {
			all[i].boxes = append(all[i].boxes, box{2, 0, 0, 10, 10})
		}
	}
	table, err := Read(t.Context(), "coco", writers["coco"](t.TempDir(), all), DefaultSettings())
	must.Succeed(t, err)
	if !slices.Equal(table.Categories, classes[:2]) {
		t.Errorf("columns %v, want %v", table.Categories, classes[:2])
	}
}
