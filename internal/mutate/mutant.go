package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
)

// A mutant is one change of one place in a file.
type mutant struct {
	file     string
	src      []byte // of the whole file, as it was when the run began
	pos      token.Position
	from, to int // bytes of the file that are replaced
	with     string
	what     string // for the list of survivors
}

// apply returns the file with the change made.
func (m mutant) apply() []byte {
	return slices.Concat(m.src[:m.from], []byte(m.with), m.src[m.to:])
}

// operators are exchanged in pairs, each for what a slip of the hand would write.
var operators = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
	token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
	token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
	token.INC: token.DEC, token.DEC: token.INC,
}

// mutants lists every change of the functions of a file, in the order of the source:
//
//	an operator for its partner        a < b      a <= b
//	a condition for its opposite       if ok      if !(ok)
//	a number for the next one          0          1      (and 1 for 0)
//	a statement that is left out       x = f()    _ = f()
//
// Some do not compile, and some change nothing that can be seen; whoever runs them finds the first out, and has to
// judge the second.
func mutants(name string, src []byte) ([]mutant, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	w := &walker{name: name, src: src, fset: fset}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			ast.Inspect(fn.Body, w.visit)
		}
	}
	slices.SortStableFunc(w.found, func(a, b mutant) int { return a.from - b.from })
	return w.found, nil
}

type walker struct {
	name  string
	src   []byte
	fset  *token.FileSet
	found []mutant
}

func (w *walker) offset(p token.Pos) int { return w.fset.Position(p).Offset }

func (w *walker) text(n ast.Node) string {
	return string(w.src[w.offset(n.Pos()):w.offset(n.End())])
}

func (w *walker) replace(from, to token.Pos, with, what string) {
	w.found = append(w.found, mutant{
		file: w.name, src: w.src, pos: w.fset.Position(from), from: w.offset(from), to: w.offset(to), with: with, what: what,
	})
}

// operator replaces the operator at pos by its partner.
func (w *walker) operator(pos token.Pos, op token.Token) {
	if other, ok := operators[op]; ok {
		w.replace(pos, pos+token.Pos(len(op.String())), other.String(), fmt.Sprintf("%s became %s", op, other))
	}
}

// condition replaces a condition by its opposite. A comparison has a mutant of its own for that.
func (w *walker) condition(c ast.Expr) {
	if c == nil {
		return
	}
	if b, ok := c.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) {
		return
	}
	w.replace(c.Pos(), c.End(), "!("+w.text(c)+")", "the condition became its opposite")
}

// drop leaves a statement out.
func (w *walker) drop(n ast.Node, with string) {
	w.replace(n.Pos(), n.End(), with, "left out: "+firstLine(w.text(n)))
}

func firstLine(s string) string {
	line, _, more := strings.Cut(s, "\n")
	if more {
		line += " …"
	}
	return line
}

func (w *walker) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CallExpr:
		if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
			return false // our own bugs: nothing a test should reach
		}
	case *ast.IfStmt:
		w.condition(n.Cond)
	case *ast.ForStmt:
		w.condition(n.Cond)
	case *ast.BinaryExpr:
		if n.Op != token.ADD || !isString(n) {
			w.operator(n.OpPos, n.Op)
		}
	case *ast.IncDecStmt:
		w.operator(n.TokPos, n.Tok)
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
			with := strconv.FormatInt(v+1, 10)
			if v == 1 {
				with = "0"
			}
			w.replace(n.Pos(), n.End(), with, n.Value+" became "+with)
		}
	case *ast.AssignStmt:
		w.assignment(n)
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); !ok || w.text(call.Fun) != "panic" {
			w.drop(n, "")
		}
	case *ast.BranchStmt:
		if n.Tok == token.BREAK || n.Tok == token.CONTINUE {
			w.drop(n, "")
		}
	}
	return true
}

// assignment drops what is assigned and keeps the evaluation, so that no variable becomes unused.
func (w *walker) assignment(n *ast.AssignStmt) {
	switch n.Tok {
	case token.DEFINE:
	case token.ASSIGN:
		blanks := strings.TrimSuffix(strings.Repeat("_, ", len(n.Lhs)), ", ")
		if !strings.HasPrefix(w.text(n), "_ ") {
			w.drop(n, blanks+" = "+string(w.src[w.offset(n.Rhs[0].Pos()):w.offset(n.End())]))
		}
	default:
		w.operator(n.TokPos, n.Tok)
		w.drop(n, "_ = "+w.text(n.Rhs[0]))
	}
}

func isString(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.BinaryExpr:
		return isString(e.X) || isString(e.Y)
	}
	return false
}
