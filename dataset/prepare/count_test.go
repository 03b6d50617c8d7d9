package prepare

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/must"
)

// joinedTable is a memTable with its rows joined.
type joinedTable struct {
	dataset.Source
	counts *dataset.Counts
}

func (j joinedTable) Counts() *dataset.Counts { return j.counts }

// joinedOf opens a table as counts of it.
func joinedOf(t *memTable, c *dataset.Counts) func(context.Context) (dataset.Source, error) {
	return func(ctx context.Context) (dataset.Source, error) {
		src, err := t.open(ctx)
		return joinedTable{src, c}, err
	}
}

// Counts cannot hold every text: the first that they cannot hold is named with its place. Tables without rows, and too many rows, are named.
func TestCountRefuses(t *testing.T) {
	opt := DefaultSettings()
	opt.File = "own.csv"
	for word, want := range map[string]string{
		"gr\xfcn": `own.csv: row 2, column 2 (b): "gr\xfcn" is not text in UTF-8; export the table in UTF-8, or leave the column out with`,
		"red\x00": `own.csv: row 2, column 2 (b): "red\x00" is not text in UTF-8; `,
	} {
		table := memOf("a b", []any{1.0, "red"}, []any{2.0, word}, []any{2.0, word})
		if _, err := Count(t.Context(), table.open, opt); !errors.Is(err, dataset.ErrNotTable) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", word, err)
		}
	}
	none := memOf("a b")
	if _, err := Count(t.Context(), none.open, opt); !errors.Is(err, dataset.ErrNoRows) {
		t.Error(err)
	}
	empty := &dataset.Counts{Columns: none.columns, Levels: make([][]dataset.Level, 2)}
	if _, err := Count(t.Context(), joinedOf(none, empty), opt); !errors.Is(err, dataset.ErrNoRows) || !strings.HasPrefix(err.Error(), "own.csv: ") {
		t.Error(err)
	}
	many := memOf("a b")
	for i := range 1000 {
		many.rows = append(many.rows, []any{float64(i), "x"})
	}
	c := must.Get(Count(t.Context(), many.open, opt))
	opt.MaxMemory = 50000
	for name, open := range map[string]func(context.Context) (dataset.Source, error){"rows": many.open, "counts": joinedOf(many, c)} {
		if _, err := Count(t.Context(), open, opt); !errors.Is(err, dataset.ErrDistinct) || !strings.HasPrefix(err.Error(), "own.csv: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Words for missing values are said when rows are counted: an error on counts does not propose them.
func TestCountedWordsAreFinal(t *testing.T) {
	table := memOf("a b")
	for i := range 200 {
		table.rows = append(table.rows, []any{float64(i), float64(i % 7)})
	}
	table.rows[20][0] = "oops"
	for _, encode := range []dataset.Encode{"levels", "onehot"} {
		opt := DefaultSettings()
		opt.Encode = encode
		for name, open := range map[string]func(context.Context) (dataset.Source, error){"rows": table.open, "counts": joinedOf(table, nil)} {
			_, err := Gather(t.Context(), open, opt)
			proposed := slices.ContainsFunc(fault.Remedies(err), func(r fault.Remedy) bool { return r.Setting == "na" })
			if err == nil || proposed != (name == "rows") || strings.Contains(err.Error(), "count it again") != (name == "counts") || strings.Contains(fmt.Sprint(err), "%!") {
				t.Errorf("%s, encode %s: %v", name, encode, err)
			}
		}
	}
}
