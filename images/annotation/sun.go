package annotation

import (
	"bufio"
	"errors"
	"fmt"
	"slices"

	"github.com/polydag/polydag/images/internal/matfile"
)

// readSUN reads the SUN attribute database: names of attributes and images as cells, and the share of the annotators who saw each
// attribute in each image. An attribute is present if most of them did.
func readSUN(r *reader) error {
	attributes, err := r.words("attributes.mat")
	if err != nil {
		return err
	}
	images, err := r.words("images.mat")
	if err != nil {
		return err
	}
	const labels = "attributeLabels_continuous.mat"
	return r.matlab(labels, func(a matfile.Array) bool { return a.Numbers != nil }, func(a matfile.Array) error {
		if a.Rows != len(images) || a.Cols != len(attributes) {
			return fmt.Errorf("%d × %d labels for %d images and %d attributes", a.Rows, a.Cols, len(images), len(attributes))
		}
		for _, name := range attributes {
			r.column(name)
		}
		for i, image := range images {
			row := r.row(image)
			if int(row) != i {
				return fmt.Errorf("image %s is listed twice", image)
			}
			for j := range attributes {
				v := a.Numbers[j*a.Rows+i]
				if !(v >= 0 && v <= 1) {
					return fmt.Errorf("label %v of %s in image %s, want 0 to 1", v, attributes[j], image)
				}
				if r.set.Values == Score || v > 0.5 {
					r.add(row, int32(j), v)
				}
			}
		}
		return nil
	})
}

// words reads a MATLAB file with a cell array of texts.
func (r *reader) words(name string) (list []string, err error) {
	err = r.matlab(name, func(a matfile.Array) bool { return len(a.Cells) > 0 }, func(a matfile.Array) error {
		for k, c := range a.Cells {
			for len(c.Cells) == 1 { // a text within a cell of its own
				c = c.Cells[0]
			}
			if c.Text == "" {
				return fmt.Errorf("cell %d of %s is not a text", k+1, a.Name)
			}
			if name == "attributes.mat" && slices.Contains(list, c.Text) {
				return fmt.Errorf("attribute %s is listed twice", c.Text)
			}
			list = append(list, c.Text)
		}
		return nil
	})
	return list, err
}

// matlab calls use with the first array of a MATLAB file that is wanted.
func (r *reader) matlab(name string, wanted func(matfile.Array) bool, use func(matfile.Array) error) error {
	path, err := r.need(name)
	if err != nil {
		return err
	}
	return r.file(path, func(b *bufio.Reader) error {
		arrays, err := matfile.Read(b)
		if err != nil {
			if errors.Is(err, matfile.ErrFormat) {
				err = fmt.Errorf("%w; want %s", err, r.want)
			}
			return err
		}
		k := slices.IndexFunc(arrays, wanted)
		if k < 0 {
			return fmt.Errorf("the file has no such array; want %s", r.want)
		}
		return use(arrays[k])
	})
}
