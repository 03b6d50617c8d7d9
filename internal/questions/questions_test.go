package questions

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/polydag/polydag/graph"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/internal/role"
	"github.com/polydag/polydag/knowledge"
)

// edge returns an edge whose direction has probability p.
func edge(from, to int, p float64) Edge {
	return Edge{Edge: graph.Edge{From: from, To: to}, Adjacent: 1, Direction: p}
}

func open(t *testing.T, names []string, edges ...Edge) *Dialogue {
	t.Helper()
	return must.Get(New(names, edges, nil))
}

// The order must be the transitive closure of the pairs that were added, as Warshall's algorithm computes it.
func TestOrderIsTransitiveClosure(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		d := 2 + rng.IntN(90)
		o, slow := newOrder(d), make([][]bool, d)
		for i := range slow {
			slow[i] = make([]bool, d)
		}
		place := rng.Perm(d)
		for range 2 * d {
			a, b := rng.IntN(d), rng.IntN(d)
			if place[a] < place[b] {
				o.add(a, b)
				slow[a][b] = true
			}
		}
		for k := range d {
			for i := range d {
				for j := range d {
					slow[i][j] = slow[i][j] || slow[i][k] && slow[k][j]
				}
			}
		}
		for i := range d {
			for j := range d {
				if o.has(i, j) != slow[i][j] {
					t.Fatalf("d=%d: order of %d and %d is %v, want %v", d, i, j, o.has(i, j), slow[i][j])
				}
			}
		}
	}
}

// In the chain a - b - c - d without colliders, the first edge settles the other two by Meek's first rule.
func TestAnswerSettlesByRules(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	q := open(t, names, edge(0, 1, 0.5), edge(1, 2, 0.5), edge(2, 3, 0.5))
	c, ok := q.Next()
	if !ok || c.About != "b" && c.About != "c" {
		t.Fatalf("got %+v, want a question about b or c", c)
	}
	q = open(t, names, edge(0, 1, 0.5), edge(1, 2, 0.6), edge(2, 3, 0.6))
	q.before.add(0, 1)
	if got := q.Settled(); got != 3 {
		t.Errorf("a before b settles %d directions, want 3", got)
	}
	if want := (knowledge.Spec{Forbid: []string{"b->a"}}); !reflect.DeepEqual(q.Spec(), want) {
		t.Errorf("got %v, want %v", q.Spec(), want)
	}
}

// Of two colliders' parents nothing follows: a → c ← b, where only the answers count.
func TestColliderSettlesNothingElse(t *testing.T) {
	q := open(t, []string{"a", "b", "c"}, edge(0, 2, 0.7), edge(1, 2, 0.7))
	q.before.add(0, 2)
	if got := q.Settled(); got != 1 {
		t.Errorf("settled %d, want 1", got)
	}
}

func TestContradictionChangesNothing(t *testing.T) {
	q := open(t, []string{"a", "b", "c"}, edge(0, 1, 0.5), edge(1, 2, 0.5), edge(0, 2, 0.5))
	for _, pair := range [][2]int{{0, 1}, {1, 2}} {
		must.Succeed(t, q.Answer(Question{Form: AskOrder, about: pair[1], others: []int{pair[0]}}, Answer{Places: []Placement{Before}}))
	}
	before := slices.Clone(q.before.after)
	err := q.Answer(Question{Form: AskOrder, about: 0, others: []int{2}}, Answer{Places: []Placement{Before}})
	if !errors.Is(err, ErrContradiction) {
		t.Errorf("got %v, want a contradiction", err)
	}
	if err := q.Answer(Question{Form: AskRoot, about: 1}, Answer{Yes: true}); !errors.Is(err, ErrContradiction) {
		t.Errorf("b as a root after a before b: got %v, want a contradiction", err)
	}
	if !slices.Equal(before, q.before.after) {
		t.Error("a contradiction changed the order")
	}
	if q.Settled() != 3 {
		t.Errorf("settled %d, want all 3", q.Settled())
	}
}

