package annotation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Values selects the numbers of the table.
type Values string

// The numbers of a table.
const (
	Presence Values = "presence" // 1 if the image has the category, else 0
	Count    Values = "count"    // number of objects of the category
	Area     Values = "area"     // share of the image that the objects cover, at most 1
	Score    Values = "score"    // the score of an attribute
)

// Settings select the columns and their numbers. Start from DefaultSettings.
type Settings struct {
	Values Values
	// MinShare is the smallest share of images in which a category must be present to become a column.
	MinShare float64
	// Group replaces each category by its supercategory.
	Group bool
	// Observe, if not nil, is called often while files are read, with the bytes and images so far.
	Observe func(bytes int64, images int)
}

// DefaultSettings writes the presence of categories that at least 1 % of the images have.
func DefaultSettings() Settings { return Settings{Values: Presence, MinShare: 0.01} }

// ErrSettings is matched by errors of invalid settings or arguments.
var ErrSettings = errors.New("bad option")

// A Format is a file format of annotations.
type Format struct {
	Name   string // name of the command, for instance coco
	Title  string
	Paths  string   // the files or folders to pass
	Try    string   // an example of them
	Values []Values // the possible numbers, the default first
	Groups bool     // the format has supercategories
	read   func(*reader) error
}

var (
	objects = []Values{Presence, Count, Area}
	present = []Values{Presence}
)

// Formats lists the formats in a fixed order. The caller owns the slice.
func Formats() []Format {
	return []Format{
		{"ade20k", "ADE20K, objects of scenes", "the folder with the files *_atr.txt", "ADE20K_2016_07_26", []Values{Presence, Count}, false, readADE},
		{"awa2", "Animals with Attributes 2, attributes of 50 classes (one row per class)", "the folder with predicate-matrix-binary.txt, classes.txt and predicates.txt", "Animals_with_Attributes2", present, false, readAwA2},
		{"coco", "COCO, object instances", "one or more instances_*.json", "instances_val2017.json", objects, true, readCOCO},
		{"cub", "CUB-200-2011, attributes of birds", "the folder CUB_200_2011, or image_attribute_labels.txt, attributes.txt and images.txt", "CUB_200_2011", present, false, readCUB},
		{"cvat", "CVAT for images, boxes, shapes and tags", "one or more annotations.xml", "annotations.xml", objects, false, readCVAT},
		{"lfwa", "LFW attributes, scores of face attributes", "lfw_attributes.txt", "lfw_attributes.txt", []Values{Presence, Score}, false, readLFWA},
		{"open-images", "Open Images, image labels or boxes", "one or more label or box CSV files, and class-descriptions.csv for the names", "validation-annotations-human-imagelabels.csv class-descriptions.csv", objects, false, readOpenImages},
		{"sun", "SUN attributes, attributes of scenes", "the folder with attributes.mat, images.mat and attributeLabels_continuous.mat", "SUNAttributeDB", []Values{Presence, Score}, false, readSUN},
		{"visual-genome", "Visual Genome, objects or attributes of objects", "objects.json or attributes.json", "objects.json", objects, false, readGenome},
		{"voc", "Pascal VOC, boxes", "the folder Annotations with one XML file per image", "VOC2012/Annotations", objects, false, readVOC},
		{"yolo", "YOLO, boxes", "the folder with one text file per image, and classes.txt, obj.names or data.yaml for the names", "labels", objects, false, readYOLO},
	}
}

// Read reads the files and folders at paths in the format with this name.
func Read(ctx context.Context, name string, paths []string, set Settings) (*Collection, error) {
	all := Formats()
	k := slices.IndexFunc(all, func(f Format) bool { return f.Name == name })
	if k < 0 {
		return nil, fmt.Errorf("%w: no format %q", ErrSettings, name)
	}
	f := all[k]
	switch {
	case !slices.Contains(f.Values, set.Values):
		return nil, fmt.Errorf("%w: %s has no %s; it has %s", ErrSettings, name, set.Values, join(f.Values))
	case set.Group && !f.Groups:
		return nil, fmt.Errorf("%w: %s has no supercategories", ErrSettings, name)
	case !(set.MinShare >= 0 && set.MinShare <= 1):
		return nil, fmt.Errorf("%w: MinShare = %v, want 0 to 1", ErrSettings, set.MinShare)
	case len(paths) == 0:
		return nil, fmt.Errorf("%w: no path; want %s", ErrSettings, f.Paths)
	}
	ended := func() error {
		if ctx.Err() == nil {
			return nil
		}
		return context.Cause(ctx)
	}
	r := &reader{ended: ended, paths: paths, set: set, want: f.Paths}
	if err := f.read(r); err != nil {
		return nil, err
	}
	return r.table(set)
}

func join(values []Values) string {
	text := make([]string, len(values))
	for i, v := range values {
		text[i] = string(v)
	}
	return strings.Join(text, ", ")
}
