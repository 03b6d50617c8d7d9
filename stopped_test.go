package polydag_test

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/confidence"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
)

// TestStoppedRunsAreErrors checks that a context that ended gives an error that wraps its own, beside the best result so far, and that
// BestSoFar drops this error only.
func TestStoppedRunsAreErrors(t *testing.T) {
	table := must.Get(polydag.Prepare(t.Context(), gappy(300, 0, false), polydag.Preparation{}))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, end := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer end()
	for want, ctx := range map[error]context.Context{context.Canceled: canceled, context.DeadlineExceeded: late} {
		for name, learn := range map[string]func() (*polydag.Result, error){
			"Learn":       func() (*polydag.Result, error) { return polydag.Learn(ctx, table) },
			"Table.Learn": func() (*polydag.Result, error) { return table.Learn(ctx, polydag.Config{}, polydag.Run{}) },
			"confidence.Learn": func() (*polydag.Result, error) {
				return confidence.Learn(ctx, table, polydag.Config{}, confidence.Settings{}, polydag.Run{})
			},
			"confidence.Posterior": func() (*polydag.Result, error) {
				return confidence.Posterior(ctx, table, polydag.Config{}, confidence.PosteriorSettings{}, polydag.Run{})
			},
		} {
			res, err := learn()
			if !errors.Is(err, want) || res == nil || res.Status != polydag.Canceled || !strings.Contains(err.Error(), "best so far") {
				t.Errorf("%s: %+v, %v; want a result and %v", name, res, err, want)
			}
			if best, err := polydag.BestSoFar(res, err); best != res || err != nil {
				t.Errorf("%s: BestSoFar gives %v, %v", name, best, err)
			}
		}
	}
	other := errors.New("another error")
	if res, err := polydag.BestSoFar(&polydag.Result{}, other); res == nil || err != other {
		t.Errorf("BestSoFar drops %v", err)
	}
	if res := must.Get(polydag.Learn(t.Context(), table)); res.Stopped(canceled) != nil || len(res.Edges) == 0 {
		t.Errorf("a complete run: %v, %d edges", res.Stopped(canceled), len(res.Edges))
	}
}

// TestKnowledgeFaults checks that every fault of prior knowledge is found by errors.Is, and that typed edges are those of the text.
func TestKnowledgeFaults(t *testing.T) {
	table := must.Get(polydag.Prepare(t.Context(), gappy(300, 0, false), polydag.Preparation{}))
	a, b := table.Moments.Names[0], table.Moments.Names[1]
	for name, spec := range map[string]knowledge.Spec{
		"unknown column": {Require: []string{"nobody->" + a}}, "no edge": {Forbid: []string{a}}, "a cycle": knowledge.Spec{}.Requiring(knowledge.Edge{From: a, To: b}, knowledge.Edge{From: b, To: a}),
		"contradiction": knowledge.Spec{}.Requiring(knowledge.Edge{From: a, To: b}).Forbidding(knowledge.Edge{From: a, To: b}), "group": {Forbid: []string{"@none->" + a}}, "prior": {Prior: []string{a + "->" + b + "=2"}},
	} {
		if res, err := table.Learn(t.Context(), polydag.Config{Knowledge: spec}, polydag.Run{}); !errors.Is(err, polydag.ErrKnowledge) || res != nil {
			t.Errorf("%s: %v, want ErrKnowledge", name, err)
		}
	}
	spec := knowledge.Spec{}.Requiring(knowledge.Edge{From: a, To: b})
	if res := must.Get(table.Learn(t.Context(), polydag.Config{Knowledge: spec}, polydag.Run{})); !res.Graph.HasEdge(0, 1) {
		t.Errorf("%s -> %s is required: %v", a, b, res.Edges)
	}
}

// TestAliasesShowTheirFields checks that go doc names every field of a struct that the package shows by another name.
func TestAliasesShowTheirFields(t *testing.T) {
	types := map[string]reflect.Type{
		"Column": reflect.TypeFor[polydag.Column](), "Preparation": reflect.TypeFor[polydag.Preparation](), "Progress": reflect.TypeFor[polydag.Progress](), "Run": reflect.TypeFor[polydag.Run](),
		"Link": reflect.TypeFor[polydag.Link](), "Edge": reflect.TypeFor[polydag.Edge](), "EdgeFacts": reflect.TypeFor[polydag.EdgeFacts](), "Effect": reflect.TypeFor[polydag.Effect](),
	}
	packages := must.Get(parser.ParseDir(token.NewFileSet(), ".", nil, parser.ParseComments))
	for _, file := range packages["polydag"].Files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			spec := g.Specs[0].(*ast.TypeSpec)
			of := types[spec.Name.Name]
			if !spec.Assign.IsValid() || of == nil {
				if spec.Assign.IsValid() && spec.Name.Name != "Status" && spec.Name.Name != "Verdict" && spec.Name.Name != "Resampling" && spec.Name.Name != "Columns" && spec.Name.Name != "Checkpoint" {
					t.Errorf("%s is an alias without a list of its fields", spec.Name.Name)
				}
				continue
			}
			delete(types, spec.Name.Name)
			for i := range of.NumField() {
				if f := of.Field(i); f.IsExported() && !strings.Contains(g.Doc.Text(), f.Name) {
					t.Errorf("the comment of %s does not name the field %s", spec.Name.Name, f.Name)
				}
			}
		}
	}
	for name := range types {
		t.Errorf("there is no alias %s", name)
	}
}
