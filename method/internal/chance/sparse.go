package chance

import (
	"math"
	"slices"

	"github.com/polydag/polydag/independence"
)

// sparseP protects tests of counts whose asymptotic distribution is wrong because a cell expects fewer than
// leastExpected rows. It returns 0 if there is no such cell. Otherwise it is twice the smaller of two valid
// p-values: G² with the rare categories of both sides merged, and Fisher's exact test of each cell against the
// rest, times the number of cells. weight is the weight of a row.
func sparseP(table [][]float64, weight float64) float64 {
	rows, columns, n := margins(table)
	least := math.Inf(1)
	for _, r := range rows {
		for _, c := range columns {
			if r > 0 && c > 0 {
				least = min(least, r*c/n)
			}
		}
	}
	if least >= leastExpected {
		return 0
	}
	merged := merge(transpose(merge(table)))
	p := 1.0
	if len(merged) > 1 && len(merged[0]) > 1 {
		p = independence.ChiSquared(gSquared(merged)*weight, float64(len(merged)-1)*float64(len(merged[0])-1))
	}
	cells := 0.0
	exact := 1.0
	for i, r := range rows {
		for j, c := range columns {
			if r > 0 && c > 0 {
				cells++
				exact = min(exact, fisher(table[i][j]*weight, r*weight, c*weight, n*weight))
			}
		}
	}
	return min(1, 2*min(p, cells*exact))
}

// leastExpected is the number of rows that a cell must expect for a χ² distribution (Cochran 1954).
const leastExpected = 5

func margins(table [][]float64) (rows, columns []float64, n float64) {
	rows, columns = make([]float64, len(table)), make([]float64, len(table[0]))
	for i, row := range table {
		for j, count := range row {
			rows[i] += count
			columns[j] += count
			n += count
		}
	}
	return rows, columns, n
}

// gSquared is twice the log-likelihood ratio of a table against independence.
func gSquared(table [][]float64) (sum float64) {
	rows, columns, n := margins(table)
	for i, row := range table {
		for j, count := range row {
			if count > 0 {
				sum += 2 * count * math.Log(count*n/(rows[i]*columns[j]))
			}
		}
	}
	return sum
}

// merge adds up the rows of a table with the fewest counts until each of the others has √(leastExpected·n), so that two of them expect leastExpected.
func merge(table [][]float64) [][]float64 {
	rows, _, n := margins(table)
	order := make([]int, len(table))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(rows[a] - rows[b]) })
	enough := math.Sqrt(leastExpected * n)
	var out [][]float64
	rest, count := make([]float64, len(table[0])), 0.0
	for _, i := range order {
		if rows[i] >= enough && (count == 0 || count >= enough) {
			out = append(out, table[i])
			continue
		}
		for j, k := range table[i] {
			rest[j] += k
		}
		count += rows[i]
	}
	if count > 0 {
		out = append(out, rest)
	}
	return out
}

func transpose(table [][]float64) [][]float64 {
	out := make([][]float64, len(table[0]))
	for j := range out {
		for _, row := range table {
			out[j] = append(out[j], row[j])
		}
	}
	return out
}

// fisher returns the two-sided p-value of k rows in a cell with margins r and c of n rows: twice the smaller tail of the
// hypergeometric distribution. Counts need not be whole where rows count less than 1.
func fisher(k, r, c, n float64) float64 {
	choose := func(n, k float64) float64 {
		a, _ := math.Lgamma(n + 1)
		b, _ := math.Lgamma(k + 1)
		c, _ := math.Lgamma(n - k + 1)
		return a - b - c
	}
	all := choose(n, c)
	tail := func(from, step float64) (sum float64) {
		for i := from; i >= max(0, r+c-n)-1e-9 && i <= min(r, c)+1e-9; i += step {
			term := math.Exp(choose(r, i) + choose(n-r, c-i) - all)
			sum += term
			if term < 1e-17*sum {
				break
			}
		}
		return sum
	}
	return min(1, 2*min(tail(k, 1), tail(k, -1)))
}
