package emulator

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type accessing struct {
	space    string
	volatile bool
	vector   int
	kind     string
}

func parseAccess(parts []string) (accessing, error) {
	a := accessing{vector: 1}
	for _, p := range parts {
		switch {
		case p == "global" || p == "shared" || p == "param":
			a.space = p
		case p == "volatile":
			a.volatile = true
		case p == "v2" || p == "v4":
			a.vector = int(p[1] - '0')
		case size(p) >= 4 && a.kind == "":
			a.kind = p
		default:
			return a, fmt.Errorf("an access with .%s is not known here", p)
		}
	}
	if a.space == "" || a.kind == "" || a.vector*size(a.kind) > 16 {
		return a, fmt.Errorf("an access wants a space, a type, and at most 16 bytes")
	}
	return a, nil
}

// address parses [register+offset].
func (k *kernel) address(in *instruction, text, space string) (int, error) {
	text, ok := strings.CutPrefix(text, "[")
	text, closed := strings.CutSuffix(text, "]")
	base, offset, has := strings.Cut(text, "+")
	if has {
		v, err := strconv.ParseInt(offset, 0, 64)
		if err != nil {
			return 0, err
		}
		in.offset = uint64(v)
	}
	if !ok || !closed {
		return 0, fmt.Errorf("%q is no address", text)
	}
	kind := "u64"
	if space == "shared" {
		kind = "u32"
	}
	return k.register(base, kind)
}

// list parses {a, b, c, d} or one operand.
func list(text string) []string {
	if strings.HasPrefix(text, "{") {
		return split(strings.Trim(text, "{}"))
	}
	return []string{text}
}

func repeat(kind string, n int) []string { return slices.Repeat([]string{kind}, n) }

func decodeLoad(k *kernel, in *instruction, parts, operands []string) error {
	a, err := parseAccess(parts)
	if err != nil || len(operands) != 2 {
		return fmt.Errorf("a load of %d operands: %w", len(operands), err)
	}
	to := list(operands[0])
	if len(to) != a.vector {
		return fmt.Errorf("a load of %d into %d registers", a.vector, len(to))
	}
	if err := k.operands(in, a.vector, repeat(a.kind, a.vector), to); err != nil {
		return err
	}
	if a.space == "param" {
		name := strings.Trim(operands[1], "[]")
		row, ok := k.rows[name]
		if !ok || !fits(k.declared[row], a.kind) || a.vector != 1 {
			return fmt.Errorf("there is no parameter %s of type %s", name, a.kind)
		}
		in.rows = append(in.rows, row)
		in.run = operations["mov.b64"].run
		return nil
	}
	row, err := k.address(in, operands[1], a.space)
	if err != nil {
		return err
	}
	in.rows = append(in.rows, row)
	each, shared := size(a.kind), a.space == "shared"
	bytes := uint64(each * a.vector)
	in.run = func(b *block, in *instruction, on []int32) {
		b.pieces(shared, in.at[a.vector], in.offset, bytes, on, func(p *piece, on []int32) {
			b.reads(p, on, bytes, a.volatile)
			for v, to := range in.at[:a.vector] {
				load(to, on, p.data[v*each:], b.places, each)
			}
		})
	}
	return nil
}

// load reads numbers of 4 or 8 bytes from their positions, and store writes them.
func load(to []uint64, on []int32, data []byte, places []uint64, bytes int) {
	if bytes == 4 {
		for i, t := range on {
			to[t] = uint64(binary.LittleEndian.Uint32(data[places[i]:]))
		}
		return
	}
	for i, t := range on {
		to[t] = binary.LittleEndian.Uint64(data[places[i]:])
	}
}

func store(from []uint64, on []int32, data []byte, places []uint64, bytes int) {
	if bytes == 4 {
		for i, t := range on {
			binary.LittleEndian.PutUint32(data[places[i]:], uint32(from[t]))
		}
		return
	}
	for i, t := range on {
		binary.LittleEndian.PutUint64(data[places[i]:], from[t])
	}
}

func decodeStore(k *kernel, in *instruction, parts, operands []string) error {
	a, err := parseAccess(parts)
	if err != nil || len(operands) != 2 || a.space == "param" {
		return fmt.Errorf("a store of %d operands to %s: %w", len(operands), a.space, err)
	}
	row, err := k.address(in, operands[0], a.space)
	if err != nil {
		return err
	}
	in.rows = append(in.rows, row)
	from := list(operands[1])
	if len(from) != a.vector {
		return fmt.Errorf("a store of %d from %d registers", a.vector, len(from))
	}
	each, shared := size(a.kind), a.space == "shared"
	bytes := uint64(each * a.vector)
	in.run = func(b *block, in *instruction, on []int32) {
		b.pieces(shared, in.at[0], in.offset, bytes, on, func(p *piece, on []int32) {
			b.writes(p, on, bytes)
			for v, from := range in.at[1:] {
				store(from, on, p.data[v*each:], b.places, each)
			}
		})
	}
	return k.operands(in, 0, repeat(a.kind, a.vector), from)
}

// atomics are the functions of atom and red. Floating-point sums are not supported, because their bytes would
// depend on the order.
var atomics = map[string]func(old, x uint64) uint64{
	"inc.u32": func(old, x uint64) uint64 {
		if old >= x {
			return 0
		}
		return old + 1
	},
	"max.u64": func(old, x uint64) uint64 { return max(old, x) },
}

// decodeAtomic decodes atom.global.op.type d, [a], x, and red.global.op.type [a], x, which does not return the
// old value. Both order accesses and are not checked as accesses.
func decodeAtomic(k *kernel, in *instruction, parts, operands []string) error {
	f, kind := atomics[strings.Join(parts[1:], ".")], parts[len(parts)-1]
	if parts[0] != "global" || f == nil {
		return fmt.Errorf("the instruction %s is not known here; access.go is where one is added", in.name)
	}
	returns := 0
	if strings.HasPrefix(in.name, "atom.") {
		returns = 1
	}
	if len(operands) != 2+returns {
		return fmt.Errorf("%s takes %d operands, got %d", in.name, 2+returns, len(operands))
	}
	if err := k.operands(in, returns, repeat(kind, 2), operands[:returns]); err != nil {
		return err
	}
	row, err := k.address(in, operands[returns], "global")
	if err != nil {
		return err
	}
	in.rows = append(in.rows, row)
	bytes := size(kind)
	in.run = func(b *block, in *instruction, on []int32) {
		x, old, made := in.at[returns+1], make([]uint64, b.threads), make([]uint64, b.threads)
		for i, t := range on { // sequentially
			b.synchronize(t)
			b.pieces(false, in.at[returns], in.offset, uint64(bytes), on[i:i+1], func(p *piece, on []int32) {
				load(old, on, p.data, b.places, bytes)
				made[t] = f(old[t], x[t])
				store(made, on, p.data, b.places, bytes)
			})
			if returns == 1 {
				in.at[0][t] = old[t]
			}
		}
	}
	return k.operands(in, 0, []string{kind}, operands[returns+1:])
}
