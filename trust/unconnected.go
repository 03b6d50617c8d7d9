package trust

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/polydag/polydag/fault"
	"github.com/polydag/polydag/independence"
	"github.com/polydag/polydag/internal/chol"
	"github.com/polydag/polydag/internal/intset"
	"github.com/polydag/polydag/internal/vec"
	"github.com/polydag/polydag/matrix"
	"github.com/polydag/polydag/score"
)

const (
	// pairLevel is the probability that a right graph fails the check, by Bonferroni over three tests of each pair.
	pairLevel = 0.01
	// pairShare is the smallest share of the variance of rank scores that a missed dependence must explain: a correlation of 0.1.
	pairShare = 0.01
	// pairWork limits rows × columns², and with it the time: some 20 ms for 200 columns.
	pairWork = 4e7
	// rareTogether is the smallest expected number of rows in which two columns that mostly have one value both have another.
	rareTogether = 25
	// mostMissed is the number of pairs that are found at most.
	mostMissed = 200
)

// dependence is one between columns a and b that are not connected, although their parents are given.
type dependence struct {
	a, b int
	// bell says that b depends on the distance of the residual of a from its median; otherwise the dependence is monotone.
	bell bool
	// correlation is that of rank scores of the residuals, and p its p-value, not corrected for the number of tests.
	correlation, p float64
}

// Unconnected returns the number of dependent pairs that a graph does not connect. If the graph and the model are right, the
// residual of a column is independent of all columns that are not its descendants. So for each pair without an edge it tests
//
//   - the correlation of the normal scores of both residuals (van der Waerden 1952), for monotone dependence,
//   - that of the normal scores of the residual of one column and the absolute normal scores of that of the other, for bell-shaped dependence.
//
// A wrong scale of a parent leaves a part of the parent in the residuals of both columns. So the partial correlation of the normal
// scores of the columns themselves, given scores and absolute scores of the parents of both, must be significant too.
//
// Both steps use ranks, so that outliers and heavy tails decide nothing. The cost is 4·m·d² flops and d sorts for m rows.
func Unconnected(e Evidence, model Model) int {
	j := newJudging(e, model)
	if j.untested() != "" {
		return 0
	}
	found, _ := j.missed(j.rows().Outcome == Failed)
	return len(found)
}

// untested returns why unconnected pairs are not tested, or "".
func (j *judging) untested() string {
	switch {
	case j.res == nil:
		return j.why
	case j.Environments != nil:
		return "unconnected pairs are not tested in tables with interventions or environments"
	}
	return ""
}

