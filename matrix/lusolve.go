package matrix

import "fmt"

// Solve computes x = A⁻¹·b for the n×m matrix b of right-hand sides. x may be b; otherwise they must not
// overlap. Cost: 2·n²·m flops.
func (f *LU[T]) Solve(x, b *Dense[T]) {
	switch f := any(f).(type) {
	case *LU[float32]:
		solve32(f, any(x).(*Dense[float32]), any(b).(*Dense[float32]))
	case *LU[float64]:
		solve64(f, any(x).(*Dense[float64]), any(b).(*Dense[float64]))
	}
}

func solveLU[T Float](f *LU[T], x, b *Dense[T]) {
	f.mustBeFactored("Solve")
	if b.Rows != f.n || x.Rows != f.n || x.Cols != b.Cols {
		panic(fmt.Sprintf("matrix: Solve %d×%d into %d×%d for an LU of %d×%d", b.Rows, b.Cols, x.Rows, x.Cols, f.n, f.n))
	}
	if x != b {
		x.CopyFrom(b)
	}
	for k, p := range f.swaps {
		if p != k {
			xk, xp := x.Row(k), x.Row(p)
			for j, v := range xk {
				xk[j], xp[j] = xp[j], v
			}
		}
	}
	solveLower(x, &f.lu, f.Threads)
	solveUpper(x, &f.lu, f.Threads)
}

// Inverse overwrites dst with A⁻¹ = U⁻¹·L⁻¹·P. dst may be the matrix that was factored. Cost: 4/3·n³
// flops beyond Factor.
func (f *LU[T]) Inverse(dst *Dense[T]) {
	switch f := any(f).(type) {
	case *LU[float32]:
		inverse32(f, any(dst).(*Dense[float32]))
	case *LU[float64]:
		inverse64(f, any(dst).(*Dense[float64]))
	}
}

func inverse[T Float](f *LU[T], dst *Dense[T]) {
	f.mustBeFactored("Inverse")
	if dst.Rows != f.n || dst.Cols != f.n {
		panic(fmt.Sprintf("matrix: inverse of %d×%d into %d×%d", f.n, f.n, dst.Rows, dst.Cols))
	}
	dst.Zero()
	invertLower(dst, &f.lu, f.Threads)
	solveUpper(dst, &f.lu, f.Threads)
	permuteColumns(f, dst)
}

// permuteColumns overwrites x with x·P.
func permuteColumns[T Float](f *LU[T], x *Dense[T]) {
	for i := range f.order {
		f.order[i] = i
	}
	moved := false
	for k, p := range f.swaps {
		if p != k {
			moved = true
			f.order[k], f.order[p] = f.order[p], f.order[k]
		}
	}
	if !moved {
		return
	}
	for i := range f.n {
		row, from := x.Row(i), f.row[:len(f.order)]
		copy(from, row)
		for j, to := range f.order {
			row[to] = from[j]
		}
	}
}
