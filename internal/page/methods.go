package page

import (
	"fmt"
	"math"
)

// Methods is what a page of any number of results says of them together: a table, and how far they agree.
type Methods struct {
	// Figures are the columns of the table, and Rows the methods, of which some have no result.
	Figures []Figure    `json:"figures"`
	Rows    []MethodRow `json:"rows"`
	// Skeleton and Marks say how far results agree, by their numbers: on what is joined, and with the same marks. 1 is all.
	Skeleton [][]float64 `json:"skeleton"`
	Marks    [][]float64 `json:"marks"`
	Notes    []string    `json:"notes"` // sentences below the table
}

// A Figure is a column of the table.
type Figure struct {
	Title string `json:"title"`
	About string `json:"about"` // what it is, in a sentence
	// Best is less or more where one of the two is better, else nothing.
	Best string `json:"best,omitempty"`
	// Decimals are the digits behind the point; without them there are four digits in all.
	Decimals int `json:"decimals,omitempty"`
}

// A MethodRow is a method: the number of its result, or -1 with why there is none.
type MethodRow struct {
	Label  string     `json:"label"`
	Result int        `json:"result"`
	Why    string     `json:"why,omitempty"` // also of a result that is not all that was asked for
	Values []*float64 `json:"values"`        // by figure; nil where there is none
}

// check reports what keeps the page from showing the table beside so many results.
func (m *Methods) check(results int) error {
	for _, r := range m.Rows {
		if r.Result < -1 || r.Result >= results || len(r.Values) != len(m.Figures) {
			return fmt.Errorf("%w: method %s has result %d of %d and %d of %d figures", ErrInput, r.Label, r.Result, results, len(r.Values), len(m.Figures))
		}
		for k, v := range r.Values {
			if v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) {
				return fmt.Errorf("%w: %s of method %s is %v", ErrInput, m.Figures[k].Title, r.Label, *v)
			}
		}
	}
	for _, square := range [][][]float64{m.Skeleton, m.Marks} {
		if len(square) != results {
			return fmt.Errorf("%w: the agreement of %d results, want %d", ErrInput, len(square), results)
		}
		for _, row := range square {
			if len(row) != results {
				return fmt.Errorf("%w: the agreement with %d results, want %d", ErrInput, len(row), results)
			}
			for _, v := range row {
				if !(v >= 0 && v <= 1) {
					return fmt.Errorf("%w: an agreement of %v, want 0 to 1", ErrInput, v)
				}
			}
		}
	}
	return nil
}
