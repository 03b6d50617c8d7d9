package emulator

import (
	"fmt"
	"math"
	"strings"
)

// An operation executes an instruction for some threads.
type operation func(b *block, in *instruction, on []int32)

// An instruction is a decoded instruction. Its rows are the outputs, then the inputs.
type instruction struct {
	line     int
	name     string
	guarded  bool // by a predicate; other threads do nothing
	guardRow int
	wanted   uint64
	rows     []int
	offset   uint64 // offset of an address
	flow     flow
	target   int // target of a jump
	run      operation

	guard []uint64
	at    [][]uint64
}

// A flow is the effect of an instruction on the control flow.
type flow int

const (
	on      flow = iota // to the next instruction
	jump                // to the target
	barrier             // to the next instruction when all threads are here
	exit                // to the end
)

// families are the instructions that are more than functions of rows.
var families = map[string]func(k *kernel, in *instruction, parts, operands []string) error{
	"bra": decodeJump, "ret": decodeExit, "bar": decodeBarrier, "membar": decodeFence,
	"ld": decodeLoad, "st": decodeStore, "atom": decodeAtomic, "red": decodeAtomic, "shfl": decodeShuffle,
}

// decode parses one instruction: @!%p1 name.parts a, {b, c}, [d+8].
func (k *kernel) decode(text string) (instruction, error) {
	var in instruction
	if guard, rest, ok := strings.Cut(text, " "); ok && guard[0] == '@' {
		name, negated := strings.CutPrefix(guard[1:], "!")
		in.guarded = true
		if !negated {
			in.wanted = 1
		}
		var err error
		if in.guardRow, err = k.register(name, "pred"); err != nil {
			return in, err
		}
		text = rest
	}
	name, rest, _ := strings.Cut(text, " ")
	in.name = name
	operands := split(rest)
	parts := strings.Split(name, ".")
	if name == "mov.b64" && len(operands) == 2 && strings.ContainsRune(rest, '{') {
		return in, decodePair(k, &in, operands)
	}
	if family, ok := families[parts[0]]; ok {
		return in, family(k, &in, parts[1:], operands)
	}
	known, ok := operations[name]
	if !ok {
		return in, fmt.Errorf("the instruction %s is not known here; operations.go is where one is added", name)
	}
	in.run = known.run
	if len(operands) != len(known.types) {
		return in, fmt.Errorf("%s takes %d operands, got %d", name, len(known.types), len(operands))
	}
	return in, k.operands(&in, 1, known.types, operands)
}

// operands assigns rows of the given types to the operands; the first written of them are outputs.
func (k *kernel) operands(in *instruction, written int, types, operands []string) error {
	for i, text := range operands {
		find := k.source
		if i < written {
			find = k.register
		}
		row, err := find(text, types[i])
		if err != nil {
			return err
		}
		in.rows = append(in.rows, row)
	}
	return nil
}

// split splits operands at commas outside braces.
func split(text string) []string {
	var out []string
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	if last := strings.TrimSpace(text[from:]); last != "" {
		out = append(out, last)
	}
	return out
}

func decodeJump(k *kernel, in *instruction, parts, operands []string) error {
	if len(operands) != 1 || len(parts) > 0 {
		return fmt.Errorf("a jump wants a label")
	}
	target, ok := k.labels[operands[0]]
	if !ok {
		return fmt.Errorf("there is no label %s", operands[0])
	}
	in.flow, in.target = jump, target
	return nil
}

func decodeExit(k *kernel, in *instruction, parts, operands []string) error {
	if in.guarded || len(operands) > 0 {
		return fmt.Errorf("a kernel ends for all threads that come to its end")
	}
	in.flow = exit
	return nil
}

func decodeBarrier(k *kernel, in *instruction, parts, operands []string) error {
	if in.guarded || len(parts) != 1 || parts[0] != "sync" || len(operands) != 1 || operands[0] != "0" {
		return fmt.Errorf("the one barrier is bar.sync 0, for all threads")
	}
	in.flow = barrier
	return nil
}

// decodeFence decodes membar.gl, which orders earlier writes before later ones.
func decodeFence(k *kernel, in *instruction, parts, operands []string) error {
	if len(parts) != 1 || parts[0] != "gl" || len(operands) > 0 {
		return fmt.Errorf("the one fence is membar.gl")
	}
	in.run = func(b *block, in *instruction, on []int32) { b.fenced = true }
	return nil
}

// decodePair decodes mov.b64 {low, high}, x and mov.b64 x, {low, high}.
func decodePair(k *kernel, in *instruction, operands []string) error {
	apart := operands[0][0] == '{'
	pair, whole := operands[1], operands[0]
	if apart {
		pair, whole = whole, pair
	}
	halves := split(strings.Trim(pair, "{}"))
	if len(halves) != 2 {
		return fmt.Errorf("%s are not two halves", pair)
	}
	if apart {
		in.run = func(b *block, in *instruction, on []int32) {
			low, high, whole := in.at[0], in.at[1], in.at[2]
			for _, t := range on {
				low[t], high[t] = whole[t]&math.MaxUint32, whole[t]>>32
			}
		}
		return k.operands(in, 2, []string{"b32", "b32", "b64"}, append(halves, whole))
	}
	in.run = func(b *block, in *instruction, on []int32) {
		whole, low, high := in.at[0], in.at[1], in.at[2]
		for _, t := range on {
			whole[t] = low[t] | high[t]<<32
		}
	}
	return k.operands(in, 1, []string{"b64", "b32", "b32"}, append([]string{whole}, halves...))
}
