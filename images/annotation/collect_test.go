package annotation

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/internal/must"
)

// The table of a few annotations by hand: image b has nothing, a category counts once per image for its share, areas are shares of the
// pixels and at most 1, and categories in too few images are left out.
func TestTableByHand(t *testing.T) {
	gather := func() *collector {
		var c collector
		for _, name := range []string{"a", "b", "c", "d"} {
			c.pixels[c.row(name)] = 100
		}
		for _, m := range []struct {
			image, category string
			area            float64
		}{
			{"c", "dog", 30}, {"a", "dog", 25}, {"a", "cat", 60}, {"a", "cat", 70}, {"d", "cat", 10}, {"d", "ant", 5}, {"d", "cat", 20}, {"d", "cat", 20},
		} {
			c.add(c.row(m.image), c.column(m.category), m.area)
		}
		return &c
	}
	for _, c := range []struct {
		set   Settings
		names []string
		rows  [][]float64
		notes int
	}{
		{Settings{Values: Presence}, []string{"ant", "cat", "dog"}, [][]float64{{0, 1, 1}, {0, 0, 0}, {0, 0, 1}, {1, 1, 0}}, 0},
		{Settings{Values: Count, MinShare: 0.25}, []string{"ant", "cat", "dog"}, [][]float64{{0, 2, 1}, {0, 0, 0}, {0, 0, 1}, {1, 3, 0}}, 0},
		{Settings{Values: Count, MinShare: 0.26}, []string{"cat", "dog"}, [][]float64{{2, 1}, {0, 0}, {0, 1}, {3, 0}}, 1},
		{Settings{Values: Area, MinShare: 0.5}, []string{"cat", "dog"}, [][]float64{{1, 0.25}, {0, 0}, {0, 0.3}, {0.5, 0}}, 1},
		{Settings{Values: Score, MinShare: 1}, []string{"ant", "cat", "dog"}, [][]float64{{0, 70, 25}, {0, 0, 0}, {0, 0, 30}, {5, 20, 0}}, 0},
	} {
		table, err := gather().table(c.set)
		must.Succeed(t, err)
		rows := rowsOf(table)
		for _, row := range append(slices.Clone(rows), c.rows...) {
			for j := range row {
				row[j] = float64(float32(row[j])) // a twelfth digit is not the point
			}
		}
		if !slices.Equal(table.Categories, c.names) || !reflect.DeepEqual(rows, c.rows) || len(table.Notes) != c.notes {
			t.Errorf("%+v: columns %v, rows %v, notes %q, want %v and %v", c.set, table.Categories, rows, table.Notes, c.names, c.rows)
		}
		for range table.Rows() {
			break // a reader may stop early
		}
	}
	if _, err := gather().table(Settings{Values: Presence, MinShare: 0.51}); err == nil || !strings.Contains(err.Error(), "0 of 3 categories") {
		t.Errorf("all categories are too rare: %v", err)
	}
	one := gather()
	one.images = one.images[:1]
	if _, err := one.table(Settings{Values: Presence}); err == nil || !strings.Contains(err.Error(), "1 images") {
		t.Errorf("one image: %v", err)
	}
	unknown := gather()
	unknown.pixels[1], unknown.pixels[3] = 0, 0 // b has no annotation, d has some
	if _, err := unknown.table(Settings{Values: Area}); err == nil || !strings.Contains(err.Error(), "image d is unknown") {
		t.Errorf("an image without a size: %v", err)
	}
}

// A file may begin with a byte order mark, and a setting out of range is named before files are read.
func TestSettingsAndMarks(t *testing.T) {
	dir := t.TempDir()
	put(dir, "instances_a.json", "\ufeff"+`{"images":[{"id":1,"file_name":"a"},{"id":2,"file_name":"b"}],"annotations":[{"image_id":2,"category_id":1,"area":3},{"image_id":2,"category_id":2,"area":3}],"categories":[{"id":1,"name":"c"},{"id":2,"name":"d"}]}`)
	path := []string{filepath.Join(dir, "instances_a.json")}
	if table, err := Read(t.Context(), "coco", path, DefaultSettings()); err != nil || fmt.Sprint(table.Categories) != "[c d]" {
		t.Errorf("a file with a byte order mark: %v", err)
	}
	for _, c := range []struct {
		name   string
		paths  []string
		change func(*Settings)
		want   string
	}{
		{"cocoa", path, func(*Settings) {}, `no format "cocoa"`},
		{"coco", nil, func(*Settings) {}, "no path"},
		{"coco", path, func(s *Settings) { s.MinShare = -0.1 }, "MinShare = -0.1"},
		{"coco", path, func(s *Settings) { s.MinShare = 1.1 }, "MinShare = 1.1"},
		{"voc", path, func(s *Settings) { s.Group = true }, "no supercategories"},
	} {
		set := DefaultSettings()
		c.change(&set)
		if _, err := Read(t.Context(), c.name, c.paths, set); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %+v: %v, want %q", c.name, set, err, c.want)
		}
	}
}

// A box whose corners are exchanged in both directions has no area: the product of two negative sides does not count.
func TestExchangedCorners(t *testing.T) {
	dir := t.TempDir()
	size := "<annotation><size><width>10</width><height>10</height></size>"
	box := "<object><name>%s</name><bndbox><xmin>%d</xmin><ymin>%d</ymin><xmax>%d</xmax><ymax>%d</ymax></bndbox></object>"
	put(dir, "a.xml", size+fmt.Sprintf(box+box, "cat", 1, 1, 4, 3, "dog", 5, 5, 2, 2)+"</annotation>")
	put(dir, "b.xml", size+"</annotation>")
	table := must.Get(Read(t.Context(), "voc", []string{dir}, Settings{Values: Area, MinShare: 0.5}))
	must.Same(t, fmt.Sprint(table.Categories, rowsOf(table)), "[cat dog] [[0.06 0] [0 0]]", "areas")
}
