package annotation

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readADE reads the files *_atr.txt of ADE20K, one line per object: number # part level # occluded # class # name # attributes. Parts
// of objects have a level above 0 and are left out. The first of several names of a class is used.
func readADE(r *reader) error {
	const end = "_atr.txt"
	return r.each(func(name string) bool { return strings.HasSuffix(name, end) }, func(f found) error {
		row := r.row(strings.TrimSuffix(f.name, end))
		return r.labels(f.path, func(line []byte) error {
			fields := bytes.Split(line, []byte("#"))
			if len(fields) < 5 {
				return fmt.Errorf("%d fields separated by #, want at least 5", len(fields))
			}
			if string(bytes.TrimSpace(fields[1])) != "0" {
				return nil
			}
			first, _, _ := bytes.Cut(fields[3], []byte(","))
			name := string(bytes.TrimSpace(first))
			if name == "" {
				return fmt.Errorf("an object has no class")
			}
			r.add(row, r.column(name), 0)
			return nil
		})
	})
}

// labels is lines for a file that may be empty, because its image has no object.
func (r *reader) labels(file string, each func(line []byte) error) error {
	if st, err := os.Stat(file); err == nil && st.Size() == 0 {
		return r.ended()
	}
	return r.lines(file, each)
}

// yoloNames are the files with the names of classes, one of which a folder may have.
var yoloNames = []string{"data.yaml", "dataset.yaml", "classes.txt", "obj.names"}

// readYOLO reads text files with a line per object: class, center, width and height as shares of the image, or class and the corners
// of a polygon. An empty file is an image without objects. Images without a file are unknown.
func readYOLO(r *reader) error {
	isNames := func(name string) bool { return slices.Contains(yoloNames, name) }
	files, err := r.files(func(name string) bool { return strings.HasSuffix(name, ".txt") && !isNames(name) })
	if err != nil {
		return err
	}
	names, err := r.classNames()
	if err != nil {
		return err
	}
	for _, f := range files {
		if isNames(path.Base(f.name)) {
			continue
		}
		row := r.row(strings.TrimSuffix(f.name, ".txt"))
		r.pixels[row] = 1
		err := r.labels(f.path, func(line []byte) error {
			fields := strings.Fields(string(line))
			class, err := strconv.Atoi(fields[0])
			if err != nil || class < 0 {
				return fmt.Errorf("class %q is not a whole number; want %s", fields[0], r.want)
			}
			area, err := yoloArea(fields[1:])
			if err != nil {
				return err
			}
			name := names[class]
			switch {
			case name == "" && names != nil:
				return fmt.Errorf("class %d has no name; there are %d names", class, len(names))
			case name == "":
				name = fmt.Sprintf("class %d", class)
			}
			r.add(row, r.column(name), area)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// yoloArea returns the area of a box (4 numbers, or 5 with a confidence) or of a polygon (pairs of numbers).
func yoloArea(fields []string) (float64, error) {
	v, err := finite(fields)
	switch {
	case err != nil:
		return 0, err
	case len(v) == 4 || len(v) == 5:
		return max(0, v[2]) * max(0, v[3]), nil
	case !isPolygon(v):
		return 0, fmt.Errorf("%d numbers after the class, want 4, 5, or the corners of a polygon", len(v))
	}
	return polygonArea(v), nil
}

func finite(fields []string) ([]float64, error) {
	v := make([]float64, len(fields))
	for i, f := range fields {
		x, err := strconv.ParseFloat(f, 64)
		if err != nil || x-x != 0 {
			return nil, fmt.Errorf("%q is not a finite number", f)
		}
		v[i] = x
	}
	return v, nil
}

// isPolygon reports whether v has the coordinates of at least three corners.
func isPolygon(v []float64) bool { return len(v) >= 6 && len(v)%2 == 0 }

func polygonArea(v []float64) float64 {
	area := 0.0
	for i := 0; i < len(v); i += 2 {
		k := (i + 2) % len(v)
		area += v[i]*v[k+1] - v[k]*v[i+1]
	}
	return math.Abs(area) / 2
}

// classNames returns the names of YOLO's classes, or nil if no file has them.
func (r *reader) classNames() (map[int]string, error) {
	for _, name := range yoloNames {
		file, err := r.one(name)
		if err != nil {
			return nil, err
		}
		if file == "" {
			continue
		}
		out := map[int]string{}
		if strings.HasSuffix(name, ".yaml") {
			return out, yamlNames(file, out)
		}
		return out, r.lines(file, func(line []byte) error {
			out[len(out)] = string(line)
			return nil
		})
	}
	return nil, nil
}

// yamlNames reads the names of a data.yaml, a list or a map from number to name.
func yamlNames(file string, to map[int]string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var d struct{ Names yaml.Node }
	if err := yaml.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if d.Names.Kind == yaml.MappingNode {
		err = d.Names.Decode(&to)
	} else {
		var list []string
		err = d.Names.Decode(&list)
		for k, name := range list {
			to[k] = name
		}
	}
	if err != nil || len(to) == 0 {
		return fmt.Errorf("%s: names is not a list of names", file)
	}
	return nil
}
