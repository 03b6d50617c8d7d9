package bif

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// tolerance is how far the sum of a distribution may be from one: files round to two or three digits. Distributions are
// divided by their sum.
const tolerance = 0.01

// maxTable bounds the entries of one probability table.
const maxTable = 1 << 24

// Read reads a network. It knows the blocks network, variable and probability, in which probabilities are given
// for each configuration of the parents in parentheses, as default, or as one table. In a table with parents the
// levels of the variable change slowest and those of the last parent fastest. Properties and comments
// are skipped.
func Read(r io.Reader) (*Network, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("bif: %w", err)
	}
	p := parser{scanner: scanner{text: text, line: 1}, net: &Network{}, index: make(map[string]int)}
	if err := p.file(); err != nil {
		return nil, err
	}
	return p.net, nil
}

// ReadGraph reads the variables and their parents, and passes the probabilities over: they may be rounded or too large for Read. Every
// block must be closed, and every variable must have its block of probabilities.
func ReadGraph(text []byte) (*Network, error) {
	p := parser{scanner: scanner{text: text, line: 1}, net: &Network{}, index: make(map[string]int), graph: true}
	if err := p.file(); err != nil {
		return nil, err
	}
	return p.net, nil
}

// parser reads one file. It stops at the first fault.
type parser struct {
	scanner
	net   *Network
	index map[string]int
	graph bool // probabilities are passed over
}

func (p *parser) fault(format string, args ...any) error {
	return fmt.Errorf("bif: line %d: "+format, append([]any{p.line}, args...)...)
}

// expect reads the given tokens.
func (p *parser) expect(want ...string) error {
	for _, w := range want {
		got, err := p.next()
		if err != nil {
			return err
		}
		if got != w {
			return p.fault("%s where %q should be", quote(got), w)
		}
	}
	return nil
}

// quote names a token for an error.
func quote(token string) string {
	if token == "" {
		return "the end of the file"
	}
	return strconv.Quote(token)
}

// word reads a name, and not punctuation.
func (p *parser) word(what string) (string, error) {
	w, err := p.next()
	if err == nil && (w == "" || punctuation(w[0])) {
		err = p.fault("%s where %s should be", quote(w), what)
	}
	return w, err
}

// list reads words with or without commas between them, up to a closing token.
func (p *parser) list(what, end string) ([]string, error) {
	var out []string
	for {
		w, err := p.next()
		switch {
		case err != nil:
			return nil, err
		case w == end:
			return out, nil
		case w == ",":
		case w == "" || punctuation(w[0]):
			return nil, p.fault("%s among %s that should end with %q", quote(w), what, end)
		default:
			out = append(out, w)
		}
	}
}