// A likely root is asked about with yes or no; after a no the order of its neighbours is still a question.
func TestRootQuestion(t *testing.T) {
	q := open(t, []string{"sex", "bp", "salt"}, edge(0, 1, 0.5), edge(0, 2, 0.5))
	c, _ := q.Next()
	if c.Form != AskRoot || c.About != "sex" || c.Text != "Is sex fixed before everything else in this table?" {
		t.Fatalf("got %+v", c)
	}
	must.Succeed(t, q.Answer(c, Answer{}))
	if c, _ = q.Next(); c.Form != AskOrder || c.About != "sex" || !slices.Equal(c.Others, []string{"bp", "salt"}) {
		t.Fatalf("after a no: got %+v", c)
	}
	q = open(t, []string{"sex", "bp", "salt"}, edge(1, 0, 0.5), edge(0, 2, 0.5))
	c, _ = q.Next()
	must.Succeed(t, q.Answer(c, Answer{Yes: true}))
	if want := (knowledge.Spec{Forbid: []string{"*->sex"}}); q.Settled() != 2 || !reflect.DeepEqual(q.Spec(), want) {
		t.Errorf("settled %d, spec %v, want 2 and %v", q.Settled(), q.Spec(), want)
	}
	if _, ok := q.Next(); ok {
		t.Error("a question is left although all is settled")
	}
}

func TestLikelyRoots(t *testing.T) {
	for name, want := range map[string]bool{"sex": true, "Age": true, "BirthYear": true, "year_of_birth": true, "patient.sex": true,
		"sexuality": false, "agency": false, "dosage": true, "bmi": false, "": false} {
		must.Same(t, likelyRoots([]role.Column{{Name: name}})[0] != "", want, name)
	}
}

// The questions do not depend on the order of the columns, and every direction is settled or asked about in the end.
func TestQuestionsDoNotDependOnColumnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	d := 25
	var names []string
	var edges []Edge
	for i := range d {
		names = append(names, fmt.Sprintf("x%d", i))
		for j := range i {
			if rng.Float64() < 0.15 {
				edges = append(edges, edge(j, i, 0.3+0.6*rng.Float64()))
			}
		}
	}
	shuffled, place := make([]string, d), rng.Perm(d)
	for i, p := range place {
		shuffled[p] = names[i]
	}
	var moved []Edge
	for _, e := range edges {
		e.From, e.To = place[e.From], place[e.To]
		moved = append(moved, e)
	}
	a, b := open(t, names, edges...), open(t, shuffled, moved...)
	for step := 0; ; step++ {
		x, okX := a.Next()
		y, okY := b.Next()
		if okX != okY || x.Text != y.Text || x.Gain != y.Gain {
			t.Fatalf("step %d: %q (%v) and %q (%v)", step, x.Text, x.Gain, y.Text, y.Gain)
		}
		if !okX {
			break
		}
		answer := Answer{Places: slices.Repeat([]Placement{After}, len(x.Others))}
		if errA, errB := a.Answer(x, answer), b.Answer(y, answer); (errA == nil) != (errB == nil) {
			t.Fatal(errA, errB)
		} else if errA != nil {
			a.skip(x.about, x.others)
			b.skip(y.about, y.others)
		}
	}
	if a.Settled() != len(edges) {
		t.Errorf("settled %d of %d", a.Settled(), len(edges))
	}
}

