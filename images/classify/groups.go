package classify

import (
	"math"
	"sync"

	"github.com/polydag/polydag/internal/gemm"
	"github.com/polydag/polydag/internal/parallel"
)

// groups numbers the images: near duplicates, and near duplicates of near duplicates, have the same number. Numbers are
// from 1 in the order of the images. The cost is n²·d for n vectors of length d.
func groups(vectors [][]float32, near float64, threads int) []int {
	n := len(vectors)
	d := len(vectors[0])
	unit := make([]float32, n*d)
	for i, v := range vectors {
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum == 0 {
			continue // similar to no other
		}
		factor := float32(1 / math.Sqrt(sum))
		for k, x := range v {
			unit[i*d+k] = x * factor
		}
	}
	above := newForest(n)
	var mu sync.Mutex
	const block = 256
	blocks := (n + block - 1) / block
	parallel.For(blocks, threads, func(b int) {
		first := b * block
		rows := min(block, n-first)
		product := make([]float32, rows*block)
		for start := first; start < n; start += block {
			columns := min(block, n-start)
			gemm.Gemm(false, true, rows, columns, d, 1, unit[first*d:], d, unit[start*d:], d, 0, product, columns, 1)
			for i := range rows {
				for j, similarity := range product[i*columns : (i+1)*columns] {
					if float64(similarity) >= near-1e-6 && first+i < start+j { // rounding of equal vectors
						mu.Lock()
						above.join(first+i, start+j)
						mu.Unlock()
					}
				}
			}
		}
	})
	out, numbers := make([]int, n), map[int]int{}
	for i := range out {
		root := above.root(i)
		if numbers[root] == 0 {
			numbers[root] = len(numbers) + 1
		}
		out[i] = numbers[root]
	}
	return out
}

// forest joins sets of numbers; each entry points towards the root of its set.
type forest []int

func newForest(n int) forest {
	f := make(forest, n)
	for i := range f {
		f[i] = i
	}
	return f
}

func (f forest) root(i int) int {
	for f[i] != i {
		f[i] = f[f[i]]
		i = f[i]
	}
	return i
}

func (f forest) join(i, j int) {
	a, b := f.root(i), f.root(j)
	f[max(a, b)] = min(a, b)
}
