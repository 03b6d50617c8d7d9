package classify

import (
	"fmt"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/files"
	"github.com/polydag/polydag/matrix"
)

// Content returns the table to write: the names of the images in the column classified_image, which says that the labels are those of a
// model, the groups of near duplicates if there are any, and one column per label. Decisions of a model whose labels exclude each other are
// one column of text, label.
func (m *Model) Content(t *Predictions) files.Content {
	names, words := []string{m.free(dataset.ClassifiedColumn)}, [][]string{t.Images}
	if t.Groups != nil {
		names, words = append(names, m.free(dataset.ClassifiedGroups)), append(words, nil)
	}
	first := len(names)
	one := m.Settings.Decide && m.exclusive(t.Rows[0])
	if one {
		names, words = append(names, m.free("label")), append(words, t.Labels)
	} else {
		names, words = append(names, t.Labels...), append(words, make([][]string, len(t.Labels))...)
	}
	return content(names, words, func(row []float64, i int) {
		if t.Groups != nil {
			row[1] = float64(t.Groups[i])
		}
		for j, p := range t.Rows[i] {
			switch {
			case one && j > 0:
			case one:
				row[first] = float64(best(t.Rows[i]))
			case m.Settings.Decide && float64(p) >= m.Settings.Threshold:
				row[first+j] = 1
			case m.Settings.Decide:
				row[first+j] = 0
			default:
				row[first+j] = float64(p)
			}
		}
	})
}

// VectorContent returns the table of the vectors.
func (t *Predictions) VectorContent() files.Content {
	names, words := []string{"image"}, make([][]string, 1+len(t.Vectors[0]))
	words[0] = t.Images
	for k := range t.Vectors[0] {
		names = append(names, fmt.Sprintf("v%d", k))
	}
	return content(names, words, func(row []float64, i int) {
		for k, v := range t.Vectors[i] {
			row[1+k] = float64(v)
		}
	})
}

// content returns a table with one row per word of the first column, whose number is in that column. fill adds the rest.
func content(names []string, words [][]string, fill func(row []float64, i int)) files.Content {
	n := len(words[0])
	return files.Content{Names: names, Words: words, Count: n, Rows: func(yield func([]float64) bool) {
		row := make([]float64, len(names))
		for i := range n {
			row[0] = float64(i)
			fill(row, i)
			if !yield(row) {
				return
			}
		}
	}}
}

// free returns a name that no label has.
func (m *Model) free(name string) string {
	for slices.Contains(m.Labels, name) {
		name += "_file"
	}
	return name
}

// Latents returns the table of the factors of images, with the names of the images in the column classified_image.
func Latents(images, factors []string, x *matrix.Dense[float64]) files.Content {
	m := Model{Labels: factors}
	names, words := append([]string{m.free(dataset.ClassifiedColumn)}, factors...), make([][]string, 1+len(factors))
	words[0] = images
	return content(names, words, func(row []float64, i int) { copy(row[1:], x.Row(i)) })
}
