package annotation

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// readVOC reads Pascal VOC: an XML file per image with its size and its objects. Parts of objects are left out.
func readVOC(r *reader) error {
	return r.each(func(name string) bool { return strings.HasSuffix(name, ".xml") }, func(f found) error {
		return r.file(f.path, func(b *bufio.Reader) error { return r.vocFile(strings.TrimSuffix(f.name, ".xml"), b) })
	})
}

func (r *reader) vocFile(image string, b *bufio.Reader) error {
	row := r.row(image)
	t := &tags{b: b}
	var path []string // names of the open elements
	var number [6]float64
	const width, height, xmin, ymin, xmax, ymax = 0, 1, 2, 3, 4, 5
	places := map[string]int{"size/width": width, "size/height": height, "bndbox/xmin": xmin, "bndbox/ymin": ymin, "bndbox/xmax": xmax, "bndbox/ymax": ymax}
	object := ""
	for {
		switch err := t.next(); {
		case err == io.EOF && path == nil:
			return fmt.Errorf("no element annotation; want %s", r.want)
		case err == io.EOF && len(path) > 0:
			return fmt.Errorf("the XML text ends inside %s", path[len(path)-1])
		case err == io.EOF:
			r.pixels[row] = number[width] * number[height]
			return nil
		case err != nil:
			return fmt.Errorf("%w; want %s", err, r.want)
		}
		name, begins, ends := t.name()
		if begins {
			if path == nil && string(name) != "annotation" {
				return fmt.Errorf("element %s in place of annotation; want %s", name, r.want)
			}
			path = append(path, string(name))
		}
		if !ends {
			continue
		}
		if len(path) == 0 || path[len(path)-1] != string(name) {
			return fmt.Errorf("the end of %s comes before its begin", name)
		}
		inside := strings.Join(path, "/")
		path = path[:len(path)-1]
		switch rest, isObject := strings.CutPrefix(inside, "annotation/object"); {
		case isObject && rest == "/name":
			object = t.content()
		case isObject && rest == "":
			if object == "" {
				return fmt.Errorf("an object has no name")
			}
			r.add(row, r.column(object), max(0, number[xmax]-number[xmin])*max(0, number[ymax]-number[ymin]))
			object = ""
		case strings.Count(inside, "/") == 2 && strings.HasPrefix(inside, "annotation/size/"), isObject && strings.HasPrefix(rest, "/bndbox/"):
			at, ok := places[inside[strings.LastIndexByte(inside[:strings.LastIndexByte(inside, '/')], '/')+1:]]
			if !ok {
				continue
			}
			v, err := strconv.ParseFloat(t.content(), 64)
			if err != nil || v-v != 0 {
				return fmt.Errorf("%s is %q, not a number", inside, t.content())
			}
			number[at] = v
		}
	}
}

// readCVAT reads annotations in the format "CVAT for images": images with boxes, polygons, other shapes and tags.
func readCVAT(r *reader) error {
	isXML := func(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".xml") }
	return r.each(isXML, func(f found) error { return r.file(f.path, r.cvatFile) })
}

func (r *reader) cvatFile(b *bufio.Reader) error {
	t := &tags{b: b}
	row, depth, images := int32(-1), 0, 0
	for {
		err := t.next()
		switch {
		case err == io.EOF && images == 0:
			return fmt.Errorf("no image; want %s", r.want)
		case err == io.EOF && depth != 0:
			return fmt.Errorf("the XML text ends early")
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("%w; want %s", err, r.want)
		}
		name, begins, ends := t.name()
		switch {
		case begins && string(name) == "image":
			images++
			if row, err = r.cvatImage(t); err != nil {
				return err
			}
		case begins && row >= 0:
			if err := r.cvatShape(t, row, name); err != nil {
				return err
			}
		}
		if begins {
			depth++
		}
		if ends {
			if depth--; depth < 0 {
				return fmt.Errorf("the end of %s comes before its begin", name)
			}
			if string(name) == "image" {
				row = -1
			}
		}
	}
}

func (r *reader) cvatImage(t *tags) (int32, error) {
	image := t.value("name")
	if image == "" {
		return 0, fmt.Errorf("an image has no name")
	}
	row := r.row(image)
	size := 1.0
	for _, side := range []string{"width", "height"} {
		v, err := strconv.ParseFloat(t.value(side), 64)
		if err != nil || !(v > 0) {
			return 0, fmt.Errorf("the %s of image %s is %q", side, image, t.value(side))
		}
		size *= v
	}
	r.pixels[row] = size
	return row, nil
}

// cvatShape adds a shape or tag. Lines and points have no area.
func (r *reader) cvatShape(t *tags, row int32, name []byte) error {
	var area float64
	switch string(name) {
	case "box":
		var v [4]float64
		for k, key := range []string{"xtl", "ytl", "xbr", "ybr"} {
			x, err := strconv.ParseFloat(t.value(key), 64)
			if err != nil || x-x != 0 {
				return fmt.Errorf("%s of a box is %q, not a number", key, t.value(key))
			}
			v[k] = x
		}
		area = max(0, v[2]-v[0]) * max(0, v[3]-v[1])
	case "polygon":
		v, err := finite(strings.FieldsFunc(t.value("points"), func(c rune) bool { return c == ',' || c == ';' }))
		if err == nil && (len(v) == 0 || len(v)%2 != 0) {
			err = fmt.Errorf("%d numbers, want x and y of each corner", len(v))
		}
		if err != nil {
			return fmt.Errorf("points of a polygon: %w", err)
		}
		area = polygonArea(v) // 0 with two corners
	case "tag", "polyline", "points", "cuboid", "ellipse", "mask", "skeleton":
	default:
		return nil
	}
	label := t.value("label")
	if label == "" {
		return fmt.Errorf("a %s of image %s has no label", bytes.Clone(name), r.images[row])
	}
	r.add(row, r.column(label), area)
	return nil
}