// unconnected is the check that unconnected columns are independent. alike says that rows are not independent.
func (j *judging) unconnected(alike bool) Assumption {
	const name, statement = IndependentPairs, "unconnected columns are independent given their parents"
	if why := j.untested(); why != "" {
		return newAssumption(name, statement, nil, why, "")
	}
	found, s := j.missed(alike)
	if len(found) == 0 {
		return newAssumption(name, statement, nil, "", fmt.Sprintf("rank tests of %s for monotone and bell-shaped dependence find none (corrected p at most %g, correlation of scores at least %g); %s used",
			plural(s.pairs, "unconnected pair"), pairLevel, math.Sqrt(pairShare), rows(s.m)))
	}
	var columns, said []string
	for _, f := range found {
		a, b := j.Moments.Names[f.a], j.Moments.Names[f.b]
		shape := "monotone"
		if f.bell {
			shape = "bell-shaped"
		}
		said = append(said, fmt.Sprintf("%s and %s (%s, correlation of rank scores %.2f)", a, b, shape, f.correlation))
		for _, c := range []string{a, b} {
			if !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	way := fault.Out("learn with %s, or use ranks with %s", fault.Set("model", "flexible"), byRanks)
	switch j.model.Effects {
	case score.FlexibleEffects:
		way = fault.Out("learn with %s", fault.Set("model", "smooth"))
	case score.SmoothEffects:
		way = fault.Out("learn with %s", fault.Set("model", "flexible"))
	}
	sentence := fmt.Sprintf("%s dependent given the parents of both: %s", plural(len(found), "unconnected pair")+" "+is(len(found)), list(said, 3))
	return newAssumption(name, statement, []Finding{newFinding(MissedDependence, Warning, columns, sentence, way)}, "", "")
}

// pairScores has rank scores of m rows. Row v of a matrix belongs to column v and has mean 0 and sum of squares 1, or 0 if it does not
// vary.
type pairScores struct {
	m, pairs int
	res      *residuals
	scores   []float64              // normal scores of half ranks
	x        []float64              // scratch
	left     *matrix.Dense[float64] // normal scores of the residuals
	bent     *matrix.Dense[float64] // their absolute values, orthogonal to them
	own      [][]float64            // normal scores of columns, computed when needed; see column
	ownBent  [][]float64
	rare     []float64 // share of rows without the most frequent value of these columns
}

// missed returns the dependent pairs without an edge, the strongest first, and their scores. alike says that rows are not independent.
func (j *judging) missed(alike bool) ([]dependence, *pairScores) {
	d, g, s := len(j.two), j.model.Graph, j.pairScores()
	counted := j.worth(s.m)
	if alike {
		counted *= dependentRows
	}
	below := make([][]bool, d)
	for v := range d {
		below[v] = g.Descendants([]int{v})
	}
	monotone, bell := matrix.New[float64](d, d), matrix.New[float64](d, d) // row v has the residual of v
	matrix.MulTB(monotone, s.left, s.left, 1)
	matrix.MulTB(bell, s.left, s.bent, 1)
	var candidates []dependence
	for v := range d {
		for u := range d {
			if below[v][u] || g.HasEdge(u, v) || j.untestable(u, v) {
				continue
			}
			note := func(r float64, isBell bool) {
				if r*r >= pairShare {
					p := chanceOf(r*r, counted-2.5-float64(len(g.Parents(v))))
					candidates = append(candidates, dependence{a: u, b: v, bell: isBell, correlation: r, p: p})
				}
			}
			if u < v || below[u][v] { // once for each pair
				s.pairs++
				note(monotone.At(v, u), false)
			}
			note(bell.At(v, u), true)
		}
	}
	slices.SortStableFunc(candidates, func(a, b dependence) int { return cmp.Compare(math.Abs(b.correlation), math.Abs(a.correlation)) })
	var found []dependence
	known := map[[2]int]bool{}
	for _, c := range candidates {
		pair, level := [2]int{min(c.a, c.b), max(c.a, c.b)}, pairLevel/float64(3*s.pairs)
		if c.p > level || known[pair] || s.rarely(c.a, c.b) {
			continue
		}
		if given := intset.Union(g.Parents(c.a), g.Parents(c.b)); len(given) > 0 && s.partial(c, given, counted) > level {
			continue
		}
		known[pair] = true
		if found = append(found, c); len(found) == mostMissed {
			break
		}
	}
	return found, s
}

// untestable reports whether ranks say nothing about two columns, or the model nothing about their dependence.
func (j *judging) untestable(u, v int) bool {
	nominal := func(v int) bool { return j.model.categorical(v) && !j.two[v] }
	return j.model.input(u) && j.model.input(v) || nominal(u) || nominal(v)
}

// chanceOf returns the p-value of a squared correlation.
func chanceOf(share, free float64) float64 {
	return independence.ChiSquared(-max(0, free)*math.Log1p(-min(share, 1-1e-12)), 1)
}

// pairScores computes the scores of the residuals in rows that are spread evenly over the sample.
func (j *judging) pairScores() *pairScores {
	d, all := len(j.two), j.res.r.Cols
	m := min(all, max(leastResiduals, 512, int(pairWork/float64(d)/float64(d))))
	s := &pairScores{m: m, res: j.res, scores: make([]float64, 2*m), x: make([]float64, m), left: matrix.New[float64](d, m), bent: matrix.New[float64](d, m), own: make([][]float64, d), ownBent: make([][]float64, d), rare: make([]float64, d)}
	for i := range s.scores {
		s.scores[i] = math.Sqrt2 * math.Erfinv(float64(i)/float64(m)-1)
	}
	for v := range d {
		if r := j.res.r.Row(v); vec.Dot(r, r) > 0 { // otherwise its parents determine the column
			s.rank(s.left.Row(v), s.bent.Row(v), r)
		}
	}
	return s
}

// rank writes the normal scores of a function over the rows of the sample and their absolute values, and returns the number of rows
// with its most frequent value.
func (s *pairScores) rank(line, bent, from []float64) (most int) {
	for i := range s.x {
		s.x[i] = from[i*len(from)/s.m]
	}
	for ends, rows := range ties(s.x) {
		most = max(most, len(rows))
		for _, i := range rows {
			line[i] = s.scores[ends]
		}
	}
	for i, a := range line {
		bent[i] = math.Abs(a)
	}
	unit(line)
	unit(bent)
	if without(bent, line); vec.Dot(bent, bent) < 1e-6 {
		clear(bent)
	}
	normalize(bent)
	return most
}

// column returns the scores of a column, and not of its residual.
func (s *pairScores) column(v int) (line, bent []float64) {
	if s.own[v] == nil {
		s.own[v], s.ownBent[v] = make([]float64, s.m), make([]float64, s.m)
		s.rare[v] = 1 - float64(s.rank(s.own[v], s.ownBent[v], s.res.z.Row(v)))/float64(s.m)
	}
	return s.own[v], s.ownBent[v]
}

// rarely reports whether two columns that mostly have one value have other values together in so few rows that a correlation of scores
// has another distribution.
func (s *pairScores) rarely(u, v int) bool {
	s.column(u)
	s.column(v)
	return max(s.rare[u], s.rare[v]) < 0.5 && s.rare[u]*s.rare[v]*float64(s.m) < rareTogether
}

// partial returns the p-value of the partial correlation of a pair given the scores and absolute scores of other columns.
func (s *pairScores) partial(c dependence, given []int, counted float64) float64 {
	to, _ := s.column(c.b)
	from, bent := s.column(c.a)
	if c.bell {
		from = bent
	}
	functions := [][]float64{to, from}
	var set []int
	for _, p := range given {
		line, bent := s.column(p)
		set = append(set, len(functions), len(functions)+1)
		functions = append(functions, line, bent)
	}
	k := len(functions)
	gram := make([]float64, k*k)
	for a := range k {
		for b := range a + 1 {
			gram[a*k+b] = vec.Dot(functions[a], functions[b])
			gram[b*k+a] = gram[a*k+b]
		}
	}
	var reg chol.Regression
	chol.Regress(&reg, gram, k, 0, set)
	_, takes := chol.Candidate(&reg, gram, k, 0, 1, set)
	if !(reg.Left > chol.Determined) {
		return 1
	}
	return chanceOf(takes/reg.Left, counted-2.5-float64(len(set)))
}
