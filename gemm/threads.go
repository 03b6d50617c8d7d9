package gemm

import "sync"

// minPart is the least work m·n·k of one thread's part, below which starting the thread
// costs more than it saves.
const minPart = 160 * 160 * 160

// parts returns over how many threads to split the product.
func (p *product[T]) parts(threads int) int {
	if threads <= 1 {
		return 1
	}
	return max(1, min(threads, int(float64(p.m)*float64(p.n)*float64(p.k)/minPart)))
}

// split cuts C into a grid of parts, never k, and computes them side by side.
func (p *product[T]) split(parts int) {
	rowParts, colParts := grid(parts, p.m, p.n)
	var wg sync.WaitGroup
	for i := range rowParts {
		for j := range colParts {
			part := p.part(share(i, p.m, rowParts), share(i+1, p.m, rowParts), share(j, p.n, colParts), share(j+1, p.n, colParts))
			if i == 0 && j == 0 {
				defer wg.Wait()
				defer part.run()
				continue
			}
			wg.Go(part.run)
		}
	}
}

// grid returns how many cuts of the rows and of the columns make at most parts parts.
func grid(parts, m, n int) (rows, cols int) {
	if m > n {
		return parts, 1
	}
	return 1, parts
}

// part returns the product restricted to rows i0 … i1-1 and columns j0 … j1-1 of C.
func (p *product[T]) part(i0, i1, j0, j1 int) *product[T] {
	q := *p
	q.m, q.n = i1-i0, j1-j0
	if p.transA {
		q.a = p.a[i0:]
	} else {
		q.a = p.a[i0*p.lda:]
	}
	if p.transB {
		q.b = p.b[j0*p.ldb:]
	} else {
		q.b = p.b[j0:]
	}
	q.c = p.c[i0*p.ldc+j0:]
	return &q
}
