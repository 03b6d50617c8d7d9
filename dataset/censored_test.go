package dataset_test

import (
	"context"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestPseudoObservations compares with R 4.2.2, survival 3.5-3:
//
//	d <- data.frame(t = c(5,8,3,12,7,7,9,2,15,11), e = c(1,0,1,1,1,0,1,0,0,1))
//	pseudo(survfit(Surv(t, e) ~ 1, d), times = 10, type = "rmst")   # and type = "surv"
func TestPseudoObservations(t *testing.T) {
	times := []float64{5, 8, 3, 12, 7, 7, 9, 2, 15, 11}
	happened := []bool{true, false, true, true, true, false, true, false, false, true}
	for survival, want := range map[bool][]float64{
		false: {4.6481481, 9.9259259, 2.4259259, 10.3425926, 6.8703704, 9.9259259, 8.6759259, 8.1666667, 10.3425926, 10.3425926},
		true:  {-0.055555556, 0.777777778, -0.055555556, 1.194444444, -0.055555556, 0.777777778, -0.472222222, 0.5, 1.194444444, 1.194444444},
	} {
		got, horizon := dataset.Censoring{Horizon: 10, Survival: survival}.Pseudo(times, happened)
		for i := range want {
			if horizon != 10 || math.Abs(got[i]-want[i]) > 1e-6 {
				t.Errorf("survival %t: %v, want %v", survival, got, want)
				break
			}
		}
	}
	// Without censoring, the restricted time itself. A row without a time has no pseudo-observation.
	got, horizon := dataset.Censoring{Horizon: 4}.Pseudo([]float64{1, math.NaN(), 6, 3}, []bool{true, true, true, true})
	for i, want := range []float64{1, math.NaN(), 4, 3} {
		if horizon != 4 || math.Abs(got[i]-want) > 1e-12 || (got[i] == got[i]) != (want == want) {
			t.Errorf("%v", got)
		}
	}
	if _, horizon := (dataset.Censoring{}).Pseudo([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, make([]bool, 10)); horizon != 9 {
		t.Errorf("horizon %v, want 9, when a tenth of the rows are still observed", horizon)
	}
}

// TestCensoredSource checks the columns and rows of a table with censored times, before and after a selection, and what is refused.
func TestCensoredSource(t *testing.T) {
	ctx := context.Background()
	table := dataset.Memory{{Name: "a", Numbers: []float64{1, 2, 3}}, {Name: "dead", Numbers: []float64{2, 2, 2}}, {Name: "t", Numbers: []float64{1, 2, 3}}, {Name: "b", Numbers: []float64{7, 8, 9}}}
	read := func(of dataset.Memory, text string, chosen []int) (names string, values []float64, err error) {
		c, err := dataset.ParseCensoring(text)
		if err != nil {
			return "", nil, err
		}
		s, err := c.Censored(ctx, of.Source)
		if err != nil {
			return "", nil, err
		}
		defer s.Close()
		if chosen != nil {
			must.Succeed(t, s.Select(chosen))
		}
		names = strings.Join(dataset.ColumnNames(s.Columns()), " ")
		if notes := s.(dataset.Noter).Notes(); !strings.Contains(notes[len(notes)-1], "t has 0 censored times of 3, by dead") {
			t.Error(notes)
		}
		for b := new(dataset.Batch); ; {
			if err := s.Next(ctx, b); err == io.EOF {
				return names, values, nil
			} else if err != nil {
				return "", nil, err
			}
			values = append(values, b.Values...)
		}
	}
	names, values, err := read(table, "t:dead:2", nil)
	must.Same(t, names, "a t b", err)
	must.Same(t, len(values), 9, values)
	for i, want := range []float64{1, 1, 7, 2, 2, 8, 3, 2, 9} {
		if math.Abs(values[i]-want) > 1e-12 {
			t.Fatal(values)
		}
	}
	names, values, err = read(table, "t:dead:2", []int{2, 1})
	must.Same(t, names, "b t", err)
	if len(values) != 6 || values[4] != 9 || math.Abs(values[5]-2) > 1e-12 {
		t.Error(values)
	}
	words := append(dataset.Memory{{Name: "word", Text: []string{"yes", "no", "yes"}}}, table...)
	for text, want := range map[string]string{
		"t": "want TIME:EVENT", "t:t": "want TIME:EVENT", "t:dead:-1": "want TIME:EVENT", "t:dead:2:mean": "want TIME:EVENT", "x:dead": `no column is named "x"`, "t:word": `"yes" is not a number in column word`, "t:b": "want times of at least 0, and events 1 and 0",
	} {
		if _, _, err := read(words, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
