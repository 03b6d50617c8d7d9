package annotation

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// most limits the numbers of images, categories and annotations.
const most = math.MaxInt32

// A mark is one annotation: an object of a category in an image, or an attribute of the image.
type mark struct {
	image, category int32
	value           float32 // area of the object in pixels, or the score
}

// A collector gathers annotations. Its zero value is empty.
type collector struct {
	images     []string
	pixels     []float64 // size of each image, 0 if it is unknown
	categories []string
	marks      []mark
	image      map[string]int32
	category   map[string]int32
}

// row returns the row of the image with this name and adds the image if it is new.
func (c *collector) row(name string) int32 {
	at, added := place(&c.image, &c.images, name)
	if added {
		c.pixels = append(c.pixels, 0)
	}
	return at
}

// column returns the column of the category with this name and adds the category if it is new.
func (c *collector) column(name string) int32 {
	at, _ := place(&c.category, &c.categories, name)
	return at
}

// place returns the index of a name in a list, to which it adds a new name.
func place(index *map[string]int32, list *[]string, name string) (at int32, added bool) {
	if at, ok := (*index)[name]; ok {
		return at, false
	}
	if *index == nil {
		*index = map[string]int32{}
	}
	name = strings.Clone(name)
	at = int32(len(*list))
	(*index)[name] = at
	*list = append(*list, name)
	return at, true
}

func (c *collector) add(image, category int32, value float64) {
	c.marks = append(c.marks, mark{image, category, float32(value)})
}

// A Collection has one row per image. Categories are sorted by name.
type Collection struct {
	Images     []string
	Categories []string
	Notes      []string // categories that were left out, in sentences
	start      []int    // marks of image i are start[i] to start[i+1]
	marks      []mark   // by image; category is a column of this table
	pixels     []float64
	values     Values
}

// Rows yields the numbers of each image, in one slice that is reused.
func (t *Collection) Rows() iter.Seq[[]float64] {
	return func(yield func([]float64) bool) {
		row := make([]float64, len(t.Categories))
		for i := range t.Images {
			clear(row)
			for _, m := range t.marks[t.start[i]:t.start[i+1]] {
				switch t.values {
				case Presence:
					row[m.category] = 1
				case Count:
					row[m.category]++
				case Area:
					row[m.category] = min(1, row[m.category]+float64(m.value)/t.pixels[i])
				case Score:
					row[m.category] = float64(m.value)
				}
			}
			if !yield(row) {
				return
			}
		}
	}
}

// table returns the table of the categories that are frequent enough.
func (c *collector) table(set Settings) (*Collection, error) {
	switch {
	case len(c.images) < 2:
		return nil, fmt.Errorf("the files have %d images; a table needs at least 2", len(c.images))
	case len(c.images) > most || len(c.marks) > most:
		return nil, fmt.Errorf("the files have %d images and %d annotations; at most %d are possible", len(c.images), len(c.marks), most)
	}
	t := &Collection{Images: c.images, pixels: c.pixels, values: set.Values, start: make([]int, len(c.images)+1)}
	c.byImage(t)
	if set.Values == Area {
		for i := range t.Images {
			if t.start[i] < t.start[i+1] && !(t.pixels[i] > 0) {
				return nil, fmt.Errorf("the size of image %s is unknown, so areas have no share; use counts", t.Images[i])
			}
		}
	}
	share := c.shares(t)
	var kept []int
	for j := range c.categories {
		if share[j] >= set.MinShare || set.Values == Score {
			kept = append(kept, j)
		}
	}
	if len(kept) < 2 {
		return nil, fmt.Errorf("%d of %d categories are in at least %.3g%% of the images; a table needs 2: use a smaller share", len(kept), len(c.categories), 100*set.MinShare)
	}
	slices.SortFunc(kept, func(a, b int) int { return cmp.Compare(c.categories[a], c.categories[b]) })
	place := slices.Repeat([]int32{-1}, len(c.categories))
	for at, j := range kept {
		place[j] = int32(at)
		t.Categories = append(t.Categories, c.categories[j])
	}
	if n := len(c.categories) - len(kept); n > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %d categories are in less than %.3g%% of the images and are left out", n, len(c.categories), 100*set.MinShare))
	}
	t.renumber(place)
	return t, nil
}

// byImage sorts the annotations by image, and keeps their order within an image.
func (c *collector) byImage(t *Collection) {
	for _, m := range c.marks {
		t.start[m.image+1]++
	}
	for i := range c.images {
		t.start[i+1] += t.start[i]
	}
	next := slices.Clone(t.start)
	t.marks = make([]mark, len(c.marks))
	for _, m := range c.marks {
		t.marks[next[m.image]] = m
		next[m.image]++
	}
}

// shares returns the share of images that have each category.
func (c *collector) shares(t *Collection) []float64 {
	share, last := make([]float64, len(c.categories)), make([]int32, len(c.categories))
	for _, m := range t.marks {
		if last[m.category] != m.image+1 {
			last[m.category] = m.image + 1
			share[m.category] += 1 / float64(len(c.images))
		}
	}
	return share
}

// renumber drops the annotations of categories without a place and renumbers the others.
func (t *Collection) renumber(place []int32) {
	n := 0
	for i := range t.Images {
		from, to := t.start[i], t.start[i+1]
		t.start[i] = n
		for _, m := range t.marks[from:to] {
			if m.category = place[m.category]; m.category >= 0 {
				t.marks[n] = m
				n++
			}
		}
	}
	t.start[len(t.Images)] = n
	t.marks = t.marks[:n]
}
