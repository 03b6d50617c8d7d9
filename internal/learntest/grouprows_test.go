package learntest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/polydag/polydag"
	"github.com/polydag/polydag/internal/must"
	"github.com/polydag/polydag/lab/sim"
	"github.com/polydag/polydag/method/order"
	"github.com/polydag/polydag/trust"
)

func preparedGroups(t testing.TB, text string) *polydag.Table {
	t.Helper()
	p := polydag.DefaultPreparation()
	p.Groups = "person"
	table := must.Get(polydag.Prepare(context.Background(), written{text: text}, p))
	return table
}

// copied has every row several times, shuffled, with a column that tells which are copies.
func copied(s *sheet, times int) *sheet {
	n := len(s.cells[0])
	rows := rand.New(rand.NewPCG(1, 1)).Perm(n * times)
	out := &sheet{}
	for j, name := range s.names {
		out.add(name, n*times, func(i int) string { return s.cells[j][rows[i]%n] })
	}
	out.add("person", n*times, func(i int) string { return fmt.Sprint("id", rows[i]%n) })
	return out
}

// TestCopiesAreGroups checks that copies of every row, marked as groups, give the graph of the rows without
// copies under every model, and unmarked ones do not.
func TestCopiesAreGroups(t *testing.T) {
	gaussian, _ := drawn(t, sim.Gaussian, 10, 150, 4)
	laplace, _ := drawn(t, sim.Laplace, 10, 400, 5)
	cfg := sim.Default()
	cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Seed = sim.Mixed, 8, 12, 3
	mixed, _ := simulated(t, cfg, 200)
	cfg.Mechanism, cfg.Nodes, cfg.Edges, cfg.Variance, cfg.Standardize = sim.Additive, 4, 4, sim.Range{Low: 0.4, High: 0.8}, true
	curved, _ := simulated(t, cfg, 200)
	words := weather(rand.New(rand.NewPCG(2, 2)), 300, plainWords)
	bic := order.New()
	bic.Criterion = order.BIC
	differ := 0
	for _, c := range []struct {
		what, model string
		s           *sheet
		method      *order.Method
	}{{"numbers", "linear", gaussian, nil}, {"noise", "linear", laplace, nil}, {"levels", "discrete", words, nil}, {"levels by BIC", "discrete", words, bic}, {"both", "mixed", mixed, nil}, {"curves", "smooth", curved, nil}} {
		once := learnedFrom(t, prepared(t, c.s.plain()), c.method)
		table := preparedGroups(t, copied(c.s, 5).plain())
		marked := learnedFrom(t, table, c.method)
		n := len(c.s.cells[0])
		if k := marked.Table.Groups; k == nil || k.Rows != 5*n || k.Count != n || k.EffectiveRows != n || marked.Rows != 5*n {
			t.Errorf("%s: %+v", c.what, k)
		}
		if string(once.Model) != c.model || marked.Model != once.Model || !marked.Graph.Equal(once.Graph) {
			t.Errorf("%s: %v under %s, without copies %v under %s", c.what, marked.Graph.Edges(), marked.Model, once.Graph.Edges(), once.Model)
		}
		for k, e := range marked.Edges {
			if w := once.Edges[k]; e.Compelled != w.Compelled || e.Gain-w.Gain > 1e-3 || w.Gain-e.Gain > 1e-3 {
				t.Errorf("%s: %+v, without copies %+v", c.what, e, w)
			}
		}
		if marked.Settings.Get("groups") != "person" || !strings.Contains(strings.Join(marked.Table.Notes, " "), "treated as one group") {
			t.Errorf("%s: settings %v, notes %q", c.what, marked.Settings, marked.Table.Notes)
		}
		for _, a := range marked.Assumptions {
			if a.Name == trust.IndependentRows && a.Outcome != trust.Untestable {
				t.Errorf("%s: %+v", c.what, a)
			}
		}
		if c.s != gaussian && c.s != words { // curves cost seconds
			continue
		}
		lines := c.method
		if c.s == gaussian {
			lines = withNoise(order.GaussianNoise, order.Linear)
		}
		all := copied(c.s, 5)
		all.names, all.cells = all.names[:len(c.s.names)], all.cells[:len(c.s.names)]
		if !learnedFrom(t, prepared(t, all.plain()), lines).Graph.Equal(once.Graph) {
			differ++
		}
	}
	if differ == 0 {
		t.Error("copies that are not marked change none of 3 graphs: the tables show nothing")
	}
}

// TestGroupsOfOne checks that with one group per row the result is the same as without groups.
func TestGroupsOfOne(t *testing.T) {
	s, _ := drawn(t, sim.Gaussian, 8, 200, 6)
	plain := learnedFrom(t, prepared(t, s.plain()), nil)
	s.add("person", 200, strconv.Itoa)
	own := learnedFrom(t, preparedGroups(t, s.plain()), nil)
	if !reflect.DeepEqual(own.Edges, plain.Edges) || own.Score != plain.Score || own.Table.Groups.EffectiveRows != 200 {
		t.Errorf("%+v, want %+v; %+v", own.Edges, plain.Edges, own.Table.Groups)
	}
}

// TestFamilies checks that rows of a family are compared within it, so that false edges between independent columns disappear.
func TestFamilies(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n, size = 2000, 20
	s := &sheet{}
	for j := range 10 {
		var own [n / size]float64
		for k := range own {
			own[k] = rng.NormFloat64()
		}
		s.add(fmt.Sprint("x", j), n, func(i int) string { return fmt.Sprint(own[i/size] + 0.5*rng.NormFloat64()) })
	}
	lines := withNoise(order.GaussianNoise, order.Linear)
	by := learnedFrom(t, prepared(t, s.plain()), lines)
	s.add("person", n, func(i int) string { return fmt.Sprint(i / size) })
	together := learnedFrom(t, preparedGroups(t, s.plain()), lines)
	c := together.Table.Groups
	if len(by.Edges) < 10 || len(together.Edges) > 1 || c.EffectiveRows != n-n/size {
		t.Errorf("%d edges, with groups %d; %+v", len(by.Edges), len(together.Edges), c)
	}
}
