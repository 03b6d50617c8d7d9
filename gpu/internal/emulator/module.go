package emulator

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

type kernel struct {
	name        string
	line        int
	maxThreads  int
	params      []param
	sharedBytes int
	body        []instruction

	symbols  map[string]uint64 // positions in shared memory
	classes  map[string]class  // register classes by prefix
	rows     map[string]int    // by text of the operand
	declared []string          // type of each row
	constant map[int]uint64    // constant rows
	written  []int             // rows of registers
	labels   map[string]int

	threads int // number of threads of the rows
	values  []uint64
}

type param struct {
	kind string
	row  int
}

type class struct {
	kind string
	n    int
}

// maxShared is the largest static shared memory of a kernel on every GPU.
const maxShared = 48 << 10

// parse parses a module, with one directive, label or instruction per line.
func parse(text string) (map[string]*kernel, error) {
	kernels := map[string]*kernel{}
	var k *kernel
	type statement struct {
		line int
		text string
	}
	var body []statement
	number := 0
	for line := range strings.Lines(text) {
		number++
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		fail := func(err error) error { return fmt.Errorf("line %d: %q: %w", number, line, err) }
		var err error
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "", line == "{", word == ".version", word == ".target", word == ".address_size":
		case strings.HasPrefix(line, ".visible .entry "):
			k, err = newKernel(number, strings.TrimPrefix(line, ".visible .entry "))
			body = nil
		case k == nil:
			err = fmt.Errorf("it stands outside a kernel")
		case word == ".maxntid":
			_, err = fmt.Sscanf(rest, "%d, 1, 1", &k.maxThreads)
		case word == ".reg":
			err = k.declare(rest)
		case word == ".shared":
			err = k.share(rest)
		case strings.HasSuffix(line, ":"):
			k.labels[strings.TrimSuffix(line, ":")] = len(body)
		case line == "}":
			for _, s := range body {
				number, line = s.line, s.text
				in, err := k.decode(s.text)
				if err != nil {
					return nil, fail(err)
				}
				in.line = s.line
				k.body = append(k.body, in)
			}
			kernels[k.name], k = k, nil
		case strings.HasSuffix(line, ";"):
			body = append(body, statement{number, strings.TrimSuffix(line, ";")})
		default:
			err = fmt.Errorf("it is no directive, label or instruction that is known here")
		}
		if err != nil {
			return nil, fail(err)
		}
	}
	if k != nil || len(kernels) == 0 {
		return nil, fmt.Errorf("line %d: the module ends before a kernel does", number)
	}
	return kernels, nil
}

// newKernel parses the header of an entry: name(.param .u64 a, .param .u32 b).
func newKernel(line int, head string) (*kernel, error) {
	name, list, ok := strings.Cut(strings.TrimSuffix(head, ")"), "(")
	k := &kernel{
		name: name, line: line, maxThreads: 1024, symbols: map[string]uint64{}, classes: map[string]class{}, rows: map[string]int{},
		constant: map[int]uint64{}, labels: map[string]int{},
	}
	if !ok {
		return nil, fmt.Errorf("a kernel without parameters")
	}
	for p := range strings.SplitSeq(list, ",") {
		f := strings.Fields(p)
		if len(f) != 3 || f[0] != ".param" || size(f[1][1:]) < 4 {
			return nil, fmt.Errorf("%q is no parameter", p)
		}
		k.params = append(k.params, param{f[1][1:], k.take(f[2], f[1][1:])})
	}
	for _, axis := range "xyz" {
		for _, s := range []string{"%tid.", "%ntid.", "%ctaid.", "%nctaid."} {
			k.take(s+string(axis), "u32")
		}
	}
	k.take("%laneid", "u32")
	return k, nil
}

// take allocates a row.
func (k *kernel) take(text, kind string) int {
	k.rows[text] = len(k.declared)
	k.declared = append(k.declared, kind)
	return k.rows[text]
}

// declare parses .reg .b32 %r<75>; with registers 0 to 74.
func (k *kernel) declare(text string) error {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(text, "."), " ")
	stem, count, ok := strings.Cut(strings.TrimSuffix(rest, ">;"), "<")
	n, err := strconv.Atoi(count)
	if !ok || err != nil || size(kind) == 0 {
		return fmt.Errorf("it declares no registers")
	}
	k.classes[stem] = class{kind, n}
	return nil
}

