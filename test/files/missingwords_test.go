package files_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/dataset/prepare"
	"github.com/polydag/polydag/internal/must"
)

// worded is a table of text columns with the words that may stand for missing values, one of them a frequent category.
func worded(n int) *sample {
	s := &sample{names: []string{"accident", "job", "member", "star"}, cols: make([][]any, 4)}
	for i := range n {
		accident := []any{"None", "Mild", "None", "None", "Severe"}[i*i%5]
		job := []any{"clerk", "smith", "?", "baker", "NA", "*", "cook", "clerk", "NaN", "null", nil, "smith", "baker"}[i%13]
		member := []any{"yes", "no", "None", "no", "*"}[i%5]
		star := []any{"*", "**", "*", "**", "null"}[i%5]
		for j, v := range []any{accident, job, member, star} {
			s.cols[j] = append(s.cols[j], v)
		}
	}
	return s
}

// The words for missing values are the same in every format: None is a category among words, and missing among yes and no.
func TestEveryFormatReadsWordsOfMissingValues(t *testing.T) {
	s := worded(260)
	all := allFormats(t, s)
	rows := [][]any{{s.names[0], s.names[1], s.names[2], s.names[3]}}
	for i := range s.rows() {
		rows = append(rows, []any{s.cols[0][i], s.cols[1][i], s.cols[2][i], s.cols[3][i]})
	}
	all["t.xlsx"] = workbook(t, map[string][][]any{"t": rows}, "t")
	set := prepare.DefaultSettings()
	set.Encode, set.Missing, set.Profile, set.Exclude = dataset.EncodeLevels, dataset.MissingAuto, true, true
	for _, c := range []struct {
		na      []string
		levels  string
		missing []int
	}{
		{nil, "[[Mild None Severe] [baker clerk cook smith] [no yes] [* **]]", []int{0, 120, 104, 52}},
		{[]string{""}, "[[Mild None Severe] [* ? NA NaN baker clerk cook null smith] [* None no yes] [* ** null]]", []int{0, 20, 0, 0}},
		{[]string{"member="}, "[[Mild None Severe] [baker clerk cook smith] [* None no yes] [* **]]", []int{0, 120, 0, 52}},
	} {
		opt := options()
		opt.CSV.NA = c.na
		var scatter []float64
		for name, data := range all {
			g, err := prepare.Gather(context.Background(), openBytes(t, name, data, opt).Source, set)
			must.Succeed(t, err)
			var missing []int
			for _, p := range g.Profile.Columns {
				missing = append(missing, p.Missing)
			}
			if scatter == nil {
				scatter = g.Moments.Scatter
			}
			if got := fmt.Sprint(g.Levels); got != c.levels || !slices.Equal(missing, c.missing) || !slices.Equal(scatter, g.Moments.Scatter) {
				t.Errorf("%s with --set na=%q: categories %s, %v missing; want %s, %v", name, c.na, got, missing, c.levels, c.missing)
			}
		}
	}
}
