package annotation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// openImagesHeader has the positions of the columns of a label or box file; -1 where a box file alone has them.
type openImagesHeader struct{ image, label, confidence, xmin, xmax, ymin, ymax int }

// readOpenImages reads label files (ImageID, Source, LabelName, Confidence) and box files (also XMin, XMax, YMin, YMax as shares of
// the image). A confidence of 0 says that a person found the label wrong. A file of two columns has the names of labels.
func readOpenImages(r *reader) error {
	names, labels := map[string]string{}, 0
	err := r.each(func(name string) bool { return strings.HasSuffix(strings.TrimSuffix(name, ".gz"), ".csv") }, func(f found) error {
		var at openImagesHeader
		pair := false
		return r.csv(f.path, func(record []string) error {
			at = openImages(record)
			if pair = len(record) == 2; pair {
				names[strings.Clone(record[0])] = strings.Clone(record[1])
				return nil
			}
			if at.image < 0 || at.label < 0 {
				return fmt.Errorf("no columns ImageID and LabelName; want %s", r.want)
			}
			labels++
			return nil
		}, func(record []string) error {
			if pair {
				if len(record) == 2 {
					names[strings.Clone(record[0])] = strings.Clone(record[1])
				}
				return nil
			}
			return r.openImage(at, record)
		})
	})
	if err != nil {
		return err
	}
	if labels == 0 {
		return fmt.Errorf("no label file; want %s", r.want)
	}
	r.rename(names)
	return nil
}

func openImages(header []string) openImagesHeader {
	at := func(name string) int { return slices.Index(header, name) }
	return openImagesHeader{at("ImageID"), at("LabelName"), at("Confidence"), at("XMin"), at("XMax"), at("YMin"), at("YMax")}
}

func (r *reader) openImage(at openImagesHeader, record []string) error {
	if len(record) <= max(at.image, at.label, at.confidence, at.ymax) {
		return fmt.Errorf("%d fields are too few", len(record))
	}
	row := r.row(record[at.image])
	column := r.column(record[at.label])
	if at.confidence >= 0 {
		switch sure, err := strconv.ParseFloat(record[at.confidence], 64); {
		case err != nil:
			return fmt.Errorf("confidence %q is not a number", record[at.confidence])
		case sure == 0:
			return nil
		}
	}
	area := 0.0
	if min(at.xmin, at.xmax, at.ymin, at.ymax) >= 0 {
		var side [4]float64
		for k, j := range []int{at.xmin, at.xmax, at.ymin, at.ymax} {
			v, err := strconv.ParseFloat(record[j], 64)
			if err != nil {
				return fmt.Errorf("%q is not a number", record[j])
			}
			side[k] = v
		}
		area, r.pixels[row] = max(0, side[1]-side[0])*max(0, side[3]-side[2]), 1
	}
	r.add(row, column, area)
	return nil
}

// rename gives categories other names. Those that then share a name are one category.
func (r *reader) rename(names map[string]string) {
	old := r.categories
	r.categories, r.category = nil, nil
	to := make([]int32, len(old))
	for j, name := range old {
		if other := strings.TrimSpace(names[name]); other != "" {
			name = other
		}
		to[j] = r.column(name)
	}
	for k := range r.marks {
		r.marks[k].category = to[r.marks[k].category]
	}
}
