package prepare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/dataset"
	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/internal/memory"
)

const (
	// fineClasses is the number of classes of equal frequency before classes are merged.
	fineClasses = 20
	// cutFrom is the smallest number of distinct values of a column that is discretized or replaced by normal scores: one more than
	// kind.FewLevels.
	cutFrom = 11
	// joinedColumns is the largest number of columns for which classes are merged by mutual information: the tables of all pairs
	// take 1600·d² bytes. With more columns, classes have equal frequencies.
	joinedColumns = 300
)

// classes discretizes numeric columns into classes 0 … most-1, in the order of the values. A column is cut into fineClasses classes
// of equal frequency, with equal values in one class. Then, for all columns at a time, the two neighbouring classes are merged that
// lose the least mutual information with the other columns, until most are left. Cuts are then at values where other columns
// change, which classes of equal frequency miss (Hartemink 2001, "Principled computational methods for the validation and discovery
// of genetic regulatory networks"). The result does not depend on units, monotone transforms or the order of the columns.
//
// It needs 8·n·d bytes. Missing values stay missing.
type classes struct {
	rowBuffer
	columns int // number of first values of a row that are columns
	most    int
	cut     []bool
}

func newClasses(plan *encodePlan, to sink, opt *options) *classes {
	return &classes{rowBuffer{d: plan.width(), to: to, opt: opt, clean: true}, len(plan.outputs), opt.Discretize, plan.numeric()}
}

// counts returns the number of classes of each column, 0 for those that are not discretized.
func (s *classes) counts() []int {
	out := make([]int, s.columns)
	for j, c := range s.cut {
		if c {
			out[j] = s.most
		}
	}
	return out
}

// numeric marks the outputs that are columns of numbers and not text.
func (p *encodePlan) numeric() []bool {
	out := make([]bool, len(p.outputs))
	for k, o := range p.outputs {
		out[k] = p.columns[o.from].how == asNumber
	}
	return out
}

func (s *classes) add(rows []float64, clean bool) error {
	if need, allowed := s.store(rows, clean); !allowed {
		return &dataset.ParseError{Err: fault.New(memory.ErrLimit,
			fmt.Sprintf("discretization needs all rows in memory: %d rows × %d columns need %s, and %s are allowed", s.rows, s.d, memorySize(need), memorySize(s.opt.MaxMemory)),
			"use fewer rows or columns, or allow more memory")}
	}
	return nil
}

func (s *classes) finish() (*dataset.Moments, []string, error) {
	levels := make([]int, s.columns)
	for j := range levels {
		if s.cut[j] {
			levels[j] = s.fine(j)
			s.cut[j] = levels[j] > 0
		}
	}
	if s.columns <= joinedColumns {
		s.join(levels)
	}
	m, notes, err := s.passOn()
	if err != nil {
		return nil, nil, err
	}
	cut := 0
	for _, c := range s.cut {
		if c {
			cut++
		}
	}
	note := fmt.Sprintf("%s discretized into %d classes each.", count(cut, "column"), s.most)
	switch {
	case cut == 0:
		note = fmt.Sprintf("No column was discretized into %d classes: none has more than ten distinct values.", s.most)
	case cut < s.columns:
		note = fmt.Sprintf("%s discretized into %d classes each; %d with few values or text unchanged.", count(cut, "column"), s.most, s.columns-cut)
	}
	return m, append([]string{note}, notes...), nil
}

// each calls f with every value of column j.
func (s *classes) each(j int, f func(x *float64)) {
	for _, run := range s.runs {
		for i := j; i < len(run); i += s.d {
			if run[i] == run[i] {
				f(&run[i])
			}
		}
	}
}

// fine cuts column j into classes of equal frequency and returns their number, or 0 if the column has few values and stays
// unchanged.
func (s *classes) fine(j int) int {
	var values []float64
	s.each(j, func(x *float64) { values = append(values, *x) })
	slices.SortFunc(values, cmp.Compare)
	if different := len(slices.Compact(slices.Clone(values))); different < cutFrom || different <= s.most {
		return 0
	}
	n, classes := len(values), fineClasses
	if s.columns > joinedColumns {
		classes = s.most
	}
	classes = max(classes, s.most)
	// The class of a value is that of its mean rank. Empty classes are skipped.
	number := make(map[int]float64)
	class := make(map[float64]float64)
	for lo := 0; lo < n; {
		hi := lo + 1
		for hi < n && values[hi] == values[lo] {
			hi++
		}
		k := (lo + hi - 1) * classes / (2 * n)
		if _, ok := number[k]; !ok {
			number[k] = float64(len(number))
		}
		class[values[lo]] = number[k]
		lo = hi
	}
	s.each(j, func(x *float64) { *x = class[*x] })
	return len(number)
}

