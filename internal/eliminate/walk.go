package eliminate

import (
	"slices"

	"github.com/polydag/polydag/internal/vec"
)

// walk goes over the cells of some nodes, the last of which changes fastest, and knows the places that belong to each cell in a result
// and in two operands, functions of some of these nodes. What it makes of them is added to the result, but for products that each
// have a cell of their own, which are put there.
type walk struct {
	makes purpose
	loops []loop // outermost first
	// inner are the innermost loops where they are short: they are written out as the places of all of their cells, from where the loops
	// outside of them stand.
	inner []loop
}

// places are those of the cells of a walk's inner loops in the result and in the operands. They are written each time, into memory
// that the next walk uses again: kept with the plans of a survey, which are many, they would take far more than the tables.
type places struct{ out, a, b []int32 }

// purpose is what a walk makes.
type purpose int

const (
	sumsOfProducts purpose = iota
	products               // with a cell for each
	sums                   // of the first operand, which has all of the nodes; the second is nil
)

// loop is one of several nested loops: how often it runs, and how far one turn of it goes in the result and in the operands.
type loop struct{ n, out, a, b int }

// Loops of fewer than shortest turns are written out, over about so many cells as written says, where they run several times.
const (
	shortest = 16
	written  = 256
)

// walk makes the walk over the nodes of all for functions of some of them. Loops that go on where the one within them ends are joined.
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

// split takes the innermost loops for those that are written out.
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

// write writes the inner loops of a walk out, as far as what it makes needs them.
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

// along lists the places that nested loops come to, one turn of each of which goes as far as step says.
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

// strides are those of a function of the nodes of scope, by the nodes of all, which has them; 0 where it has not the node.
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

// do goes over all cells, with memory for places.
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
	case len(loops) == 0: // of no nodes
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

// visit goes over the cells that are written out.
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

// rows goes over an outer and an inner loop. The inner one has a form for each way in which functions of some nodes share the last of
// them. The kernels of package vec are called where they round as plain code does, so that all machines have the same bits.
func (w *walk) rows(out, a, b []float64, of, in loop) {
	if in.a == 0 && in.b == 1 { // the same with the operands the other way round
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
