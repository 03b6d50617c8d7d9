// Package tabletest creates tables for the tests of packages that read them, and has a slow reference for their
// moments.
package tabletest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/matrix"
)

// Normals returns n×d standard normal values.
func Normals(seed uint64, n, d int) *matrix.Dense[float64] {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := matrix.New[float64](n, d)
	for i := range x.Data {
		x.Data[i] = rng.NormFloat64()
	}
	return x
}

// Letters returns the names v0, v1, …
func Letters(d int) []string {
	names := make([]string, d)
	for j := range names {
		names[j] = fmt.Sprintf("v%d", j)
	}
	return names
}

// Naive is a slow reference: two passes, one value at a time, with compensated sums.
func Naive(names []string, x *matrix.Dense[float64]) *dataset.Moments {
	m := dataset.NewMoments(names)
	m.N = x.Rows
	d := x.Cols
	columns := make([][]float64, d)
	for j := range d {
		c := make([]float64, x.Rows)
		for i := range c {
			c[i] = x.At(i, j)
		}
		m.Mean[j] = Sum(c) / float64(m.N)
		m.Min[j], m.Max[j] = slices.Min(c), slices.Max(c)
		for i := range c {
			c[i] -= m.Mean[j]
		}
		columns[j] = c
	}
	products := make([]float64, x.Rows)
	for j := range d {
		for k := range j + 1 {
			for i, v := range columns[j] {
				products[i] = v * columns[k][i]
			}
			s := Sum(products)
			m.Scatter[j*d+k], m.Scatter[k*d+j] = s, s
		}
	}
	return m
}

// Sum adds with Neumaier's compensation.
func Sum(terms []float64) float64 {
	s, lost := 0.0, 0.0
	for _, v := range terms {
		t := s + v
		if math.Abs(s) >= math.Abs(v) {
			lost += s - t + v
		} else {
			lost += v - t + s
		}
		s = t
	}
	return s + lost
}

// Close compares moments to tol, relative to the size of each column.
func Close(t *testing.T, got, want *dataset.Moments, tol float64) {
	t.Helper()
	if got.N != want.N || !slices.Equal(got.Names, want.Names) || !slices.Equal(got.Min, want.Min) || !slices.Equal(got.Max, want.Max) {
		t.Fatalf("got n %d, %q, min %v, max %v; want %d, %q, %v, %v", got.N, got.Names, got.Min, got.Max, want.N, want.Names, want.Min, want.Max)
	}
	d := want.Dim()
	for i := range d {
		size := max(math.Abs(want.Min[i]), math.Abs(want.Max[i]))
		if diff := math.Abs(got.Mean[i] - want.Mean[i]); !(diff <= tol*size) {
			t.Errorf("mean[%d] = %v, want %v", i, got.Mean[i], want.Mean[i])
		}
		for j := range d {
			size := math.Sqrt(want.Scatter[i*d+i]) * math.Sqrt(want.Scatter[j*d+j])
			if diff := math.Abs(got.Scatter[i*d+j] - want.Scatter[i*d+j]); !(diff <= tol*size) {
				t.Errorf("scatter[%d,%d] = %v, want %v", i, j, got.Scatter[i*d+j], want.Scatter[i*d+j])
			}
			if got.Scatter[i*d+j] != got.Scatter[j*d+i] {
				t.Errorf("scatter[%d,%d] != scatter[%d,%d]", i, j, j, i)
			}
		}
	}
}

// Uneven returns columns of very different mean and scale, some correlated.
func Uneven(seed uint64, n, d int) *matrix.Dense[float64] {
	x := Normals(seed, n, d)
	for i := range n {
		row := x.Row(i)
		for j := 1; j < d; j++ {
			row[j] += 0.7 * row[j-1]
		}
		for j := range d {
			row[j] = row[j]*math.Pow(10, float64(j%7-3)) + float64(j%5)
		}
	}
	return x
}

// Allocated returns the bytes that f allocates, in all.
func Allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Fault checks the kind, the place and the words of a refusal of data.csv.
func Fault(t *testing.T, name string, err, want error, at dataset.ParseError, says string) {
	t.Helper()
	var e *dataset.ParseError
	if !errors.Is(err, want) || !errors.As(err, &e) {
		t.Errorf("%s: got %v, want %v", name, err, want)
		return
	}
	got := dataset.ParseError{Line: e.Line, Row: e.Row, Column: e.Column, Name: e.Name, Value: e.Value}
	if got != at {
		t.Errorf("%s: at %+v, want %+v", name, got, at)
	}
	if text := err.Error(); !strings.HasPrefix(text, "data.csv: ") || !strings.Contains(text, says) || !strings.Contains(text, "; ") {
		t.Errorf("%s: the error says %q", name, text)
	}
}