// join merges classes until no discretized column has more than most.
func (s *classes) join(levels []int) {
	var cut []int
	for j, c := range s.cut {
		if c {
			cut = append(cut, j)
		}
	}
	tables := s.pairs(cut, levels)
	into := make([][]int, len(cut)) // merged class of each fine class
	left := make([]int, len(cut))
	for a, j := range cut {
		left[a] = levels[j]
		for k := range levels[j] {
			into[a] = append(into[a], k)
		}
	}
	for round := slices.Max(append(left, 0)); round > s.most; round-- {
		merge := make([]int, len(cut))
		for a := range cut {
			merge[a] = -1
			if left[a] < round {
				continue
			}
			least := math.Inf(1)
			for k := range left[a] - 1 {
				if loss := loss(tables[a], left, a, k); loss < least {
					least, merge[a] = loss, k
				}
			}
		}
		for a, k := range merge {
			if k < 0 {
				continue
			}
			for b := range cut {
				if b != a {
					tables[a][b] = joinRows(tables[a][b], left[b], k)
					tables[b][a] = joinColumns(tables[b][a], left[b], left[a], k)
				}
			}
			left[a]--
			for c, at := range into[a] {
				if at > k {
					into[a][c] = at - 1
				}
			}
		}
	}
	for a, j := range cut {
		s.each(j, func(x *float64) { *x = float64(into[a][int(*x)]) })
	}
}

// pairs counts the classes of every two columns jointly: tables[a][b] has the classes of a as rows.
func (s *classes) pairs(cut, levels []int) [][][]float64 {
	tables := make([][][]float64, len(cut))
	for a, i := range cut {
		tables[a] = make([][]float64, len(cut))
		for b, j := range cut {
			if b != a {
				tables[a][b] = make([]float64, levels[i]*levels[j])
			}
		}
	}
	for _, run := range s.runs {
		for at := 0; at < len(run); at += s.d {
			row := run[at : at+s.d]
			for a, i := range cut {
				for b, j := range cut {
					if x, y := row[i], row[j]; b != a && x == x && y == y {
						tables[a][b][int(x)*levels[j]+int(y)]++
					}
				}
			}
		}
	}
	return tables
}

// loss returns n times the mutual information with all other columns that is lost if classes k and k+1 of column a are merged. With
// n_x the count of a class and n_xy the joint count with class y of another column, it is
//
//	Σ_y n_ky ln(n_ky/n_k) + n_ly ln(n_ly/n_l) - (n_ky + n_ly) ln((n_ky + n_ly)/(n_k + n_l)),   l = k+1.
//
// It is rounded to whole multiples of 2⁻²⁰, whose sum does not depend on the order of the columns.
func loss(tables [][]float64, left []int, a, k int) float64 {
	sum := 0.0
	for b, t := range tables {
		if b == a {
			continue
		}
		r := left[b]
		first, second := t[k*r:(k+1)*r], t[(k+1)*r:(k+2)*r]
		nk, nl, own := 0.0, 0.0, 0.0
		for y := range r {
			nk, nl = nk+first[y], nl+second[y]
			own += entropy(first[y]) + entropy(second[y]) - entropy(first[y]+second[y])
		}
		own -= entropy(nk) + entropy(nl) - entropy(nk+nl)
		sum += math.Round(own * (1 << 20))
	}
	return sum
}

func entropy(n float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log(n)
}

// joinRows adds row k+1 of a table of r columns to row k.
func joinRows(t []float64, r, k int) []float64 {
	for y := range r {
		t[k*r+y] += t[(k+1)*r+y]
	}
	return append(t[:(k+1)*r], t[(k+2)*r:]...)
}

// joinColumns adds column k+1 to column k of a table with the given number of rows and r columns.
func joinColumns(t []float64, rows, r, k int) []float64 {
	out := t[:0]
	for x := range rows {
		row := t[x*r : (x+1)*r]
		row[k] += row[k+1]
		out = append(append(out, row[:k+1]...), row[k+2:]...)
	}
	return out
}