func (p *parser) file() error {
	for {
		block, err := p.next()
		if err != nil {
			return err
		}
		switch block {
		case "":
			return p.finish()
		case "network":
			err = p.network()
		case "variable":
			err = p.variable()
		case "probability":
			err = p.probability()
		default:
			return p.fault("%q; want network, variable or probability: is this a BIF file?", block)
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) network() error {
	name, err := p.word("the name of the network")
	if err != nil {
		return err
	}
	p.net.Name = name
	if err := p.expect("{"); err != nil {
		return err
	}
	return p.body(func(key string) error { return p.fault("%q in a network block, which may hold properties only", key) })
}

// body reads statements up to the closing brace; properties are skipped.
func (p *parser) body(statement func(key string) error) error {
	for {
		key, err := p.next()
		switch {
		case err != nil:
			return err
		case key == "}":
			return nil
		case key == "":
			return p.fault("the file ends inside a block; is it cut short?")
		case key == "property":
			p.skip()
		default:
			err = statement(key)
		}
		if err != nil {
			return err
		}
	}
}

func (p *parser) variable() error {
	name, err := p.word("the name of a variable")
	if err != nil {
		return err
	}
	if _, known := p.index[name]; known {
		return p.fault("variable %s is there twice", name)
	}
	v := Variable{Name: name}
	if err := p.expect("{"); err != nil {
		return err
	}
	if err := p.body(func(key string) error {
		if key != "type" {
			return p.fault("%q in variable %s, want its type", key, name)
		}
		if err := p.expect("discrete", "["); err != nil {
			return err
		}
		count, err := p.list("the number of levels", "]")
		if err != nil {
			return err
		}
		if err := p.expect("{"); err != nil {
			return err
		}
		if v.Levels, err = p.list("levels", "}"); err != nil {
			return err
		}
		if len(count) != 1 || count[0] != strconv.Itoa(len(v.Levels)) {
			return p.fault("variable %s is said to have %v levels and lists %d", name, count, len(v.Levels))
		}
		for i, l := range v.Levels {
			if slices.Contains(v.Levels[:i], l) {
				return p.fault("variable %s has level %s twice", name, l)
			}
		}
		return p.expect(";")
	}); err != nil {
		return err
	}
	if len(v.Levels) == 0 {
		return p.fault("variable %s has no levels", name)
	}
	p.index[name] = len(p.net.Variables)
	p.net.Variables = append(p.net.Variables, v)
	return nil
}

// find returns the variable with a name.
func (p *parser) find(name string) (int, error) {
	i, ok := p.index[name]
	if !ok {
		return 0, p.fault("no variable is called %s; variables must stand before their probabilities", name)
	}
	return i, nil
}

func (p *parser) probability() error {
	if err := p.expect("("); err != nil {
		return err
	}
	names, err := p.list("variables", ")")
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(s string) bool { return s == "|" })
	if len(names) == 0 {
		return p.fault("a probability of no variable")
	}
	i, err := p.find(names[0])
	if err != nil {
		return err
	}
	v := &p.net.Variables[i]
	if v.Line > 0 {
		return p.fault("the probabilities of %s are also at line %d", v.Name, v.Line)
	}
	v.Line = p.line
	size := len(v.Levels)
	for _, name := range names[1:] {
		parent, err := p.find(name)
		if err != nil {
			return err
		}
		if parent == i || slices.Contains(v.Parents, parent) {
			return p.fault("%s is there twice", name)
		}
		v.Parents = append(v.Parents, parent)
		if p.graph {
			continue
		}
		if size *= len(p.net.Variables[parent].Levels); size > maxTable {
			return p.fault("the table of %s has more than %d entries", v.Name, maxTable)
		}
	}
	if p.graph {
		if err := p.expect("{"); err != nil {
			return err
		}
		return p.body(func(string) error { p.skip(); return nil })
	}
	v.Table = make([]float64, size)
	for k := range v.Table {
		v.Table[k] = math.NaN()
	}
	if err := p.expect("{"); err != nil {
		return err
	}
	if err := p.body(func(key string) error { return p.probabilities(v, key) }); err != nil {
		return err
	}
	return p.checkSums(v)
}

// probabilities reads one statement of a probability block.
func (p *parser) probabilities(v *Variable, key string) error {
	r := len(v.Levels)
	switch key {
	case "table":
		x, err := p.numbers(v, len(v.Table))
		if err != nil {
			return err
		}
		q := len(v.Table) / r
		for k := range r {
			for j := range q {
				v.Table[j*r+k] = x[k*q+j]
			}
		}
		return nil
	case "default":
		x, err := p.numbers(v, r)
		if err != nil {
			return err
		}
		for i := range v.Table {
			if math.IsNaN(v.Table[i]) {
				v.Table[i] = x[i%r]
			}
		}
		return nil
	case "(":
		levels, err := p.list("levels of parents", ")")
		if err != nil {
			return err
		}
		if len(levels) != len(v.Parents) {
			return p.fault("%d levels for the %d parents of %s", len(levels), len(v.Parents), v.Name)
		}
		j := 0
		for i, l := range levels {
			parent := &p.net.Variables[v.Parents[i]]
			k := slices.Index(parent.Levels, l)
			if k < 0 {
				return p.fault("%s has no level %s; its levels are %q", parent.Name, l, parent.Levels)
			}
			j = j*len(parent.Levels) + k
		}
		x, err := p.numbers(v, r)
		if err != nil {
			return err
		}
		copy(v.Table[j*r:], x)
		return nil
	}
	return p.fault("%s among the probabilities of %s; want table, default or levels in parentheses", quote(key), v.Name)
}

// numbers reads the given number of probabilities and the semicolon behind them.
func (p *parser) numbers(v *Variable, want int) ([]float64, error) {
	fields, err := p.list("probabilities", ";")
	if err != nil {
		return nil, err
	}
	if len(fields) != want {
		return nil, p.fault("%d probabilities of %s, want %d", len(fields), v.Name, want)
	}
	out := make([]float64, want)
	for i, f := range fields {
		out[i], err = strconv.ParseFloat(f, 64)
		if err != nil || !(out[i] >= 0 && out[i] <= 1) {
			return nil, p.fault("%q is no probability of %s; want a number from 0 to 1", f, v.Name)
		}
	}
	return out, nil
}

// checkSums divides every distribution by its sum, which must be about one.
func (p *parser) checkSums(v *Variable) error {
	r := len(v.Levels)
	for j := 0; j < len(v.Table); j += r {
		sum := 0.0
		for _, x := range v.Table[j : j+r] {
			sum += x
		}
		if math.IsNaN(sum) {
			return p.fault("%s has no probabilities for parents %v", v.Name, p.net.configuration(v, j/r))
		}
		if math.Abs(sum-1) > tolerance {
			return p.fault("the probabilities of %s for parents %v sum to %v, want 1", v.Name, p.net.configuration(v, j/r), sum)
		}
		for k := range r {
			v.Table[j+k] /= sum
		}
	}
	return nil
}

// finish checks what shows only at the end of the file.
func (p *parser) finish() error {
	if len(p.net.Variables) == 0 {
		return fmt.Errorf("bif: no variables; is this a BIF file?")
	}
	for _, v := range p.net.Variables {
		if v.Line == 0 {
			return fmt.Errorf("bif: variable %s has no probabilities; is the file cut short?", v.Name)
		}
	}
	if p.graph {
		return nil
	}
	return p.net.sortVariables()
}