// share parses .shared .align 16 .b8 name[bytes];
func (k *kernel) share(text string) error {
	var align, bytes int
	name, count, _ := strings.Cut(strings.TrimSuffix(text, "];"), "[")
	if _, err := fmt.Sscanf(name, ".align %d .b8 %s", &align, &name); err != nil {
		return err
	}
	if _, err := fmt.Sscan(count, &bytes); err != nil || align < 1 {
		return fmt.Errorf("it declares no shared memory")
	}
	at := (k.sharedBytes + align - 1) / align * align
	k.symbols[name] = uint64(at)
	if k.sharedBytes = at + bytes; k.sharedBytes > maxShared {
		return fmt.Errorf("%d bytes of shared memory, at most %d", k.sharedBytes, maxShared)
	}
	return nil
}

// poison is the initial content of a register: NaN in both precisions, and not an address.
const poison = 0x7ff4_dead_7fa4_dead

// bind allocates the rows for the given number of threads and connects the instructions to them.
func (k *kernel) bind(threads int) {
	if k.threads == threads {
		return
	}
	k.threads, k.values = threads, make([]uint64, threads*len(k.declared))
	for row, v := range k.constant {
		fill(k.row(row), v)
	}
	for t := range threads {
		k.row(k.rows["%tid.x"])[t] = uint64(t)
		k.row(k.rows["%laneid"])[t] = uint64(t % lanes)
	}
	k.set("%ntid.x", uint32(threads))
	k.set("%ntid.y", 1)
	k.set("%ntid.z", 1)
	for i := range k.body {
		in := &k.body[i]
		in.at = make([][]uint64, len(in.rows))
		for j, row := range in.rows {
			in.at[j] = k.row(row)
		}
		if in.guarded {
			in.guard = k.row(in.guardRow)
		}
	}
}

func (k *kernel) row(i int) []uint64 { return k.values[i*k.threads:][:k.threads:k.threads] }

func (k *kernel) set(special string, v uint32) { fill(k.row(k.rows[special]), uint64(v)) }

// size returns the size of a type in bytes; a predicate counts as one.
func size(kind string) int {
	switch kind {
	case "pred":
		return 1
	case "u32", "s32", "b32", "f32":
		return 4
	case "u64", "s64", "b64", "f64":
		return 8
	}
	return 0
}

// fits reports whether a register of one type may be used as another: of the same size, and not mixing floats
// and integers.
func fits(declared, used string) bool {
	return size(declared) == size(used) && (declared[0] == 'b' || used[0] == 'b' || (declared[0] == 'f') == (used[0] == 'f'))
}

// register returns the row of a register that may be used as the given type.
func (k *kernel) register(text, kind string) (int, error) {
	stem := strings.TrimRight(text, "0123456789")
	c, ok := k.classes[stem]
	if n, err := strconv.Atoi(text[len(stem):]); !ok || err != nil || n >= c.n {
		return 0, fmt.Errorf("%q is no register of this kernel", text)
	}
	if !fits(c.kind, kind) {
		return 0, fmt.Errorf("%s is a register of type %s, and is used as %s", text, c.kind, kind)
	}
	if row, ok := k.rows[text]; ok {
		return row, nil
	}
	k.written = append(k.written, k.take(text, c.kind))
	return k.rows[text], nil
}

// source returns the row of an input operand: a register, a special register, an address in shared memory, or
// an immediate.
func (k *kernel) source(text, kind string) (int, error) {
	if row, ok := k.rows[text]; ok && strings.Contains(text, ".") && text[0] == '%' || text == "%laneid" {
		if !fits("u32", kind) {
			return 0, fmt.Errorf("%s is a word, and is used as %s", text, kind)
		}
		return row, nil
	}
	if text != "" && text[0] == '%' {
		return k.register(text, kind)
	}
	v, ok := k.symbols[text]
	if !ok {
		var err error
		if v, err = immediate(text, kind); err != nil {
			return 0, err
		}
	}
	name := fmt.Sprintf("constant %x", v)
	if row, ok := k.rows[name]; ok {
		return row, nil
	}
	row := k.take(name, kind)
	k.constant[row] = v
	return row, nil
}

// immediate parses an immediate: bits after 0f and 0d, or an integer.
func immediate(text, kind string) (uint64, error) {
	if kind == "f32" || kind == "f64" {
		prefix, digits := "0f", 8
		if kind == "f64" {
			prefix, digits = "0d", 16
		}
		if !strings.HasPrefix(text, prefix) || len(text) != 2+digits {
			return 0, fmt.Errorf("%q is no number of type %s by its bits", text, kind)
		}
		return strconv.ParseUint(text[2:], 16, 64)
	}
	if kind == "pred" {
		return 0, fmt.Errorf("%q is no truth value", text)
	}
	if v, err := strconv.ParseUint(text, 0, 8*size(kind)); err == nil {
		return v, nil
	}
	v, err := strconv.ParseInt(text, 0, 8*size(kind))
	if size(kind) == 4 {
		return uint64(v) & math.MaxUint32, err
	}
	return uint64(v), err
}
