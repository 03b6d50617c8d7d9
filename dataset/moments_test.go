package dataset_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/tabletest"
	"github.com/polydag/polydag/matrix"
)

// TestMomentsOfAgreesWithNaive covers one and several blocks, panels and lanes.
func TestMomentsOfAgreesWithNaive(t *testing.T) {
	for _, shape := range [][2]int{{2, 2}, {3, 5}, {1000, 3}, {9000, 2}, {300, 150}, {1100, 260}} {
		x := tabletest.Uneven(1, shape[0], shape[1])
		before := x.Clone()
		got, err := dataset.MomentsOf(tabletest.Letters(x.Cols), x, 1)
		must.Succeed(t, err)
		tabletest.Close(t, got, tabletest.Naive(tabletest.Letters(x.Cols), x), 1e-13)
		if !reflect.DeepEqual(x, before) {
			t.Errorf("%v: MomentsOf changed its input", shape)
		}
	}
}

// TestMomentsOfOfNothing checks that no columns and invalid numbers of threads are handled.
func TestMomentsOfOfNothing(t *testing.T) {
	for _, x := range []*matrix.Dense[float64]{matrix.New[float64](0, 0), matrix.New[float64](5, 0), matrix.New[float64](0, 3)} {
		if m, err := dataset.MomentsOf(tabletest.Letters(x.Cols), x, 0); err != nil || m.N != 0 {
			t.Errorf("%d×%d: %+v, %v", x.Rows, x.Cols, m, err)
		}
	}
}

func TestMomentsOfReadsAStride(t *testing.T) {
	wide := tabletest.Normals(2, 50, 6)
	x := &matrix.Dense[float64]{Rows: 50, Cols: 4, Stride: 6, Data: wide.Data}
	got, err := dataset.MomentsOf(tabletest.Letters(4), x, 1)
	must.Succeed(t, err)
	tabletest.Close(t, got, tabletest.Naive(tabletest.Letters(4), x.Clone()), 1e-13)
}

// TestLargeMean has mean 1e9 and standard deviation 1, where the sum of squares minus n·mean² would lose every
// digit. A double at 1e9 has steps of 1.2e-7, so the data itself is exact in the test.
func TestLargeMean(t *testing.T) {
	x := tabletest.Normals(3, 20_000, 4)
	for i := range x.Data {
		x.Data[i] = math.Round(x.Data[i]*1024)/1024 + 1e9
	}
	want := tabletest.Naive(tabletest.Letters(4), x)
	got, err := dataset.MomentsOf(tabletest.Letters(4), x, 2)
	must.Succeed(t, err)
	tabletest.Close(t, got, want, 1e-13)
	for j, sd := range got.Std() {
		if !(math.Abs(sd-1) <= 0.03) {
			t.Errorf("column %d: standard deviation %v, want about 1", j, sd)
		}
	}
}

// TestMergeAnySplit checks that any split into blocks, merged in any tree, gives the same moments.
func TestMergeAnySplit(t *testing.T) {
	const n, d = 2000, 7
	x := tabletest.Uneven(4, n, d)
	want := tabletest.Naive(tabletest.Letters(d), x)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var parts []*dataset.Moments
		for at := 0; at < n; {
			k := min(n-at, 1+rng.IntN(n/3))
			m := dataset.NewMoments(tabletest.Letters(d))
			for lo := at; lo < at+k; {
				hi := min(at+k, lo+1+rng.IntN(200))
				must.Succeed(t, m.AddBlock(x.Data[lo*d:hi*d]))
				lo = hi
			}
			parts = append(parts, m)
			at += k
		}
		for len(parts) > 1 {
			i := rng.IntN(len(parts) - 1)
			must.Succeed(t, parts[i].Merge(parts[i+1]))
			parts = slices.Delete(parts, i+1, i+2)
		}
		tabletest.Close(t, parts[0], want, 1e-12)
	}
}

