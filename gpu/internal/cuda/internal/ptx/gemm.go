package ptx

import "fmt"

// A Tile is one shape of the product kernel. A block of threads computes Rows × Cols entries and advances along
// the inner dimension by Depth; a thread computes High × Wide of them.
type Tile struct {
	Rows, Cols, Depth int
	High, Wide        int
}

// Threads returns the number of threads of a block.
func (t Tile) Threads() int { return t.Rows / t.High * (t.Cols / t.Wide) }

// Name returns the name of the kernel.
func (t Tile) Name() string {
	return fmt.Sprintf("product_%dx%dx%d_%dx%d", t.Rows, t.Cols, t.Depth, t.High, t.Wide)
}

// Tiles returns the shapes, smallest first. Small ones use the whole GPU for small matrices; large ones read
// less memory per multiplication. A double takes twice the registers, so the largest shape is omitted for it.
// Tall comes last.
func Tiles(bits int) []Tile {
	if bits == 64 {
		return []Tile{{32, 32, 32, 2, 2}, {64, 64, 16, 4, 4}, {128, 64, 8, 8, 4}}
	}
	return []Tile{{32, 32, 32, 2, 2}, {64, 64, 16, 4, 4}, {128, 64, 16, 8, 4}, {128, 128, 16, 8, 8}, Tall}
}

// Tall is the smallest shape of single precision with half the threads. It is slightly slower with one block
// per multiprocessor and faster with two.
var Tall = Tile{32, 32, 32, 4, 2}

// These are the offsets of the fields of a Job in memory, and its size. Package cuda writes them.
const (
	JobA, JobB, JobC   = 0, 8, 16 // C = α AB + β E + γ F + δ I, all addresses
	JobE               = 24       // may be C
	JobF               = 32       // ladder: the second power
	JobRungs           = 40       // ladder: four consecutive matrices
	JobCoefficients    = 48       // ladder: four per matrix: of I, B, B², B³
	JobAlpha, JobBeta  = 56, 64   // doubles
	JobGamma, JobDelta = 72, 80   // doubles
	JobKind, JobMatrix = 88, 96   // a word; bytes of a matrix
	JobSize            = 112
)

// These are the kinds of jobs.
const (
	KindLinear  = 0 // C = α AB + β E + γ F + δ I
	KindLadder  = 1 // C = AB = B³; matrix i = c_i0 I + c_i1 B + c_i2 B² + c_i3 B³ with B in E and B² in F
	KindColumns = 2 // residual variances, see columns; W in A, S in B, S·W in E, doubles in C
)

