package scores

import (
	"math"

	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/kind"
	"github.com/polydag/polydag/method"
)

// Nominal returns which ordinal columns the mixed model treats as categories. A column of few whole numbers may have quantities or
// codes. The effects of quantities on another column are roughly linear, and those of codes are arbitrary. A column is treated as
// codes if, for some other column y, means by level beat the line by more than the penalty of their parameters,
//
//	n·log((1 - r²)/(1 - η²)) > (L - 2)·(log n + 2·log d),
//
// where r² and η² are the shares of the variance of y that the line and the means by level explain, and L is the number of levels.
// The penalty per level is that of the extended BIC, with one more log d because y is one of many columns. Quantities with
// nonlinear effects are treated as levels too, which fits them better than a line.
//
// It reads the sample once for each ordinal column, and only a part of its rows for a wide table.
func Nominal(in *method.Input) []bool {
	out := make([]bool, len(in.Names()))
	s := in.Sample
	if s == nil || in.Kinds == nil {
		return out
	}
	var ordinal []int
	for j, k := range in.Kinds {
		if k.Kind == kind.Ordinal && k.Words == nil && k.Reason != kind.Asked {
			ordinal = append(ordinal, j)
		}
	}
	rows := levelRows(s.Rows(), len(ordinal), s.Columns)
	for _, c := range ordinal {
		out[c] = codes(s.Values, rows, s.Columns, c)
	}
	return out
}

// nominalWork limits the number of additions, about one second.
const nominalWork = 1 << 29

// levelRows returns how many rows of a sample byLevel reads for so many of its columns: at least 500 of them if there are as many.
func levelRows(rows, some, columns int) int {
	return min(rows, max(500, nominalWork/max(1, some*columns)))
}

// codes reports whether column c of the rows is better treated as codes.
func codes(values []float64, rows, d, c int) (found bool) {
	byLevel(values, rows, d, c, func(levels int, line, means float64) {
		price := float64(levels-2) * (math.Log(float64(rows)) + 2*math.Log(float64(d)))
		found = found || means-line > price
	})
	return found
}

// byLevel calls visit for each other column y with n·log(1/(1 - r²)) and n·log(1/(1 - η²)), the gains of the line and of the means by
// level. It does nothing for a column with fewer than three levels or more than kind.FewLevels.
func byLevel(values []float64, rows, d, c int, visit func(levels int, line, means float64)) {
	level := map[float64]int{}
	at := make([]int, rows)
	var count, code []float64
	for i := range rows {
		v := values[i*d+c]
		l, ok := level[v]
		if !ok {
			if len(level) == kind.FewLevels {
				return
			}
			l = len(level)
			level[v] = l
			count, code = append(count, 0), append(code, v)
		}
		at[i] = l
		count[l]++
	}
	levels := len(count)
	if levels < 3 {
		return
	}
	n := float64(rows)
	sums := make([]float64, levels*d) // sums of each column by level, relative to its first value for precision
	squares := make([]float64, d)
	first := values[:d]
	for i := range rows {
		row, sum := values[i*d:(i+1)*d], sums[at[i]*d:(at[i]+1)*d]
		for y, v := range row {
			delta := v - first[y]
			sum[y] += delta
			squares[y] += delta * delta
		}
	}
	var mean, spread float64 // mean and sum of squares of the code
	for l, k := range count {
		mean += k * code[l] / n
	}
	for l, k := range count {
		spread += k * (code[l] - mean) * (code[l] - mean)
	}
	for y := range d {
		var total, between, product float64
		for l := range levels {
			total += sums[l*d+y]
		}
		for l, k := range count {
			shift := sums[l*d+y]/k - total/n
			between += k * shift * shift
			product += k * shift * (code[l] - mean)
		}
		whole := squares[y] - total*total/n
		if y == c || !(whole > 1e-12*squares[y]) {
			continue
		}
		line, means := max(chol.Determined, 1-product*product/(spread*whole)), max(chol.Determined, 1-between/whole)
		visit(levels, -n*math.Log(line), -n*math.Log(means))
	}
}
