package prepare_test

import (
	"context"
	"io"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/prepare"
)

// rowsSource returns rows of a number that grows, a number with three values, a text and a column without values, in batches of 7.
type rowsSource struct{ n, at int }

func (s *rowsSource) Columns() []dataset.Column {
	return []dataset.Column{{Name: "growing"}, {Name: "code"}, {Name: "city"}, {Name: "empty"}}
}
func (s *rowsSource) Select([]int) error { return nil }
func (s *rowsSource) Close() error       { return nil }
func (s *rowsSource) Next(_ context.Context, b *dataset.Batch) error {
	b.Reset()
	if s.at == s.n {
		return io.EOF
	}
	for ; b.Rows < 7 && s.at < s.n; s.at++ {
		b.Values = append(b.Values, float64(s.at)+0.5, float64(s.at%3), math.NaN(), math.NaN())
		b.AddText(b.Rows, 2, 0, []byte([]string{"Graz", "Wien", "Wien"}[s.at%3]))
		b.Rows++
	}
	return nil
}

func TestPreview(t *testing.T) {
	p, err := prepare.Preview(context.Background(), &rowsSource{n: 60})
	if err != nil {
		t.Fatal(err)
	}
	if p.Sampled != 60 || len(p.Rows) != 8 || !slices.Equal(p.Rows[1], []string{"1.5", "1", "Wien", ""}) {
		t.Errorf("%d rows sampled, the first rows are %q", p.Sampled, p.Rows)
	}
	growing := p.Columns[0]
	if growing.Low != 0.5 || growing.High != 59.5 || !slices.Equal(growing.Counts, slices.Repeat([]int{3}, 20)) {
		t.Errorf("the histogram is %+v", growing)
	}
	if want := []dataset.CategoryCount{{Value: "0", Count: 20}, {Value: "1", Count: 20}, {Value: "2", Count: 20}}; !reflect.DeepEqual(p.Columns[1].Categories, want) {
		t.Errorf("the codes are %v", p.Columns[1].Categories)
	}
	if want := []dataset.CategoryCount{{Value: "Wien", Count: 40}, {Value: "Graz", Count: 20}}; !reflect.DeepEqual(p.Columns[2].Categories, want) {
		t.Errorf("the cities are %v", p.Columns[2].Categories)
	}
	if c := p.Columns[3]; c.Missing != 60 || c.Counts != nil || c.Categories != nil {
		t.Errorf("the empty column is %+v", c)
	}
}

// TestPreviewOfManyRows checks that the sample stays small and covers the whole file.
func TestPreviewOfManyRows(t *testing.T) {
	const n = 50_000
	p, err := prepare.Preview(context.Background(), &rowsSource{n: n})
	if err != nil {
		t.Fatal(err)
	}
	c := p.Columns[0]
	if p.Sampled > 4096 || p.Sampled < 2048 || c.Low != 0.5 || c.High < n-32 {
		t.Errorf("%d rows from %v to %v", p.Sampled, c.Low, c.High)
	}
	for _, k := range c.Counts {
		if !(math.Abs(float64(k)-float64(p.Sampled)/20) <= 2) {
			t.Errorf("the bins of evenly spread numbers have %v", c.Counts)
			break
		}
	}
}
