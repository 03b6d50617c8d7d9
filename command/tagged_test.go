package command

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// TestTaggedRows checks that the added column may stand anywhere among the selected ones, and that cells of text move with their columns.
func TestTaggedRows(t *testing.T) {
	memory := dataset.Memory{{Name: "x", Numbers: []float64{1, 2}}, {Name: "city", Text: []string{"Rome", "Oslo"}}}
	for _, c := range []struct {
		columns []int
		names   []string
		values  []float64 // values of the first row; 9 stands for text
	}{
		{[]int{0, 1, 2}, []string{"x", "city", tableColumn}, []float64{1, 9, 1}},
		{[]int{0, 2, 1}, []string{"x", tableColumn, "city"}, []float64{1, 1, 9}},
		{[]int{2, 1}, []string{tableColumn, "city"}, []float64{1, 9}},
		{[]int{1, 0}, []string{"city", "x"}, []float64{9, 1}},
	} {
		src := must.Get(memory.Source(t.Context()))
		rows := &taggedRows{Source: second{src}, first: "a.csv", at: 2}
		must.Succeed(t, rows.Select(c.columns))
		var names []string
		for _, column := range rows.Columns() {
			names = append(names, column.Name)
		}
		var b dataset.Batch
		must.Succeed(t, rows.Next(t.Context(), &b))
		values := slices.Clone(b.Values[:len(c.values)])
		for _, cell := range b.Cells {
			if cell.Row == 0 {
				values[cell.Column] = 9
			}
		}
		if !slices.Equal(names, c.names) || !slices.Equal(values, c.values) {
			t.Errorf("columns %v: %v with the first row %v, want %v with %v", c.columns, names, values, c.names, c.values)
		}
	}
}

// second is a source whose rows are in the second file.
type second struct{ dataset.Source }

func (second) Locate(row int) (file string, within int) { return "b.csv", row }

// TestCodesOfErrors checks the code of an error in the JSON log: that of a fault, or the way in which the command ended.
func TestCodesOfErrors(t *testing.T) {
	for want, err := range map[string]error{
		"usage":       usagef("wrong"),
		"stopped":     unconverged{"the limit of steps"},
		"interrupted": interruption{"interrupted"},
		"failure":     errors.New("no space left"),
		"one-row":     fmt.Errorf("t.csv: %w", dataset.ErrOneRow),
	} {
		must.Same(t, code(err), want, err)
	}
}
