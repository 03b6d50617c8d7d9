package page

import (
	"fmt"
	"math"
)

// Methods compares any number of results on a page: a table and the agreement.
type Methods struct {
	// Figures are the columns of the table, and Rows the methods, some without a result.
	Figures []Figure    `json:"figures"`
	Rows    []MethodRow `json:"rows"`
	// Skeleton and Marks are the pairwise agreements of results by number: on adjacencies, and on marks. 1 is
	// complete agreement.
	Skeleton [][]float64 `json:"skeleton"`
	Marks    [][]float64 `json:"marks"`
	Notes    []string    `json:"notes"` // sentences below the table
}

// A Figure is a column of the table.
type Figure struct {
	Title string `json:"title"`
	About string `json:"about"` // description in one sentence
	// Best is "less" or "more" if one of them is better, otherwise empty.
	Best string `json:"best,omitempty"`
	// Decimals is the number of decimals; 0 means four significant digits.
	Decimals int `json:"decimals,omitempty"`
}

// A MethodRow is a method: the index of its result, or -1 with a reason.
type MethodRow struct {
	Label  string     `json:"label"`
	Result int        `json:"result"`
	Why    string     `json:"why,omitempty"` // also for an incomplete result
	Values []*float64 `json:"values"`        // by figure; nil if missing
}

// check returns an error if the table does not match the number of results.
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