// A pair with one forbidden direction counts as answered. A list goes on as if nobody knew the answers, and changes nothing.
func TestListAfterKnowledge(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	known := must.Get((knowledge.Spec{Forbid: []string{"b->a", "a->c"}}).Resolve(names))
	edges := []Edge{edge(0, 1, 0.5), edge(0, 2, 0.5), edge(2, 3, 0.5)}
	q := must.Get(New(names, edges, known))
	if !q.Known("a", "b") || !q.Known("c", "a") || q.Known("c", "d") || q.Settled() < 2 || q.Edges() != 3 {
		t.Errorf("%d of %d edges are settled", q.Settled(), q.Edges())
	}
	if !q.before.has(0, 1) || !q.before.has(2, 0) || !q.before.has(2, 1) {
		t.Error("c comes before a and a before b")
	}
	near := func(got, want float64) bool { return got-want < 1e-12 && want-got < 1e-12 }
	q = open(t, names, edges...)
	for range 2 {
		l := q.List(10)
		if l.Edges != 3 || l.Settled != 0 || len(l.Questions) != 2 || l.Questions[0].About != "c" || !slices.Equal(l.Questions[0].Others, []string{"a", "d"}) {
			t.Fatalf("%+v", l)
		}
		for _, c := range l.Questions { // every open direction is worth one bit, and a pair that was asked about does not count again
			if !near(c.Gain, c.Settles) || !near(c.Settles, float64(len(c.Others))+c.ByRules) {
				t.Errorf("%+v", c)
			}
		}
		if len(q.List(1).Questions) != 1 {
			t.Error("one question was asked for")
		}
	}
	q.Update(edges[:1])
	if q.Edges() != 1 || len(q.List(10).Questions) != 1 {
		t.Errorf("%d edges after an update", q.Edges())
	}
	if e := edge(0, 1, 0.25); !near(e.value(), 0.8112781244591328) { // the entropy of 1/4 in bits: 2 - 3/4·log₂ 3
		t.Errorf("value %v", e.value())
	}
}

// An edge that is probably reversed counts as reversed: a → b and c → b with a probability of 0.2 are the chain a → b → c, not a collider, so
// that the first edge settles the second.
func TestProbableDirectionsMakeTheClass(t *testing.T) {
	q := open(t, []string{"a", "b", "c"}, edge(0, 1, 0.6), edge(2, 1, 0.2))
	q.before.add(0, 1)
	if got := q.Settled(); got != 2 {
		t.Errorf("settled %d, want 2", got)
	}
}

// TestGainByHand works out the gain of a question about a in the chain a - b - c without a collider. If a comes before b, Meek's first
// rule directs b → c; if it comes after b, nothing follows. The answer about a root is yes with probability 0.9.
func TestGainByHand(t *testing.T) {
	const bits = 0.8112781244591328 // entropy of 0.25
	for _, c := range []struct {
		form           Form
		p              float64 // probability of a → b
		rules, settles float64
	}{{AskOrder, 1, 1, 2}, {AskOrder, 0, 0, 1}, {AskRoot, 0.5, 0.9, 1.9}} {
		for _, reversed := range []bool{false, true} { // the same edge, written from b to a
			first := edge(0, 1, c.p)
			if reversed {
				first = edge(1, 0, 1-c.p)
			}
			second := edge(1, 2, 0.75)
			second.Adjacent = 0.5
			q := open(t, []string{"a", "b", "c"}, first, second)
			got := Question{Form: c.form, about: 0, others: []int{1}, Settles: 1}
			q.consequences(&got, q.settled(q.before))
			if math.Abs(got.ByRules-c.rules)+math.Abs(got.Settles-c.settles)+math.Abs(got.Gain-c.rules*bits/2) > 1e-12 {
				t.Errorf("%+v: %+v", c, got)
			}
		}
	}
	q := open(t, []string{"sex", "b", "c", "d", "e"}, edge(0, 1, 0.5), edge(0, 2, 0.5), edge(0, 3, 0.5), edge(0, 4, 0.5))
	next, ok := q.Next()
	if !ok || next.Form != AskRoot || !(math.Abs(next.Gain-3.6) <= 1e-12) || !(math.Abs(next.Settles-3.6) <= 1e-12) {
		t.Errorf("a root: %+v, want a gain of 3.6 bits and 3.6 settled", next)
	}
}

// At most six names are listed; of seven the first five.
func TestJoinedNames(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g"}
	must.Same(t, joined(names[:6]), "a, b, c, d, e, f", "six")
	must.Same(t, joined(names), "a, b, c, d, e and 2 more", "seven")
}