func TestMomentsKeepNothing(t *testing.T) {
	names, rows := []string{"a", "b"}, []float64{1, 2, 3, 5}
	m := dataset.NewMoments(names)
	must.Succeed(t, m.AddBlock(rows))
	other := dataset.NewMoments(names)
	must.Succeed(t, other.Merge(m))
	if !slices.Equal(rows, []float64{1, 2, 3, 5}) {
		t.Errorf("AddBlock changed its rows: %v", rows)
	}
	names[0] = "changed"
	rows[0] = 100
	m.Mean[0], m.Scatter[0], m.Min[0] = 7, 7, 7
	m.Covariance().Set(0, 1, 9)
	want := &dataset.Moments{Names: []string{"a", "b"}, N: 2, Mean: []float64{2, 3.5}, Scatter: []float64{2, 3, 3, 4.5}, Min: []float64{1, 2}, Max: []float64{3, 5}}
	want.SetMeanLow([]float64{0, 0})
	if !reflect.DeepEqual(other, want) {
		t.Errorf("got %+v, want %+v", other, want)
	}
	if m.Scatter[1] != 3 {
		t.Error("Covariance shares memory with Moments")
	}
}

func TestMergeEmpty(t *testing.T) {
	m, empty := dataset.NewMoments(tabletest.Letters(2)), dataset.NewMoments(tabletest.Letters(2))
	must.Succeed(t, m.AddBlock([]float64{1, 2, 3, 5}))
	want := *m
	if err := m.Merge(empty); err != nil || !reflect.DeepEqual(*m, want) {
		t.Errorf("merge of nothing: %+v, %v", m, err)
	}
	if err := empty.Merge(m); err != nil || !reflect.DeepEqual(empty, m) {
		t.Errorf("merge into nothing: %+v, %v", empty, err)
	}
	if err := m.AddBlock(nil); err != nil || m.N != 2 {
		t.Errorf("empty block: %v, n = %d", err, m.N)
	}
}

func TestCovarianceAndCorrelation(t *testing.T) {
	x := matrix.Of(4, 3, []float64{
		1, 2, 7,
		3, 6, 7,
		5, 10, 7,
		7, 14, 7,
	})
	m, err := dataset.MomentsOf([]string{"a", "b", "c"}, x, 1)
	must.Succeed(t, err)
	if got, want := m.Covariance().Data, []float64{5, 10, 0, 10, 20, 0, 0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("covariance %v, want %v", got, want)
	}
	r := m.Correlation()
	for i, want := range []float64{1, 1, 0, 1, 1, 0, 0, 0, 1} {
		if got := r.Data[i]; !(math.Abs(got-want) <= 1e-15) || got > 1 {
			t.Errorf("correlation[%d] = %v, want %v", i, got, want)
		}
	}
	if got, want := m.Std(), []float64{math.Sqrt(5), math.Sqrt(20), 0}; !slices.Equal(got, want) {
		t.Errorf("std %v, want %v", got, want)
	}
}

func TestValidate(t *testing.T) {
	// 0.1 is not exact in binary and the mean is large, so only min and max show a constant.
	m := dataset.NewMoments([]string{"a", "tenth", "b", "far"})
	for i := range 1000 {
		must.Succeed(t, m.AddBlock([]float64{float64(i), 0.1, -float64(i), 1e15 + 0.5}))
	}
	err := m.Validate()
	if !errors.Is(err, dataset.ErrConstant) || !strings.Contains(err.Error(), "column 2 (tenth)") || !strings.Contains(err.Error(), "column 4 (far)") || strings.Contains(err.Error(), "column 1") {
		t.Errorf("got %v", err)
	}
	one := dataset.NewMoments([]string{"a"})
	if err := one.Validate(); !errors.Is(err, dataset.ErrNoRows) || !errors.Is(err, dataset.ErrOneColumn) {
		t.Errorf("no rows, one column: %v", err)
	}
	must.Succeed(t, one.AddBlock([]float64{1}))
	if err := one.Validate(); !errors.Is(err, dataset.ErrOneRow) || errors.Is(err, dataset.ErrConstant) {
		t.Errorf("one row: %v", err)
	}
	// One unit in the last place apart is not constant.
	m = dataset.NewMoments([]string{"a", "b"})
	must.Succeed(t, m.AddBlock([]float64{1e15, 1, math.Nextafter(1e15, 2e15), 2}))
	if err := m.Validate(); err != nil {
		t.Error(err)
	}
}

