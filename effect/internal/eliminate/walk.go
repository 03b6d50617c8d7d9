package eliminate

import (
	"slices"

	"github.com/polydag/polydag/internal/vec"
)

// walk iterates over the cells of some nodes, the last of which changes fastest. It knows the positions of each
// cell in a result and in two operands, which are functions of some of these nodes. It adds to the result,
// except for products with their own cells, which it overwrites.
type walk struct {
	makes purpose
	loops []loop // outermost first
	// inner are the innermost loops if they are short. They are unrolled to lists of positions relative to the
	// outer loops.
	inner []loop
}

// places are the positions of the inner loops in the result and the operands. They are computed each time in
// reused memory, because storing them in many plans would need far more memory than the tables.
type places struct{ out, a, b []int32 }

// purpose is what a walk computes.
type purpose int

const (
	sumsOfProducts purpose = iota
	products               // with one cell each
	sums                   // the sums of the first operand, which has all nodes; the second is nil
)

// loop is one of several nested loops: its count, and its strides in the result and in the operands.
type loop struct{ n, out, a, b int }

// Loops with fewer than shortest iterations are unrolled, over about written cells, if they run several times.
const (
	shortest = 16
	written  = 256
)

// walk returns the walk over the nodes of all for functions of some of them. It merges contiguous loops.
func (p *plan) walk(all, out, a, b []int) *walk {
	so, sa, sb := p.strides(all, out), p.strides(all, a), p.strides(all, b)
	w := &walk{makes: sumsOfProducts}
	switch {
	case len(out) == len(all):
		w.makes = products
	case b == nil && len(a) == len(all):
		w.makes = sums
	}
	for i, r := range all {
		l := loop{p.levels[r], so[i], sa[i], sb[i]}
		if k := len(w.loops) - 1; k >= 0 && w.loops[k].out == l.out*l.n && w.loops[k].a == l.a*l.n && w.loops[k].b == l.b*l.n {
			l.n *= w.loops[k].n
			w.loops[k] = l
			continue
		}
		w.loops = append(w.loops, l)
	}
	if k := len(w.loops); k > 2 && w.loops[k-1].n < shortest && p.cells(all) >= 8*written {
		w.split()
	}
	return w
}

// split selects the innermost loops to unroll.
func (w *walk) split() {
	k, size := len(w.loops), 1
	for k > 0 && size < written {
		n := w.loops[k-1].n
		if k > 1 && n*size > 4*written {
			break
		}
		k--
		size *= n
	}
	w.loops, w.inner = w.loops[:k], w.loops[k:]
}

// write unrolls the inner loops of a walk as far as its purpose needs them.
func (s *places) write(w *walk) {
	s.out, s.a, s.b = s.out[:0], s.a[:0], s.b[:0]
	if w.makes != products {
		s.out = along(s.out, w.inner, func(l loop) int { return l.out })
	}
	if w.makes != sums {
		s.a = along(s.a, w.inner, func(l loop) int { return l.a })
		s.b = along(s.b, w.inner, func(l loop) int { return l.b })
	}
}

// along lists the positions of nested loops with the strides of step.
func along(list []int32, loops []loop, step func(loop) int) []int32 {
	list = append(list[:0], 0)
	for _, l := range slices.Backward(loops) {
		once := list
		for i := 1; i < l.n; i++ {
			far := int32(i * step(l))
			for _, x := range once {
				list = append(list, x+far)
			}
		}
	}
	return list
}

// strides returns the strides of a function of the nodes of scope, by the nodes of all; 0 for a node that is
// not in scope.
func (p *plan) strides(all, scope []int) []int {
	out := make([]int, len(all))
	step, i := 1, len(all)-1
	for _, r := range slices.Backward(scope) {
		for all[i] != r {
			i--
		}
		out[i] = step
		step *= p.levels[r]
	}
	return out
}

// do iterates over all cells, with memory for places.
func (w *walk) do(s *places, out, a, b []float64) {
	if w.inner != nil {
		s.write(w)
	}
	w.from(s, w.loops, out, a, b)
}

func (w *walk) from(s *places, loops []loop, out, a, b []float64) {
	switch {
	case len(loops) == 0 && w.inner != nil:
		s.visit(w.makes, out, a, b)
	case len(loops) == 0: // no nodes
		w.rows(out, a, b, loop{n: 1}, loop{n: 1})
	case len(loops) == 1 && w.inner == nil:
		w.rows(out, a, b, loop{n: 1}, loops[0])
	case len(loops) == 2 && w.inner == nil:
		w.rows(out, a, b, loops[0], loops[1])
	default:
		l := loops[0]
		for i := range l.n {
			w.from(s, loops[1:], out[i*l.out:], a[i*l.a:], b[i*l.b:])
		}
	}
}

// visit iterates over the unrolled cells.
func (s *places) visit(makes purpose, out, a, b []float64) {
	switch makes {
	case products:
		pa := s.a
		pb, out := s.b[:len(pa)], out[:len(pa)]
		for i := range out {
			out[i] = a[pa[i]] * b[pb[i]]
		}
	case sums:
		a = a[:len(s.out)]
		for i, o := range s.out {
			out[o] += a[i]
		}
	default:
		pa, pb := s.a[:len(s.out)], s.b[:len(s.out)]
		for i, o := range s.out {
			out[o] += a[pa[i]] * b[pb[i]]
		}
	}
}

// rows iterates over an outer and an inner loop. The inner loop has a form for each way in which the functions
// share the last node. It uses kernels of package vec only if they round as plain code does, so that all
// machines give the same bits.
func (w *walk) rows(out, a, b []float64, of, in loop) {
	if in.a == 0 && in.b == 1 { // the same with the operands exchanged
		a, b = b, a
		of.a, of.b, in.a, in.b = of.b, of.a, 1, 0
	}
	n := in.n
	for i := range of.n {
		x, y, z := a[i*of.a:], b[i*of.b:], out[i*of.out:]
		switch {
		case w.makes == products && in.b == 1:
			x, y, z = x[:n], y[:n], z[:n]
			for j := range z {
				z[j] = x[j] * y[j]
			}
		case w.makes == products && in.a == 1:
			vec.Scale(z[:n], y[0], x[:n])
		case w.makes == products:
			for j := range n {
				z[j*in.out] = x[j*in.a] * y[j*in.b]
			}
		case w.makes == sums && in.out == 1:
			vec.Axpy(z[:n], 1, x[:n])
		case w.makes == sums:
			sum := 0.0
			for _, v := range x[:n] {
				sum += v
			}
			z[0] += sum
		case in.out == 1 && in.a == 1 && in.b == 1:
			x, y, z = x[:n], y[:n], z[:n]
			for j := range z {
				z[j] += x[j] * y[j]
			}
		case in.out == 1 && in.a == 1:
			x, z = x[:n], z[:n]
			s := y[0]
			for j := range z {
				z[j] += x[j] * s
			}
		default:
			for j := range n {
				z[j*in.out] += x[j*in.a] * y[j*in.b]
			}
		}
	}
}
