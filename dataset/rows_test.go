package dataset_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
)

// Rows in memory come in batches of at most 1024 whole rows with their environments and groups, and reading them again gives the same.
func TestRowBatch(t *testing.T) {
	const d = 2
	for _, n := range []int{0, 1, 1023, 1024, 1025, 3000} {
		want := dataset.RowBatch{Values: make([]float64, n*d), Environments: make([]int, n), Groups: make([]uint64, n)}
		for i := range n {
			want.Values[i*d], want.Environments[i], want.Groups[i] = float64(i), i%3, uint64(i/2)
		}
		rows, at := want.Rows(d), 0
		must.Succeed(t, rows(t.Context(), func(b dataset.RowBatch) error {
			size := len(b.Values) / d
			if size > 1024 || size == 0 || len(b.Environments) != size || len(b.Groups) != size || b.Values[0] != float64(at) {
				t.Errorf("%d rows: a batch of %d rows, %d environments and %d groups from row %d", n, size, len(b.Environments), len(b.Groups), at)
			}
			at += size
			return nil
		}))
		got := must.Get(rows.Read(t.Context(), n*d))
		if at != n || !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Environments, want.Environments) || !slices.Equal(got.Groups, want.Groups) {
			t.Errorf("%d rows: %d passed on, %d values read", n, at, len(got.Values))
		}
		if b := must.Get(rows.Pooled().Read(t.Context(), 0)); b.Environments != nil || len(b.Groups) != n || !slices.Equal(b.Values, want.Values) {
			t.Errorf("%d pooled rows have environments, or other values", n)
		}
	}
}

// An error of the function and the end of the context end a pass.
func TestRowsEnd(t *testing.T) {
	rows := dataset.RowBatch{Values: make([]float64, 5000)}.Rows(1)
	stop, calls := errors.New("stop"), 0
	if err := rows(t.Context(), func(dataset.RowBatch) error { calls++; return stop }); err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := rows(ctx, func(dataset.RowBatch) error { calls++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || calls != 2 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if _, err := rows.Read(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
}

// Arranged rows and samples have the columns in the given order. They do not change the table, and those of no rows are none.
func TestRowsArranged(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5, 6}
	want, order := []float64{3, 1, 2, 6, 4, 5}, []int{2, 0, 1}
	got := must.Get(dataset.RowBatch{Values: values, Environments: []int{0, 1}}.Rows(3).Arranged(order).Read(t.Context(), 6))
	if !slices.Equal(got.Values, want) || !slices.Equal(got.Environments, []int{0, 1}) {
		t.Errorf("rows %+v", got)
	}
	s := (&dataset.Sample{Columns: 3, Values: values, Index: []int{0, 7}}).Arranged(order)
	if !reflect.DeepEqual(s, &dataset.Sample{Columns: 3, Values: want, Index: []int{0, 7}}) || values[0] != 1 {
		t.Errorf("sample %+v of %v", s, values)
	}
	var none dataset.Rows
	var no *dataset.Sample
	if none.Arranged(order) != nil || none.Pooled() != nil || no.Arranged(order) != nil {
		t.Error("rows that cannot be read became rows")
	}
}

// A pass over rows in memory allocates nothing for its batches.
func TestRowsAllocate(t *testing.T) {
	rows, sum := dataset.RowBatch{Values: make([]float64, 1<<16)}.Rows(4), 0
	each := func(b dataset.RowBatch) error { sum += len(b.Values); return nil }
	if n := testing.AllocsPerRun(10, func() { _ = rows(context.Background(), each) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
