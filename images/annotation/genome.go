package annotation

import (
	"fmt"
	"strings"
)

// readGenome reads Visual Genome's objects.json (names of objects) or attributes.json (attributes of objects): a list of images with
// an image_id and a list of objects. Names are lower case.
func readGenome(r *reader) error {
	match := func(name string) bool {
		base := strings.TrimSuffix(name, ".gz")
		return base == "objects.json" || base == "attributes.json"
	}
	return r.each(match, func(f found) error {
		return r.json(f.path, func(s scanner) error {
			return s.array(func() error { return r.genomeImage(s) })
		})
	})
}

func (r *reader) genomeImage(s scanner) error {
	id := int64(-1)
	var names []string
	err := s.object(func(key string) error {
		switch key {
		case "image_id", "id":
			return s.id(&id)
		case "objects":
			return s.array(func() error { return genomeNames(s, "names", &names) })
		case "attributes":
			return s.array(func() error { return genomeNames(s, "attributes", &names) })
		}
		return s.SkipValue()
	})
	if err == nil && id < 0 {
		err = fmt.Errorf("an image has no image_id")
	}
	if err != nil {
		return err
	}
	row := r.row(fmt.Sprint(id))
	for _, name := range names {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			r.add(row, r.column(name), 0)
		}
	}
	return nil
}

// genomeNames appends the texts of one member of an object: those of a list, or a single one.
func genomeNames(s scanner, member string, to *[]string) error {
	return s.object(func(key string) error {
		if key != member {
			return s.SkipValue()
		}
		var name string
		if s.PeekKind() == '"' {
			err := s.text(&name)
			*to = append(*to, name)
			return err
		}
		return s.array(func() error {
			err := s.text(&name)
			*to = append(*to, name)
			return err
		})
	})
}
