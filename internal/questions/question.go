package questions

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Form says how a question is asked and answered.
type Form string

// The forms of questions.
const (
	// AskRoot asks whether a column is fixed before all others: yes or no.
	AskRoot Form = "root"
	// AskOrder asks which of several columns come before one column and which after it. With one column it is a yes-or-no question.
	AskOrder Form = "order"
)

// A Question asks for the order of columns.
type Question struct {
	Form Form `json:"form"`
	// About is the column, and Others are its neighbours in the graph whose order relative to it is open.
	About  string   `json:"about"`
	Others []string `json:"others"`
	// Settles is the expected number of directions that the answer settles, and ByRules the part of it that follows by the rules of
	// the equivalence class.
	Settles float64 `json:"settles"`
	ByRules float64 `json:"by_rules"`
	// Gain is the expected reduction of the uncertainty about directions, in bits.
	Gain   float64 `json:"gain_bits"`
	Text   string  `json:"text"`
	Reason string  `json:"reason,omitempty"` // why a root is likely

	about  int
	others []int
}

// Limits of the calculation: the consequences of an answer are computed for the candidates with the largest gain without them, for a
// number of answers drawn from the direction probabilities.
const (
	candidates = 16
	draws      = 16
	rootChance = 0.9 // probability of yes where the name of a column suggests a root
)

// A List has questions, the best first, and how far the directions are settled without them.
type List struct {
	Edges     int        `json:"edges"`
	Settled   int        `json:"settled"`
	Questions []Question `json:"questions"`
	// Roots are columns whose names suggest that nothing else changes them.
	Roots []string `json:"likely_roots,omitempty"`
}

// List returns at most the given number of questions. Each is the best one if nobody knows the answers to those before it.
func (q *Dialogue) List(most int) List {
	l := List{Edges: q.Edges(), Settled: q.Settled()}
	ahead := *q
	ahead.asked, ahead.noRoot = slices.Clone(q.asked), slices.Clone(q.noRoot)
	for len(l.Questions) < most {
		next, ok := ahead.Next()
		if !ok {
			break
		}
		l.Questions = append(l.Questions, next)
		if next.Form == AskRoot {
			ahead.noRoot[next.about] = true
		}
		ahead.skip(next.about, next.others)
	}
	for v, name := range q.names {
		if q.likely[v] != "" && !q.roots[v] && !q.follows(v) {
			l.Roots = append(l.Roots, name)
		}
	}
	return l
}

// Next returns the best question. ok is false if none is left.
func (q *Dialogue) Next() (next Question, ok bool) {
	settled := q.settled(q.before)
	var all []Question
	for v := range q.names {
		others := q.open(v, settled)
		if len(others) == 0 {
			continue
		}
		c := Question{Form: AskOrder, About: q.names[v], about: v, others: others, Settles: float64(len(others))}
		for k, e := range q.edges {
			if !settled[k] && (e.From == v || e.To == v) && slices.Contains(others, e.From+e.To-v) {
				c.Gain += e.value()
			}
		}
		if reason := q.likely[v]; reason != "" && !q.noRoot[v] && !q.follows(v) {
			c.Form, c.Reason = AskRoot, reason
			c.Gain *= rootChance
			c.Settles *= rootChance
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return Question{}, false
	}
	byGain := func(a, b Question) int {
		return cmp.Or(cmp.Compare(b.Gain, a.Gain), cmp.Compare(b.Settles, a.Settles), cmp.Compare(a.About, b.About))
	}
	slices.SortFunc(all, byGain)
	all = all[:min(candidates, len(all))]
	for i := range all {
		q.consequences(&all[i], settled)
	}
	slices.SortFunc(all, byGain)
	return q.named(all[0]), true
}

// named fills in the names and the text of a question.
func (q *Dialogue) named(c Question) Question {
	for _, v := range c.others {
		c.Others = append(c.Others, q.names[v])
	}
	c.Text = c.text()
	return c
}

// follows reports whether some column is known to come before v.
func (q *Dialogue) follows(v int) bool {
	for u := range q.names {
		if q.before.has(u, v) {
			return true
		}
	}
	return false
}

// consequences adds to a question what follows from its answer by the rules of the equivalence class: the mean over answers drawn
// from the direction probabilities.
func (q *Dialogue) consequences(c *Question, settled []bool) {
	chance := map[int]float64{} // the probability that the column comes before c.about
	for _, e := range q.edges {
		switch c.about {
		case e.From:
			chance[e.To] = 1 - e.Direction
		case e.To:
			chance[e.From] = e.Direction
		}
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(c.others))))
	times, yes := draws, 1.0
	if c.Form == AskRoot {
		times, yes = 1, rootChance
	}
	for range times {
		o := q.before.clone()
		for _, v := range c.others {
			if c.Form == AskOrder && rng.Float64() < chance[v] {
				o.add(v, c.about)
			} else {
				o.add(c.about, v)
			}
		}
		for k, now := range q.settled(o) {
			if e := q.edges[k]; now && !settled[k] && e.From != c.about && e.To != c.about {
				c.ByRules += yes / float64(times)
				c.Gain += e.value() * yes / float64(times)
			}
		}
	}
	c.Settles += c.ByRules
}

// joined lists names, at most six of them.
func joined(names []string) string {
	if len(names) > 6 {
		return strings.Join(names[:5], ", ") + fmt.Sprintf(" and %d more", len(names)-5)
	}
	return strings.Join(names, ", ")
}

func (c Question) text() string {
	switch {
	case c.Form == AskRoot:
		return fmt.Sprintf("Is %s fixed before everything else in this table?", c.About)
	case len(c.Others) == 1:
		return fmt.Sprintf("Does %s come before %s?", c.Others[0], c.About)
	}
	return fmt.Sprintf("Which of these come before %s: %s?", c.About, joined(c.Others))
}
