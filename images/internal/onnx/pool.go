package onnx

// mostPooled is the memory of a session in values (4 GB).
const mostPooled = 1 << 30

// A pool keeps the memory of values that are no longer read. Values may share memory, such as an operand of Reshape
// and its result, so it counts the values of each piece.
type pool struct {
	free   [][]float32
	counts map[*float32]int // values that use a piece; nil in a pool that keeps nothing
	total  int
}

// floats returns n values with undefined content.
func (p *pool) floats(n int) []float32 {
	if p.counts == nil || n == 0 {
		return make([]float32, n)
	}
	best := -1
	for i, b := range p.free {
		if cap(b) >= n && cap(b) <= 2*n && (best < 0 || cap(b) < cap(p.free[best])) {
			best = i
		}
	}
	if best >= 0 {
		b := p.free[best]
		p.free[best] = p.free[len(p.free)-1]
		p.free = p.free[:len(p.free)-1]
		return b[:n]
	}
	if p.total += n; p.total > mostPooled {
		panic("the model needs more than 4 GB of memory for one image")
	}
	b := make([]float32, n)
	p.counts[&b[0]] = 0
	return b
}

// tensor returns a tensor with undefined content.
func (p *pool) tensor(shape []int) *Tensor {
	return &Tensor{Shape: shape, F: p.floats(size(shape))}
}

// retain notes that a value uses its memory.
func (p *pool) retain(t *Tensor) {
	if len(t.F) > 0 {
		if n, ok := p.counts[&t.F[0]]; ok {
			p.counts[&t.F[0]] = n + 1
		}
	}
}

// drop notes that a value is no longer read.
func (p *pool) drop(t *Tensor) {
	if t == nil || len(t.F) == 0 {
		return
	}
	n, ok := p.counts[&t.F[0]]
	if !ok {
		return
	}
	if p.counts[&t.F[0]] = n - 1; n == 1 {
		p.free = append(p.free, t.F)
	}
}

// giveBack returns memory of floats that belongs to no tensor.
func (p *pool) giveBack(b []float32) {
	if p.counts != nil && len(b) > 0 {
		p.free = append(p.free, b)
	}
}

// tensor returns a tensor of a shape that may be too large, with undefined content.
func (c *call) tensor(shape []int) (*Tensor, error) {
	if _, err := count(shape); err != nil {
		return nil, err
	}
	return c.pool.tensor(shape), nil
}

// like is tensor with values of the type of x.
func (c *call) like(x *Tensor, shape []int) (*Tensor, error) {
	n, err := count(shape)
	if err == nil && x.isInt() {
		return &Tensor{Shape: shape, I: make([]int64, n)}, nil
	}
	return c.tensor(shape)
}

// result returns the tensor for the result of an elementwise operator: that of operand i if nothing else reads it.
func (c *call) result(i int) *Tensor {
	t := c.in[i]
	if c.last[i] && len(t.F) > 0 && c.pool.counts[&t.F[0]] == 1 {
		return t.reshaped(t.Shape)
	}
	return c.pool.tensor(t.Shape)
}