func TestMomentsRefuse(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name string
		rows []float64
		want error
	}{
		{"infinity", []float64{1, 2, 3, inf}, dataset.ErrNotFinite},
		{"minus infinity", []float64{1, -inf, 3, 4}, dataset.ErrNotFinite},
		{"NaN", []float64{nan, 2, 3, 4}, dataset.ErrNotFinite},
		{"squares overflow", []float64{1e300, 2, -1e300, 4}, dataset.ErrOverflow},
		{"sum overflows", []float64{1.5e308, 2, 1.5e308, 4}, dataset.ErrOverflow},
		{"difference overflows", []float64{1.7e308, 2, -1.7e308, 4}, dataset.ErrOverflow},
		{"only merge overflows", []float64{1e200, 1, 1e200, 2}, dataset.ErrOverflow},
	} {
		m := dataset.NewMoments([]string{"a", "b"})
		must.Succeed(t, m.AddBlock([]float64{0, 1, 2, 4}))
		want := &dataset.Moments{Names: []string{"a", "b"}, N: 2, Mean: []float64{1, 2.5}, Scatter: []float64{2, 3, 3, 4.5}, Min: []float64{0, 1}, Max: []float64{2, 4}}
		want.SetMeanLow([]float64{0, 0})
		err := m.AddBlock(c.rows)
		var e *dataset.ParseError
		if !errors.Is(err, c.want) || !errors.As(err, &e) || e.Name == "" {
			t.Errorf("%s: %v", c.name, err)
		}
		if !reflect.DeepEqual(m, want) {
			t.Errorf("%s: a refused block left %+v", c.name, m)
		}
		if _, err := dataset.MomentsOf([]string{"a", "b"}, matrix.Of(4, 2, append([]float64{0, 1, 2, 4}, c.rows...)), 1); !errors.Is(err, c.want) {
			t.Errorf("%s: MomentsOf: %v", c.name, err)
		}
	}
	m := dataset.NewMoments([]string{"a", "b"})
	if err := m.AddBlock([]float64{1, 2, 3}); err == nil {
		t.Error("half a row was taken")
	}
	if err := m.Merge(dataset.NewMoments([]string{"a", "c"})); err == nil {
		t.Error("other columns were merged")
	}
	if _, err := dataset.MomentsOf([]string{"a"}, matrix.New[float64](2, 2), 1); err == nil {
		t.Error("one name for two columns was taken")
	}
	if _, err := dataset.MomentsOf([]string{"a", "a"}, matrix.New[float64](2, 2), 1); !errors.Is(err, dataset.ErrSameName) {
		t.Errorf("same names: %v", err)
	}
}

// TestCorrelationOf checks that a part of the correlation matrix has the entries of the whole, in the requested
// order.
func TestCorrelationOf(t *testing.T) {
	m, err := dataset.MomentsOf([]string{"a", "b", "c", "d"}, matrix.Of(4, 4, []float64{1, 2, 7, 0.5, 2, 1, 7, -1, 4, 5, 7, 2, -1, 3, 7, 1}), 1)
	must.Succeed(t, err)
	whole, index := m.Correlation(), []int{3, 0, 2}
	part := m.CorrelationOf(index)
	for a, i := range index {
		for b, j := range index {
			if part.At(a, b) != whole.At(i, j) {
				t.Errorf("entry (%d, %d) is %v, want %v", a, b, part.At(a, b), whole.At(i, j))
			}
		}
	}
}