// product writes the kernel of several products in one launch:
//
//	parameters: jobs, stride, count, d, leading, depth
//
// Block (x, y, z) computes tile (y, x) of job z mod count of problem z / count. All addresses of a job are
// those of problem 0; problem p is p·stride bytes further. Matrices are row-major with a leading dimension that
// is a multiple of the tile, and zero beyond d, so no bounds are checked. The inner dimension runs to depth, a
// multiple of Tile.Depth. While one slab of both factors is multiplied from shared memory, the next is loaded
// from global memory to registers. Sums are in the order of the inner dimension, so every launch gives the same
// bytes. Other jobs run in the same launch, so they need no separate one.
func product(p precision, t Tile) string {
	k := newKernel(p, t.Name(), "u64", "u64", "u32", "u32", "u32", "u32")
	jobs, stride, count, d, leading, depth := k.param(0), k.param(1), k.param(2), k.param(3), k.param(4), k.param(5)
	vec := 16 / p.bytes
	threads := t.Threads()

	k.note("which job of which problem")
	z := k.special("ctaid.z")
	problem, job := k.divide(z, count)
	record, shift := k.reg(address), k.reg(address)
	k.op("mad.wide.u32 %s, %s, %d, %s", record, job, JobSize, jobs)
	wideProblem := k.reg(address)
	k.op("cvt.u64.u32 %s, %s", wideProblem, problem)
	k.op("mul.lo.u64 %s, %s, %s", shift, wideProblem, stride)
	pointer := k.pointers(record, shift)
	a, b := pointer(JobA), pointer(JobB)
	is := func(kind int) string { // read when needed, to save a register during the products
		got, same := k.reg(word), k.reg(truth)
		k.op("ld.global.u32 %s, [%s+%d]", got, record, JobKind)
		k.op("setp.eq.u32 %s, %s, %d", same, got, kind)
		return same
	}
	others := k.label("columns")
	k.op("@%s bra %s", is(KindColumns), others)

	tid, bx, by := k.special("tid.x"), k.special("ctaid.x"), k.special("ctaid.y")
	row0, col0 := k.mul(by, fmt.Sprint(t.Rows)), k.mul(bx, fmt.Sprint(t.Cols))

	k.note("where this thread reads: vectors along a row of either factor")
	padded := t.Rows + 16/p.bytes // row length of a slab of A, stored by columns; the shift avoids bank conflicts
	aBytes, bBytes := t.Depth*padded*p.bytes, t.Depth*t.Cols*p.bytes
	slab := aBytes + bBytes
	base := k.sharedBase(2 * slab)
	type piece struct {
		source string // address in global memory
		place  string // address in shared memory, first buffer
		values []string
	}
	split := func(piece, perRow int) (row, col string) {
		index := k.reg(word)
		k.op("add.u32 %s, %s, %d", index, tid, piece*threads)
		row, col = k.reg(word), k.reg(word)
		k.op("div.u32 %s, %s, %d", row, index, perRow)
		rem := k.reg(word)
		k.op("rem.u32 %s, %s, %d", rem, index, perRow)
		k.op("mul.lo.u32 %s, %s, %d", col, rem, vec)
		return row, col
	}
	var left, right []piece
	for i := range t.Rows * t.Depth / vec / threads {
		row, col := split(i, t.Depth/vec)
		index := k.mad(k.plus(row0, row), leading, col)
		to := k.mad(col, fmt.Sprint(padded), row)
		addr := k.mad(to, fmt.Sprint(p.bytes), base)
		left = append(left, piece{k.element(a, index), addr, k.regs(number, vec)})
	}
	for i := range t.Cols * t.Depth / vec / threads {
		row, col := split(i, t.Cols/vec)
		index := k.mad(row, leading, k.plus(col0, col))
		to := k.mad(row, fmt.Sprint(t.Cols), col)
		addr := k.mad(to, fmt.Sprint(p.bytes), base)
		addr = k.plus(addr, fmt.Sprint(aBytes))
		right = append(right, piece{k.element(b, index), addr, k.regs(number, vec)})
	}
	forward := k.reg(address) // bytes from one slab of B to the next
	k.op("mul.wide.u32 %s, %s, %d", forward, leading, t.Depth*p.bytes)
	fetch := func() {
		for _, q := range left {
			k.op("ld.global.v%d.%s %s, [%s]", vec, p.name, vector(q.values), q.source)
			k.op("add.u64 %s, %s, %d", q.source, q.source, t.Depth*p.bytes)
		}
		for _, q := range right {
			k.op("ld.global.v%d.%s %s, [%s]", vec, p.name, vector(q.values), q.source)
			k.op("add.u64 %s, %s, %s", q.source, q.source, forward)
		}
	}
	store := func(buffer string) {
		for _, q := range left {
			at := k.plus(q.place, buffer)
			for v, value := range q.values {
				k.op("st.shared.%s [%s+%d], %s", p.name, at, v*padded*p.bytes, value)
			}
		}
		for _, q := range right {
			at := k.plus(q.place, buffer)
			k.op("st.shared.v%d.%s [%s], %s", vec, p.name, at, vector(q.values))
		}
	}

	k.note("which entries this thread makes: groups of neighbours, spread over the tile")
	tx, ty := k.reg(word), k.reg(word)
	across := t.Cols / t.Wide
	k.op("rem.u32 %s, %s, %d", tx, tid, across)
	k.op("div.u32 %s, %s, %d", ty, tid, across)
	groupHigh, groupWide := min(vec, t.High), min(vec, t.Wide)
	stepHigh, stepWide := t.Rows/(t.High/groupHigh), t.Cols/(t.Wide/groupWide)
	readA, readB := k.reg(word), k.reg(word)
	k.op("mad.lo.u32 %s, %s, %d, %s", readA, ty, groupHigh*p.bytes, base)
	k.op("mad.lo.u32 %s, %s, %d, %s", readB, tx, groupWide*p.bytes, base)
	k.op("add.u32 %s, %s, %d", readB, readB, aBytes)

	end := func() ending { return k.ending(record, pointer, is) }
	if t.High*t.Wide <= 8 { // enough registers to read it before the products
		ahead := end()
		factors := ahead.factors()
		ahead.factors = func() [4][4]string { return factors }
		end = func() ending { return ahead }
	}
	acc := k.regs(number, t.High*t.Wide)
	for _, r := range acc {
		k.op("mov.%s %s, %s", p.name, r, k.imm(0))
	}
	buffer, steps := k.reg(word), k.reg(word)
	k.op("mov.u32 %s, 0", buffer)
	k.op("div.u32 %s, %s, %d", steps, depth, t.Depth)
	fetch()
	store(buffer)
	k.op("bar.sync 0")
	loop, last, done := k.label("loop"), k.label("last"), k.label("done")
	more := k.reg(truth)
	k.at(loop)
	k.op("setp.gt.u32 %s, %s, 1", more, steps)
	skip := k.label("skip")
	k.op("@!%s bra %s", more, skip)
	fetch()
	k.at(skip)
	fragA, fragB := k.regs(number, t.High), k.regs(number, t.Wide)
	atA, atB := k.plus(readA, buffer), k.plus(readB, buffer)
	shared := func(regs []string, at string, offset int) {
		if len(regs) == 1 {
			k.op("ld.shared.%s %s, [%s+%d]", p.name, regs[0], at, offset)
			return
		}
		k.op("ld.shared.v%d.%s %s, [%s+%d]", len(regs), p.name, vector(regs), at, offset)
	}
	for kk := range t.Depth {
		for g := 0; g < t.High; g += groupHigh {
			shared(fragA[g:g+groupHigh], atA, (kk*padded+g/groupHigh*stepHigh)*p.bytes)
		}
		for g := 0; g < t.Wide; g += groupWide {
			shared(fragB[g:g+groupWide], atB, (kk*t.Cols+g/groupWide*stepWide)*p.bytes)
		}
		for i := range t.High {
			for j := range t.Wide {
				r := acc[i*t.Wide+j]
				k.op("fma.rn.%s %s, %s, %s, %s", p.name, r, fragA[i], fragB[j], r)
			}
		}
	}
	k.op("@!%s bra %s", more, last)
	k.op("sub.u32 %s, %d, %s", buffer, slab, buffer)
	store(buffer)
	k.op("bar.sync 0")
	k.op("sub.u32 %s, %s, 1", steps, steps)
	k.op("bra %s", loop)
	k.at(last)

	k.note("the entries leave")
	to := end()
	each := func(visit func(value, index, onDiagonal string)) {
		for g := 0; g < t.High; g += groupHigh {
			for i := range groupHigh {
				row := k.mad(ty, fmt.Sprint(groupHigh), row0)
				k.op("add.u32 %s, %s, %d", row, row, g/groupHigh*stepHigh+i)
				inside := k.reg(truth)
				k.op("setp.lt.u32 %s, %s, %s", inside, row, d)
				for h := 0; h < t.Wide; h += groupWide {
					for j := range groupWide {
						col := k.mad(tx, fmt.Sprint(groupWide), col0)
						k.op("add.u32 %s, %s, %d", col, col, h/groupWide*stepWide+j)
						on := k.reg(truth)
						k.op("setp.eq.and.u32 %s, %s, %s, %s", on, row, col, inside)
						visit(acc[(g+i)*t.Wide+h+j], k.mad(row, leading, col), on)
					}
				}
			}
		}
	}
	rungs := k.label("ladder")
	k.op("@%s bra %s", to.ladder, rungs)
	type term struct{ matrix, factor, used string }
	terms := []term{{to.e, to.beta, k.reg(truth)}, {to.f, to.gamma, k.reg(truth)}}
	for _, t := range terms {
		k.op("setp.neu.%s %s, %s, %s", p.name, t.used, t.factor, k.imm(0))
	}
	each(func(value, index, on string) {
		k.op("mul.rn.%s %s, %s, %s", p.name, value, value, to.alpha)
		for _, t := range terms {
			more := k.reg(number)
			k.op("mov.%s %s, %s", p.name, more, k.imm(0))
			k.op("@%s ld.global.%s %s, [%s]", t.used, p.name, more, k.element(t.matrix, index))
			k.op("fma.rn.%s %s, %s, %s, %s", p.name, value, t.factor, more, value)
		}
		k.op("@%s add.rn.%s %s, %s, %s", on, p.name, value, value, to.delta)
		k.op("st.global.%s [%s], %s", p.name, k.element(to.c, index), value)
	})
	k.op("bra %s", done)

	k.at(rungs)
	factors := to.factors()
	each(func(value, index, on string) {
		k.op("st.global.%s [%s], %s", p.name, k.element(to.c, index), value)
		first, square := k.load(k.element(to.e, index), 0), k.load(k.element(to.f, index), 0)
		at := k.element(to.rungs, index)
		for i, factor := range factors {
			sum := k.arith("mul.rn", factor[1], first)
			k.op("fma.rn.%s %s, %s, %s, %s", p.name, sum, factor[2], square, sum)
			k.op("fma.rn.%s %s, %s, %s, %s", p.name, sum, factor[3], value, sum)
			k.op("@%s add.rn.%s %s, %s, %s", on, p.name, sum, sum, factor[0])
			k.op("st.global.%s [%s], %s", p.name, at, sum)
			if i < 3 {
				k.op("add.u64 %s, %s, %s", at, at, to.matrix)
			}
		}
	})
	k.op("bra %s", done)

	k.at(others)
	columns(k, t, a, b, pointer(JobE), pointer(JobC), d, leading)
	k.at(done)
	k.threads = threads
	return k.String()
}

