package annotation

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// numbered reads lines "1 name" into a list from number to name.
func (r *reader) numbered(name string) (map[int]string, error) {
	path, err := r.need(name)
	if err != nil {
		return nil, err
	}
	out := map[int]string{}
	err = r.lines(path, func(line []byte) error {
		first, rest, _ := strings.Cut(strings.ReplaceAll(string(line), "\t", " "), " ")
		k, err := strconv.Atoi(first)
		if rest = strings.TrimSpace(rest); err != nil || rest == "" {
			return fmt.Errorf("%q is not a number and a name", line)
		}
		out[k] = rest
		return nil
	})
	return out, err
}

// readCUB reads image_attribute_labels.txt of CUB-200-2011: image, attribute, whether it is present, and more. An attribute that is
// not visible counts as absent.
func readCUB(r *reader) error {
	images, err := r.numbered("images.txt")
	if err != nil {
		return err
	}
	attributes, err := r.numbered("attributes.txt")
	if err != nil {
		return err
	}
	path, err := r.need("image_attribute_labels.txt")
	if err != nil {
		return err
	}
	for k := 1; k <= len(attributes); k++ {
		r.column(attributes[k])
	}
	return r.lines(path, func(line []byte) error {
		var k [3]int
		for i := range k {
			var field []byte
			field, line = nextField(line)
			n, err := strconv.Atoi(string(field))
			if err != nil {
				return fmt.Errorf("field %d, %q, is not a whole number", i+1, field)
			}
			k[i] = n
		}
		image, attribute := images[k[0]], attributes[k[1]]
		switch {
		case image == "":
			return fmt.Errorf("image %d is not in images.txt", k[0])
		case attribute == "":
			return fmt.Errorf("attribute %d is not in attributes.txt", k[1])
		case k[2] != 0 && k[2] != 1:
			return fmt.Errorf("presence %d, want 0 or 1", k[2])
		}
		if row := r.row(image); k[2] == 1 {
			r.add(row, r.column(attribute), 0)
		}
		return nil
	})
}

func nextField(line []byte) (field, rest []byte) {
	line = bytes.TrimLeft(line, " \t")
	if k := bytes.IndexAny(line, " \t"); k >= 0 {
		return line[:k], line[k:]
	}
	return line, nil
}

// readAwA2 reads predicate-matrix-binary.txt of Animals with Attributes 2: one line of 0 and 1 per class.
func readAwA2(r *reader) error {
	classes, err := r.numbered("classes.txt")
	if err != nil {
		return err
	}
	predicates, err := r.numbered("predicates.txt")
	if err != nil {
		return err
	}
	path, err := r.need("predicate-matrix-binary.txt")
	if err != nil {
		return err
	}
	for k := 1; k <= len(predicates); k++ {
		r.column(predicates[k])
	}
	err = r.lines(path, func(line []byte) error {
		values := strings.Fields(string(line))
		class := classes[len(r.images)+1]
		switch {
		case class == "":
			return fmt.Errorf("classes.txt has only %d classes", len(classes))
		case len(values) != len(predicates):
			return fmt.Errorf("%d values for %d attributes", len(values), len(predicates))
		}
		row := r.row(class)
		for j, v := range values {
			if v != "0" && v != "1" {
				return fmt.Errorf("value %q, want 0 or 1", v)
			}
			if v == "1" {
				r.add(row, r.column(predicates[j+1]), 0)
			}
		}
		return nil
	})
	if err == nil && len(r.images) != len(classes) {
		err = fmt.Errorf("%s has %d lines for %d classes", path, len(r.images), len(classes))
	}
	return err
}

// readLFWA reads lfw_attributes.txt: person, image number and a score per attribute, separated by tabs. Attributes with a positive
// score are present.
func readLFWA(r *reader) error {
	return r.each(func(name string) bool { return strings.HasPrefix(name, "lfw_attributes.txt") }, func(f found) error {
		var names []string
		return r.lines(f.path, func(line []byte) error {
			fields := strings.Split(string(line), "\t")
			if strings.HasPrefix(fields[0], "#") {
				if len(fields) > 3 {
					names = fields[3:]
				}
				return nil
			}
			if len(fields) != len(names)+2 || names == nil {
				return fmt.Errorf("%d fields, want a person, an image number and %d scores; want %s", len(fields), len(names), r.want)
			}
			row := r.row(fields[0] + " " + fields[1])
			for j, field := range fields[2:] {
				v, err := strconv.ParseFloat(strings.TrimSpace(field), 32)
				if err != nil || v-v != 0 {
					return fmt.Errorf("score %q of %s is not a finite number", field, names[j])
				}
				column := r.column(strings.TrimSpace(names[j]))
				if r.set.Values == Score || v > 0 {
					r.add(row, column, v)
				}
			}
			return nil
		})
	})
}
