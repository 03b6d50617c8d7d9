package questions

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/knowledge"
)

func TestProbabilitiesOutOfRange(t *testing.T) {
	for _, c := range []struct {
		adjacent, direction float64
		valid               bool
	}{
		{0, 0, true}, {1, 1, true}, {0.5, 0.5, true}, {-0.1, 0.5, false}, {1.1, 0.5, false}, {0.5, -0.1, false}, {0.5, 1.1, false},
		{math.NaN(), 0.5, false}, {0.5, math.NaN(), false},
	} {
		_, err := New([]string{"a", "b"}, []Edge{{graph.Edge{From: 0, To: 1}, c.adjacent, c.direction}}, nil)
		if (err == nil) != c.valid {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A direction with an expected uncertainty of less than 0.01 bits is not asked about, whether the edge or its direction is the reason.
func TestNegligibleUncertainty(t *testing.T) {
	for _, c := range []struct {
		adjacent, direction float64
		asked               bool
	}{
		{0.0105, 0.5, true}, {0.0095, 0.5, false},
		{1, 0.9991, true}, {1, 0.9992, false}, // entropy 0.0103 and 0.0093 bits
		{1, 0, false}, {1, 1, false}, {0, 0.5, false},
	} {
		q := must.Get(New([]string{"a", "b"}, []Edge{{graph.Edge{From: 0, To: 1}, c.adjacent, c.direction}}, nil))
		if next, ok := q.Next(); ok != c.asked || ok && math.Abs(next.Gain-c.adjacent*entropy(c.direction)) > 1e-12 {
			t.Errorf("adjacent %v, direction %v: asked %v with gain %v, want %v", c.adjacent, c.direction, ok, next.Gain, c.asked)
		}
	}
}

// A list asks once whether a column is a root. All directions at the column are then asked about, and other columns follow.
func TestListAsksRootsOnce(t *testing.T) {
	q := open(t, []string{"sex", "bp", "salt", "x", "y"}, edge(0, 1, 0.5), edge(0, 2, 0.5), edge(3, 4, 0.5))
	var got []string
	for _, c := range q.List(10).Questions {
		got = append(got, fmt.Sprint(c.Form, " ", c.About, " ", c.Others))
	}
	want := []string{fmt.Sprint(AskRoot, " sex [bp salt]"), fmt.Sprint(AskOrder, " x [y]")}
	if !slices.Equal(got, want) {
		t.Errorf("questions %q, want %q", got, want)
	}
	if l := q.List(1); len(l.Questions) != 1 || !slices.Equal(l.Roots, []string{"sex"}) {
		t.Errorf("a list of one question has %d, and the likely roots %v", len(l.Questions), l.Roots)
	}
}

// Two roots have no order between them: neither answer contradicts the other.
func TestTwoRoots(t *testing.T) {
	q := open(t, []string{"sex", "age", "bp"}, edge(0, 2, 0.5), edge(1, 2, 0.5), edge(0, 1, 0.5))
	for column := range 2 {
		must.Succeed(t, q.Answer(Question{Form: AskRoot, about: column}, Answer{Yes: true}))
	}
	if !q.Known("bp", "sex") || !q.Known("age", "bp") {
		t.Error("a root does not come before the other columns")
	}
}

// A column that something is known to precede is no root, whatever its name.
func TestColumnAfterAnotherIsNoRoot(t *testing.T) {
	for placement, form := range map[Placement]Form{Unknown: AskRoot, After: AskRoot, Before: AskOrder} {
		q := open(t, []string{"sex", "bp", "salt", "x"}, edge(0, 1, 0.5), edge(0, 2, 0.5))
		about := Question{Form: AskOrder, about: 0, others: []int{3}}
		if err := q.Answer(about, Answer{}); err == nil {
			t.Error("an answer without a placement is accepted")
		}
		must.Succeed(t, q.Answer(about, Answer{Places: []Placement{placement}}))
		l := q.List(10)
		if len(l.Questions) == 0 || l.Questions[0].About != "sex" || l.Questions[0].Form != form || (len(l.Roots) == 1) != (form == AskRoot) {
			t.Errorf("placement %v of x: roots %v, questions %+v, want the form %v", placement, l.Roots, l.Questions, form)
		}
	}
	q := open(t, []string{"a", "b"}, edge(0, 1, 0.5))
	if c, _ := q.Next(); c.Text != "Does b come before a?" {
		t.Errorf("%q", c.Text)
	}
}

// Undecided are the pairs of edges that have no probable direction, no answer and no prior, the most uncertain first.
func TestUndecided(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	edges := []Edge{edge(0, 1, 0.79), edge(1, 2, 0.8), edge(2, 3, 0.5), edge(3, 4, 0.22), edge(4, 5, 0.2), edge(1, 3, 0.6), edge(0, 5, 0.5)}
	known := must.Get((knowledge.Spec{Forbid: []string{"b->d"}, Prior: []string{"f->a=0.5"}}).Resolve(names))
	if got, want := must.Get(New(names, edges, nil)).Undecided(), [][2]string{{"a", "f"}, {"c", "d"}, {"b", "d"}, {"d", "e"}, {"a", "b"}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got, want := must.Get(New(names, edges, known)).Undecided(), [][2]string{{"c", "d"}, {"d", "e"}, {"a", "b"}}; !slices.Equal(got, want) {
		t.Errorf("with knowledge: %v, want %v", got, want)
	}
	for _, c := range []struct {
		adjacent, direction float64
		asked               bool
	}{{0.8, 0.99, true}, {0.79, 0.99, false}, {0.79, 0.79, true}, {0.9, 0.9, false}, {0.9, 0.12, true}} {
		q := must.Get(New([]string{"a", "b"}, []Edge{{graph.Edge{From: 0, To: 1}, c.adjacent, c.direction}}, nil))
		must.Same(t, len(q.Undecided()) == 1, c.asked, fmt.Sprint(c))
	}
}