// ending describes the final operation on the entries of a product.
type ending struct {
	ladder                    string // whether it is a ladder
	c, e, f, rungs            string // addresses
	matrix                    string // bytes of a matrix
	alpha, beta, gamma, delta string
	factors                   func() [4][4]string // coefficients of a ladder
}

func (k *kernel) ending(record string, pointer func(offset int) string, is func(kind int) string) ending {
	coefficient := func(offset int) string { return k.narrow(k.loadWide(record, offset)) }
	out := ending{
		ladder: is(KindLadder), c: pointer(JobC), e: pointer(JobE), f: pointer(JobF), rungs: pointer(JobRungs), matrix: k.reg(address),
		alpha: coefficient(JobAlpha), beta: coefficient(JobBeta), gamma: coefficient(JobGamma), delta: coefficient(JobDelta),
	}
	coefficients := k.reg(address)
	k.op("ld.global.u64 %s, [%s+%d]", out.matrix, record, JobMatrix)
	k.op("ld.global.u64 %s, [%s+%d]", coefficients, record, JobCoefficients)
	out.factors = func() (factor [4][4]string) {
		for i := range factor {
			for j := range factor[i] {
				factor[i][j] = k.narrow(k.loadWide(coefficients, 8*(4*i+j)))
			}
		}
		return factor
	}
	return out
}
