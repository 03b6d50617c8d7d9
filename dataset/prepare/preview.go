package prepare

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/internal/absent"
)

// Bounds of a preview.
const (
	previewShown      = 8       // rows as text
	previewRead       = 1 << 20 // rows
	previewBins       = 20
	previewCategories = 10
	previewText       = 80 // characters of a cell
)

// Preview reads the rows of a source, at most the first million, and closes it. sample is the number of rows in Preview.Sample.
func Preview(ctx context.Context, src dataset.Source, sample int) (*dataset.Preview, error) {
	defer src.Close()
	columns := slices.Clone(src.Columns())
	var readable []int
	for j, c := range columns {
		if c.Unreadable == "" {
			readable = append(readable, j)
		}
	}
	if len(readable) < len(columns) {
		if err := src.Select(readable); err != nil {
			return nil, err
		}
		columns = slices.Clone(src.Columns())
	}
	s := &previewer{columns: columns, stride: 1, most: newSampler(len(columns), len(columns), nowhere{}).most}
	var b dataset.Batch
	for s.seen < previewRead {
		if err := src.Next(ctx, &b); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		s.add(&b)
	}
	out := s.preview()
	for k := range min(sample, len(s.rows)) {
		out.Sample = append(out.Sample, s.line(s.rows[k*len(s.rows)/min(sample, len(s.rows))]))
	}
	return out, nil
}

// A previewer keeps the first rows as text, and every stride-th row. Each time it is full, it drops every second row and doubles
// the stride.
type previewer struct {
	columns            []dataset.Column
	most, stride, seen int
	shown              [][]string
	rows               []previewRow
}

type previewRow struct {
	values []float64
	text   map[int]string // by column
}

func (s *previewer) add(b *dataset.Batch) {
	d := len(s.columns)
	cells := b.Cells
	for i := range b.Rows {
		first := 0
		for first < len(cells) && cells[first].Row < i {
			first++
		}
		cells = cells[first:]
		at := s.seen
		s.seen++
		if at%s.stride != 0 && at >= previewShown {
			continue
		}
		row := previewRow{values: slices.Clone(b.Values[i*d : (i+1)*d])}
		for _, c := range cells {
			if c.Row != i {
				break
			}
			if row.text == nil {
				row.text = map[int]string{}
			}
			row.text[c.Column] = cut(b.Text[c.Start:c.End])
		}
		if at < previewShown {
			s.shown = append(s.shown, s.line(row))
		}
		if at%s.stride != 0 {
			continue
		}
		if s.rows = append(s.rows, row); len(s.rows) == s.most {
			for k := 0; 2*k < len(s.rows); k++ {
				s.rows[k] = s.rows[2*k]
			}
			s.rows = s.rows[:(len(s.rows)+1)/2]
			s.stride *= 2
		}
	}
}

// cut returns the first characters of a cell.
func cut(text []byte) string {
	s := []rune(strings.ToValidUTF8(string(text), "\ufffd"))
	if len(s) > previewText {
		return string(s[:previewText-1]) + "…"
	}
	return string(s)
}

// line is a row as text.
func (s *previewer) line(row previewRow) []string {
	out := make([]string, len(s.columns))
	for j := range out {
		out[j] = s.word(row, j)
	}
	return out
}

// word returns a value as text; a missing one is empty.
func (s *previewer) word(row previewRow, j int) string {
	if w, ok := row.text[j]; ok {
		return w
	}
	v := row.values[j]
	switch {
	case v != v:
		return ""
	case s.columns[j].Kind == dataset.Time && math.Abs(v) < 1e11:
		return time.Unix(int64(math.Floor(v)), 0).UTC().Format(time.DateTime)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func (s *previewer) preview() *dataset.Preview {
	out := &dataset.Preview{Rows: s.shown, Sampled: len(s.rows)}
	if out.Rows == nil {
		out.Rows = [][]string{}
	}
	for j := range s.columns {
		out.Columns = append(out.Columns, s.column(j))
	}
	return out
}

// column returns the distribution of one column. Infinities are not counted.
func (s *previewer) column(j int) dataset.ColumnPreview {
	c := dataset.ColumnPreview{Name: s.columns[j].Name}
	var numbers []float64
	texts := map[string]int{}
	for _, row := range s.rows {
		if w, ok := row.text[j]; ok && (s.columns[j].Literal || absent.Of([]byte(w)) != absent.Always) {
			texts[w]++
		} else if v := row.values[j]; v != v {
			c.Missing++
		} else if !math.IsInf(v, 0) {
			numbers = append(numbers, v)
		}
	}
	if len(texts) > 0 || s.columns[j].Kind == dataset.Text {
		for _, v := range numbers {
			texts[strconv.FormatFloat(v, 'g', -1, 64)]++
		}
		words := slices.SortedFunc(maps.Keys(texts), func(a, b string) int {
			return cmp.Or(cmp.Compare(texts[b], texts[a]), cmp.Compare(a, b))
		})
		for k, w := range words {
			if k < previewCategories {
				c.Categories = append(c.Categories, dataset.CategoryCount{Value: w, Count: texts[w]})
			} else {
				c.Other += texts[w]
			}
		}
		return c
	}
	if len(numbers) == 0 {
		return c
	}
	slices.Sort(numbers)
	if different := slices.Compact(slices.Clone(numbers)); len(different) <= previewCategories && s.columns[j].Kind != dataset.Time {
		for _, v := range different {
			low, _ := slices.BinarySearch(numbers, v)
			high, _ := slices.BinarySearch(numbers, math.Nextafter(v, math.Inf(1)))
			c.Categories = append(c.Categories, dataset.CategoryCount{Value: strconv.FormatFloat(v, 'g', -1, 64), Count: high - low})
		}
		return c
	}
	c.Low, c.High, c.Counts = histogram(numbers)
	return c
}

// histogram counts sorted numbers in equally wide bins. Integers with a small range have one bin each.
func histogram(sorted []float64) (low, high float64, counts []int) {
	low, high = sorted[0], sorted[len(sorted)-1]
	bins := previewBins
	whole := !slices.ContainsFunc(sorted, func(v float64) bool { return v != math.Trunc(v) })
	if whole && high-low < previewBins {
		bins = int(high-low) + 1
		low, high = low-0.5, high+0.5
	}
	counts = make([]int, bins)
	for _, v := range sorted {
		// Both halves are finite even where high - low overflows.
		share := (v/2 - low/2) / (high/2 - low/2)
		if !(share >= 0) {
			share = 0
		}
		counts[min(int(share*float64(bins)), bins-1)]++
	}
	return low, high, counts
}
