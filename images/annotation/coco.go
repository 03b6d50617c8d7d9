package annotation

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A cocoFile has the parts of one COCO file, which may come in any order.
type cocoFile struct {
	images     map[int64]int // position of an image in names, sizes and listed
	names      []string
	sizes      []float64
	listed     []bool
	order      []int // positions of the images in the order of their list
	categories map[int64]cocoCategory
	marks      []cocoMark
}

type cocoCategory struct{ name, super string }

type cocoMark struct {
	image    int
	category int64
	area     float64
}

// readCOCO reads instances_*.json: images (id, file_name, width, height), annotations (image_id, category_id, area) and categories
// (id, name, supercategory).
func readCOCO(r *reader) error {
	return r.each(func(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".json") }, func(f found) error {
		c := &cocoFile{images: map[int64]int{}, categories: map[int64]cocoCategory{}}
		if err := r.json(f.path, c.read); err != nil {
			return err
		}
		if err := r.addCOCO(c); err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		return nil
	})
}

func (c *cocoFile) read(s scanner) error {
	return s.object(func(key string) error {
		switch key {
		case "images":
			return s.array(func() error { return c.readImage(s) })
		case "annotations":
			return s.array(func() error { return c.readMark(s) })
		case "categories":
			return s.array(func() error { return c.readCategory(s) })
		}
		return s.SkipValue()
	})
}

// at returns the position of an image, listed or not yet.
func (c *cocoFile) at(id int64) int {
	at, ok := c.images[id]
	if !ok {
		at = len(c.names)
		c.images[id] = at
		c.names, c.sizes, c.listed = append(c.names, ""), append(c.sizes, 0), append(c.listed, false)
	}
	return at
}

func (c *cocoFile) readImage(s scanner) error {
	var id int64
	var name string
	var width, height float64
	err := s.object(func(key string) error {
		switch key {
		case "id":
			return s.id(&id)
		case "file_name":
			return s.text(&name)
		case "width":
			return s.number(&width)
		case "height":
			return s.number(&height)
		}
		return s.SkipValue()
	})
	if err != nil {
		return err
	}
	at := c.at(id)
	if c.listed[at] {
		return fmt.Errorf("two images have the id %d", id)
	}
	if name == "" {
		name = fmt.Sprint(id)
	}
	c.names[at], c.sizes[at], c.listed[at] = name, width*height, true
	c.order = append(c.order, at)
	return nil
}

func (c *cocoFile) readMark(s scanner) error {
	var image int64
	var m cocoMark
	err := s.object(func(key string) error {
		switch key {
		case "image_id":
			return s.id(&image)
		case "category_id":
			return s.id(&m.category)
		case "area":
			return s.number(&m.area)
		}
		return s.SkipValue()
	})
	m.image = c.at(image)
	c.marks = append(c.marks, m)
	return err
}

func (c *cocoFile) readCategory(s scanner) error {
	var id int64
	var k cocoCategory
	err := s.object(func(key string) error {
		switch key {
		case "id":
			return s.id(&id)
		case "name":
			return s.text(&k.name)
		case "supercategory":
			return s.text(&k.super)
		}
		return s.SkipValue()
	})
	c.categories[id] = k
	return err
}

// addCOCO adds a file. Images have unique names within a file; images of several files with one name are one image.
func (r *reader) addCOCO(c *cocoFile) error {
	rows := make([]int32, len(c.names))
	for _, i := range c.order {
		rows[i] = r.row(c.names[i])
		r.pixels[rows[i]] = c.sizes[i]
	}
	columns := map[int64]int32{}
	for _, id := range slices.Sorted(maps.Keys(c.categories)) {
		k := c.categories[id]
		name := k.name
		if r.set.Group {
			name = k.super
		}
		if name == "" {
			return fmt.Errorf("category %d has no name", id)
		}
		columns[id] = r.column(name)
	}
	for k, m := range c.marks {
		column, ok := columns[m.category]
		switch {
		case !ok:
			return fmt.Errorf("annotation %d has the category %d, which the file does not list; want %s", k+1, m.category, r.want)
		case !c.listed[m.image]:
			return fmt.Errorf("annotation %d belongs to an image that the file does not list; want %s", k+1, r.want)
		}
		r.add(rows[m.image], column, m.area)
	}
	return nil
}
