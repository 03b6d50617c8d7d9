package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

func TestWriteCSV(t *testing.T) {
	var b bytes.Buffer
	x := matrix.Of(2, 3, []float64{1, -0.1, 1e21, 0.30000000000000004, 1e-7, math.Copysign(0, -1)})
	must.Succeed(t, Write(&b, []string{"a", "b c", "d,\"e\""}, dataset.RowsOf(x)))
	want := "a,b c,\"d,\"\"e\"\"\"\n1,-0.1,1e+21\n0.30000000000000004,1e-07,-0\n"
	if b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestWriteCSVNames checks that names come back through our reader and through encoding/csv.
func TestWriteCSVNames(t *testing.T) {
	names := []string{"plain", "été", "a,b", "q\"q", "two\nlines", " pad", "tab\t", "semi;colon", "\ufeff", "-", "1"}
	x := tabletest.Normals(1, 3, len(names))
	var b bytes.Buffer
	must.Succeed(t, Write(&b, names, dataset.RowsOf(x)))
	header, err := csv.NewReader(bytes.NewReader(b.Bytes())).Read()
	if err != nil || !slices.Equal(header, names) {
		t.Errorf("standard library: %q, %v", header, err)
	}
	tab, err := ReadTable(context.Background(), &b, DefaultSettings())
	if err != nil || !reflect.DeepEqual(tab, &dataset.NamedRows{Names: names, Rows: x}) {
		t.Errorf("got %v, %v", tab, err)
	}
}

func TestWriteCSVFaults(t *testing.T) {
	rows := func(yield func([]float64) bool) {
		_ = yield([]float64{1, 2}) && yield([]float64{1})
	}
	if err := Write(&bytes.Buffer{}, []string{"a", "b"}, rows); err == nil || !strings.Contains(err.Error(), "row 2 has 1 values for 2 columns") {
		t.Errorf("short row: %v", err)
	}
	full := errors.New("disk full")
	for _, n := range []int{2, 20_000} {
		if err := Write(failing{full}, tabletest.Letters(3), dataset.RowsOf(tabletest.Normals(1, n, 3))); !errors.Is(err, full) {
			t.Errorf("%d rows: %v", n, err)
		}
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestTable(t *testing.T) {
	tab, err := readTable("a,b\n1,2\n3,5\n6,7\n", 1)
	must.Succeed(t, err)
	if got, err := tab.Column("b"); err != nil || !slices.Equal(got, []float64{2, 5, 7}) {
		t.Errorf("column b: %v, %v", got, err)
	}
	if _, err := tab.Column("c"); err == nil || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("column c: %v", err)
	}
	m, err := tab.Moments(1)
	must.Succeed(t, err)
	want, err := read("a,b\n1,2\n3,5\n6,7\n", 1)
	if err != nil || !reflect.DeepEqual(m, want) {
		t.Errorf("moments %+v, want %+v, %v", m, want, err)
	}
}
