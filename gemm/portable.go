package gemm

// runPortable computes the product in plain Go. Placeholder.
func (p *product[T]) runPortable() {
	for i := range p.m {
		for j := range p.n {
			var s T
			for l := range p.k {
				var x, y T
				if p.transA {
					x = p.a[l*p.lda+i]
				} else {
					x = p.a[i*p.lda+l]
				}
				if p.transB {
					y = p.b[j*p.ldb+l]
				} else {
					y = p.b[l*p.ldb+j]
				}
				s += x * y
			}
			if p.beta == 0 {
				p.c[i*p.ldc+j] = p.alpha * s
			} else {
				p.c[i*p.ldc+j] = p.alpha*s + p.beta*p.c[i*p.ldc+j]
			}
		}
	}
}
